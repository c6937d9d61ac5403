/* CUDA: a device is the primary context of a GPU with the kernels of one image, a queue is a stream. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda_driver.h"
#include "device/device.h"
#include "device/self_test.h"

_Static_assert(sizeof(vqx_buffer) == sizeof(vqx_cuda_pointer), "a launch hands buffers over as they are");

typedef struct cuda_device {
    vqx_device base;
    vqx_cuda_ordinal ordinal;
    vqx_cuda_context context;
    vqx_cuda_module module;
    pthread_mutex_t lock; /* held while functions are looked up */
    vqx_cuda_function function[VQX_KERNEL_COUNT];
    unsigned long long limit; /* of memory, for tests; 0: none */
    atomic_ullong used;       /* where there is a limit */
} cuda_device;

/* What lies between two events, and where its time is to be added. */
typedef struct span {
    vqx_cuda_event event[2];
    double *seconds;
} span;

typedef struct cuda_queue {
    vqx_queue base;
    vqx_cuda_stream stream;
    bool stopped; /* by an error */
    vqx_times times;
    span *span; /* since the last wait(); their events are kept */
    size_t spans, room;
    const span *measured; /* what is being put into the queue */
} cuda_queue;

/* Any thread may call, and may have a context of its own: ours is the current one only in between. */
static cuda_device *enter(vqx_device *device) {
    cuda_device *d = (cuda_device *)device;
    vqx_cu.context_push(d->context);
    return d;
}

static void leave(void) {
    vqx_cuda_context ours;
    vqx_cu.context_pop(&ours);
}

/* The line of an operation that failed on a device, with what it was about: -ENODEV. */
static int failed(const vqx_device *device, vqx_message_text *message, vqx_cuda_status status, const char *operation,
                  const char *of) {
    vqx_message_text text;
    vqx_fail(&text, 0, "device %u: %s%s%s", device->number, operation, of ? " of " : "", of ? of : "");
    return vqx_cuda_fail(message, status, text.text);
}

/* ---- devices ------------------------------------------------------------------------------------------------------------- */

static void describe(unsigned number, vqx_cuda_ordinal *ordinal, vqx_device_state *state) {
    int major = 0, minor = 0;
    *state = (vqx_device_state){.gpu = true};
    vqx_cuda_status status = vqx_cu.device_get(ordinal, (int)number);
    if (!status)
        status = vqx_cu.device_name(state->name, sizeof(state->name), *ordinal);
    if (!status)
        status = vqx_cu.device_attribute(&major, VQX_CUDA_MAJOR, *ordinal);
    if (!status)
        status = vqx_cu.device_attribute(&minor, VQX_CUDA_MINOR, *ordinal);
    if (status) {
        vqx_message_text message;
        vqx_cuda_fail(&message, status, "its name and kind");
        snprintf(state->why, sizeof(state->why), "%.255s", message.text);
    } else if (10 * major + minor < vqx_cuda_kernels.capability) {
        snprintf(state->why, sizeof(state->why), "compute capability %d.%d is below %d.%d, which the kernels need", major, minor,
                 vqx_cuda_kernels.capability / 10, vqx_cuda_kernels.capability % 10);
    }
}

static unsigned count_devices(vqx_message_text *message) {
    int count = 0;
    if (vqx_cuda_kernels.missing)
        return (unsigned)vqx_fail(message, 0, "kernels were not built: %s", vqx_cuda_kernels.missing);
    if (vqx_cuda_load(message) < 0)
        return 0;
    const vqx_cuda_status status = vqx_cu.device_count(&count);
    if (status)
        vqx_cuda_fail(message, status, "cuDeviceGetCount");
    return status || count < 0 ? 0 : (unsigned)count;
}

static unsigned cuda_list(vqx_device_state *state, unsigned most, vqx_message_text *message) {
    const unsigned count = count_devices(message);
    vqx_cuda_ordinal ordinal;
    for (unsigned i = 0; i < count && i < most; i++)
        describe(i, &ordinal, &state[i]);
    return count;
}

static void cuda_close(vqx_device *device) {
    cuda_device *d = (cuda_device *)device;
    if (d->module) {
        enter(device);
        vqx_cu.module_unload(d->module);
        leave();
    }
    if (d->context)
        vqx_cu.context_release(d->ordinal);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

static int cuda_open(vqx_device **out, unsigned number, bool fp64, bool profile, vqx_message_text *message) {
    vqx_device_state state;
    vqx_cuda_ordinal ordinal;
    const char *operation = "cuDevicePrimaryCtxRetain", *limit = getenv("VQX_CUDA_MEMORY");
    *out = NULL;
    message->text[0] = '\0';
    const unsigned count = count_devices(message);
    if (number >= count)
        return *message->text ? -ENODEV : vqx_fail(message, -ENODEV, "there is no device %u", number);
    describe(number, &ordinal, &state);
    if (*state.why)
        return vqx_fail(message, -ENODEV, "%s", state.why);
    cuda_device *d = calloc(1, sizeof(*d));
    if (!d || pthread_mutex_init(&d->lock, NULL)) {
        free(d);
        return vqx_fail(message, -ENOMEM, "out of memory");
    }
    d->base = (vqx_device){&vqx_backend_cuda, number, "", true, fp64, profile};
    memcpy(d->base.name, state.name, sizeof(d->base.name));
    d->ordinal = ordinal;
    d->limit = limit ? strtoull(limit, NULL, 10) : 0;
    atomic_init(&d->used, 0);
    vqx_cuda_status status = vqx_cu.context_retain(&d->context, ordinal);
    if (!status) {
        enter(&d->base);
        operation = "cuModuleLoadData";
        status = vqx_cu.module_load(&d->module, vqx_cuda_kernels.image[fp64]);
        leave();
    }
    const int err = status ? vqx_cuda_fail(message, status, operation) : vqx_device_self_test(&d->base, message);
    if (err < 0)
        cuda_close(&d->base);
    else
        *out = &d->base;
    return err;
}

static int cuda_prepare(vqx_device *device, uint32_t programs, vqx_message_text *message) {
    cuda_device *d = enter(device);
    vqx_cuda_status status = VQX_CUDA_SUCCESS;
    uint64_t kernels = 0;
    unsigned k;
    for (unsigned p = 0; p < VQX_PROGRAM_COUNT; p++)
        kernels |= programs >> p & 1 ? vqx_program_kernels[p] : 0;
    pthread_mutex_lock(&d->lock);
    for (k = 0; k < VQX_KERNEL_COUNT && !status; k++)
        if (kernels >> k & 1 && !d->function[k])
            status = vqx_cu.module_function(&d->function[k], d->module, vqx_kernels[k].name);
    pthread_mutex_unlock(&d->lock);
    leave();
    return status ? failed(device, message, status, "cuModuleGetFunction", vqx_kernels[k - 1].name) : 0;
}

/* ---- memory -------------------------------------------------------------------------------------------------------------- */

static int memory_failed(const vqx_device *device, vqx_message_text *message, vqx_cuda_status status, const char *operation,
                         size_t bytes) {
    char of[32];
    snprintf(of, sizeof(of), "%zu bytes", bytes);
    return failed(device, message, status, operation, of);
}

static int cuda_alloc(vqx_buffer *buffer, vqx_device *device, size_t bytes, vqx_message_text *message) {
    cuda_device *d = enter(device);
    vqx_cuda_pointer pointer = 0;
    vqx_cuda_status status = VQX_CUDA_OUT_OF_MEMORY;
    if (!d->limit || atomic_fetch_add(&d->used, bytes) + bytes <= d->limit)
        status = vqx_cu.memory_alloc(&pointer, bytes);
    if (status && d->limit)
        atomic_fetch_sub(&d->used, bytes);
    leave();
    *buffer = (vqx_buffer)(uintptr_t)pointer;
    return status ? memory_failed(device, message, status, "cuMemAlloc", bytes) : 0;
}

static void cuda_free(vqx_device *device, vqx_buffer buffer) {
    cuda_device *d = enter(device);
    const vqx_cuda_pointer pointer = (uintptr_t)buffer;
    size_t bytes = 0;
    if (d->limit && vqx_cu.memory_range(NULL, &bytes, pointer) == VQX_CUDA_SUCCESS)
        atomic_fetch_sub(&d->used, bytes);
    vqx_cu.memory_free(pointer);
    leave();
}

static int cuda_host_alloc(void **memory, void **handle, vqx_device *device, size_t bytes, vqx_message_text *message) {
    *memory = *handle = NULL;
    enter(device);
    const vqx_cuda_status status = vqx_cu.host_alloc(memory, bytes, VQX_CUDA_PORTABLE);
    leave();
    if (!status)
        return 0;
    const int err = memory_failed(device, message, status, "cuMemHostAlloc", bytes);
    return status == VQX_CUDA_OUT_OF_MEMORY ? -ENOMEM : err;
}

static void cuda_host_free(vqx_device *device, void *memory, void *handle) {
    (void)handle;
    enter(device);
    vqx_cu.host_free(memory);
    leave();
}

/* ---- queues -------------------------------------------------------------------------------------------------------------- */

static int cuda_queue_open(vqx_queue **out, vqx_device *device, vqx_message_text *message) {
    *out = NULL;
    cuda_queue *q = calloc(1, sizeof(*q));
    if (!q)
        return vqx_fail(message, -ENOMEM, "out of memory");
    q->base.device = device;
    enter(device);
    const vqx_cuda_status status = vqx_cu.stream_create(&q->stream, VQX_CUDA_NON_BLOCKING);
    leave();
    if (status) {
        free(q);
        return failed(device, message, status, "cuStreamCreate", NULL);
    }
    *out = &q->base;
    return 0;
}

static void cuda_queue_close(vqx_queue *queue) {
    cuda_queue *q = (cuda_queue *)queue;
    enter(queue->device);
    vqx_cu.stream_wait(q->stream);
    for (size_t i = 0; i < q->room; i++)
        for (int e = 0; e < 2; e++)
            if (q->span[i].event[e])
                vqx_cu.event_destroy(q->span[i].event[e]);
    vqx_cu.stream_destroy(q->stream);
    leave();
    free(q->span);
    free(q);
}

/* A span for what comes next; NULL where nothing is measured, or cannot be. */
static span *add_span(cuda_queue *q, double *seconds) {
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
        if (!s->event[e] && vqx_cu.event_create(&s->event[e], 0) != VQX_CUDA_SUCCESS)
            return NULL;
    s->seconds = seconds;
    q->spans++;
    return s;
}

/* Before something is asked of a queue: -ENODEV when it has stopped. The time it takes will be added to *seconds; NULL: it is not
 * measured. */
static int begin(cuda_queue *q, double *seconds, vqx_message_text *message) {
    if (q->stopped)
        return vqx_fail(message, -ENODEV, "stopped by an earlier error");
    enter(q->base.device);
    q->measured = add_span(q, seconds);
    if (q->measured)
        vqx_cu.event_record(q->measured->event[0], q->stream);
    return 0;
}

/* Behind it, with how that went. */
static int end(cuda_queue *q, vqx_cuda_status status, const char *operation, const char *of, vqx_message_text *message) {
    if (q->measured)
        vqx_cu.event_record(q->measured->event[1], q->stream);
    leave();
    q->stopped = status;
    return status ? failed(q->base.device, message, status, operation, of) : 0;
}

static int cuda_upload(vqx_queue *queue, vqx_buffer to, const void *from, size_t bytes, vqx_message_text *message) {
    cuda_queue *q = (cuda_queue *)queue;
    const int err = begin(q, &q->times.upload, message);
    if (err < 0)
        return err;
    q->times.bytes_up += bytes;
    return end(q, vqx_cu.upload((uintptr_t)to, from, bytes, q->stream), "cuMemcpyHtoDAsync", NULL, message);
}

static int cuda_download(vqx_queue *queue, void *to, vqx_buffer from, size_t bytes, vqx_message_text *message) {
    cuda_queue *q = (cuda_queue *)queue;
    const int err = begin(q, &q->times.download, message);
    if (err < 0)
        return err;
    q->times.bytes_down += bytes;
    return end(q, vqx_cu.download(to, (uintptr_t)from, bytes, q->stream), "cuMemcpyDtoHAsync", NULL, message);
}

static int cuda_copy(vqx_queue *queue, vqx_buffer to, vqx_buffer from, size_t bytes, vqx_message_text *message) {
    cuda_queue *q = (cuda_queue *)queue;
    const int err = begin(q, &q->times.kernels, message);
    if (err < 0)
        return err;
    return end(q, vqx_cu.copy((uintptr_t)to, (uintptr_t)from, bytes, q->stream), "cuMemcpyDtoDAsync", NULL, message);
}

static int cuda_launch(vqx_queue *queue, unsigned kernel, uint32_t gx, uint32_t gy, unsigned sets, const void *arguments,
                       vqx_message_text *message) {
    cuda_queue *q = (cuda_queue *)queue;
    const vqx_cuda_function function = ((const cuda_device *)queue->device)->function[kernel];
    const vqx_kernel *k = &vqx_kernels[kernel];
    unsigned char parameter[VQX_MAX_SETS * VQX_MAX_ARGUMENTS * sizeof(uint64_t)]; /* what the driver copies: room for all sets */
    void *parameters[] = {parameter};
    const int err = begin(q, &q->times.kernels, message);
    vqx_cuda_status status = VQX_CUDA_SUCCESS;
    if (err < 0)
        return err;
    memcpy(parameter, arguments, sets * k->bytes);
    if (gx > 0 && gy > 0)
        status = vqx_cu.launch(function, gx, gy, sets, k->lanes, 1, 1, 0, q->stream, parameters, NULL);
    return end(q, status, "cuLaunchKernel", k->name, message);
}

static int cuda_wait(vqx_queue *queue, vqx_message_text *message) {
    cuda_queue *q = (cuda_queue *)queue;
    if (q->stopped) {
        enter(queue->device);
        vqx_cu.stream_wait(q->stream);
        leave();
    }
    const int err = begin(q, NULL, message);
    if (err < 0)
        return err;
    vqx_cuda_status status = vqx_cu.stream_wait(q->stream);
    for (; q->spans > 0 && !status; q->spans--) {
        const span *s = &q->span[q->spans - 1];
        float milliseconds = 0;
        status = vqx_cu.event_elapsed(&milliseconds, s->event[0], s->event[1]);
        *s->seconds += milliseconds * 1e-3;
    }
    return end(q, status, "cuStreamSynchronize", NULL, message);
}

static void cuda_times(const vqx_queue *queue, vqx_times *times) {
    *times = ((const cuda_queue *)queue)->times;
}

const vqx_backend vqx_backend_cuda = {
    .name = "cuda",
    .list = cuda_list,
    .open = cuda_open,
    .close = cuda_close,
    .prepare = cuda_prepare,
    .queue_open = cuda_queue_open,
    .queue_close = cuda_queue_close,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .host_alloc = cuda_host_alloc,
    .host_free = cuda_host_free,
    .upload = cuda_upload,
    .download = cuda_download,
    .copy = cuda_copy,
    .launch = cuda_launch,
    .wait = cuda_wait,
    .times = cuda_times,
};
