/* The part of CUDA's driver API that is used, found at run time: neither a toolkit nor a driver is needed to build. Types and
 * values are those of CUDA's own cuda.h. */
#ifndef VQX_DEVICE_CUDA_DRIVER_H
#define VQX_DEVICE_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/message.h"

typedef int vqx_cuda_status;
typedef int vqx_cuda_ordinal;
typedef uint64_t vqx_cuda_pointer; /* to memory of a device */
typedef struct CUctx_st *vqx_cuda_context;
typedef struct CUmod_st *vqx_cuda_module;
typedef struct CUfunc_st *vqx_cuda_function;
typedef struct CUstream_st *vqx_cuda_stream;
typedef struct CUevent_st *vqx_cuda_event;

enum {
    VQX_CUDA_SUCCESS = 0,
    VQX_CUDA_OUT_OF_MEMORY = 2,
    VQX_CUDA_MAJOR = 75, /* attributes: compute capability */
    VQX_CUDA_MINOR = 76,
    VQX_CUDA_PORTABLE = 1,     /* flag of host memory: for all contexts */
    VQX_CUDA_NON_BLOCKING = 1, /* flag of a stream: does not wait for stream 0 */
};

/* F(member of vqx_cu, what follows "cu" in the driver's name, parameters) */
#define VQX_CUDA_FUNCTIONS(F)                                                                                        \
    F(init, "Init", (unsigned))                                                                                      \
    F(error_name, "GetErrorName", (vqx_cuda_status, const char **))                                                  \
    F(device_count, "DeviceGetCount", (int *))                                                                       \
    F(device_get, "DeviceGet", (vqx_cuda_ordinal *, int))                                                            \
    F(device_name, "DeviceGetName", (char *, int, vqx_cuda_ordinal))                                                 \
    F(device_attribute, "DeviceGetAttribute", (int *, int, vqx_cuda_ordinal))                                        \
    F(context_retain, "DevicePrimaryCtxRetain", (vqx_cuda_context *, vqx_cuda_ordinal))                              \
    F(context_release, "DevicePrimaryCtxRelease_v2", (vqx_cuda_ordinal))                                             \
    F(context_push, "CtxPushCurrent_v2", (vqx_cuda_context))                                                         \
    F(context_pop, "CtxPopCurrent_v2", (vqx_cuda_context *))                                                         \
    F(module_load, "ModuleLoadData", (vqx_cuda_module *, const void *))                                              \
    F(module_unload, "ModuleUnload", (vqx_cuda_module))                                                              \
    F(module_function, "ModuleGetFunction", (vqx_cuda_function *, vqx_cuda_module, const char *))                    \
    F(memory_alloc, "MemAlloc_v2", (vqx_cuda_pointer *, size_t))                                                     \
    F(memory_free, "MemFree_v2", (vqx_cuda_pointer))                                                                 \
    F(memory_range, "MemGetAddressRange_v2", (vqx_cuda_pointer *, size_t *, vqx_cuda_pointer))                       \
    F(host_alloc, "MemHostAlloc", (void **, size_t, unsigned))                                                       \
    F(host_free, "MemFreeHost", (void *))                                                                            \
    F(stream_create, "StreamCreate", (vqx_cuda_stream *, unsigned))                                                  \
    F(stream_destroy, "StreamDestroy_v2", (vqx_cuda_stream))                                                         \
    F(stream_wait, "StreamSynchronize", (vqx_cuda_stream))                                                           \
    F(upload, "MemcpyHtoDAsync_v2", (vqx_cuda_pointer, const void *, size_t, vqx_cuda_stream))                       \
    F(download, "MemcpyDtoHAsync_v2", (void *, vqx_cuda_pointer, size_t, vqx_cuda_stream))                           \
    F(copy, "MemcpyDtoDAsync_v2", (vqx_cuda_pointer, vqx_cuda_pointer, size_t, vqx_cuda_stream))                     \
    F(launch, "LaunchKernel",                                                                                        \
      (vqx_cuda_function, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y, unsigned z, unsigned bytes, \
       vqx_cuda_stream, void **argument, void **extra))                                                              \
    F(event_create, "EventCreate", (vqx_cuda_event *, unsigned))                                                     \
    F(event_destroy, "EventDestroy_v2", (vqx_cuda_event))                                                            \
    F(event_record, "EventRecord", (vqx_cuda_event, vqx_cuda_stream))                                                \
    F(event_elapsed, "EventElapsedTime", (float *milliseconds, vqx_cuda_event, vqx_cuda_event))

#define VQX_CUDA_MEMBER(member, name, parameters) vqx_cuda_status(*member) parameters;
typedef struct vqx_cuda_functions {
    VQX_CUDA_FUNCTIONS(VQX_CUDA_MEMBER)
} vqx_cuda_functions;

/* Filled by vqx_cuda_load(). */
extern vqx_cuda_functions vqx_cu;
/* Where it looks; tests name others. */
extern const char *vqx_cuda_library;

/* Finds and initialises the driver, if that is not done yet. Any thread. -ENODEV with a line. */
int vqx_cuda_load(vqx_message_text *message);

/* "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY": the line of an operation that failed; returns -ENODEV. */
int vqx_cuda_fail(vqx_message_text *message, vqx_cuda_status status, const char *operation);

/* The kernels of this build (device/cuda_kernels.c). */
typedef struct vqx_cuda_kernels_built {
    const char *missing;  /* why there are none; NULL: there are */
    const void *image[2]; /* for the driver: without fp64, with it */
    int driver;           /* version that the images need: 1000 * major + 10 * minor */
    int capability;       /* that they need: 10 * major + minor */
} vqx_cuda_kernels_built;
extern const vqx_cuda_kernels_built vqx_cuda_kernels;

#endif
