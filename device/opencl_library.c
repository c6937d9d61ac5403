#include <dlfcn.h>
#include <errno.h>

#include "device/opencl.h"

vqx_opencl_functions vqx_cl;
const char *vqx_opencl_library = "libOpenCL.so.1";

int vqx_opencl_load(vqx_message_text *message) {
    static const struct {
        const char *name;
        size_t offset;
    } function[] = {
#define FUNCTION(name) {"cl" #name, offsetof(vqx_opencl_functions, name)},
        VQX_OPENCL_FUNCTIONS(FUNCTION)};
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static void *library;
    int err = 0;
    pthread_mutex_lock(&lock);
    if (!library) {
        void *handle = dlopen(vqx_opencl_library, RTLD_NOW | RTLD_LOCAL);
        for (size_t i = 0; handle && i < sizeof(function) / sizeof(function[0]); i++) {
            void *address = dlsym(handle, function[i].name);
            if (!address) {
                err = vqx_fail(message, -ENODEV, "%s: it has no %s", vqx_opencl_library, function[i].name);
                dlclose(handle);
                goto end;
            }
            *(void **)((char *)&vqx_cl + function[i].offset) = address;
        }
        if (!handle)
            err = vqx_fail(message, -ENODEV, "%s", dlerror());
        library = handle;
    }
end:
    pthread_mutex_unlock(&lock);
    return err;
}

// clang-format off
#define ERRORS(E) \
    E(DEVICE_NOT_FOUND) E(DEVICE_NOT_AVAILABLE) E(COMPILER_NOT_AVAILABLE) E(MEM_OBJECT_ALLOCATION_FAILURE) \
    E(OUT_OF_RESOURCES) E(OUT_OF_HOST_MEMORY) E(PROFILING_INFO_NOT_AVAILABLE) E(MEM_COPY_OVERLAP) E(BUILD_PROGRAM_FAILURE) \
    E(MAP_FAILURE) E(MISALIGNED_SUB_BUFFER_OFFSET) E(EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) E(COMPILE_PROGRAM_FAILURE) \
    E(LINKER_NOT_AVAILABLE) E(LINK_PROGRAM_FAILURE) E(INVALID_VALUE) E(INVALID_PLATFORM) E(INVALID_DEVICE) \
    E(INVALID_CONTEXT) E(INVALID_QUEUE_PROPERTIES) E(INVALID_COMMAND_QUEUE) E(INVALID_MEM_OBJECT) E(INVALID_BINARY) \
    E(INVALID_BUILD_OPTIONS) E(INVALID_PROGRAM) E(INVALID_PROGRAM_EXECUTABLE) E(INVALID_KERNEL_NAME) \
    E(INVALID_KERNEL_DEFINITION) E(INVALID_KERNEL) E(INVALID_ARG_INDEX) E(INVALID_ARG_VALUE) E(INVALID_ARG_SIZE) \
    E(INVALID_KERNEL_ARGS) E(INVALID_WORK_DIMENSION) E(INVALID_WORK_GROUP_SIZE) E(INVALID_WORK_ITEM_SIZE) \
    E(INVALID_GLOBAL_OFFSET) E(INVALID_EVENT_WAIT_LIST) E(INVALID_EVENT) E(INVALID_OPERATION) E(INVALID_BUFFER_SIZE) \
    E(INVALID_GLOBAL_WORK_SIZE) E(INVALID_PROPERTY) E(INVALID_COMPILER_OPTIONS) E(INVALID_LINKER_OPTIONS)
// clang-format on

const char *vqx_opencl_error(cl_int status) {
    static const struct {
        cl_int status;
        const char *name;
    } known[] = {
#define KNOWN(name) {CL_##name, "CL_" #name},
        ERRORS(KNOWN){-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
        {-9999, "error -9999 of NVIDIA's driver, an address outside a buffer"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].status == status)
            return known[i].name;
    return "an error that OpenCL 1.2 does not name";
}
