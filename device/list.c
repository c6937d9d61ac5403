#include "device/device.h"

const vqx_backend *const vqx_backends[] = {
    &vqx_backend_cuda, &vqx_backend_hip, &vqx_backend_opencl, &vqx_backend_sycl, &vqx_backend_cpu_kernels, NULL,
};
