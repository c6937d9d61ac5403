/* In place of the kernels that the build made for AMD's processors, or did not make. */
#include <stddef.h>
#include <stdint.h>

#include "device/hip.h"

extern const uint64_t vqx_hip_on_nvidia_soft[], vqx_hip_on_nvidia_fp64[]; /* scripts/embed_cuda */
const vqx_hip_kernels_built vqx_hip_kernels = {
    NULL, (const vqx_hip_image[]){{"gfx-nvidia", {vqx_hip_on_nvidia_soft, vqx_hip_on_nvidia_fp64}}, {NULL, {NULL, NULL}}}};
