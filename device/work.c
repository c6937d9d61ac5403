#include "device/work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A launch that is held back; its arguments follow. */
typedef struct held {
    uint32_t kernel, gx, gy, bytes; /* all of it */
} held;

/* The buffers of the planes. */
static int open_planes(vqx_work *w, const vqx_format *format, unsigned planes, vqx_message_text *message) {
    const vqx_backend *b = w->device->backend;
    int err = 0;
    w->side_bytes = (size_t)vqx_format_layout(format, planes, w->offset);
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
        uint32_t width, height;
        vqx_format_plane_size(format, p, &width, &height);
        w->pitch[p] = width * (uint32_t)vqx_format_sample_bytes(format);
        w->plane_bytes[p] = planes >> p & 1 ? (size_t)w->pitch[p] * height : 0;
    }
    for (int side = 0; side < 2; side++)
        for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
            if (!w->plane_bytes[p])
                continue;
            if (b->opaque)
                err = b->alloc(&w->memory[side][p], w->device, w->plane_bytes[p], message);
            else if (!w->memory[side][0])
                err = b->alloc(&w->memory[side][0], w->device, w->side_bytes, message);
            if (err < 0)
                return err;
            w->own[side][p] = b->opaque ? w->memory[side][p] : (uint8_t *)w->memory[side][0] + w->offset[p];
        }
    return 0;
}

int vqx_work_open(vqx_work **out, vqx_device *device, const vqx_format *format, unsigned planes, vqx_message_text *message) {
    const vqx_backend *b = device->backend;
    const size_t bytes = VQX_MAX_SETS * VQX_MAX_WORDS * sizeof(uint64_t);
    int err = -ENOMEM;
    void *memory;
    *out = NULL;
    vqx_work *w = calloc(1, sizeof(*w));
    if (!w)
        return vqx_fail(message, -ENOMEM, "out of memory");
    w->device = device;
    w->first = w;
    if ((err = b->queue_open(&w->queue, device, message)) < 0 || (err = open_planes(w, format, planes, message)) < 0 ||
        (err = b->alloc(&w->result, device, bytes, message)) < 0 ||
        (err = b->host_alloc(&memory, &w->words_handle, device, bytes, message)) < 0)
        goto fail;
    w->words = memory;
    /* words that no launch of a frame writes are read back with the others */
    memset(w->words, 0, bytes);
    if ((err = b->upload(w->queue, w->result, w->words, bytes, message)) < 0 || (err = b->wait(w->queue, message)) < 0)
        goto fail;
    if (b->loses) {
        memset(w->words, (int)(VQX_POISON & 0xff), bytes);
        if ((err = b->alloc(&w->poison, device, bytes, message)) < 0 ||
            (err = b->upload(w->queue, w->poison, w->words, bytes, message)) < 0 || (err = b->wait(w->queue, message)) < 0)
            goto fail;
    }
    b->times(w->queue, &w->before);
    *out = w;
    return 0;
fail:
    vqx_work_close(&w);
    return err;
}

int vqx_work_open_beside(vqx_work **out, vqx_work *first, const vqx_format *format, unsigned planes, vqx_message_text *message) {
    *out = NULL;
    vqx_work *w = calloc(1, sizeof(*w));
    if (!w)
        return vqx_fail(message, -ENOMEM, "out of memory");
    w->device = first->device;
    w->first = first;
    w->queue = first->queue;
    w->result = first->result;
    const int err = open_planes(w, format, planes, message);
    if (err < 0)
        vqx_work_close(&w);
    *out = w;
    return err;
}

void vqx_work_close(vqx_work **work) {
    vqx_work *w = *work;
    vqx_message_text message;
    *work = NULL;
    if (!w)
        return;
    const vqx_backend *b = w->device->backend;
    if (w->first != w)
        b->wait(w->queue, &message);
    else if (w->queue)
        b->queue_close(w->queue);
    for (int side = 0; side < 2; side++) {
        for (unsigned p = 0; p < VQX_MAX_PLANES; p++)
            if (w->memory[side][p])
                b->free(w->device, w->memory[side][p]);
        if (w->staging[side])
            b->host_free(w->device, w->staging[side], w->staging_handle[side]);
    }
    for (unsigned i = 0; i < VQX_SCRATCHES; i++)
        if (w->scratch[i].buffer)
            b->free(w->device, w->scratch[i].buffer);
    if (w->first == w && w->result)
        b->free(w->device, w->result);
    if (w->poison)
        b->free(w->device, w->poison);
    if (w->words)
        b->host_free(w->device, w->words, w->words_handle);
    free(w->held);
    free(w);
}

vqx_buffer vqx_work_scratch(vqx_work *w, unsigned number, size_t bytes) {
    if (w->first->err < 0)
        return NULL;
    if (w->scratch[number].bytes < bytes) {
        const vqx_backend *b = w->device->backend;
        if (w->scratch[number].buffer) {
            vqx_work_release(&w, 1); /* some may use the old one */
            if (vqx_work_wait(w->first, 0) < 0)
                return NULL;
            b->free(w->device, w->scratch[number].buffer);
        }
        w->scratch[number].buffer = NULL;
        w->scratch[number].bytes = 0;
        w->first->err = b->alloc(&w->scratch[number].buffer, w->device, bytes, &w->first->message);
        if (w->first->err < 0)
            return NULL;
        w->scratch[number].bytes = bytes;
    }
    return w->scratch[number].buffer;
}

static void upload(vqx_work *w, vqx_buffer to, const void *from, size_t bytes) {
    if (w->first->err == 0)
        w->first->err = w->device->backend->upload(w->queue, to, from, bytes, &w->first->message);
}

vqx_buffer vqx_work_table(vqx_work *w, unsigned number, const void *content, size_t bytes) {
    const bool fresh = w->scratch[number].bytes < bytes;
    vqx_buffer buffer = vqx_work_scratch(w, number, bytes);
    if (fresh)
        upload(w, buffer, content, bytes);
    return buffer;
}

/* Brings a plane into the staging memory of its side; returns where it is then, NULL after an error. */
static const uint8_t *stage(vqx_work *w, unsigned side, unsigned p, const vqx_plane *plane) {
    const size_t pitch = w->pitch[p], bytes = w->plane_bytes[p];
    void *memory = w->staging[side];
    if (!memory) {
        w->first->err =
            w->device->backend->host_alloc(&memory, &w->staging_handle[side], w->device, w->side_bytes, &w->first->message);
        if (w->first->err < 0)
            return NULL;
        w->staging[side] = memory;
    }
    uint8_t *to = w->staging[side] + w->offset[p];
    const uint8_t *from = plane->data;
    if (plane->stride == (ptrdiff_t)pitch)
        memcpy(to, from, bytes);
    else
        for (size_t at = 0; at < bytes; at += pitch, from += plane->stride)
            memcpy(to + at, from, pitch);
    return to;
}

void vqx_work_upload(vqx_work *w, unsigned side, unsigned planes, const vqx_plane *plane, bool direct) {
    const uint8_t *from[VQX_MAX_PLANES] = {NULL};
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
        if (!(planes >> p & 1) || w->first->err < 0)
            continue;
        w->plane[side][p] = w->own[side][p];
        from[p] = direct && plane[p].stride == (ptrdiff_t)w->pitch[p] ? plane[p].data : stage(w, side, p, &plane[p]);
    }
    /* planes that lie in host memory as in the device's are one upload: an upload costs more than a small plane */
    for (unsigned p = 0, next; p < VQX_MAX_PLANES; p = next) {
        unsigned last = p;
        for (next = p + 1; next < VQX_MAX_PLANES && from[p] && !w->device->backend->opaque; next++) {
            if (from[next] && from[next] != from[p] + (w->offset[next] - w->offset[p]))
                break;
            last = from[next] ? next : last;
        }
        if (from[p])
            upload(w, w->own[side][p], from[p], w->offset[last] - w->offset[p] + w->plane_bytes[last]);
        next = last + 1;
    }
}

void vqx_work_adopt(vqx_work *w, unsigned side, unsigned planes, const vqx_plane *plane) {
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
        if (!(planes >> p & 1))
            continue;
        const uint32_t pitch = w->pitch[p];
        vqx_buffer from = (vqx_buffer)(uintptr_t)plane[p].data;
        const bool packed =
            plane[p].stride == (ptrdiff_t)pitch && (w->device->backend->opaque || (uintptr_t)plane[p].data % 64 == 0);
        w->plane[side][p] = packed ? from : w->own[side][p];
        if (packed)
            continue;
        if (w->first->err == 0)
            w->first->err = w->device->backend->prepare(w->device, 1u << VQX_PROGRAM_PACK, &w->first->message);
        vqx_run_pack_rows(w, 1, (uint32_t)(w->plane_bytes[p] / pitch), from, (uint64_t)plane[p].stride, pitch, w->own[side][p]);
    }
}

static void start(vqx_work *w, unsigned kernel, uint32_t gx, uint32_t gy, unsigned sets, const void *arguments) {
    if (w->first->err == 0)
        w->first->err = w->device->backend->launch(w->queue, kernel, gx, gy, sets, arguments, &w->first->message);
}

void vqx_work_launch(vqx_work *w, unsigned kernel, uint32_t gx, uint32_t gy, const void *arguments) {
    const uint32_t bytes = (uint32_t)(sizeof(held) + (vqx_kernels[kernel].bytes + 7) / 8 * 8);
    if (!w->hold) {
        start(w, kernel, gx, gy, 1, arguments);
        return;
    }
    if (w->held_room - w->held_bytes < bytes) {
        const size_t room = 2 * w->held_room + 4096;
        uint8_t *more = realloc(w->held, room);
        if (!more) {
            if (w->first->err == 0)
                w->first->err = vqx_fail(&w->first->message, -ENOMEM, "out of memory");
            return;
        }
        w->held = more;
        w->held_room = room;
    }
    memcpy(w->held + w->held_bytes, &(held){kernel, gx, gy, bytes}, sizeof(held));
    memcpy(w->held + w->held_bytes + sizeof(held), arguments, vqx_kernels[kernel].bytes);
    w->held_bytes += bytes;
}

void vqx_work_release(vqx_work *const *work, unsigned count) {
    _Alignas(uint64_t) uint8_t arguments[VQX_MAX_SETS * VQX_MAX_ARGUMENTS * sizeof(uint64_t)];
    size_t at[VQX_MAX_SETS] = {0};
    for (bool more = true; more;) {
        held now = {0};
        unsigned sets = 0;
        more = false;
        for (unsigned i = 0; i < count; i++) {
            held next;
            if (at[i] == work[i]->held_bytes)
                continue;
            memcpy(&next, work[i]->held + at[i], sizeof(next));
            more = true;
            if (sets > 0 && (next.kernel != now.kernel || next.gx != now.gx || next.gy != now.gy))
                continue;
            now = next;
            memcpy(arguments + sets++ * vqx_kernels[now.kernel].bytes, work[i]->held + at[i] + sizeof(held),
                   vqx_kernels[now.kernel].bytes);
            at[i] += next.bytes;
        }
        if (sets > 0)
            start(work[0], now.kernel, now.gx, now.gy, sets, arguments);
    }
    for (unsigned i = 0; i < count; i++)
        work[i]->held_bytes = 0;
}

void vqx_work_poison(vqx_work *w, size_t words) {
    if (w->poison && w->err == 0)
        w->err = w->device->backend->copy(w->queue, w->result, w->poison, words * sizeof(*w->words), &w->message);
}

int vqx_work_wait(vqx_work *w, size_t words) {
    const vqx_backend *b = w->device->backend;
    if (w->err == 0 && words > 0)
        w->err = b->download(w->queue, w->words, w->result, words * sizeof(*w->words), &w->message);
    vqx_message_text message; /* after an error: of no use; yet what was asked for before it may still read the caller's memory */
    if (w->err < 0)
        b->wait(w->queue, &message);
    else
        w->err = b->wait(w->queue, &w->message);
    return w->err;
}
