/* A HIP runtime without a GPU, as libamdhip64.so.7: that of test/fake_cuda.h under HIP's names. Each device is a gfx900 or what
 * FAKE_HIP_ARCHITECTURE says. Built with FAKE_CUDA_RUN it has the kernels of dialect/hip.h
 * (test/hip_cpu.h). A thread's current device is 0 until it
 * sets another one. */
#define cuInit hipInit
#define cuDeviceGetCount hipGetDeviceCount
#define cuDeviceGet hipDeviceGet
#define cuDeviceGetName hipDeviceGetName
#define cuModuleLoadData hipModuleLoadData
#define cuModuleUnload hipModuleUnload
#define cuModuleGetFunction hipModuleGetFunction
#define cuMemAlloc_v2 hipMalloc
#define cuMemFree_v2 hipFree
#define cuMemGetAddressRange_v2 hipMemGetAddressRange
#define cuMemHostAlloc hipHostMalloc
#define cuMemFreeHost hipHostFree
#define cuStreamCreate hipStreamCreateWithFlags
#define cuStreamDestroy_v2 hipStreamDestroy
#define cuStreamSynchronize hipStreamSynchronize
#define cuMemcpyHtoDAsync_v2 hipMemcpyHtoDAsync
#define cuMemcpyDtoHAsync_v2 hipMemcpyDtoHAsync
#define cuMemcpyDtoDAsync_v2 hipMemcpyDtoDAsync
#define cuLaunchKernel hipModuleLaunchKernel
#define cuEventCreate hipEventCreateWithFlags
#define cuEventDestroy_v2 hipEventDestroy
#define cuEventRecord hipEventRecord
#define cuEventElapsedTime hipEventElapsedTime
#ifdef FAKE_CUDA_RUN
#include "test/hip_cpu.h"
static void run_kernel(unsigned kernel, bool fp64, uint32_t gx, uint32_t gy, uint32_t gz, const void *sets) {
    hip_cpu_run(&(fp64 ? hip_cpu_kernels_fp64 : hip_cpu_kernels_soft)[kernel], gx, gy, gz, sets);
}
#endif
#include "test/fake_cuda.c"

__attribute__((visibility("default"))) const char *hipGetErrorName(vqx_cudahip_status status);
const char *hipGetErrorName(vqx_cudahip_status status) {
    return status == VQX_CUDAHIP_OUT_OF_MEMORY ? "hipErrorOutOfMemory" : status == INVALID_DEVICE ? "hipErrorInvalidDevice" : NULL;
}

DRIVER(hipGetDevice, vqx_cudahip_ordinal *ordinal) {
    *ordinal = depth ? (vqx_cudahip_ordinal)(current[0] - contexts) : 0;
    return VQX_CUDAHIP_SUCCESS;
}

DRIVER(hipSetDevice, vqx_cudahip_ordinal ordinal) {
    const vqx_cudahip_status status = start("hipSetDevice", false);
    if (!status && capability(ordinal)) {
        current[0] = &contexts[ordinal];
        depth = 1;
    }
    return done(status ? status : capability(ordinal) ? VQX_CUDAHIP_SUCCESS : INVALID_DEVICE);
}

/* The struct's name and architecture, at the places of ROCm 6. */
DRIVER(hipGetDevicePropertiesR0600, char *properties, vqx_cudahip_ordinal ordinal) {
    const vqx_cudahip_status status = start("hipGetDeviceProperties", false);
    const char *architecture = getenv("FAKE_HIP_ARCHITECTURE");
    memset(properties, 0, 1472);
    snprintf(properties, 256, "gfx of fake %d", ordinal);
    snprintf(properties + 1160, 256, "%s", architecture ? architecture : "gfx900:sramecc+:xnack-");
    return done(status);
}
