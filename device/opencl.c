/* OpenCL 1.2: queues, buffers, launches. */
#include "device/opencl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct opencl_queue {
    vqx_queue base;
    cl_command_queue queue;
    cl_kernel kernel[VQX_KERNEL_COUNT]; /* setting arguments is not thread-safe: each queue has its own */
    int err;                            /* the first one */
    vqx_times times;
    struct timed {
        cl_event event;
        double *seconds; /* of `times` */
    } * timed;           /* what was enqueued since the last wait(), when it is measured */
    size_t timed_count, timed_room;
} opencl_queue;

/* Host memory: the buffer behind it, and its mapping. */
typedef struct opencl_memory {
    cl_mem buffer;
    void *mapped;
} opencl_memory;

static int opencl_prepare(vqx_device *device, uint32_t programs, vqx_message_text *message) {
    cl_program built;
    int err = 0;
    for (unsigned p = 0; p < VQX_PROGRAM_COUNT && err == 0; p++)
        if (programs >> p & 1)
            err = vqx_opencl_program((vqx_opencl_device *)device, p, &built, message);
    return err;
}

/* ---- memory -------------------------------------------------------------------------------------------------------------- */

static int opencl_alloc(vqx_buffer *buffer, vqx_device *device, size_t bytes, vqx_message_text *message) {
    cl_int status;
    *buffer = vqx_cl.CreateBuffer(((vqx_opencl_device *)device)->context, CL_MEM_READ_WRITE, bytes, NULL, &status);
    return *buffer ? 0
                   : vqx_fail(message, -ENODEV, "%s: %zu bytes of its memory: %s", device->name, bytes, vqx_opencl_error(status));
}

static void opencl_free(vqx_device *device, vqx_buffer buffer) {
    (void)device;
    vqx_cl.ReleaseMemObject(buffer); /* once no command uses it any more */
}

static int opencl_host_alloc(void **memory, void **handle, vqx_device *device, size_t bytes, vqx_message_text *message) {
    vqx_opencl_device *d = (vqx_opencl_device *)device;
    const size_t room = bytes + 63;
    cl_int status;
    *memory = NULL;
    opencl_memory *m = *handle = calloc(1, sizeof(*m));
    if (!m)
        return vqx_fail(message, -ENOMEM, "out of memory");
    m->buffer = vqx_cl.CreateBuffer(d->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, room, NULL, &status);
    if (m->buffer)
        m->mapped =
            vqx_cl.EnqueueMapBuffer(d->maps, m->buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, room, 0, NULL, NULL, &status);
    if (!m->mapped) {
        if (m->buffer)
            vqx_cl.ReleaseMemObject(m->buffer);
        free(m);
        *handle = NULL;
        return vqx_fail(message, -ENODEV, "%s: %zu bytes of host memory: %s", device->name, bytes, vqx_opencl_error(status));
    }
    *memory = (void *)(((uintptr_t)m->mapped + 63) / 64 * 64);
    return 0;
}

static void opencl_host_free(vqx_device *device, void *memory, void *handle) {
    vqx_opencl_device *d = (vqx_opencl_device *)device;
    opencl_memory *m = handle;
    (void)memory;
    vqx_cl.EnqueueUnmapMemObject(d->maps, m->buffer, m->mapped, 0, NULL, NULL);
    vqx_cl.Finish(d->maps);
    vqx_cl.ReleaseMemObject(m->buffer);
    free(m);
}

/* ---- queues -------------------------------------------------------------------------------------------------------------- */

static void opencl_queue_close(vqx_queue *queue) {
    opencl_queue *q = (opencl_queue *)queue;
    vqx_cl.Finish(q->queue);
    for (size_t i = 0; i < q->timed_count; i++)
        if (q->timed[i].event)
            vqx_cl.ReleaseEvent(q->timed[i].event);
    for (unsigned k = 0; k < VQX_KERNEL_COUNT; k++)
        if (q->kernel[k])
            vqx_cl.ReleaseKernel(q->kernel[k]);
    vqx_cl.ReleaseCommandQueue(q->queue);
    free(q->timed);
    free(q);
}

static int opencl_queue_open(vqx_queue **out, vqx_device *device, vqx_message_text *message) {
    vqx_opencl_device *d = (vqx_opencl_device *)device;
    cl_int status;
    *out = NULL;
    opencl_queue *q = calloc(1, sizeof(*q));
    if (!q)
        return vqx_fail(message, -ENOMEM, "out of memory");
    q->base.device = device;
    q->queue = vqx_cl.CreateCommandQueue(d->context, d->id, device->profile ? CL_QUEUE_PROFILING_ENABLE : 0, &status);
    if (!q->queue) {
        free(q);
        return vqx_fail(message, -ENODEV, "%s: a queue: %s", device->name, vqx_opencl_error(status));
    }
    *out = &q->base;
    return 0;
}

/* The event of what is enqueued next, for its time to be added to *seconds; NULL when that is not asked for, or not possible. */
static cl_event *timed_event(opencl_queue *q, double *seconds) {
    if (!q->base.device->profile)
        return NULL;
    if (q->timed_count == q->timed_room) {
        const size_t room = q->timed_room * 2 + 64;
        struct timed *more = realloc(q->timed, room * sizeof(*more));
        if (!more)
            return NULL;
        q->timed = more;
        q->timed_room = room;
    }
    q->timed[q->timed_count] = (struct timed){NULL, seconds};
    return &q->timed[q->timed_count++].event;
}

static int stopped(vqx_message_text *message) {
    return vqx_fail(message, -ENODEV, "stopped by an earlier error");
}

/* A command that was enqueued, or not. */
static int enqueued(opencl_queue *q, cl_int status, const char *what, size_t bytes, vqx_message_text *message) {
    if (status == CL_SUCCESS)
        return 0;
    q->err = -ENODEV;
    return vqx_fail(message, q->err, "%s: %s of %zu bytes: %s", q->base.device->name, what, bytes, vqx_opencl_error(status));
}

static int opencl_upload(vqx_queue *queue, vqx_buffer to, const void *from, size_t bytes, vqx_message_text *message) {
    opencl_queue *q = (opencl_queue *)queue;
    if (q->err < 0)
        return stopped(message);
    q->times.bytes_up += bytes;
    cl_event *event = timed_event(q, &q->times.upload);
    cl_int status = vqx_cl.EnqueueWriteBuffer(q->queue, to, CL_FALSE, 0, bytes, from, 0, NULL, event);
    if (status == CL_SUCCESS)
        status = vqx_cl.Flush(q->queue); /* let it start */
    return enqueued(q, status, "upload", bytes, message);
}

static int opencl_download(vqx_queue *queue, void *to, vqx_buffer from, size_t bytes, vqx_message_text *message) {
    opencl_queue *q = (opencl_queue *)queue;
    if (q->err < 0)
        return stopped(message);
    q->times.bytes_down += bytes;
    cl_event *event = timed_event(q, &q->times.download);
    cl_int status = vqx_cl.EnqueueReadBuffer(q->queue, from, CL_FALSE, 0, bytes, to, 0, NULL, event);
    if (status == CL_SUCCESS)
        status = vqx_cl.Flush(q->queue);
    return enqueued(q, status, "download", bytes, message);
}

static int opencl_copy(vqx_queue *queue, vqx_buffer to, vqx_buffer from, size_t bytes, vqx_message_text *message) {
    opencl_queue *q = (opencl_queue *)queue;
    if (q->err < 0)
        return stopped(message);
    cl_event *event = timed_event(q, &q->times.kernels);
    const cl_int status = vqx_cl.EnqueueCopyBuffer(q->queue, from, to, 0, 0, bytes, 0, NULL, event);
    return enqueued(q, status, "copy", bytes, message);
}

/* The queue's own kernel object. */
static int find_kernel(opencl_queue *q, unsigned kernel, vqx_message_text *message) {
    vqx_opencl_device *d = (vqx_opencl_device *)q->base.device;
    unsigned program = 0;
    cl_program built;
    cl_int status;
    while (!(vqx_program_kernels[program] >> kernel & 1))
        program++;
    const int err = vqx_opencl_program(d, program, &built, message);
    if (err < 0)
        return err;
    q->kernel[kernel] = vqx_cl.CreateKernel(built, vqx_kernels[kernel].name, &status);
    return q->kernel[kernel]
               ? 0
               : vqx_fail(message, -ENODEV, "%s: kernel %s: %s", d->base.name, vqx_kernels[kernel].name, vqx_opencl_error(status));
}

/* With one set of arguments. */
static cl_int launch_set(opencl_queue *q, unsigned kernel, const size_t *global, const size_t *local, const char *arguments) {
    cl_int status = CL_SUCCESS;
    size_t at = 0;
    for (cl_uint i = 0; status == CL_SUCCESS && vqx_kernels[kernel].size[i]; i++) {
        const size_t size = vqx_kernels[kernel].size[i];
        at = (at + size - 1) / size * size;
        status = vqx_cl.SetKernelArg(q->kernel[kernel], i, size, arguments + at);
        at += size;
    }
    return status == CL_SUCCESS ? vqx_cl.EnqueueNDRangeKernel(q->queue, q->kernel[kernel], 2, NULL, global, local, 0, NULL,
                                                              timed_event(q, &q->times.kernels))
                                : status;
}

static int opencl_launch(vqx_queue *queue, unsigned kernel, uint32_t gx, uint32_t gy, unsigned sets, const void *arguments,
                         vqx_message_text *message) {
    opencl_queue *q = (opencl_queue *)queue;
    const size_t local[] = {vqx_kernels[kernel].lanes, 1}, global[] = {gx * local[0], gy};
    cl_int status = CL_SUCCESS;
    if (q->err < 0)
        return stopped(message);
    if (gx == 0 || gy == 0)
        return 0;
    if (!q->kernel[kernel] && (q->err = find_kernel(q, kernel, message)) < 0)
        return q->err;
    for (unsigned s = 0; s < sets && status == CL_SUCCESS; s++)
        status = launch_set(q, kernel, global, local, (const char *)arguments + s * vqx_kernels[kernel].bytes);
    if (status == CL_SUCCESS)
        return 0;
    q->err = -ENODEV;
    return vqx_fail(message, q->err, "%s: kernel %s, %u x %u groups: %s", queue->device->name, vqx_kernels[kernel].name, gx, gy,
                    vqx_opencl_error(status));
}

static int opencl_wait(vqx_queue *queue, vqx_message_text *message) {
    opencl_queue *q = (opencl_queue *)queue;
    const cl_int status = vqx_cl.Finish(q->queue);
    if (q->err < 0)
        return stopped(message);
    if (status != CL_SUCCESS) {
        q->err = -ENODEV;
        return vqx_fail(message, q->err, "%s: %s", queue->device->name, vqx_opencl_error(status));
    }
    for (size_t i = 0; i < q->timed_count; i++) {
        const struct timed *t = &q->timed[i];
        cl_ulong start, end; /* nanoseconds */
        if (vqx_cl.GetEventProfilingInfo(t->event, CL_PROFILING_COMMAND_START, sizeof(start), &start, NULL) == CL_SUCCESS &&
            vqx_cl.GetEventProfilingInfo(t->event, CL_PROFILING_COMMAND_END, sizeof(end), &end, NULL) == CL_SUCCESS)
            *t->seconds += (double)(end - start) * 1e-9;
        vqx_cl.ReleaseEvent(t->event);
    }
    q->timed_count = 0;
    return 0;
}

static void opencl_times(const vqx_queue *queue, vqx_times *times) {
    *times = ((const opencl_queue *)queue)->times;
}

const vqx_backend vqx_backend_opencl = {
    .name = "opencl",
    .opaque = true,
    .list = vqx_opencl_list,
    .open = vqx_opencl_open,
    .close = vqx_opencl_close,
    .prepare = opencl_prepare,
    .queue_open = opencl_queue_open,
    .queue_close = opencl_queue_close,
    .alloc = opencl_alloc,
    .free = opencl_free,
    .host_alloc = opencl_host_alloc,
    .host_free = opencl_host_free,
    .upload = opencl_upload,
    .download = opencl_download,
    .copy = opencl_copy,
    .launch = opencl_launch,
    .wait = opencl_wait,
    .times = opencl_times,
};
