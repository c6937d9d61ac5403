/* What the files of the OpenCL back end share: opencl_library.c, opencl_device.c, opencl_program.c, opencl.c. */
#ifndef VQX_DEVICE_OPENCL_H
#define VQX_DEVICE_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>

#include "device/device.h"

/* The functions of the library that are used, without their "cl". */
// clang-format off
#define VQX_OPENCL_FUNCTIONS(F) \
    F(BuildProgram) F(CreateBuffer) F(CreateCommandQueue) F(CreateContext) F(CreateKernel) F(CreateProgramWithBinary) \
    F(CreateProgramWithSource) F(EnqueueCopyBuffer) F(EnqueueMapBuffer) F(EnqueueNDRangeKernel) F(EnqueueReadBuffer) \
    F(EnqueueUnmapMemObject) F(EnqueueWriteBuffer) F(Finish) F(Flush) F(GetDeviceIDs) F(GetDeviceInfo) F(GetEventProfilingInfo) \
    F(GetPlatformIDs) F(GetPlatformInfo) F(GetProgramBuildInfo) F(GetProgramInfo) F(ReleaseCommandQueue) F(ReleaseContext) \
    F(ReleaseEvent) F(ReleaseKernel) F(ReleaseMemObject) F(ReleaseProgram) F(SetKernelArg)
// clang-format on

#define VQX_OPENCL_POINTER(name) __typeof__(&cl##name) name;
typedef struct vqx_opencl_functions {
    VQX_OPENCL_FUNCTIONS(VQX_OPENCL_POINTER)
} vqx_opencl_functions;

/* Filled by vqx_opencl_load(); tests put functions that fail among them. */
extern vqx_opencl_functions vqx_cl;
/* The name of the library; tests name one that is not there. */
extern const char *vqx_opencl_library;

/* Loads the library unless it is. Any thread. -ENODEV with a line. */
int vqx_opencl_load(vqx_message_text *message);
/* "CL_OUT_OF_RESOURCES". */
const char *vqx_opencl_error(cl_int status);

typedef struct vqx_opencl_device {
    vqx_device base;
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;
    cl_command_queue maps; /* of host memory */
    pthread_mutex_t lock;  /* of what follows */
    cl_program program[VQX_PROGRAM_COUNT];
    unsigned from_source, from_cache; /* programs that were built */
} vqx_opencl_device;

/* The back end's functions of these names. */
unsigned vqx_opencl_list(vqx_device_state *state, unsigned most, vqx_message_text *message);
int vqx_opencl_open(vqx_device **device, unsigned number, bool fp64, bool profile, vqx_message_text *message);
void vqx_opencl_close(vqx_device *device);

/* Builds a program unless it is built. Any thread. -ENODEV with the first lines of what the compiler says. */
int vqx_opencl_program(vqx_opencl_device *device, unsigned program, cl_program *built, vqx_message_text *message);

/* For tests, before a device is opened: the kernels' source with one text for another; `from` must stand in it exactly once, else
 * nothing is changed. NULL: as it was. Programs are then not looked for among the stored ones. Returns how often `from` was found.
 */
int vqx_opencl_replace_source(const char *from, const char *to);

#endif
