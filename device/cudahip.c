/* CUDA and HIP: a device is a GPU with the kernels of one image, a queue is a stream. */
#include "device/cudahip.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/self_test.h"

_Static_assert(sizeof(vqx_buffer) == sizeof(vqx_cudahip_pointer), "a launch hands buffers over as they are");

/* A vendor's library, once it is loaded. */
typedef struct driver {
    const vqx_cudahip_vendor *vendor;
    vqx_cudahip_functions f;
    pthread_mutex_t lock; /* held while it is loaded */
    bool loaded;
} driver;

typedef struct cudahip_device {
    vqx_device base;
    const vqx_cudahip_vendor *vendor;
    const vqx_cudahip_functions *f;
    vqx_cudahip_ordinal ordinal;
    vqx_cudahip_context context;
    vqx_cudahip_module module;
    pthread_mutex_t lock; /* held while functions are looked up */
    vqx_cudahip_function function[VQX_KERNEL_COUNT];
    unsigned long long limit; /* of memory, for tests; 0: none */
    atomic_ullong used;       /* where there is a limit */
} cudahip_device;

/* What lies between two events, and where its time is to be added. */
typedef struct span {
    vqx_cudahip_event event[2];
    double *seconds;
} span;

typedef struct cudahip_queue {
    vqx_queue base;
    const vqx_cudahip_functions *f;
    vqx_cudahip_stream stream;
    bool stopped; /* by an error */
    vqx_times times;
    span *span; /* since the last wait(); their events are kept */
    size_t spans, room;
    const span *measured; /* what is being put into the queue */
} cudahip_queue;

/* The place of a function in the table of names. */
#define NAME(member) (offsetof(vqx_cudahip_functions, member) / sizeof(void *))

/* "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY": the line of an operation that failed; returns -ENODEV. */
static int say(const vqx_cudahip_vendor *vendor, vqx_message_text *message, vqx_cudahip_status status, const char *operation) {
    const char *name = vendor->error_name(status);
    if (!name)
        return vqx_fail(message, -ENODEV, "%s: %s error %d", operation, vendor->word, status);
    return vqx_fail(message, -ENODEV, "%s: %s", operation, name);
}

/* The same of a function on a device, with what it was about. */
static int failed(const vqx_device *device, vqx_message_text *message, vqx_cudahip_status status, size_t name, const char *of) {
    const vqx_cudahip_vendor *vendor = ((const cudahip_device *)device)->vendor;
    const char *function = vendor->names[name], *version = strstr(function, "_v2");
    vqx_message_text text;
    vqx_fail(&text, 0, "device %u: %.*s%s%s", device->number, (int)(version ? version - function : (ptrdiff_t)strlen(function)),
             function, of ? " of " : "", of ? of : "");
    return say(vendor, message, status, text.text);
}

/* Any thread may call, and may have a device of its own: ours is the current one only in between. */
static cudahip_device *enter(vqx_device *device) {
    cudahip_device *d = (cudahip_device *)device;
    d->vendor->enter(d->context, d->ordinal);
    return d;
}

static void leave(const vqx_device *device) {
    ((const cudahip_device *)device)->vendor->leave();
}

/* ---- devices ------------------------------------------------------------------------------------------------------------- */

static int find(void *library, const char *name, void *to, const char *path, vqx_message_text *message) {
    void *address = dlsym(library, name);
    if (!address)
        return vqx_fail(message, -ENODEV, "%s has no %s", path, name);
    *(void **)to = address;
    return 0;
}

static int load(driver *c, vqx_message_text *message) {
    const vqx_cudahip_vendor *vendor = c->vendor;
    const char *path;
    void *library = vendor->open(&path, message); /* for good: a driver cannot be unloaded */
    int err = library ? 0 : -ENODEV;
    for (size_t i = 0; i < VQX_CUDAHIP_FUNCTION_COUNT && err == 0; i++)
        err = find(library, vendor->names[i], (void **)&c->f + i, path, message);
    for (const vqx_cudahip_symbol *own = vendor->own; own->name && err == 0; own++)
        err = find(library, own->name, own->address, path, message);
    const vqx_cudahip_status status = err < 0 ? VQX_CUDAHIP_SUCCESS : c->f.init(0);
    return status ? say(vendor, message, status, vendor->names[NAME(init)]) : err;
}

static unsigned count_devices(driver *c, vqx_message_text *message) {
    int count = 0;
    if (*c->vendor->missing)
        return (unsigned)vqx_fail(message, 0, "kernels were not built: %s", *c->vendor->missing);
    pthread_mutex_lock(&c->lock);
    c->loaded = c->loaded || load(c, message) == 0;
    const bool loaded = c->loaded;
    pthread_mutex_unlock(&c->lock);
    if (!loaded)
        return 0;
    const vqx_cudahip_status status = c->f.device_count(&count);
    if (status)
        say(c->vendor, message, status, c->vendor->names[NAME(device_count)]);
    return status || count < 0 ? 0 : (unsigned)count;
}

static void describe(const driver *c, unsigned number, vqx_cudahip_ordinal *ordinal, vqx_device_state *state) {
    *state = (vqx_device_state){.gpu = true};
    vqx_cudahip_status status = c->f.device_get(ordinal, (int)number);
    if (!status)
        status = c->f.device_name(state->name, sizeof(state->name), *ordinal);
    if (!status)
        status = c->vendor->judge(*ordinal, state);
    if (status) {
        vqx_message_text message;
        say(c->vendor, &message, status, "its name and kind");
        snprintf(state->why, sizeof(state->why), "%.255s", message.text);
    }
}

static unsigned list(driver *c, vqx_device_state *state, unsigned most, vqx_message_text *message) {
    const unsigned count = count_devices(c, message);
    vqx_cudahip_ordinal ordinal;
    for (unsigned i = 0; i < count && i < most; i++)
        describe(c, i, &ordinal, &state[i]);
    return count;
}

static void cudahip_close(vqx_device *device) {
    cudahip_device *d = (cudahip_device *)device;
    if (d->module) {
        enter(device);
        d->f->module_unload(d->module);
        leave(device);
    }
    if (d->context)
        d->vendor->release(d->ordinal);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

static int open_device(driver *c, vqx_device **out, const vqx_device *base, vqx_message_text *message) {
    const vqx_cudahip_vendor *vendor = c->vendor;
    vqx_device_state state;
    vqx_cudahip_ordinal ordinal;
    const char *operation = vendor->retaining, *limit = getenv(vendor->memory);
    *out = NULL;
    message->text[0] = '\0';
    const unsigned count = count_devices(c, message);
    if (base->number >= count)
        return *message->text ? -ENODEV : vqx_fail(message, -ENODEV, "there is no device %u", base->number);
    describe(c, base->number, &ordinal, &state);
    if (*state.why)
        return vqx_fail(message, -ENODEV, "%s", state.why);
    cudahip_device *d = calloc(1, sizeof(*d));
    if (!d || pthread_mutex_init(&d->lock, NULL)) {
        free(d);
        return vqx_fail(message, -ENOMEM, "out of memory");
    }
    d->base = *base;
    memcpy(d->base.name, state.name, sizeof(d->base.name));
    d->vendor = vendor;
    d->f = &c->f;
    d->ordinal = ordinal;
    d->limit = limit ? strtoull(limit, NULL, 10) : 0;
    atomic_init(&d->used, 0);
    vqx_cudahip_status status = vendor->retain(&d->context, ordinal);
    if (!status) {
        enter(&d->base);
        operation = vendor->names[NAME(module_load)];
        status = c->f.module_load(&d->module, vendor->image(ordinal, base->fp64));
        leave(&d->base);
    }
    const int err = status ? say(vendor, message, status, operation) : vqx_device_self_test(&d->base, message);
    if (err < 0)
        cudahip_close(&d->base);
    else
        *out = &d->base;
    return err;
}

static int cudahip_prepare(vqx_device *device, uint32_t programs, vqx_message_text *message) {
    cudahip_device *d = enter(device);
    vqx_cudahip_status status = VQX_CUDAHIP_SUCCESS;
    uint64_t kernels = 0;
    unsigned k;
    for (unsigned p = 0; p < VQX_PROGRAM_COUNT; p++)
        kernels |= programs >> p & 1 ? vqx_program_kernels[p] : 0;
    pthread_mutex_lock(&d->lock);
    for (k = 0; k < VQX_KERNEL_COUNT && !status; k++)
        if (kernels >> k & 1 && !d->function[k])
            status = d->f->module_function(&d->function[k], d->module, vqx_kernels[k].name);
    pthread_mutex_unlock(&d->lock);
    leave(device);
    return status ? failed(device, message, status, NAME(module_function), vqx_kernels[k - 1].name) : 0;
}

/* ---- memory -------------------------------------------------------------------------------------------------------------- */

static int memory_failed(const vqx_device *device, vqx_message_text *message, vqx_cudahip_status status, size_t name,
                         size_t bytes) {
    char of[32];
    snprintf(of, sizeof(of), "%zu bytes", bytes);
    return failed(device, message, status, name, of);
}

static int cudahip_alloc(vqx_buffer *buffer, vqx_device *device, size_t bytes, vqx_message_text *message) {
    cudahip_device *d = enter(device);
    vqx_cudahip_pointer pointer = 0;
    vqx_cudahip_status status = VQX_CUDAHIP_OUT_OF_MEMORY;
    if (!d->limit || atomic_fetch_add(&d->used, bytes) + bytes <= d->limit)
        status = d->f->memory_alloc(&pointer, bytes);
    if (status && d->limit)
        atomic_fetch_sub(&d->used, bytes);
    leave(device);
    *buffer = (vqx_buffer)(uintptr_t)pointer;
    return status ? memory_failed(device, message, status, NAME(memory_alloc), bytes) : 0;
}

static void cudahip_free(vqx_device *device, vqx_buffer buffer) {
    cudahip_device *d = enter(device);
    const vqx_cudahip_pointer pointer = (uintptr_t)buffer;
    vqx_cudahip_pointer start;
    size_t bytes = 0;
    if (d->limit && d->f->memory_range(&start, &bytes, pointer) == VQX_CUDAHIP_SUCCESS)
        atomic_fetch_sub(&d->used, bytes);
    d->f->memory_free(pointer);
    leave(device);
}

static int cudahip_host_alloc(void **memory, void **handle, vqx_device *device, size_t bytes, vqx_message_text *message) {
    *memory = *handle = NULL;
    const vqx_cudahip_status status = enter(device)->f->host_alloc(memory, bytes, VQX_CUDAHIP_PORTABLE);
    leave(device);
    if (!status)
        return 0;
    const int err = memory_failed(device, message, status, NAME(host_alloc), bytes);
    return status == VQX_CUDAHIP_OUT_OF_MEMORY ? -ENOMEM : err;
}

static void cudahip_host_free(vqx_device *device, void *memory, void *handle) {
    (void)handle;
    enter(device)->f->host_free(memory);
    leave(device);
}

/* ---- queues -------------------------------------------------------------------------------------------------------------- */

static int cudahip_queue_open(vqx_queue **out, vqx_device *device, vqx_message_text *message) {
    *out = NULL;
    cudahip_queue *q = calloc(1, sizeof(*q));
    if (!q)
        return vqx_fail(message, -ENOMEM, "out of memory");
    q->base.device = device;
    q->f = enter(device)->f;
    const vqx_cudahip_status status = q->f->stream_create(&q->stream, VQX_CUDAHIP_NON_BLOCKING);
    leave(device);
    if (status) {
        free(q);
        return failed(device, message, status, NAME(stream_create), NULL);
    }
    *out = &q->base;
    return 0;
}

static void cudahip_queue_close(vqx_queue *queue) {
    cudahip_queue *q = (cudahip_queue *)queue;
    enter(queue->device);
    q->f->stream_wait(q->stream);
    for (size_t i = 0; i < q->room; i++)
        for (int e = 0; e < 2; e++)
            if (q->span[i].event[e])
                q->f->event_destroy(q->span[i].event[e]);
    q->f->stream_destroy(q->stream);
    leave(queue->device);
    free(q->span);
    free(q);
}

/* A span for what comes next; NULL where nothing is measured, or cannot be. */
static span *add_span(cudahip_queue *q, double *seconds) {
    if (!seconds || !q->base.device->profile)
        return NULL;
    if (q->spans == q->room) {
        const size_t room = q->room * 2 + 64;
        span *more = realloc(q->span, room * sizeof(*more));
        if (!more)
            return NULL;
        memset(more + q->room, 0, (room - q->room) * sizeof(*more));
        q->span = more;
        q->room = room;
    }
    span *s = &q->span[q->spans];
    for (int e = 0; e < 2; e++)
        if (!s->event[e] && q->f->event_create(&s->event[e], 0) != VQX_CUDAHIP_SUCCESS)
            return NULL;
    s->seconds = seconds;
    q->spans++;
    return s;
}

/* Before something is asked of a queue: -ENODEV when it has stopped. The time it takes will be added to *seconds; NULL:
 * it is not measured. */
static int begin(cudahip_queue *q, double *seconds, vqx_message_text *message) {
    if (q->stopped)
        return vqx_fail(message, -ENODEV, "stopped by an earlier error");
    enter(q->base.device);
    q->measured = add_span(q, seconds);
    if (q->measured)
        q->f->event_record(q->measured->event[0], q->stream);
    return 0;
}

/* Behind it, with how that went. */
static int end(cudahip_queue *q, vqx_cudahip_status status, size_t name, const char *of, vqx_message_text *message) {
    if (q->measured)
        q->f->event_record(q->measured->event[1], q->stream);
    leave(q->base.device);
    q->stopped = status;
    return status ? failed(q->base.device, message, status, name, of) : 0;
}

static int cudahip_upload(vqx_queue *queue, vqx_buffer to, const void *from, size_t bytes, vqx_message_text *message) {
    cudahip_queue *q = (cudahip_queue *)queue;
    const int err = begin(q, &q->times.upload, message);
    if (err < 0)
        return err;
    q->times.bytes_up += bytes;
    return end(q, q->f->upload((uintptr_t)to, from, bytes, q->stream), NAME(upload), NULL, message);
}

static int cudahip_download(vqx_queue *queue, void *to, vqx_buffer from, size_t bytes, vqx_message_text *message) {
    cudahip_queue *q = (cudahip_queue *)queue;
    const int err = begin(q, &q->times.download, message);
    if (err < 0)
        return err;
    q->times.bytes_down += bytes;
    return end(q, q->f->download(to, (uintptr_t)from, bytes, q->stream), NAME(download), NULL, message);
}

static int cudahip_copy(vqx_queue *queue, vqx_buffer to, vqx_buffer from, size_t bytes, vqx_message_text *message) {
    cudahip_queue *q = (cudahip_queue *)queue;
    const int err = begin(q, &q->times.kernels, message);
    if (err < 0)
        return err;
    return end(q, q->f->copy((uintptr_t)to, (uintptr_t)from, bytes, q->stream), NAME(copy), NULL, message);
}

static int cudahip_launch(vqx_queue *queue, unsigned kernel, uint32_t gx, uint32_t gy, unsigned sets, const void *arguments,
                          vqx_message_text *message) {
    cudahip_queue *q = (cudahip_queue *)queue;
    const vqx_cudahip_function function = ((const cudahip_device *)queue->device)->function[kernel];
    const vqx_kernel *k = &vqx_kernels[kernel];
    unsigned char parameter[VQX_MAX_SETS * VQX_MAX_ARGUMENTS * sizeof(uint64_t)]; /* what the driver copies: room for all sets */
    void *parameters[] = {parameter};
    const int err = begin(q, &q->times.kernels, message);
    vqx_cudahip_status status = VQX_CUDAHIP_SUCCESS;
    if (err < 0)
        return err;
    memcpy(parameter, arguments, sets * k->bytes);
    if (gx > 0 && gy > 0)
        status = q->f->launch(function, gx, gy, sets, k->lanes, 1, 1, 0, q->stream, parameters, NULL);
    return end(q, status, NAME(launch), k->name, message);
}

static int cudahip_wait(vqx_queue *queue, vqx_message_text *message) {
    cudahip_queue *q = (cudahip_queue *)queue;
    if (q->stopped) {
        enter(queue->device);
        q->f->stream_wait(q->stream);
        leave(queue->device);
    }
    const int err = begin(q, NULL, message);
    if (err < 0)
        return err;
    vqx_cudahip_status status = q->f->stream_wait(q->stream);
    for (; q->spans > 0 && !status; q->spans--) {
        const span *s = &q->span[q->spans - 1];
        float milliseconds = 0;
        status = q->f->event_elapsed(&milliseconds, s->event[0], s->event[1]);
        *s->seconds += milliseconds * 1e-3;
    }
    return end(q, status, NAME(stream_wait), NULL, message);
}

static void cudahip_times(const vqx_queue *queue, vqx_times *times) {
    *times = ((const cudahip_queue *)queue)->times;
}

#define BACKEND(word, lost)                                                                                                       \
    static driver word##_driver = {.vendor = &vqx_##word##_vendor, .lock = PTHREAD_MUTEX_INITIALIZER};                            \
    static unsigned word##_list(vqx_device_state *state, unsigned most, vqx_message_text *message) {                              \
        return list(&word##_driver, state, most, message);                                                                        \
    }                                                                                                                             \
    static int word##_open(vqx_device **device, unsigned number, bool fp64, bool profile, vqx_message_text *message) {            \
        return open_device(&word##_driver, device, &(vqx_device){&vqx_backend_##word, number, "", true, fp64, profile}, message); \
    }                                                                                                                             \
    const vqx_backend vqx_backend_##word = {                                                                                      \
        .name = #word,                                                                                                            \
        .loses = lost,                                                                                                            \
        .list = word##_list,                                                                                                      \
        .open = word##_open,                                                                                                      \
        .close = cudahip_close,                                                                                                   \
        .prepare = cudahip_prepare,                                                                                               \
        .queue_open = cudahip_queue_open,                                                                                         \
        .queue_close = cudahip_queue_close,                                                                                       \
        .alloc = cudahip_alloc,                                                                                                   \
        .free = cudahip_free,                                                                                                     \
        .host_alloc = cudahip_host_alloc,                                                                                         \
        .host_free = cudahip_host_free,                                                                                           \
        .upload = cudahip_upload,                                                                                                 \
        .download = cudahip_download,                                                                                             \
        .copy = cudahip_copy,                                                                                                     \
        .launch = cudahip_launch,                                                                                                 \
        .wait = cudahip_wait,                                                                                                     \
        .times = cudahip_times,                                                                                                   \
    };
BACKEND(cuda, false)
BACKEND(hip, true)
