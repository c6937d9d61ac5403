#include "device/work.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int vqx_work_open(vqx_work **out, vqx_device *device, const vqx_format *format, unsigned planes, vqx_message_text *message) {
    const vqx_backend *b = device->backend;
    int err = -ENOMEM;
    void *memory;
    *out = NULL;
    vqx_work *w = calloc(1, sizeof(*w));
    if (!w)
        return vqx_fail(message, -ENOMEM, "out of memory");
    w->device = device;
    if ((err = b->queue_open(&w->queue, device, message)) < 0)
        goto fail;
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
        uint32_t width, height;
        vqx_format_plane_size(format, p, &width, &height);
        w->pitch[p] = width * (uint32_t)vqx_format_sample_bytes(format);
        w->plane_bytes[p] = planes >> p & 1 ? (size_t)w->pitch[p] * height : 0;
        for (int side = 0; side < 2 && w->plane_bytes[p]; side++)
            if ((err = b->alloc(&w->own[side][p], device, w->plane_bytes[p], message)) < 0)
                goto fail;
        w->staging_bytes += (w->plane_bytes[p] + 63) / 64 * 64;
    }
    const size_t bytes = VQX_MAX_WORDS * sizeof(*w->words);
    if ((err = b->alloc(&w->result, device, bytes, message)) < 0 ||
        (err = b->host_alloc(&memory, &w->words_handle, device, bytes, message)) < 0)
        goto fail;
    w->words = memory;
    /* words that no launch of a frame writes are read back with the others */
    memset(w->words, 0, bytes);
    if ((err = b->upload(w->queue, w->result, w->words, bytes, message)) < 0 || (err = b->wait(w->queue, message)) < 0)
        goto fail;
    b->times(w->queue, &w->before);
    *out = w;
    return 0;
fail:
    vqx_work_close(&w);
    return err;
}

void vqx_work_close(vqx_work **work) {
    vqx_work *w = *work;
    *work = NULL;
    if (!w)
        return;
    const vqx_backend *b = w->device->backend;
    if (w->queue)
        b->queue_close(w->queue);
    for (int side = 0; side < 2; side++) {
        for (unsigned p = 0; p < VQX_MAX_PLANES; p++)
            if (w->own[side][p])
                b->free(w->device, w->own[side][p]);
        if (w->staging[side])
            b->host_free(w->device, w->staging[side], w->staging_handle[side]);
    }
    for (unsigned i = 0; i < VQX_SCRATCHES; i++)
        if (w->scratch[i].buffer)
            b->free(w->device, w->scratch[i].buffer);
    if (w->result)
        b->free(w->device, w->result);
    if (w->words)
        b->host_free(w->device, w->words, w->words_handle);
    free(w);
}

vqx_buffer vqx_work_scratch(vqx_work *w, unsigned number, size_t bytes) {
    if (w->err < 0)
        return NULL;
    if (w->scratch[number].bytes < bytes) {
        const vqx_backend *b = w->device->backend;
        if (w->scratch[number].buffer)
            b->free(w->device, w->scratch[number].buffer);
        w->scratch[number].buffer = NULL;
        w->scratch[number].bytes = 0;
        w->err = b->alloc(&w->scratch[number].buffer, w->device, bytes, &w->message);
        if (w->err < 0)
            return NULL;
        w->scratch[number].bytes = bytes;
    }
    return w->scratch[number].buffer;
}

vqx_buffer vqx_work_table(vqx_work *w, unsigned number, const void *content, size_t bytes) {
    const bool fresh = w->scratch[number].bytes < bytes;
    vqx_buffer buffer = vqx_work_scratch(w, number, bytes);
    if (fresh && w->err == 0)
        w->err = w->device->backend->upload(w->queue, buffer, content, bytes, &w->message);
    return buffer;
}

/* Where a plane lies in the staging memory of its side. */
static uint8_t *stage(vqx_work *w, unsigned side, unsigned plane) {
    size_t offset = 0;
    void *memory = w->staging[side];
    if (!memory) {
        w->err = w->device->backend->host_alloc(&memory, &w->staging_handle[side], w->device, w->staging_bytes, &w->message);
        if (w->err < 0)
            return NULL;
        w->staging[side] = memory;
    }
    for (unsigned p = 0; p < plane; p++)
        offset += (w->plane_bytes[p] + 63) / 64 * 64;
    return w->staging[side] + offset;
}

void vqx_work_upload(vqx_work *w, unsigned side, unsigned plane, const uint8_t *data, ptrdiff_t stride, bool direct) {
    const size_t pitch = w->pitch[plane], bytes = w->plane_bytes[plane];
    if (w->err < 0)
        return;
    w->plane[side][plane] = w->own[side][plane];
    if (!direct || stride != (ptrdiff_t)pitch) {
        uint8_t *to = stage(w, side, plane);
        if (!to)
            return;
        if (stride == (ptrdiff_t)pitch)
            memcpy(to, data, bytes);
        else
            for (size_t at = 0; at < bytes; at += pitch, data += stride)
                memcpy(to + at, data, pitch);
        data = to;
    }
    w->err = w->device->backend->upload(w->queue, w->plane[side][plane], data, bytes, &w->message);
}

void vqx_work_adopt(vqx_work *w, unsigned side, unsigned plane, const uint8_t *data, ptrdiff_t stride) {
    const uint32_t pitch = w->pitch[plane];
    vqx_buffer from = (vqx_buffer)(uintptr_t)data;
    const bool packed = stride == (ptrdiff_t)pitch && (w->device->backend->opaque || (uintptr_t)data % 64 == 0);
    w->plane[side][plane] = packed ? from : w->own[side][plane];
    if (packed)
        return;
    if (w->err == 0)
        w->err = w->device->backend->prepare(w->device, 1u << VQX_PROGRAM_PACK, &w->message);
    vqx_run_pack_rows(w, 1, (uint32_t)(w->plane_bytes[plane] / pitch), from, (uint64_t)stride, pitch, w->own[side][plane]);
}

void vqx_work_launch(vqx_work *w, unsigned kernel, uint32_t gx, uint32_t gy, const void *arguments) {
    if (w->err == 0)
        w->err = w->device->backend->launch(w->queue, kernel, gx, gy, 1, arguments, &w->message);
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
