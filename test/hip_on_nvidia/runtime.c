/* The functions of HIP that device/hip.c and device/cudahip.c use, on CUDA's driver, so that these and dialect/hip.h run on an
 * NVIDIA processor. A device's architecture is "gfx-nvidia". */
#include <cuda.h>
#include <pthread.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
#define FORWARD(name, parameters, call) \
    EXPORT CUresult name parameters;    \
    CUresult name parameters {          \
        return call;                    \
    }

FORWARD(hipInit, (unsigned flags), cuInit(flags))
FORWARD(hipGetDeviceCount, (int *count), cuDeviceGetCount(count))
FORWARD(hipDeviceGet, (CUdevice * device, int ordinal), cuDeviceGet(device, ordinal))
FORWARD(hipDeviceGetName, (char *name, int size, CUdevice device), cuDeviceGetName(name, size, device))
FORWARD(hipModuleLoadData, (CUmodule * module, const void *image), cuModuleLoadData(module, image))
FORWARD(hipModuleUnload, (CUmodule module), cuModuleUnload(module))
FORWARD(hipModuleGetFunction, (CUfunction * function, CUmodule module, const char *name),
        cuModuleGetFunction(function, module, name))
FORWARD(hipMalloc, (CUdeviceptr * memory, size_t bytes), cuMemAlloc(memory, bytes))
FORWARD(hipFree, (CUdeviceptr memory), cuMemFree(memory))
FORWARD(hipMemGetAddressRange, (CUdeviceptr * start, size_t *bytes, CUdeviceptr memory), cuMemGetAddressRange(start, bytes, memory))
FORWARD(hipHostMalloc, (void **memory, size_t bytes, unsigned flags), cuMemHostAlloc(memory, bytes, flags))
FORWARD(hipHostFree, (void *memory), cuMemFreeHost(memory))
FORWARD(hipStreamCreateWithFlags, (CUstream * stream, unsigned flags), cuStreamCreate(stream, flags))
FORWARD(hipStreamDestroy, (CUstream stream), cuStreamDestroy(stream))
FORWARD(hipStreamSynchronize, (CUstream stream), cuStreamSynchronize(stream))
FORWARD(hipMemcpyHtoDAsync, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream),
        cuMemcpyHtoDAsync(to, from, bytes, stream))
FORWARD(hipMemcpyDtoHAsync, (void *to, CUdeviceptr from, size_t bytes, CUstream stream), cuMemcpyDtoHAsync(to, from, bytes, stream))
FORWARD(hipMemcpyDtoDAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
        cuMemcpyDtoDAsync(to, from, bytes, stream))
FORWARD(hipModuleLaunchKernel,
        (CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y, unsigned z, unsigned bytes,
         CUstream stream, void **argument, void **extra),
        cuLaunchKernel(function, gx, gy, gz, x, y, z, bytes, stream, argument, extra))
FORWARD(hipEventCreateWithFlags, (CUevent * event, unsigned flags), cuEventCreate(event, flags))
FORWARD(hipEventDestroy, (CUevent event), cuEventDestroy(event))
FORWARD(hipEventRecord, (CUevent event, CUstream stream), cuEventRecord(event, stream))
FORWARD(hipEventElapsedTime, (float *milliseconds, CUevent from, CUevent to), cuEventElapsedTime(milliseconds, from, to))

/* A device's context is made when it is first asked for. */
static CUcontext context[64];
static _Thread_local int current;

FORWARD(hipGetDevice, (int *ordinal), (*ordinal = current, CUDA_SUCCESS))

static CUresult set(int ordinal) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    CUresult status = ordinal < 0 || ordinal > 63 ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    if (!status && !context[ordinal])
        status = cuDevicePrimaryCtxRetain(&context[ordinal], ordinal);
    pthread_mutex_unlock(&lock);
    if (status)
        return status;
    current = ordinal;
    return cuCtxSetCurrent(context[ordinal]);
}
FORWARD(hipSetDevice, (int ordinal), set(ordinal))

/* The name, and the architecture where ROCm 6 has it. */
FORWARD(hipGetDevicePropertiesR0600, (char *properties, int ordinal),
        (strcpy(properties + 1160, "gfx-nvidia"), cuDeviceGetName(properties, 256, ordinal)))

EXPORT const char *hipGetErrorName(CUresult status);
const char *hipGetErrorName(CUresult status) {
    const char *name;
    return cuGetErrorName(status, &name) ? NULL : name;
}
