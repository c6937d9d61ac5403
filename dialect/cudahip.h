/* What the words of kernel/ mean in CUDA C++ and in HIP; each has a header of its own, which says how lanes shuffle, then includes
 * this file (doc/dialect.md). */
#ifndef VQX_DIALECT_CUDAHIP_H
#define VQX_DIALECT_CUDAHIP_H

#include "dialect/types.h"

#define VQX_FN static __device__ __forceinline__
#define VQX_GLOBAL
#define VQX_LOCAL
#define VQX_PRIVATE
#define VQX_TABLE static __device__ __constant__ const
#define VQX_RESTRICT __restrict__
#define VQX_UNROLL _Pragma("unroll")

typedef struct vqx_cx {
    u32 lane, lanes, gx, gy, ngx;
} vqx_cx;
/* one for each 32 lanes */
typedef struct vqx_red {
    u64 v[8];
} vqx_red;

#define VQX_SYNC(cx) __syncthreads()
VQX_FN u64 vqx_group_sum_u64(vqx_cx cx, VQX_LOCAL vqx_red *red, u64 share) {
    unsigned long long sum = share;
    for (u32 step = 16; step > 0; step /= 2)
        sum += VQX_SHUFFLE_DOWN(sum, step);
    if (cx.lane % 32 == 0)
        red->v[cx.lane / 32] = sum;
    __syncthreads();
    sum = 0;
    for (u32 i = 0; i < cx.lanes / 32; i++)
        sum += red->v[i];
    __syncthreads();
    return sum;
}

VQX_FN i32 vqx_clz_u32(u32 x) {
    return __clz((int)x);
}
VQX_FN i32 vqx_clz_u64(u64 x) {
    return __clzll((long long)x);
}
VQX_FN f32 vqx_sqrt_f32(f32 x) {
    return sqrtf(x);
}
VQX_FN u32 vqx_bits_f32(f32 x) {
    return __float_as_uint(x);
}
VQX_FN f32 vqx_f32_bits(u32 bits) {
    return __uint_as_float(bits);
}

#include "dialect/common.h"
#if VQX_FP64
typedef double f64;
VQX_FN u64 d_bits(f64 x) {
    return (u64)__double_as_longlong(x);
}
VQX_FN f64 d_of_bits(u64 bits) {
    return __longlong_as_double((long long)bits);
}
#include "dialect/f64.h"
#else
#include "kernel/f64_soft.h"
#endif

/* blockIdx.z: whose arguments */
#define VQX_ENTRY(name, count, local)                                                                              \
    VQX_ARGUMENTS(name)                                                                                            \
    struct vqx_sets_##name {                                                                                       \
        vqx_arguments_##name set[VQX_MAX_SETS];                                                                    \
    };                                                                                                             \
    extern "C" __global__ __launch_bounds__(count) void vqx_##name(const VQX_GRID_CONSTANT vqx_sets_##name sets) { \
        __shared__ local lm;                                                                                       \
        const vqx_arguments_##name &set = sets.set[blockIdx.z];                                                    \
        vqx_cx cx;                                                                                                 \
        cx.lane = threadIdx.x;                                                                                     \
        cx.lanes = count;                                                                                          \
        cx.gx = blockIdx.x;                                                                                        \
        cx.gy = blockIdx.y;                                                                                        \
        cx.ngx = gridDim.x;                                                                                        \
        VQX_CALL_SET(name, cx, &lm);                                                                               \
    }

#endif
