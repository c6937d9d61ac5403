#include "src/devices.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool set_in_environment(const char *name) {
    const char *value = getenv(name);
    return value && *value && strcmp(value, "0") != 0;
}

static const vqx_backend *backend_of(const char *name) {
    for (size_t i = 0; vqx_backends[i]; i++)
        if (strcmp(vqx_backends[i]->name, name) == 0)
            return vqx_backends[i];
    return NULL;
}

/* Devices that are open anywhere in the process: opening one again costs more than scoring many frames. */
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static vqx_shared_device *open_devices;

static void drop(vqx_shared_device *shared) {
    pthread_mutex_lock(&open_lock);
    const bool last = --shared->references == 0;
    vqx_shared_device **at = &open_devices;
    while (*at != shared)
        at = &(*at)->next;
    if (last)
        *at = shared->next;
    pthread_mutex_unlock(&open_lock);
    if (last) {
        shared->device->backend->close(shared->device);
        free(shared);
    }
}

/* A device that is open already, or opens it; under the lock. */
static int find_or_open(vqx_shared_device **out, const vqx_backend *backend, unsigned number, bool fp64, bool profile,
                        vqx_message_text *why) {
    for (vqx_shared_device *shared = open_devices; shared; shared = shared->next)
        if (shared->device->backend == backend && shared->device->number == number && shared->wants_fp64 == fp64 &&
            shared->device->profile == profile) {
            shared->references++;
            *out = shared;
            return 0;
        }
    vqx_shared_device *shared = calloc(1, sizeof(*shared));
    if (!shared)
        return vqx_fail(why, -ENOMEM, "out of memory");
    const int err = backend->open(&shared->device, number, fp64, profile, why);
    if (err < 0) {
        free(shared);
        return err;
    }
    shared->references = 1;
    shared->wants_fp64 = fp64;
    shared->next = open_devices;
    open_devices = shared;
    *out = shared;
    return 0;
}

static int open_device(vqx_shared_device **out, const vqx_backend *backend, unsigned number, uint32_t flags, uint32_t programs,
                       vqx_message_text *message) {
    const bool fp64 = !(flags & VQX_DEVICE_NO_FP64) && !set_in_environment("VQX_NO_FP64");
    vqx_message_text why = {""};
    vqx_shared_device *shared = NULL;
    *out = NULL;
    pthread_mutex_lock(&open_lock);
    int err = find_or_open(&shared, backend, number, fp64, flags & VQX_DEVICE_PROFILE, &why);
    pthread_mutex_unlock(&open_lock);
    if (err == 0 && (err = backend->prepare(shared->device, programs, &why)) < 0)
        drop(shared);
    if (err < 0)
        return vqx_fail(message, err, "%s %u: %s", backend->name, number, why.text);
    *out = shared;
    return 0;
}

/* "0", "0,2" or "all" to numbers below `count`; how many, or a negative errno with a line. */
static int parse_list(const vqx_backend *backend, const char *text, unsigned count, unsigned number[VQX_MAX_DEVICES],
                      vqx_message_text *message) {
    int n = 0;
    if (text && strcmp(text, "all") == 0) {
        for (; n < (int)count && n < VQX_MAX_DEVICES; n++)
            number[n] = (unsigned)n;
        return n;
    }
    for (const char *at = text ? text : "0";; at++) {
        char *end;
        const unsigned long value = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || (*end != ',' && *end) || n == VQX_MAX_DEVICES)
            return vqx_fail(message, -EINVAL, "'%s' is not a list of devices (0, 0,1 or all)", text);
        if (value >= count)
            return vqx_fail(message, -ENODEV, "%s has no device %lu (see vqx devices)", backend->name, value);
        for (int i = 0; i < n; i++)
            if (number[i] == value)
                return vqx_fail(message, -EINVAL, "device %lu is listed twice", value);
        number[n++] = (unsigned)value;
        at = end;
        if (!*at)
            return n;
    }
}

static int open_listed(vqx_devices *d, const vqx_config *config, const vqx_backend *backend, const char *list, uint32_t programs,
                       vqx_message_text *message) {
    unsigned number[VQX_MAX_DEVICES];
    vqx_message_text why = {""};
    const unsigned count = backend->list(NULL, 0, &why);
    if (count == 0)
        return vqx_fail(message, -ENODEV, "%s: %s", backend->name, *why.text ? why.text : "there is no device");
    const int n = parse_list(backend, list, count, number, message);
    if (n < 0)
        return n;
    for (; d->devices < (size_t)n; d->devices++) {
        const int err = open_device(&d->device[d->devices], backend, number[d->devices], config->device_flags, programs, message);
        if (err < 0) {
            vqx_devices_close(d);
            return err;
        }
    }
    d->backend = backend;
    snprintf(d->name, sizeof(d->name), "%s", d->device[0]->device->name);
    if (n > 1)
        snprintf(d->name + strlen(d->name), sizeof(d->name) - strlen(d->name), " and %d more", n - 1);
    return 0;
}

/* The first graphics processor that opens; none is no error. */
static int open_best(vqx_devices *d, const vqx_config *config, uint32_t programs) {
    for (size_t i = 0; vqx_backends[i]; i++) {
        vqx_device_state state[VQX_MAX_DEVICES];
        vqx_message_text message;
        const unsigned count = vqx_backends[i]->list(state, VQX_MAX_DEVICES, &message);
        for (unsigned n = 0; n < count && n < VQX_MAX_DEVICES; n++) {
            char text[16];
            snprintf(text, sizeof(text), "%u", n);
            if (state[n].gpu && !*state[n].why &&
                open_listed(d, config, vqx_backends[i], config->device ? config->device : text, programs, &message) == 0)
                return 0;
            if (state[n].gpu && !*state[n].why && config->log)
                config->log(config->log_cookie, VQX_LOG_WARNING, message.text);
        }
    }
    return 0;
}

int vqx_devices_open(vqx_devices *d, const vqx_config *config, uint32_t programs, const char *obstacle, vqx_message_text *message) {
    const char *name = config->backend ? config->backend : "cpu";
    if (strcmp(name, "auto") == 0)
        return obstacle ? 0 : open_best(d, config, programs);
    if (strcmp(name, "cpu") == 0) {
        if (!config->device || strcmp(config->device, "0") == 0 || strcmp(config->device, "all") == 0)
            return 0;
        return vqx_fail(message, -ENODEV, "cpu has no device '%s'", config->device);
    }
    const vqx_backend *backend = backend_of(name);
    if (!backend)
        return vqx_fail(message, -ENODEV, "back end '%s' is not part of this build", name);
    if (obstacle)
        return vqx_fail(message, -ENODEV, "%s: %s", name, obstacle);
    return open_listed(d, config, backend, config->device, programs, message);
}

bool vqx_devices_ordered(const vqx_config *config) {
    return config->device_flags & VQX_DEVICE_ORDERED || set_in_environment("VQX_ORDERED");
}

static int open_slot(vqx_slot *slot, vqx_device *device, size_t pairs, const vqx_format *format, unsigned planes,
                     vqx_message_text *message) {
    int err = vqx_work_open(&slot->pair[0], device, format, planes, message);
    for (size_t i = 1; i < pairs && err == 0; i++)
        err = vqx_work_open_beside(&slot->pair[i], slot->pair[0], format, planes, message);
    for (size_t i = 0; i < pairs && err == 0; i++)
        slot->pair[i]->hold = pairs > 1;
    return err;
}

int vqx_devices_start(vqx_devices *d, size_t slots, size_t pairs, const vqx_format *format, unsigned planes,
                      vqx_message_text *message) {
    vqx_message_text why = {""};
    if (pthread_mutex_init(&d->lock, NULL))
        return vqx_fail(message, -ENOMEM, "out of memory");
    d->started = true;
    d->slot = calloc(slots, sizeof(*d->slot));
    d->spare = calloc(slots, sizeof(*d->spare));
    if (!d->slot || !d->spare)
        return vqx_fail(message, -ENOMEM, "out of memory");
    while (d->slots < slots) {
        vqx_slot *slot = &d->slot[d->slots];
        vqx_device *device = d->device[d->slots++ % d->devices]->device;
        const int err = open_slot(slot, device, pairs, format, planes, &why);
        if (err < 0)
            return vqx_fail(message, err, "%s %u: %s", d->backend->name, device->number, why.text);
        d->spare[d->spares++] = slot;
    }
    return 0;
}

/* Adds what the queues measured. */
static void gather(vqx_devices *d) {
    vqx_stages *s = &d->stages;
    for (size_t i = 0; i < d->slots; i++) {
        const vqx_work *const first = d->slot[i].pair[0]; /* NULL: it could not be opened */
        if (!first)
            continue;
        const vqx_times *const before = &first->before;
        vqx_times t = {0};
        d->backend->times(first->queue, &t);
        s->upload += t.upload - before->upload;
        s->kernels += t.kernels;
        s->download += t.download;
        s->bytes_up += t.bytes_up - before->bytes_up;
        s->bytes_down += t.bytes_down;
    }
}

void vqx_devices_close(vqx_devices *d) {
    if (d->started) {
        gather(d);
        for (size_t i = 0; i < d->slots; i++)
            for (size_t k = VQX_MAX_SETS; k-- > 0;)
                vqx_work_close(&d->slot[i].pair[k]);
        free(d->slot);
        free(d->spare);
        pthread_mutex_destroy(&d->lock);
        d->started = false;
    }
    for (size_t i = 0; i < d->devices; i++)
        drop(d->device[i]);
    d->devices = d->slots = d->spares = 0;
}

vqx_slot *vqx_devices_take(vqx_devices *d) {
    pthread_mutex_lock(&d->lock);
    vqx_slot *slot = d->spare[--d->spares];
    pthread_mutex_unlock(&d->lock);
    return slot;
}

void vqx_devices_give(vqx_devices *d, vqx_slot *slot) {
    pthread_mutex_lock(&d->lock);
    d->spare[d->spares++] = slot;
    pthread_mutex_unlock(&d->lock);
}

/* ---- memory of a device for pools -------------------------------------------------------------------------------------- */

static int take_host(void *owner, size_t bytes, void **memory, void **handle, vqx_message_text *message) {
    vqx_device *device = ((vqx_shared_device *)owner)->device;
    return device->backend->host_alloc(memory, handle, device, bytes, message);
}

static void give_host(void *owner, void *memory, void *handle) {
    vqx_device *device = ((vqx_shared_device *)owner)->device;
    device->backend->host_free(device, memory, handle);
}

static void leave_host(void *owner) {
    drop(owner);
}

vqx_memory vqx_devices_memory(vqx_devices *d) {
    pthread_mutex_lock(&open_lock);
    d->device[0]->references++;
    pthread_mutex_unlock(&open_lock);
    return (vqx_memory){.owner = d->device[0], .take = take_host, .give = give_host, .leave = leave_host};
}
