/* What the public header says about devices: listing, measuring, and which ones a context uses. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/context.h"

/* Writes an entry if there is room for it; counts it in any case. */
static void put(vqx_device_info *info, size_t most, size_t *count, const char *backend, uint32_t number, const char *name,
                const char *why) {
    if (*count < most) {
        vqx_device_info *i = &info[*count];
        *i = (vqx_device_info){.backend = backend, .number = number, .usable = !*why};
        snprintf(i->name, sizeof(i->name), "%s", name);
        snprintf(i->why, sizeof(i->why), "%s", why);
    }
    ++*count;
}

size_t vqx_device_list(vqx_device_info *info, size_t most) {
    size_t count = 0;
    put(info, most, &count, "cpu", 0, "", "");
    for (size_t i = 0; vqx_backends[i]; i++) {
        const vqx_backend *b = vqx_backends[i];
        vqx_device_state state[VQX_MAX_DEVICES];
        vqx_message_text message = {""};
        const unsigned devices = b->list(state, VQX_MAX_DEVICES, &message);
        if (devices == 0)
            put(info, most, &count, b->name, VQX_NO_DEVICE, "", *message.text ? message.text : "there is no device");
        for (unsigned n = 0; n < devices && n < VQX_MAX_DEVICES; n++) {
            vqx_device *device = NULL;
            snprintf(message.text, sizeof(message.text), "%s", state[n].why);
            if (!*message.text && b->open(&device, n, true, false, &message) == 0) {
                b->close(device);
                message.text[0] = '\0';
            }
            put(info, most, &count, b->name, n, state[n].name, message.text);
        }
    }
    return count;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Bytes per second of `repeats` transfers in a row; negative errno. */
static double rate(vqx_queue *queue, vqx_buffer to, vqx_buffer from, const void *host, size_t bytes, vqx_message_text *message) {
    const vqx_backend *b = queue->device->backend;
    enum { REPEATS = 10 };
    int err = 0;
    double start = 0;
    for (int i = -2; i < REPEATS && err == 0; i++) { /* the first two warm up */
        if (i == 0) {
            err = b->wait(queue, message);
            start = seconds();
        }
        if (err == 0)
            err = host ? b->upload(queue, to, host, bytes, message) : b->copy(queue, to, from, bytes, message);
    }
    if (err == 0)
        err = b->wait(queue, message);
    return err < 0 ? err : REPEATS * (double)bytes * (host ? 1 : 2) / (seconds() - start);
}

int vqx_device_rates(const char *backend, uint32_t number, double *upload, double *copy, char *text, size_t size) {
    enum { HOST_BYTES = 64 << 20, DEVICE_BYTES = 256 << 20 };
    const vqx_backend *b = NULL;
    vqx_device *device = NULL;
    vqx_queue *queue = NULL;
    vqx_buffer buffer[2] = {NULL, NULL};
    void *host = NULL, *handle = NULL;
    vqx_message_text message = {""};
    *upload = *copy = 0;
    for (size_t i = 0; vqx_backends[i]; i++)
        if (strcmp(vqx_backends[i]->name, backend) == 0)
            b = vqx_backends[i];
    int err = b ? 0 : vqx_fail(&message, -EINVAL, "back end '%s' is not part of this build", backend);
    if (err == 0)
        err = b->open(&device, number, true, false, &message);
    if (err == 0)
        err = b->queue_open(&queue, device, &message);
    for (int i = 0; i < 2 && err == 0; i++)
        err = b->alloc(&buffer[i], device, DEVICE_BYTES, &message);
    if (err == 0)
        err = b->host_alloc(&host, &handle, device, HOST_BYTES, &message);
    if (err < 0)
        goto fail;
    memset(host, 1, HOST_BYTES);
    *upload = rate(queue, buffer[0], NULL, host, HOST_BYTES, &message);
    *copy = *upload < 0 ? 0 : rate(queue, buffer[1], buffer[0], NULL, DEVICE_BYTES, &message);
    err = *upload < 0 ? (int)*upload : *copy < 0 ? (int)*copy : 0;
fail:
    if (queue)
        b->queue_close(queue);
    for (int i = 0; i < 2; i++)
        if (buffer[i])
            b->free(device, buffer[i]);
    if (host)
        b->host_free(device, host, handle);
    if (device)
        b->close(device);
    if (err < 0)
        snprintf(text, size, "%s %u: %s", backend, number, message.text);
    return err;
}

const char *vqx_backend_used(const vqx_context *c) {
    return c->devices.backend ? c->devices.backend->name : "cpu";
}

const char *vqx_device_used(const vqx_context *c) {
    return c->devices.name;
}

void vqx_stage_times(const vqx_context *c, vqx_stages *stages) {
    *stages = c->devices.stages;
}

int vqx_pool_open_for(vqx_pool **pool, vqx_context *c) {
    if (!c->devices.devices)
        return vqx_pool_open(pool, &c->format, c->planes);
    vqx_memory memory = vqx_devices_memory(&c->devices);
    const int err = vqx_pool_open_in(pool, &c->format, c->planes, &memory);
    if (err < 0)
        memory.leave(memory.owner);
    return err;
}
