/* Frames in the memory of a context's device. */
#include <errno.h>
#include <stdlib.h>

#include "src/context.h"

typedef struct resident {
    vqx_memory memory; /* keeps the device open */
    vqx_buffer buffer[VQX_MAX_PLANES];
} resident;

static void release(void *cookie) {
    resident *r = cookie;
    vqx_device *device = ((vqx_shared_device *)r->memory.owner)->device;
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++)
        if (r->buffer[p])
            device->backend->free(device, r->buffer[p]);
    r->memory.leave(r->memory.owner);
    free(r);
}

/* Uploads the planes that the context looks at, and takes them out of the slot. */
static int upload(vqx_context *c, vqx_work *work, vqx_frame *frame, vqx_buffer *buffer, vqx_message_text *message) {
    int err = vqx_frame_require(frame, message);
    if (err < 0)
        return err;
    vqx_plane plane[VQX_MAX_PLANES];
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++)
        plane[p] = vqx_frame_plane(frame, p);
    vqx_work_upload(work, 0, c->planes, plane, false);
    err = vqx_work_wait(work, 0);
    if (err < 0)
        *message = work->message;
    for (unsigned p = 0; p < VQX_MAX_PLANES && err == 0; p++) {
        buffer[p] = work->memory[0][p];
        work->memory[0][p] = NULL;
    }
    return err;
}

static int to_device(vqx_frame **out, vqx_context *c, vqx_frame *frame, vqx_message_text *message) {
    unsigned number;
    *out = NULL;
    if (!c->started || c->finished || c->devices.devices != 1)
        return vqx_fail(message, -EINVAL, "a frame goes to the device of a context that is running on one");
    if (!vqx_context_fits(c, frame) || vqx_frame_backend(frame, &number))
        return vqx_fail(message, -EINVAL,
                        "a frame for a device: format or planes differ from the start, or it is on a device already");
    vqx_device *device = c->devices.device[0]->device;
    vqx_work *work;
    resident *r = calloc(1, sizeof(*r));
    if (!r)
        return vqx_fail(message, -ENOMEM, "out of memory");
    r->memory = vqx_devices_memory(&c->devices);
    int err = vqx_work_open(&work, device, &c->format, c->planes, message);
    if (err == 0)
        err = upload(c, work, frame, r->buffer, message);
    if (err == 0) {
        const void *const data[VQX_MAX_PLANES] = {work->own[0][0], work->own[0][1], work->own[0][2]};
        const ptrdiff_t stride[VQX_MAX_PLANES] = {work->pitch[0], work->pitch[1], work->pitch[2]};
        err = vqx_frame_wrap_device(out, &c->format, device->backend->name, device->number, data, stride, release, r);
        if (err < 0)
            vqx_fail(message, err, "out of memory");
    }
    vqx_work_close(&work);
    if (err < 0)
        release(r);
    return err;
}

int vqx_frame_to_device(vqx_frame **frame, vqx_context *c, vqx_frame *from) {
    vqx_message_text message;
    const int err = to_device(frame, c, from, &message);
    if (err < 0) {
        pthread_mutex_lock(&c->error_lock);
        c->message = message;
        pthread_mutex_unlock(&c->error_lock);
    }
    return err;
}
