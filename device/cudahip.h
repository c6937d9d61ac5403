/* What CUDA's driver API and HIP share: the same functions under two names, found at run time, so neither a toolkit nor a driver is
 * needed to build. A vendor says how its functions are called and what else differs; device/cudahip.c is the rest of a back end.
 * Types and values are those of CUDA's own cuda.h, and of HIP's on a 64-bit processor. */
#ifndef VQX_DEVICE_CUDAHIP_H
#define VQX_DEVICE_CUDAHIP_H

#include "device/device.h"

typedef int vqx_cudahip_status;
typedef int vqx_cudahip_ordinal;
typedef uint64_t vqx_cudahip_pointer; /* to memory of a device */
typedef struct CUctx_st *vqx_cudahip_context;
typedef struct CUmod_st *vqx_cudahip_module;
typedef struct CUfunc_st *vqx_cudahip_function;
typedef struct CUstream_st *vqx_cudahip_stream;
typedef struct CUevent_st *vqx_cudahip_event;

enum {
    VQX_CUDAHIP_SUCCESS = 0,
    VQX_CUDAHIP_OUT_OF_MEMORY = 2,
    VQX_CUDAHIP_PORTABLE = 1,     /* flag of host memory: for all contexts */
    VQX_CUDAHIP_NON_BLOCKING = 1, /* flag of a stream: does not wait for stream 0 */
};

/* F(member, CUDA's name, HIP's name, parameters) */
#define VQX_CUDAHIP_FUNCTIONS(F)                                                                                                  \
    F(init, "cuInit", "hipInit", (unsigned))                                                                                      \
    F(device_count, "cuDeviceGetCount", "hipGetDeviceCount", (int *))                                                             \
    F(device_get, "cuDeviceGet", "hipDeviceGet", (vqx_cudahip_ordinal *, int))                                                    \
    F(device_name, "cuDeviceGetName", "hipDeviceGetName", (char *, int, vqx_cudahip_ordinal))                                     \
    F(module_load, "cuModuleLoadData", "hipModuleLoadData", (vqx_cudahip_module *, const void *))                                 \
    F(module_unload, "cuModuleUnload", "hipModuleUnload", (vqx_cudahip_module))                                                   \
    F(module_function, "cuModuleGetFunction", "hipModuleGetFunction", (vqx_cudahip_function *, vqx_cudahip_module, const char *)) \
    F(memory_alloc, "cuMemAlloc_v2", "hipMalloc", (vqx_cudahip_pointer *, size_t))                                                \
    F(memory_free, "cuMemFree_v2", "hipFree", (vqx_cudahip_pointer))                                                              \
    F(memory_range, "cuMemGetAddressRange_v2", "hipMemGetAddressRange", (vqx_cudahip_pointer *, size_t *, vqx_cudahip_pointer))   \
    F(host_alloc, "cuMemHostAlloc", "hipHostMalloc", (void **, size_t, unsigned))                                                 \
    F(host_free, "cuMemFreeHost", "hipHostFree", (void *))                                                                        \
    F(stream_create, "cuStreamCreate", "hipStreamCreateWithFlags", (vqx_cudahip_stream *, unsigned))                              \
    F(stream_destroy, "cuStreamDestroy_v2", "hipStreamDestroy", (vqx_cudahip_stream))                                             \
    F(stream_wait, "cuStreamSynchronize", "hipStreamSynchronize", (vqx_cudahip_stream))                                           \
    F(upload, "cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync", (vqx_cudahip_pointer, const void *, size_t, vqx_cudahip_stream))      \
    F(download, "cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync", (void *, vqx_cudahip_pointer, size_t, vqx_cudahip_stream))          \
    F(copy, "cuMemcpyDtoDAsync_v2", "hipMemcpyDtoDAsync", (vqx_cudahip_pointer, vqx_cudahip_pointer, size_t, vqx_cudahip_stream)) \
    F(launch, "cuLaunchKernel", "hipModuleLaunchKernel",                                                                          \
      (vqx_cudahip_function, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y, unsigned z, unsigned bytes,           \
       vqx_cudahip_stream, void **argument, void **extra))                                                                        \
    F(event_create, "cuEventCreate", "hipEventCreateWithFlags", (vqx_cudahip_event *, unsigned))                                  \
    F(event_destroy, "cuEventDestroy_v2", "hipEventDestroy", (vqx_cudahip_event))                                                 \
    F(event_record, "cuEventRecord", "hipEventRecord", (vqx_cudahip_event, vqx_cudahip_stream))                                   \
    F(event_elapsed, "cuEventElapsedTime", "hipEventElapsedTime", (float *milliseconds, vqx_cudahip_event, vqx_cudahip_event))

#define VQX_CUDAHIP_MEMBER(member, cuda, hip, parameters) vqx_cudahip_status(*member) parameters;
#define VQX_CUDAHIP_CUDA(member, cuda, hip, parameters) cuda,
#define VQX_CUDAHIP_HIP(member, cuda, hip, parameters) hip,
typedef struct vqx_cudahip_functions {
    VQX_CUDAHIP_FUNCTIONS(VQX_CUDAHIP_MEMBER)
} vqx_cudahip_functions;
enum { VQX_CUDAHIP_FUNCTION_COUNT = sizeof(vqx_cudahip_functions) / sizeof(void *) };

/* A function that only one vendor has; found with the others. */
typedef struct vqx_cudahip_symbol {
    const char *name;
    void *address; /* of the pointer to it */
} vqx_cudahip_symbol;

/* What differs between vendors. */
typedef struct vqx_cudahip_vendor {
    const char *word;                              /* "CUDA" */
    const char *memory;                            /* environment: the most bytes that a device gives, for tests */
    const char *const *missing;                    /* why there are no kernels; to NULL: there are */
    const char *names[VQX_CUDAHIP_FUNCTION_COUNT]; /* in the order of VQX_CUDAHIP_FUNCTIONS */
    const vqx_cudahip_symbol *own;                 /* name NULL behind the last */
    /* Opens the library, says where it was, and looks at its version; NULL with a line. */
    void *(*open)(const char **path, vqx_message_text *message);
    /* NULL: unknown */
    const char *(*error_name)(vqx_cudahip_status status);
    /* Why a device cannot be used, for state->why. */
    vqx_cudahip_status (*judge)(vqx_cudahip_ordinal ordinal, vqx_device_state *state);
    /* The kernels for a device that can be used. */
    const void *(*image)(vqx_cudahip_ordinal ordinal, bool fp64);
    const char *retaining; /* what retain() calls */
    /* context NULL: nothing to release */
    vqx_cudahip_status (*retain)(vqx_cudahip_context *context, vqx_cudahip_ordinal ordinal);
    void (*release)(vqx_cudahip_ordinal ordinal);
    /* Makes a device the current one of the calling thread, until leave() makes that the one which was current before. */
    void (*enter)(vqx_cudahip_context context, vqx_cudahip_ordinal ordinal);
    void (*leave)(void);
} vqx_cudahip_vendor;

extern const vqx_cudahip_vendor vqx_cuda_vendor, vqx_hip_vendor;

#endif
