#include "device/cuda.h"

#include <stddef.h>
#include <stdint.h>

#ifdef VQX_CUDA_MISSING
const vqx_cuda_kernels_built vqx_cuda_kernels = {.missing = VQX_CUDA_MISSING};
#else
extern const uint64_t vqx_cuda_image_soft[], vqx_cuda_image_fp64[]; /* scripts/embed_cuda */
const vqx_cuda_kernels_built vqx_cuda_kernels = {
    NULL, {vqx_cuda_image_soft, vqx_cuda_image_fp64}, VQX_CUDA_DRIVER, VQX_CUDA_CAPABILITY};
#endif
