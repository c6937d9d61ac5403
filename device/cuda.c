/* CUDA: what differs from HIP (device/cudahip.h). A device is the primary context of a GPU. */
#include "device/cuda.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#include "device/cudahip.h"

enum { MAJOR = 75, MINOR = 76 }; /* attributes: compute capability */

const char *vqx_cuda_library = "libcuda.so.1";

static vqx_cudahip_status (*error_name)(vqx_cudahip_status, const char **);
static vqx_cudahip_status (*attribute)(int *, int, vqx_cudahip_ordinal);
static vqx_cudahip_status (*context_retain)(vqx_cudahip_context *, vqx_cudahip_ordinal);
static vqx_cudahip_status (*context_release)(vqx_cudahip_ordinal);
static vqx_cudahip_status (*context_push)(vqx_cudahip_context);
static vqx_cudahip_status (*context_pop)(vqx_cudahip_context *);

static const vqx_cudahip_symbol own[] = {
    {"cuGetErrorName", &error_name},
    {"cuDeviceGetAttribute", &attribute},
    {"cuDevicePrimaryCtxRetain", &context_retain},
    {"cuDevicePrimaryCtxRelease_v2", &context_release},
    {"cuCtxPushCurrent_v2", &context_push},
    {"cuCtxPopCurrent_v2", &context_pop},
    {NULL, NULL},
};

static void *open_library(const char **path, vqx_message_text *message) {
    const int needed = vqx_cuda_kernels.driver;
    vqx_cudahip_status (*driver_version)(int *);
    int version = 0;
    void *library = dlopen(*path = vqx_cuda_library, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        vqx_fail(message, -ENODEV, "%s", dlerror());
        return NULL;
    }
    /* first: an old driver may lack some of the functions */
    *(void **)&driver_version = dlsym(library, "cuDriverGetVersion");
    if (driver_version && driver_version(&version) == VQX_CUDAHIP_SUCCESS && version < needed) {
        vqx_fail(message, -ENODEV, "driver %d.%d is older than %d.%d, which the kernels need", version / 1000, version % 1000 / 10,
                 needed / 1000, needed % 1000 / 10);
        return NULL;
    }
    return library;
}

static const char *name_of(vqx_cudahip_status status) {
    const char *name;
    return error_name(status, &name) == VQX_CUDAHIP_SUCCESS ? name : NULL;
}

static vqx_cudahip_status judge(vqx_cudahip_ordinal ordinal, vqx_device_state *state) {
    int major = 0, minor = 0;
    vqx_cudahip_status status = attribute(&major, MAJOR, ordinal);
    if (!status)
        status = attribute(&minor, MINOR, ordinal);
    if (!status && 10 * major + minor < vqx_cuda_kernels.capability)
        snprintf(state->why, sizeof(state->why), "compute capability %d.%d is below %d.%d, which the kernels need", major, minor,
                 vqx_cuda_kernels.capability / 10, vqx_cuda_kernels.capability % 10);
    return status;
}

static const void *image(vqx_cudahip_ordinal ordinal, bool fp64) {
    (void)ordinal; /* one for all */
    return vqx_cuda_kernels.image[fp64];
}

static vqx_cudahip_status retain(vqx_cudahip_context *context, vqx_cudahip_ordinal ordinal) {
    return context_retain(context, ordinal);
}

static void release(vqx_cudahip_ordinal ordinal) {
    context_release(ordinal);
}

static void enter(vqx_cudahip_context context, vqx_cudahip_ordinal ordinal) {
    (void)ordinal;
    context_push(context);
}

static void leave(void) {
    vqx_cudahip_context ours;
    context_pop(&ours);
}

const vqx_cudahip_vendor vqx_cuda_vendor = {
    .word = "CUDA",
    .memory = "VQX_CUDA_MEMORY",
    .missing = &vqx_cuda_kernels.missing,
    .names = {VQX_CUDAHIP_FUNCTIONS(VQX_CUDAHIP_CUDA)},
    .own = own,
    .open = open_library,
    .error_name = name_of,
    .judge = judge,
    .image = image,
    .retaining = "cuDevicePrimaryCtxRetain",
    .retain = retain,
    .release = release,
    .enter = enter,
    .leave = leave,
};
