/* The words of HIP that dialect/cudahip.h uses, on clang's own, so that AMD's headers are not needed. Their meaning is HIP's. */
#ifndef VQX_DIALECT_HIP_AMD_H
#define VQX_DIALECT_HIP_AMD_H

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(lanes) __attribute__((amdgpu_flat_work_group_size(lanes, lanes)))

struct vqx_hip_index {
    unsigned x, y, z;
};
#define threadIdx (vqx_hip_index{__builtin_amdgcn_workitem_id_x(), 0, 0})
#define blockIdx \
    (vqx_hip_index{__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z()})
/* the device counts lanes, not groups */
#define gridDim (vqx_hip_index{__builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(), 0, 0})

static __device__ __forceinline__ void __syncthreads() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/* From the lane `step` further on among `width`, a power of two, else the lane's own. */
static __device__ __forceinline__ unsigned long long __shfl_down(unsigned long long value, unsigned step, unsigned width) {
    const unsigned lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); /* of the wave, whatever its size */
    const int from = (int)((lane % width + step < width ? lane + step : lane) * 4);
    const unsigned low = (unsigned)__builtin_amdgcn_ds_bpermute(from, (int)value);
    return (unsigned long long)(unsigned)__builtin_amdgcn_ds_bpermute(from, (int)(value >> 32)) << 32 | low;
}

/* correctly rounded: the device library's; the instruction, __builtin_sqrtf(), is an approximation */
extern "C" __device__ float __ocml_sqrt_f32(float);
static __device__ __forceinline__ float sqrtf(float x) {
    return __ocml_sqrt_f32(x);
}

static __device__ __forceinline__ int __clz(int x) {
    return __builtin_clz((unsigned)x);
}
static __device__ __forceinline__ int __clzll(long long x) {
    return __builtin_clzll((unsigned long long)x);
}
static __device__ __forceinline__ unsigned __float_as_uint(float x) {
    return __builtin_bit_cast(unsigned, x);
}
static __device__ __forceinline__ float __uint_as_float(unsigned bits) {
    return __builtin_bit_cast(float, bits);
}
static __device__ __forceinline__ long long __double_as_longlong(double x) {
    return __builtin_bit_cast(long long, x);
}
static __device__ __forceinline__ double __longlong_as_double(long long bits) {
    return __builtin_bit_cast(double, bits);
}

#endif
