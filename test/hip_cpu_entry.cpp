/* The kernels of HIP as C++, in place of what dialect/hip_amd.h makes of them. Compiled twice, with VQX_FP64 1 and 0, into two
 * libraries. */
#include "test/hip_cpu.h"

#define __device__
#define __global__
#define __constant__
#define __shared__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(lanes)
#define threadIdx hip_cpu_thread
#define blockIdx hip_cpu_block
#define gridDim hip_cpu_grid
#define __syncthreads hip_cpu_barrier
#define __shfl_down hip_cpu_shuffle_down
#define __clz(x) __builtin_clz((unsigned)(x))
#define __clzll(x) __builtin_clzll((unsigned long long)(x))
#define sqrtf __builtin_sqrtf

template <typename to, typename from>
static to same_bits(from x) {
    static_assert(sizeof(to) == sizeof(from), "as large");
    to y;
    __builtin_memcpy(&y, &x, sizeof(y));
    return y;
}
#define __float_as_uint same_bits<unsigned>
#define __uint_as_float same_bits<float>
#define __double_as_longlong same_bits<long long>
#define __longlong_as_double same_bits<double>

#include "dialect/entry.hip"

#define LANE(name, count, local)                    \
    static void lane_##name(const void *sets) {     \
        vqx_##name(*(const vqx_sets_##name *)sets); \
    }
VQX_KERNELS(LANE)
#define SLOT(name, count, local) {lane_##name, count},
#if VQX_FP64
const hip_cpu_kernel hip_cpu_kernels_fp64[] = {VQX_KERNELS(SLOT)};
#else
const hip_cpu_kernel hip_cpu_kernels_soft[] = {VQX_KERNELS(SLOT)};
#endif
