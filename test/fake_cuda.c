#include "test/fake_cuda.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cudahip.h"
#include "device/work.h"
#include "dialect/entry_cpu.h"

enum { INVALID_VALUE = 1, NO_DEVICE = 100, INVALID_DEVICE = 101, INVALID_CONTEXT = 201, INVALID_HANDLE = 400, NOT_FOUND = 500 };
enum { MAJOR = 75, MINOR = 76 };
enum { MOST_CONTEXTS = 8, FIRST_STICKY = 700 };

#define SPEC(name, count, local) {"vqx_" #name, count, sizeof(vqx_arguments_##name)},
static const struct {
    const char *name;
    unsigned lanes;
    size_t bytes; /* of a set of arguments */
} spec[] = {VQX_KERNELS(SPEC)};

struct CUfunc_st {
    unsigned kernel;
    bool fp64;
};

struct CUmod_st {
    struct CUfunc_st function[VQX_KERNEL_COUNT];
};

struct CUctx_st {
    unsigned references;
};

/* What a stream is asked to do. */
typedef struct command {
    struct command *next;
    enum { MOVE, RUN, STAMP } kind;
    void *to;
    const void *from;
    size_t bytes;
    const struct CUfunc_st *function;
    uint32_t gx, gy, gz;
    uint64_t sets[VQX_MAX_SETS * VQX_MAX_ARGUMENTS]; /* aligned as arguments are */
    vqx_cudahip_event event;
} command;

struct CUstream_st {
    struct CUstream_st *next;
    vqx_cudahip_context context;
    unsigned milliseconds; /* its clock: 1 for whatever is moved, 10 for a kernel */
    command *first, **end;
};

struct CUevent_st {
    unsigned milliseconds;
    bool recorded;
};

/* A block of memory. */
typedef struct block {
    struct block *next;
    void *memory;
    size_t bytes;
} block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all that follows */
static struct CUctx_st contexts[MOST_CONTEXTS];
static block *blocks;
static struct CUstream_st *streams;
static unsigned alive;
static const char *image;
static unsigned image_on; /* device */
static char failing[64];
static unsigned calls;
static bool lost;

static _Thread_local vqx_cudahip_context current[MOST_CONTEXTS];
static _Thread_local unsigned depth;

unsigned fake_cuda_alive(void) {
    return alive;
}

unsigned fake_cuda_depth(void) {
    return depth;
}

const char *fake_cuda_image(void) {
    return image;
}

unsigned fake_cuda_image_on(void) {
    return image_on;
}

/* What a function gives before it does anything. Each takes the lock here, and gives it back in done(). */
static vqx_cudahip_status start(const char *function, bool needs_context) {
    const char *fail = getenv("FAKE_CUDA_FAIL");
    char name[64];
    unsigned from;
    int status;
    pthread_mutex_lock(&lock);
    if (strcmp(fail ? fail : "", failing) != 0) {
        snprintf(failing, sizeof(failing), "%s", fail ? fail : "");
        calls = 0;
        lost = false;
    }
    if (sscanf(failing, "%63[^:]:%u:%d", name, &from, &status) == 3) {
        calls += strcmp(name, function) == 0;
        lost = lost || (calls >= from && status >= FIRST_STICKY);
        if ((calls >= from && strcmp(name, function) == 0) || (lost && needs_context))
            return status;
    }
    return needs_context && depth == 0 ? INVALID_CONTEXT : VQX_CUDAHIP_SUCCESS;
}

static vqx_cudahip_status done(vqx_cudahip_status status) {
    pthread_mutex_unlock(&lock);
    return status;
}

#define DRIVER(name, ...)                                                        \
    __attribute__((visibility("default"))) vqx_cudahip_status name(__VA_ARGS__); \
    vqx_cudahip_status name(__VA_ARGS__)

/* ---- devices and contexts ------------------------------------------------------------------------------------------------ */

/* The n-th capability in FAKE_CUDA_DEVICES; 0 behind the last. */
static int capability(int number) {
    const char *list = getenv("FAKE_CUDA_DEVICES");
    list = list ? list : "90";
    for (; number > 0 && list; number--)
        list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL;
    return list ? atoi(list) : 0;
}

DRIVER(cuDriverGetVersion, int *version) {
    const char *set = getenv("FAKE_CUDA_VERSION");
    *version = set ? atoi(set) : 13000;
    return VQX_CUDAHIP_SUCCESS;
}

DRIVER(cuInit, unsigned flags) {
    const vqx_cudahip_status status = start("cuInit", false);
    return done(status ? status : flags ? INVALID_VALUE : capability(0) ? VQX_CUDAHIP_SUCCESS : NO_DEVICE);
}

DRIVER(cuGetErrorName, vqx_cudahip_status status, const char **name) {
    static const struct {
        vqx_cudahip_status status;
        const char *name;
    } known[] = {{INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
                 {VQX_CUDAHIP_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
                 {NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
                 {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
                 {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
                 {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
                 {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                 {NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
                 {FIRST_STICKY, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                 {719, "CUDA_ERROR_LAUNCH_FAILED"}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].status == status) {
            *name = known[i].name;
            return VQX_CUDAHIP_SUCCESS;
        }
    *name = NULL;
    return INVALID_VALUE;
}

DRIVER(cuDeviceGetCount, int *count) {
    const vqx_cudahip_status status = start("cuDeviceGetCount", false);
    for (*count = 0; capability(*count) && !status; ++*count)
        continue;
    return done(status);
}

DRIVER(cuDeviceGet, vqx_cudahip_ordinal *ordinal, int number) {
    const vqx_cudahip_status status = start("cuDeviceGet", false);
    *ordinal = number;
    return done(status ? status : capability(number) ? VQX_CUDAHIP_SUCCESS : INVALID_DEVICE);
}

DRIVER(cuDeviceGetName, char *name, int size, vqx_cudahip_ordinal ordinal) {
    const vqx_cudahip_status status = start("cuDeviceGetName", false);
    snprintf(name, (size_t)size, "fake %d", ordinal);
    return done(status);
}

DRIVER(cuDeviceGetAttribute, int *value, int attribute, vqx_cudahip_ordinal ordinal) {
    const vqx_cudahip_status status = start("cuDeviceGetAttribute", false);
    *value = attribute == MAJOR ? capability(ordinal) / 10 : attribute == MINOR ? capability(ordinal) % 10 : -1;
    return done(status);
}

DRIVER(cuDevicePrimaryCtxRetain, vqx_cudahip_context *context, vqx_cudahip_ordinal ordinal) {
    const vqx_cudahip_status status = start("cuDevicePrimaryCtxRetain", false);
    *context = &contexts[ordinal];
    if (!status && contexts[ordinal].references++ == 0)
        alive++;
    return done(status);
}

DRIVER(cuDevicePrimaryCtxRelease_v2, vqx_cudahip_ordinal ordinal) {
    const vqx_cudahip_status status = start("cuDevicePrimaryCtxRelease", false);
    if (contexts[ordinal].references == 0)
        return done(INVALID_CONTEXT);
    if (--contexts[ordinal].references == 0)
        alive--;
    return done(status);
}

DRIVER(cuCtxPushCurrent_v2, vqx_cudahip_context context) {
    start("cuCtxPushCurrent", false);
    if (depth == MOST_CONTEXTS || context->references == 0)
        return done(INVALID_CONTEXT);
    current[depth++] = context;
    return done(VQX_CUDAHIP_SUCCESS);
}

DRIVER(cuCtxPopCurrent_v2, vqx_cudahip_context *context) {
    start("cuCtxPopCurrent", false);
    if (depth == 0)
        return done(INVALID_CONTEXT);
    *context = current[--depth];
    return done(VQX_CUDAHIP_SUCCESS);
}

/* ---- modules ------------------------------------------------------------------------------------------------------------- */

DRIVER(cuModuleLoadData, vqx_cudahip_module *module, const void *data) {
    const vqx_cudahip_status status = start("cuModuleLoadData", true);
    if (!status) {
        image = data;
        image_on = (unsigned)(current[depth - 1] - contexts);
        *module = malloc(sizeof(**module));
        for (unsigned k = 0; k < VQX_KERNEL_COUNT; k++)
            (*module)->function[k] = (struct CUfunc_st){k, strcmp(data, "soft") != 0};
        alive++;
    }
    return done(status);
}

DRIVER(cuModuleUnload, vqx_cudahip_module module) {
    start("cuModuleUnload", true);
    free(module);
    alive--;
    return done(VQX_CUDAHIP_SUCCESS);
}

DRIVER(cuModuleGetFunction, vqx_cudahip_function *function, vqx_cudahip_module module, const char *name) {
    vqx_cudahip_status status = start("cuModuleGetFunction", true);
    unsigned k = 0;
    while (k < VQX_KERNEL_COUNT && strcmp(spec[k].name, name) != 0)
        k++;
    if (!status && k == VQX_KERNEL_COUNT)
        status = NOT_FOUND;
    *function = status ? NULL : &module->function[k];
    return done(status);
}

/* ---- memory -------------------------------------------------------------------------------------------------------------- */

#ifndef FAKE_CUDA_RUN
static void run_kernel(unsigned kernel, bool fp64, uint32_t gx, uint32_t gy, uint32_t gz, const void *sets) {
    for (uint32_t z = 0; z < gz; z++)
        (fp64 ? vqx_cpu_entries_fp64 : vqx_cpu_entries_soft)[kernel](gx, gy, (const char *)sets + z * spec[kernel].bytes);
}
#endif

/* Does what the stream was asked to do, or forgets it. */
static void drain(vqx_cudahip_stream stream, bool run) {
    while (stream->first) {
        command *c = stream->first;
        if (run && c->kind == MOVE)
            memcpy(c->to, c->from, c->bytes);
        if (run && c->kind == MOVE && getenv("FAKE_CUDA_FLIP"))
            *(uint8_t *)c->to ^= 1;
        if (run && c->kind == RUN)
            run_kernel(c->function->kernel, c->function->fp64, c->gx, c->gy, c->gz, c->sets);
        if (run && c->kind == STAMP)
            *c->event = (struct CUevent_st){stream->milliseconds, true};
        stream->milliseconds += c->kind == MOVE ? 1 : c->kind == RUN ? 10 : 0;
        stream->first = c->next;
        free(c);
    }
    stream->end = &stream->first;
}

/* Not zeros: nobody may rely on them. */
static void *take(size_t bytes, size_t alignment) {
    block *b = malloc(sizeof(*b));
    *b = (block){blocks, aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment), bytes};
    memset(b->memory, 0xa5, bytes);
    blocks = b;
    alive++;
    return b->memory;
}

static vqx_cudahip_status give(void *memory) {
    for (block **at = &blocks; *at; at = &(*at)->next)
        if ((*at)->memory == memory) {
            block *b = *at;
            *at = b->next;
            free(b->memory);
            free(b);
            alive--;
            return VQX_CUDAHIP_SUCCESS;
        }
    return INVALID_VALUE;
}

DRIVER(cuMemAlloc_v2, vqx_cudahip_pointer *pointer, size_t bytes) {
    vqx_cudahip_status status = start("cuMemAlloc", true);
    if (!status && bytes == 0)
        status = INVALID_VALUE;
    *pointer = status ? 0 : (uintptr_t)take(bytes, 1); /* sanitizers see what is beyond */
    return done(status);
}

/* Waits for all streams, as the driver does. */
DRIVER(cuMemFree_v2, vqx_cudahip_pointer pointer) {
    const vqx_cudahip_status status = start("cuMemFree", true);
    for (struct CUstream_st *stream = streams; stream; stream = stream->next)
        drain(stream, !status);
    const vqx_cudahip_status freed = give((void *)(uintptr_t)pointer);
    return done(status ? status : freed);
}

DRIVER(cuMemGetAddressRange_v2, vqx_cudahip_pointer *base, size_t *bytes, vqx_cudahip_pointer pointer) {
    const vqx_cudahip_status status = start("cuMemGetAddressRange", true);
    const block *b = blocks;
    while (b && (uintptr_t)b->memory != pointer)
        b = b->next;
    if (status || !b)
        return done(status ? status : INVALID_VALUE);
    if (base)
        *base = pointer;
    *bytes = b->bytes;
    return done(VQX_CUDAHIP_SUCCESS);
}

DRIVER(cuMemHostAlloc, void **memory, size_t bytes, unsigned flags) {
    vqx_cudahip_status status = start("cuMemHostAlloc", true);
    if (!status && flags != VQX_CUDAHIP_PORTABLE)
        status = INVALID_VALUE;
    if (!status)
        *memory = take(bytes, 4096);
    return done(status);
}

DRIVER(cuMemFreeHost, void *memory) {
    const vqx_cudahip_status status = start("cuMemFreeHost", true), freed = give(memory);
    return done(status ? status : freed);
}

/* ---- streams ------------------------------------------------------------------------------------------------------------- */

static vqx_cudahip_status put(vqx_cudahip_status status, vqx_cudahip_stream stream, const command *what) {
    if (!status && !stream)
        status = INVALID_HANDLE; /* stream 0 would wait for all others */
    else if (!status && stream->context != current[depth - 1])
        status = INVALID_CONTEXT;
    if (status)
        return done(status);
    command *c = malloc(sizeof(*c));
    *c = *what;
    c->next = NULL;
    *stream->end = c;
    stream->end = &c->next;
    return done(status);
}

DRIVER(cuStreamCreate, vqx_cudahip_stream *stream, unsigned flags) {
    vqx_cudahip_status status = start("cuStreamCreate", true);
    if (!status && flags != VQX_CUDAHIP_NON_BLOCKING)
        status = INVALID_VALUE;
    if (!status) {
        *stream = calloc(1, sizeof(**stream));
        (*stream)->end = &(*stream)->first;
        (*stream)->context = current[depth - 1];
        (*stream)->next = streams;
        streams = *stream;
        alive++;
    }
    return done(status);
}

DRIVER(cuStreamDestroy_v2, vqx_cudahip_stream stream) {
    const vqx_cudahip_status status = start("cuStreamDestroy", true);
    struct CUstream_st **at = &streams;
    while (*at != stream)
        at = &(*at)->next;
    *at = stream->next;
    drain(stream, !status);
    free(stream);
    alive--;
    return done(status);
}

DRIVER(cuStreamSynchronize, vqx_cudahip_stream stream) {
    const vqx_cudahip_status status = start("cuStreamSynchronize", true);
    drain(stream, !status);
    return done(status);
}

DRIVER(cuMemcpyHtoDAsync_v2, vqx_cudahip_pointer to, const void *from, size_t bytes, vqx_cudahip_stream stream) {
    return put(start("cuMemcpyHtoDAsync", true), stream,
               &(command){.kind = MOVE, .to = (void *)(uintptr_t)to, .from = from, .bytes = bytes});
}

DRIVER(cuMemcpyDtoHAsync_v2, void *to, vqx_cudahip_pointer from, size_t bytes, vqx_cudahip_stream stream) {
    return put(start("cuMemcpyDtoHAsync", true), stream,
               &(command){.kind = MOVE, .to = to, .from = (const void *)(uintptr_t)from, .bytes = bytes});
}

DRIVER(cuMemcpyDtoDAsync_v2, vqx_cudahip_pointer to, vqx_cudahip_pointer from, size_t bytes, vqx_cudahip_stream stream) {
    return put(start("cuMemcpyDtoDAsync", true), stream,
               &(command){.kind = MOVE, .to = (void *)(uintptr_t)to, .from = (const void *)(uintptr_t)from, .bytes = bytes});
}

DRIVER(cuLaunchKernel, vqx_cudahip_function function, unsigned gx, unsigned gy, unsigned gz, unsigned x, unsigned y, unsigned z,
       unsigned bytes, vqx_cudahip_stream stream, void **argument, void **extra) {
    vqx_cudahip_status status = start("cuLaunchKernel", true);
    command c = {.kind = RUN, .function = function, .gx = gx, .gy = gy, .gz = gz};
    if (!status && !function)
        status = INVALID_HANDLE;
    else if (!status && (gx == 0 || gx > INT32_MAX || gy == 0 || gy > 65535 || gz == 0 || gz > VQX_MAX_SETS ||
                         x != spec[function->kernel].lanes || y != 1 || z != 1 || bytes || extra))
        status = INVALID_VALUE;
    if (!status)
        memcpy(c.sets, argument[0], VQX_MAX_SETS * spec[function->kernel].bytes);
    return put(status, stream, &c);
}

DRIVER(cuEventCreate, vqx_cudahip_event *event, unsigned flags) {
    const vqx_cudahip_status status = start("cuEventCreate", true);
    if (!status && !flags) {
        *event = calloc(1, sizeof(**event));
        alive++;
    }
    return done(status ? status : flags ? INVALID_VALUE : VQX_CUDAHIP_SUCCESS);
}

DRIVER(cuEventDestroy_v2, vqx_cudahip_event event) {
    start("cuEventDestroy", true);
    free(event);
    alive--;
    return done(VQX_CUDAHIP_SUCCESS);
}

DRIVER(cuEventRecord, vqx_cudahip_event event, vqx_cudahip_stream stream) {
    return put(start("cuEventRecord", true), stream, &(command){.kind = STAMP, .event = event});
}

DRIVER(cuEventElapsedTime, float *milliseconds, vqx_cudahip_event from, vqx_cudahip_event to) {
    const vqx_cudahip_status status = start("cuEventElapsedTime", true);
    if (status || !from->recorded || !to->recorded)
        return done(status ? status : INVALID_HANDLE);
    *milliseconds = (float)(to->milliseconds - from->milliseconds);
    return done(VQX_CUDAHIP_SUCCESS);
}
