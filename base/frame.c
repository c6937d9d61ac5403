#include "base/frame.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PLANE_ALIGN 64u
/* Memory that is not the heap's is taken for several small frames at once: each time costs as much as reading one. */
#define BLOCK_BYTES (4u << 20)
#define MOST_OF_BLOCK 16u

/* Memory of one frame, kept in the pool between frames. */
typedef struct buffer {
    struct buffer *next;
    uint8_t *data; /* PLANE_ALIGN-aligned */
    void *handle;
    bool rest; /* of a block that another buffer begins */
} buffer;

struct vqx_pool {
    pthread_mutex_t lock;
    vqx_format format;
    unsigned planes;
    uint64_t bytes;
    size_t offset[VQX_MAX_PLANES];
    size_t frames; /* alive, under lock */
    bool closed;
    vqx_memory memory; /* without functions: the heap */
    buffer *spare;
    vqx_frame *spare_frame; /* frame structs, chained by next */
};

struct vqx_frame {
    atomic_int refs;
    vqx_format format;
    unsigned planes;
    uint8_t *data[VQX_MAX_PLANES];
    ptrdiff_t stride[VQX_MAX_PLANES];
    /* frames of a pool */
    vqx_pool *pool;
    buffer *memory;
    vqx_frame *next;
    /* lazy frames */
    pthread_mutex_t lock; /* held while filling */
    bool pending;
    int fill_err;
    vqx_message_text fill_message;
    vqx_fill fill;
    void *source;
    uint64_t position;
    /* wrapped frames */
    void (*release)(void *cookie);
    void *cookie;
    char backend[16]; /* in whose device's memory they are; empty: the host's */
    unsigned device;
};

int vqx_format_check(const vqx_format *format) {
    if (!format || format->width < 1 || format->width > 65535 || format->height < 1 || format->height > 65535)
        return -EINVAL;
    if ((uint64_t)format->width * format->height >= 1u << 31)
        return -EINVAL;
    if ((unsigned)format->chroma > VQX_CHROMA_444)
        return -EINVAL;
    if (format->bits != 8 && format->bits != 10 && format->bits != 12 && format->bits != 16)
        return -EINVAL;
    return 0;
}

unsigned vqx_format_planes(const vqx_format *format) {
    return format->chroma == VQX_CHROMA_400 ? 1 : 3;
}

size_t vqx_format_sample_bytes(const vqx_format *format) {
    return format->bits > 8 ? 2 : 1;
}

void vqx_format_plane_size(const vqx_format *format, unsigned plane, uint32_t *width, uint32_t *height) {
    uint32_t w = format->width, h = format->height;
    if (plane >= vqx_format_planes(format)) {
        w = h = 0;
    } else if (plane > 0) {
        if (format->chroma != VQX_CHROMA_444)
            w = w / 2 + (w & 1);
        if (format->chroma == VQX_CHROMA_420)
            h = h / 2 + (h & 1);
    }
    if (width)
        *width = w;
    if (height)
        *height = h;
}

uint64_t vqx_format_layout(const vqx_format *format, unsigned planes, size_t offset[VQX_MAX_PLANES]) {
    uint64_t bytes = 0;
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
        uint32_t w, h;
        vqx_format_plane_size(format, p, &w, &h);
        offset[p] = (size_t)bytes;
        if (planes >> p & 1)
            bytes += ((size_t)w * h * vqx_format_sample_bytes(format) + PLANE_ALIGN - 1) / PLANE_ALIGN * PLANE_ALIGN;
    }
    return bytes;
}

static void pool_free(vqx_pool *pool) {
    while (pool->spare) {
        buffer *b = pool->spare;
        pool->spare = b->next;
        if (!pool->memory.give)
            free(b->data);
        else if (!b->rest)
            pool->memory.give(pool->memory.owner, b->data, b->handle);
        free(b);
    }
    while (pool->spare_frame) {
        vqx_frame *f = pool->spare_frame;
        pool->spare_frame = f->next;
        pthread_mutex_destroy(&f->lock);
        free(f);
    }
    pthread_mutex_destroy(&pool->lock);
    if (pool->memory.leave)
        pool->memory.leave(pool->memory.owner);
    free(pool);
}

int vqx_pool_open(vqx_pool **pool, const vqx_format *format, unsigned planes) {
    return vqx_pool_open_in(pool, format, planes, &(vqx_memory){0});
}

int vqx_pool_open_in(vqx_pool **out, const vqx_format *format, unsigned planes, const vqx_memory *memory) {
    *out = NULL;
    if (vqx_format_check(format) < 0 || !planes || planes >> vqx_format_planes(format))
        return -EINVAL;
    vqx_pool *pool = calloc(1, sizeof(*pool));
    if (!pool)
        return -ENOMEM;
    if (pthread_mutex_init(&pool->lock, NULL)) {
        free(pool);
        return -ENOMEM;
    }
    pool->format = *format;
    pool->planes = planes;
    pool->bytes = vqx_format_layout(format, planes, pool->offset);
    if (pool->bytes > SIZE_MAX) { /* on 32-bit machines */
        pool_free(pool);
        return -ENOMEM;
    }
    pool->memory = *memory;
    *out = pool;
    return 0;
}

void vqx_pool_close(vqx_pool **pool) {
    if (!*pool)
        return;
    vqx_pool *p = *pool;
    *pool = NULL;
    pthread_mutex_lock(&p->lock);
    p->closed = true;
    const bool last = p->frames == 0;
    pthread_mutex_unlock(&p->lock);
    if (last)
        pool_free(p);
}

/* A frame struct with one reference, else zero; NULL when out of memory. */
static vqx_frame *frame_new(void) {
    vqx_frame *f = calloc(1, sizeof(*f));
    if (f && pthread_mutex_init(&f->lock, NULL)) {
        free(f);
        f = NULL;
    }
    if (f)
        atomic_init(&f->refs, 1);
    return f;
}

/* How many buffers are taken at once. */
static size_t block_of(const vqx_pool *pool) {
    const uint64_t many = pool->memory.take ? BLOCK_BYTES / pool->bytes : 1;
    return many < 1 ? 1 : many > MOST_OF_BLOCK ? MOST_OF_BLOCK : (size_t)many;
}

/* Makes what follows the first buffer of a block spare. */
static void keep_rest(vqx_pool *pool, const buffer *first) {
    for (size_t i = block_of(pool); i-- > 1;) {
        buffer *b = calloc(1, sizeof(*b));
        if (!b)
            return; /* not needed now */
        b->data = first->data + i * pool->bytes;
        b->rest = true;
        pthread_mutex_lock(&pool->lock);
        b->next = pool->spare;
        pool->spare = b;
        pthread_mutex_unlock(&pool->lock);
    }
}

static int new_buffer(vqx_pool *pool, buffer **out, vqx_message_text *message) {
    void *memory = NULL;
    int err = 0;
    buffer *b = calloc(1, sizeof(*b));
    *out = b;
    if (b && pool->memory.take)
        err = pool->memory.take(pool->memory.owner, block_of(pool) * pool->bytes, &memory, &b->handle, message);
    else if (b)
        memory = aligned_alloc(PLANE_ALIGN, pool->bytes);
    if (err == 0 && !memory)
        err = vqx_fail(message, -ENOMEM, "out of memory for a picture of %" PRIu64 " bytes", pool->bytes);
    if (err < 0) {
        free(b);
        return err;
    }
    b->data = memory;
    keep_rest(pool, b);
    return 0;
}

/* Gives the frame memory: a spare buffer of its pool, or a new one. */
static int take_memory(vqx_frame *frame, vqx_message_text *message) {
    vqx_pool *pool = frame->pool;
    pthread_mutex_lock(&pool->lock);
    buffer *b = pool->spare;
    if (b)
        pool->spare = b->next;
    pthread_mutex_unlock(&pool->lock);
    const int err = b ? 0 : new_buffer(pool, &b, message);
    if (err < 0)
        return err;
    frame->memory = b;
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
        uint32_t w;
        vqx_format_plane_size(&frame->format, p, &w, NULL);
        frame->stride[p] = (ptrdiff_t)(w * vqx_format_sample_bytes(&frame->format));
        frame->data[p] = frame->planes >> p & 1 ? b->data + pool->offset[p] : NULL;
    }
    return 0;
}

int vqx_pool_frame(vqx_pool *pool, vqx_frame **out, vqx_fill fill, void *source, uint64_t position) {
    *out = NULL;
    pthread_mutex_lock(&pool->lock);
    vqx_frame *f = pool->spare_frame;
    if (f)
        pool->spare_frame = f->next;
    pthread_mutex_unlock(&pool->lock);
    if (!f && !(f = frame_new()))
        return -ENOMEM;
    atomic_init(&f->refs, 1);
    f->format = pool->format;
    f->planes = pool->planes;
    f->pool = pool;
    f->pending = fill != NULL;
    f->fill = fill;
    f->fill_err = 0;
    f->fill_message.text[0] = '\0'; /* of the frame before in this struct */
    f->source = source;
    f->position = position;
    vqx_message_text message;
    const int err = fill ? 0 : take_memory(f, &message);
    pthread_mutex_lock(&pool->lock);
    if (err < 0) {
        f->next = pool->spare_frame;
        pool->spare_frame = f;
    } else {
        pool->frames++;
        *out = f;
    }
    pthread_mutex_unlock(&pool->lock);
    return err;
}

int vqx_frame_alloc(vqx_frame **frame, const vqx_format *format, unsigned planes) {
    vqx_pool *pool;
    int err = vqx_pool_open(&pool, format, planes);
    *frame = NULL;
    if (err < 0)
        return err;
    err = vqx_pool_frame(pool, frame, NULL, NULL, 0);
    vqx_pool_close(&pool);
    return err;
}

int vqx_frame_wrap(vqx_frame **frame, const vqx_format *format, const void *const data[VQX_MAX_PLANES],
                   const ptrdiff_t stride[VQX_MAX_PLANES], void (*release)(void *cookie), void *cookie) {
    *frame = NULL;
    if (vqx_format_check(format) < 0)
        return -EINVAL;
    const size_t sample = vqx_format_sample_bytes(format);
    unsigned planes = 0;
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
        uint32_t w, h;
        vqx_format_plane_size(format, p, &w, &h);
        if (!data[p])
            continue;
        if (!w || stride[p] < (ptrdiff_t)(w * sample) || stride[p] % (ptrdiff_t)sample || (uintptr_t)data[p] % sample)
            return -EINVAL;
        planes |= 1u << p;
    }
    if (!planes)
        return -EINVAL;
    vqx_frame *f = frame_new();
    if (!f)
        return -ENOMEM;
    f->format = *format;
    f->planes = planes;
    f->release = release;
    f->cookie = cookie;
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
        f->data[p] = (uint8_t *)(uintptr_t)data[p];
        f->stride[p] = stride[p];
    }
    *frame = f;
    return 0;
}

int vqx_frame_wrap_device(vqx_frame **frame, const vqx_format *format, const char *backend, unsigned device,
                          const void *const data[VQX_MAX_PLANES], const ptrdiff_t stride[VQX_MAX_PLANES],
                          void (*release)(void *cookie), void *cookie) {
    *frame = NULL;
    const size_t length = strlen(backend);
    if (length == 0 || length >= sizeof((*frame)->backend))
        return -EINVAL;
    const int err = vqx_frame_wrap(frame, format, data, stride, release, cookie);
    if (err < 0)
        return err;
    memcpy((*frame)->backend, backend, length);
    (*frame)->device = device;
    return 0;
}

vqx_frame *vqx_frame_ref(vqx_frame *frame) {
    atomic_fetch_add_explicit(&frame->refs, 1, memory_order_relaxed);
    return frame;
}

void vqx_frame_unref(vqx_frame **frame) {
    vqx_frame *f = *frame;
    *frame = NULL;
    if (!f || atomic_fetch_sub_explicit(&f->refs, 1, memory_order_acq_rel) > 1)
        return;
    vqx_pool *pool = f->pool;
    if (!pool) {
        if (f->release)
            f->release(f->cookie);
        pthread_mutex_destroy(&f->lock);
        free(f);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    if (f->memory) {
        f->memory->next = pool->spare;
        pool->spare = f->memory;
        f->memory = NULL;
        memset(f->data, 0, sizeof(f->data));
    }
    f->next = pool->spare_frame;
    pool->spare_frame = f;
    const bool last = --pool->frames == 0 && pool->closed;
    pthread_mutex_unlock(&pool->lock);
    if (last)
        pool_free(pool);
}

const vqx_format *vqx_frame_format(const vqx_frame *frame) {
    return &frame->format;
}

uint8_t *vqx_frame_data(vqx_frame *frame, unsigned plane, ptrdiff_t *stride) {
    if (plane >= VQX_MAX_PLANES || frame->backend[0])
        return NULL;
    if (stride)
        *stride = frame->stride[plane];
    return frame->data[plane];
}

int vqx_frame_require(vqx_frame *frame, vqx_message_text *message) {
    if (!frame->fill)
        return 0;
    pthread_mutex_lock(&frame->lock);
    if (frame->pending) {
        frame->pending = false;
        frame->fill_err = take_memory(frame, &frame->fill_message);
        if (frame->fill_err == 0)
            frame->fill_err = frame->fill(frame->source, frame->position, frame->data, frame->stride, frame->fill_message.text,
                                          sizeof(frame->fill_message.text));
        if (frame->fill_err < 0 && !frame->fill_message.text[0])
            vqx_fail(&frame->fill_message, 0, "%s", vqx_strerror(frame->fill_err));
    }
    const int err = frame->fill_err;
    if (err < 0)
        *message = frame->fill_message;
    pthread_mutex_unlock(&frame->lock);
    return err;
}

const void *vqx_frame_owner(const vqx_frame *frame) {
    return frame->pool ? frame->pool->memory.owner : NULL;
}

const char *vqx_frame_backend(const vqx_frame *frame, unsigned *device) {
    *device = frame->device;
    return frame->backend[0] ? frame->backend : NULL;
}

unsigned vqx_frame_planes(const vqx_frame *frame) {
    return frame->planes;
}

vqx_plane vqx_frame_plane(const vqx_frame *frame, unsigned plane) {
    vqx_plane view = {.data = frame->data[plane], .stride = frame->stride[plane]};
    vqx_format_plane_size(&frame->format, plane, &view.width, &view.height);
    return view;
}
