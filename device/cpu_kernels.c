/* The kernels on the processor, with groups of one lane: for proof, not for speed. A device of the parity gate. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/device.h"
#include "dialect/entry_cpu.h"

typedef struct cpu_queue {
    vqx_queue base;
    vqx_times times;
} cpu_queue;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static unsigned cpu_list(vqx_device_state *state, unsigned most, vqx_message_text *message) {
    (void)message;
    if (most > 0)
        state[0] = (vqx_device_state){.name = "kernels as plain C, one lane"};
    return 1;
}

static int cpu_open(vqx_device **out, unsigned number, bool fp64, bool profile, vqx_message_text *message) {
    *out = NULL;
    if (number > 0)
        return vqx_fail(message, -ENODEV, "there is only device 0");
    vqx_device *device = calloc(1, sizeof(*device));
    if (!device)
        return vqx_fail(message, -ENOMEM, "out of memory");
    *device = (vqx_device){.backend = &vqx_backend_cpu_kernels, .fp64 = fp64, .profile = profile};
    strcpy(device->name, "kernels as plain C, one lane");
    *out = device;
    return 0;
}

static void cpu_close(vqx_device *device) {
    free(device);
}

static int cpu_prepare(vqx_device *device, uint32_t programs, vqx_message_text *message) {
    (void)device, (void)programs, (void)message;
    return 0;
}

static int cpu_queue_open(vqx_queue **out, vqx_device *device, vqx_message_text *message) {
    cpu_queue *queue = calloc(1, sizeof(*queue));
    *out = &queue->base;
    if (!queue)
        return vqx_fail(message, -ENOMEM, "out of memory");
    queue->base.device = device;
    return 0;
}

static void cpu_queue_close(vqx_queue *queue) {
    free(queue);
}

/* Exactly as large as was asked for, so that sanitizers see what is beyond. */
static int cpu_alloc(vqx_buffer *buffer, vqx_device *device, size_t bytes, vqx_message_text *message) {
    (void)device;
    *buffer = malloc(bytes);
    return *buffer ? 0 : vqx_fail(message, -ENOMEM, "out of memory for %zu bytes", bytes);
}

static void cpu_free(vqx_device *device, vqx_buffer buffer) {
    (void)device;
    free(buffer);
}

static int cpu_host_alloc(void **memory, void **handle, vqx_device *device, size_t bytes, vqx_message_text *message) {
    (void)device;
    *handle = NULL;
    *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    return *memory ? 0 : vqx_fail(message, -ENOMEM, "out of memory for %zu bytes", bytes);
}

static void cpu_host_free(vqx_device *device, void *memory, void *handle) {
    (void)device, (void)handle;
    free(memory);
}

static int cpu_copy(vqx_queue *queue, vqx_buffer to, vqx_buffer from, size_t bytes, vqx_message_text *message) {
    (void)queue, (void)message;
    memcpy(to, from, bytes);
    return 0;
}

static int cpu_upload(vqx_queue *queue, vqx_buffer to, const void *from, size_t bytes, vqx_message_text *message) {
    cpu_queue *q = (cpu_queue *)queue;
    const double start = seconds();
    (void)message;
    memcpy(to, from, bytes);
    q->times.upload += seconds() - start;
    q->times.bytes_up += bytes;
    return 0;
}

static int cpu_download(vqx_queue *queue, void *to, vqx_buffer from, size_t bytes, vqx_message_text *message) {
    (void)message;
    memcpy(to, from, bytes);
    ((cpu_queue *)queue)->times.bytes_down += bytes;
    return 0;
}

static int cpu_launch(vqx_queue *queue, unsigned kernel, uint32_t gx, uint32_t gy, unsigned sets, const void *arguments,
                      vqx_message_text *message) {
    const double start = seconds();
    (void)message;
    for (unsigned s = 0; s < sets; s++)
        (queue->device->fp64 ? vqx_cpu_entries_fp64
                             : vqx_cpu_entries_soft)[kernel](gx, gy, (const char *)arguments + s * vqx_kernels[kernel].bytes);
    ((cpu_queue *)queue)->times.kernels += seconds() - start;
    return 0;
}

static int cpu_wait(vqx_queue *queue, vqx_message_text *message) {
    (void)queue, (void)message;
    return 0;
}

static void cpu_times(const vqx_queue *queue, vqx_times *times) {
    *times = ((const cpu_queue *)queue)->times;
}

const vqx_backend vqx_backend_cpu_kernels = {
    .name = "cpu-kernels",
    .list = cpu_list,
    .open = cpu_open,
    .close = cpu_close,
    .prepare = cpu_prepare,
    .queue_open = cpu_queue_open,
    .queue_close = cpu_queue_close,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .host_alloc = cpu_host_alloc,
    .host_free = cpu_host_free,
    .upload = cpu_upload,
    .download = cpu_download,
    .copy = cpu_copy,
    .launch = cpu_launch,
    .wait = cpu_wait,
    .times = cpu_times,
};
