#include "device/device.h"

const vqx_backend *const vqx_backends[] = {
    &vqx_backend_cpu_kernels,
    &vqx_backend_opencl,
    NULL,
};
