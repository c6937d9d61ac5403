/* The kernels of HIP by nvcc: what CUDA calls in another way. */
#define __shfl_down(value, step, width) __shfl_down_sync(0xffffffffu, value, step, width)
#define VQX_GRID_CONSTANT __grid_constant__

#include "dialect/entry.hip"
