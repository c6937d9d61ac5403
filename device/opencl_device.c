/* Devices: which there are, whether their arithmetic can be exact, opening one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/opencl.h"
#include "device/self_test.h"

#define MAX_PLATFORMS 16
#define MAX_DEVICES 64
#define GPU_TYPES (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR)
#define MIN_LANES 256
#define MIN_LOCAL (32 << 10)

typedef struct found {
    cl_platform_id platform;
    cl_device_id id;
} found;

/* All devices of all platforms, graphics processors first. */
static unsigned find(found *all, vqx_message_text *message) {
    cl_platform_id platform[MAX_PLATFORMS];
    cl_uint platforms = 0;
    unsigned count = 0;
    if (vqx_opencl_load(message) < 0)
        return 0;
    cl_int status = vqx_cl.GetPlatformIDs(MAX_PLATFORMS, platform, &platforms);
    if (status != CL_SUCCESS || platforms > MAX_PLATFORMS)
        platforms = status == CL_SUCCESS ? MAX_PLATFORMS : 0;
    for (cl_uint i = 0; i < 2 * platforms; i++) {
        const cl_device_type type = i < platforms ? GPU_TYPES : CL_DEVICE_TYPE_CPU;
        cl_device_id id[MAX_DEVICES];
        cl_uint devices = 0;
        if (vqx_cl.GetDeviceIDs(platform[i % platforms], type, MAX_DEVICES, id, &devices) != CL_SUCCESS)
            continue; /* a platform without such a device says so by an error */
        for (cl_uint d = 0; d < devices && d < MAX_DEVICES && count < MAX_DEVICES; d++)
            all[count++] = (found){platform[i % platforms], id[d]};
    }
    if (count == 0)
        vqx_fail(message, -ENODEV, "%s: no device%s%s", vqx_opencl_library, status ? ", " : "",
                 status ? vqx_opencl_error(status) : "");
    return count;
}

/* Without the spaces around it; empty when the driver does not tell. */
static void info_text(cl_device_id id, cl_device_info what, char *text, size_t size) {
    memset(text, 0, size);
    if (vqx_cl.GetDeviceInfo(id, what, size - 1, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
    const size_t start = strspn(text, " ");
    size_t length = strlen(text + start);
    memmove(text, text + start, length + 1);
    while (length > 0 && text[length - 1] == ' ')
        text[--length] = '\0';
}

/* Numbers of one of OpenCL's types; 0 when the driver does not tell. */
static uint64_t info(cl_device_id id, cl_device_info what, size_t size) {
    union {
        cl_uint narrow;
        cl_ulong wide;
    } value = {.wide = 0};
    if (vqx_cl.GetDeviceInfo(id, what, size, &value, NULL) != CL_SUCCESS)
        return 0;
    return size == sizeof(cl_uint) ? value.narrow : value.wide;
}

/* Why exact scores cannot be had from the device; NULL: they can, as far as it says. */
static const char *refusal(cl_device_id id) {
    const cl_device_fp_config single = info(id, CL_DEVICE_SINGLE_FP_CONFIG, sizeof(single));
    unsigned major = 0, minor = 0;
    char text[4096];
    size_t lanes[8] = {0};
    info_text(id, CL_DEVICE_VERSION, text, sizeof(text));
    if (sscanf(text, "OpenCL %u.%u", &major, &minor) != 2 || major * 100 + minor < 102)
        return "its OpenCL is older than 1.2";
    if (!info(id, CL_DEVICE_AVAILABLE, sizeof(cl_bool)))
        return "not available";
    if (!info(id, CL_DEVICE_COMPILER_AVAILABLE, sizeof(cl_bool)))
        return "its driver has no compiler";
    if (!info(id, CL_DEVICE_ENDIAN_LITTLE, sizeof(cl_bool)))
        return "big endian";
    info_text(id, CL_DEVICE_PROFILE, text, sizeof(text));
    if (strcmp(text, "FULL_PROFILE") != 0) {
        info_text(id, CL_DEVICE_EXTENSIONS, text, sizeof(text));
        if (!strstr(text, "cles_khr_int64"))
            return "no 64-bit integers";
    }
    if (!(single & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT))
        return "fp32 division and square root are not correctly rounded";
    if (!(single & CL_FP_DENORM))
        return "no subnormal fp32 numbers";
    if (!(single & CL_FP_ROUND_TO_NEAREST))
        return "fp32 is not rounded to nearest";
    if (info(id, CL_DEVICE_LOCAL_MEM_SIZE, sizeof(cl_ulong)) < MIN_LOCAL)
        return "less than 32 KB of local memory";
    if (vqx_cl.GetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(lanes), lanes, NULL) != CL_SUCCESS || lanes[0] < MIN_LANES ||
        info(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof(size_t)) < MIN_LANES)
        return "groups of less than 256 work items";
    return NULL;
}

static bool has_fp64(cl_device_id id) {
    const cl_device_fp_config need = CL_FP_DENORM | CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN;
    return (info(id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(need)) & need) == need;
}

static void describe(const found *all, unsigned count, unsigned number, vqx_device_state *state) {
    const cl_device_type type = info(all[number].id, CL_DEVICE_TYPE, sizeof(type));
    const char *why = refusal(all[number].id);
    char other[sizeof(state->name)];
    *state = (vqx_device_state){.gpu = (type & GPU_TYPES) != 0};
    snprintf(state->why, sizeof(state->why), "%s", why ? why : "");
    info_text(all[number].id, CL_DEVICE_NAME, state->name, sizeof(state->name));
    const size_t length = strlen(state->name);
    for (unsigned i = 0; i < count && strlen(state->name) == length; i++) {
        info_text(all[i].id, CL_DEVICE_NAME, other, sizeof(other));
        if (all[i].platform == all[number].platform || strcmp(other, state->name) != 0)
            continue;
        memset(other, 0, sizeof(other));
        if (vqx_cl.GetPlatformInfo(all[number].platform, CL_PLATFORM_NAME, sizeof(other) - 1, other, NULL) == CL_SUCCESS)
            snprintf(state->name + length, sizeof(state->name) - length, " (%s)", other);
    }
}

unsigned vqx_opencl_list(vqx_device_state *state, unsigned most, vqx_message_text *message) {
    found all[MAX_DEVICES];
    const unsigned count = find(all, message);
    for (unsigned i = 0; i < count && i < most; i++)
        describe(all, count, i, &state[i]);
    return count;
}

/* One context for a device in the process, so that memory that one of its users has is memory for all. */
static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    cl_device_id id;
    cl_context context;
    unsigned users;
} contexts[MAX_DEVICES];

static cl_context enter_context(const found *device, cl_int *status) {
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)device->platform, 0};
    unsigned i = 0, unused = 0;
    pthread_mutex_lock(&contexts_lock);
    for (; i < MAX_DEVICES && (contexts[i].users == 0 || contexts[i].id != device->id); i++)
        if (contexts[i].users == 0)
            unused = i;
    if (i == MAX_DEVICES) {
        i = unused;
        contexts[i].id = device->id;
        contexts[i].context = vqx_cl.CreateContext(properties, 1, &device->id, NULL, NULL, status);
    }
    cl_context context = contexts[i].context;
    contexts[i].users += context != NULL;
    pthread_mutex_unlock(&contexts_lock);
    return context;
}

static void leave_context(cl_context context) {
    pthread_mutex_lock(&contexts_lock);
    for (unsigned i = 0; i < MAX_DEVICES; i++)
        if (contexts[i].users > 0 && contexts[i].context == context && --contexts[i].users == 0)
            vqx_cl.ReleaseContext(context);
    pthread_mutex_unlock(&contexts_lock);
}

int vqx_opencl_open(vqx_device **out, unsigned number, bool fp64, bool profile, vqx_message_text *message) {
    found all[MAX_DEVICES];
    vqx_device_state state;
    cl_int status;
    int err = -ENODEV;
    *out = NULL;
    const unsigned count = find(all, message);
    if (count == 0)
        return -ENODEV;
    if (number >= count)
        return vqx_fail(message, -ENODEV, "there are only devices 0 to %u", count - 1);
    describe(all, count, number, &state);
    if (state.why[0])
        return vqx_fail(message, -ENODEV, "%s: %s", state.name, state.why);
    vqx_opencl_device *d = calloc(1, sizeof(*d));
    if (!d || pthread_mutex_init(&d->lock, NULL) != 0) {
        free(d);
        return vqx_fail(message, -ENOMEM, "out of memory");
    }
    d->base = (vqx_device){&vqx_backend_opencl, number, "", state.gpu, fp64 && has_fp64(all[number].id), profile};
    memcpy(d->base.name, state.name, sizeof(d->base.name));
    d->platform = all[number].platform;
    d->id = all[number].id;
    d->context = enter_context(&all[number], &status);
    if (d->context)
        d->maps = vqx_cl.CreateCommandQueue(d->context, d->id, 0, &status);
    if (!d->maps) {
        err = vqx_fail(message, -ENODEV, "%s: cannot be opened: %s", state.name, vqx_opencl_error(status));
        goto fail;
    }
    if ((err = vqx_device_self_test(&d->base, message)) < 0)
        goto fail;
    *out = &d->base;
    return 0;
fail:
    vqx_opencl_close(&d->base);
    return err;
}

void vqx_opencl_close(vqx_device *device) {
    vqx_opencl_device *d = (vqx_opencl_device *)device;
    for (unsigned p = 0; p < VQX_PROGRAM_COUNT; p++)
        if (d->program[p])
            vqx_cl.ReleaseProgram(d->program[p]);
    if (d->maps)
        vqx_cl.ReleaseCommandQueue(d->maps);
    if (d->context)
        leave_context(d->context);
    pthread_mutex_destroy(&d->lock);
    free(d);
}
