/* What the words of kernel/ mean in SYCL 2020 (doc/dialect.md). Included inside a namespace, behind <sycl/sycl.hpp>; to be compiled
 * with -ffp-contract=off as the last flag: AdaptiveCpp sets another one, and its pragma has no effect there (scripts/compile_sycl).
 */
#ifndef VQX_DIALECT_SYCL_HPP
#define VQX_DIALECT_SYCL_HPP

#include "dialect/types.h"

#define VQX_FN static inline __attribute__((always_inline))
#define VQX_GLOBAL
#define VQX_LOCAL
#define VQX_PRIVATE
#define VQX_TABLE static constexpr
#define VQX_RESTRICT __restrict__
/* a processor has a stack, and compilers take minutes over straight code */
#if defined(__SYCL_DEVICE_ONLY__) || defined(__CUDA__) || defined(__HIP__)
#define VQX_UNROLL _Pragma("unroll")
#else
#define VQX_UNROLL
#endif

/* the barrier needs the item */
typedef struct vqx_cx {
    sycl::nd_item<2> item;
    u32 lane, lanes, gx, gy, ngx;
} vqx_cx;

#define VQX_SYNC(cx) sycl::group_barrier((cx).item.get_group())
#include "dialect/tree_sum.h"

VQX_FN i32 vqx_clz_u32(u32 x) {
    return (i32)sycl::clz(x);
}
VQX_FN i32 vqx_clz_u64(u64 x) {
    return (i32)sycl::clz(x);
}
VQX_FN f32 vqx_sqrt_f32(f32 x) {
    return sycl::sqrt(x);
}
VQX_FN u32 vqx_bits_f32(f32 x) {
    return sycl::bit_cast<u32>(x);
}
VQX_FN f32 vqx_f32_bits(u32 bits) {
    return sycl::bit_cast<f32>(bits);
}

#include "dialect/common.h"
#if VQX_FP64
typedef double f64;
VQX_FN u64 d_bits(f64 x) {
    return sycl::bit_cast<u64>(x);
}
VQX_FN f64 d_of_bits(u64 bits) {
    return sycl::bit_cast<f64>(bits);
}
#include "dialect/f64.h"
#else
#include "kernel/f64_soft.h"
#endif

#endif
