#include "device/hip.h"

#include <stddef.h>
#include <stdint.h>

#define DECLARE(name) extern const uint64_t vqx_hip_##name##_soft[], vqx_hip_##name##_fp64[]; /* scripts/embed_hip */
#define IMAGE(name) {#name, {vqx_hip_##name##_soft, vqx_hip_##name##_fp64}},
VQX_HIP_ARCHITECTURES(DECLARE)
static const vqx_hip_image images[] = {VQX_HIP_ARCHITECTURES(IMAGE){NULL, {NULL, NULL}}};
const vqx_hip_kernels_built vqx_hip_kernels = {
    sizeof(images) > sizeof(images[0]) ? NULL : "no clang with AMD's device library and lld, or -Dhip=none", images};
