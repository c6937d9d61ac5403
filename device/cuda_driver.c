#include "device/cuda_driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

vqx_cuda_functions vqx_cu;
const char *vqx_cuda_library = "libcuda.so.1";

static int find_functions(void *library, vqx_message_text *message) {
    static const struct {
        const char *name;
        size_t offset;
    } function[] = {
#define FUNCTION(member, name, parameters) {"cu" name, offsetof(vqx_cuda_functions, member)},
        VQX_CUDA_FUNCTIONS(FUNCTION)};
    for (size_t i = 0; i < sizeof(function) / sizeof(function[0]); i++) {
        void *address = dlsym(library, function[i].name);
        if (!address)
            return vqx_fail(message, -ENODEV, "%s has no %s", vqx_cuda_library, function[i].name);
        *(void **)((char *)&vqx_cu + function[i].offset) = address;
    }
    return 0;
}

static int load(vqx_message_text *message) {
    const int needed = vqx_cuda_kernels.driver;
    vqx_cuda_status (*driver_version)(int *);
    int version = 0;
    void *library = dlopen(vqx_cuda_library, RTLD_NOW | RTLD_LOCAL); /* for good: a driver cannot be unloaded */
    if (!library)
        return vqx_fail(message, -ENODEV, "%s", dlerror());
    /* first: an old driver may lack some of the others */
    *(void **)&driver_version = dlsym(library, "cuDriverGetVersion");
    if (driver_version && driver_version(&version) == VQX_CUDA_SUCCESS && version < needed)
        return vqx_fail(message, -ENODEV, "driver %d.%d is older than %d.%d, which the kernels need", version / 1000,
                        version % 1000 / 10, needed / 1000, needed % 1000 / 10);
    const int err = find_functions(library, message);
    const vqx_cuda_status status = err < 0 ? VQX_CUDA_SUCCESS : vqx_cu.init(0);
    return status ? vqx_cuda_fail(message, status, "cuInit") : err;
}

int vqx_cuda_load(vqx_message_text *message) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool loaded;
    pthread_mutex_lock(&lock);
    const int err = loaded ? 0 : load(message);
    loaded = err == 0;
    pthread_mutex_unlock(&lock);
    return err;
}

int vqx_cuda_fail(vqx_message_text *message, vqx_cuda_status status, const char *operation) {
    const char *name;
    if (vqx_cu.error_name(status, &name) != VQX_CUDA_SUCCESS)
        return vqx_fail(message, -ENODEV, "%s: CUDA error %d", operation, status);
    return vqx_fail(message, -ENODEV, "%s: %s", operation, name);
}
