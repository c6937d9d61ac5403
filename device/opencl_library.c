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

const char *vqx_opencl_error(cl_int status) {
    static const struct {
        cl_int status;
        const char *name;
    } known[] = {
#define KNOWN(name) {name, #name}
        KNOWN(CL_DEVICE_NOT_FOUND),
        KNOWN(CL_DEVICE_NOT_AVAILABLE),
        KNOWN(CL_COMPILER_NOT_AVAILABLE),
        KNOWN(CL_MEM_OBJECT_ALLOCATION_FAILURE),
        KNOWN(CL_OUT_OF_RESOURCES),
        KNOWN(CL_OUT_OF_HOST_MEMORY),
        KNOWN(CL_PROFILING_INFO_NOT_AVAILABLE),
        KNOWN(CL_MEM_COPY_OVERLAP),
        KNOWN(CL_BUILD_PROGRAM_FAILURE),
        KNOWN(CL_MAP_FAILURE),
        KNOWN(CL_MISALIGNED_SUB_BUFFER_OFFSET),
        KNOWN(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        KNOWN(CL_COMPILE_PROGRAM_FAILURE),
        KNOWN(CL_LINKER_NOT_AVAILABLE),
        KNOWN(CL_LINK_PROGRAM_FAILURE),
        KNOWN(CL_INVALID_VALUE),
        KNOWN(CL_INVALID_PLATFORM),
        KNOWN(CL_INVALID_DEVICE),
        KNOWN(CL_INVALID_CONTEXT),
        KNOWN(CL_INVALID_QUEUE_PROPERTIES),
        KNOWN(CL_INVALID_COMMAND_QUEUE),
        KNOWN(CL_INVALID_MEM_OBJECT),
        KNOWN(CL_INVALID_BINARY),
        KNOWN(CL_INVALID_BUILD_OPTIONS),
        KNOWN(CL_INVALID_PROGRAM),
        KNOWN(CL_INVALID_PROGRAM_EXECUTABLE),
        KNOWN(CL_INVALID_KERNEL_NAME),
        KNOWN(CL_INVALID_KERNEL_DEFINITION),
        KNOWN(CL_INVALID_KERNEL),
        KNOWN(CL_INVALID_ARG_INDEX),
        KNOWN(CL_INVALID_ARG_VALUE),
        KNOWN(CL_INVALID_ARG_SIZE),
        KNOWN(CL_INVALID_KERNEL_ARGS),
        KNOWN(CL_INVALID_WORK_DIMENSION),
        KNOWN(CL_INVALID_WORK_GROUP_SIZE),
        KNOWN(CL_INVALID_WORK_ITEM_SIZE),
        KNOWN(CL_INVALID_GLOBAL_OFFSET),
        KNOWN(CL_INVALID_EVENT_WAIT_LIST),
        KNOWN(CL_INVALID_EVENT),
        KNOWN(CL_INVALID_OPERATION),
        KNOWN(CL_INVALID_BUFFER_SIZE),
        KNOWN(CL_INVALID_GLOBAL_WORK_SIZE),
        KNOWN(CL_INVALID_PROPERTY),
        KNOWN(CL_INVALID_COMPILER_OPTIONS),
        KNOWN(CL_INVALID_LINKER_OPTIONS),
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
        {-9999, "error -9999 of NVIDIA's driver, an address outside a buffer"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].status == status)
            return known[i].name;
    return "an error that OpenCL 1.2 does not name";
}
