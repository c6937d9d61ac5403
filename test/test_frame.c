/* Formats, frames and pools. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/frame.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* ---- formats --------------------------------------------------------------------------------------------------------- */

static void test_format_check(void **state) {
    (void)state;
    static const struct {
        vqx_format format;
        int err;
    } cases[] = {
        {{1, 1, VQX_CHROMA_400, 8}, 0},
        {{1, 1, VQX_CHROMA_420, 8}, 0},
        {{3, 5, VQX_CHROMA_422, 10}, 0},
        {{1920, 1080, VQX_CHROMA_444, 12}, 0},
        {{65535, 1, VQX_CHROMA_420, 16}, 0},
        {{1, 65535, VQX_CHROMA_420, 16}, 0},
        {{65535, 32768, VQX_CHROMA_444, 16}, 0}, /* 2^31 - 2^15 samples */
        {{65535, 32769, VQX_CHROMA_444, 16}, -EINVAL},
        {{46340, 46340, VQX_CHROMA_420, 8}, 0},
        {{46341, 46341, VQX_CHROMA_420, 8}, -EINVAL},
        {{65535, 65535, VQX_CHROMA_400, 8}, -EINVAL}, /* 2^32 - 2^17 + 1 samples */
        {{0, 1, VQX_CHROMA_420, 8}, -EINVAL},
        {{1, 0, VQX_CHROMA_420, 8}, -EINVAL},
        {{65536, 1, VQX_CHROMA_420, 8}, -EINVAL},
        {{1, 65536, VQX_CHROMA_420, 8}, -EINVAL},
        {{UINT32_MAX, UINT32_MAX, VQX_CHROMA_420, 8}, -EINVAL},
        {{16, 16, (vqx_chroma)4, 8}, -EINVAL},
        {{16, 16, (vqx_chroma)-1, 8}, -EINVAL},
        {{16, 16, VQX_CHROMA_420, 0}, -EINVAL},
        {{16, 16, VQX_CHROMA_420, 7}, -EINVAL},
        {{16, 16, VQX_CHROMA_420, 9}, -EINVAL},
        {{16, 16, VQX_CHROMA_420, 11}, -EINVAL},
        {{16, 16, VQX_CHROMA_420, 14}, -EINVAL},
        {{16, 16, VQX_CHROMA_420, 17}, -EINVAL},
        {{16, 16, VQX_CHROMA_420, 32}, -EINVAL},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        if (vqx_format_check(&cases[i].format) != cases[i].err)
            fail_msg("case %zu", i);
    assert_int_equal(vqx_format_check(NULL), -EINVAL);
}

static void test_plane_size(void **state) {
    (void)state;
    static const struct {
        uint32_t width, height;
        vqx_chroma chroma;
        uint32_t chroma_width, chroma_height;
    } cases[] = {
        {16, 8, VQX_CHROMA_400, 0, 0},        {16, 8, VQX_CHROMA_420, 8, 4},  {16, 8, VQX_CHROMA_422, 8, 8},
        {16, 8, VQX_CHROMA_444, 16, 8},       {17, 9, VQX_CHROMA_400, 0, 0},  {17, 9, VQX_CHROMA_420, 9, 5},
        {17, 9, VQX_CHROMA_422, 9, 9},        {17, 9, VQX_CHROMA_444, 17, 9}, {1, 1, VQX_CHROMA_420, 1, 1},
        {1, 1, VQX_CHROMA_422, 1, 1},         {2, 3, VQX_CHROMA_420, 1, 2},   {65535, 3, VQX_CHROMA_420, 32768, 2},
        {3, 65535, VQX_CHROMA_422, 2, 65535},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const vqx_format format = {cases[i].width, cases[i].height, cases[i].chroma, 8};
        uint32_t w, h;
        vqx_format_plane_size(&format, 0, &w, &h);
        assert_int_equal(w, format.width);
        assert_int_equal(h, format.height);
        for (unsigned p = 1; p < 3; p++) {
            vqx_format_plane_size(&format, p, &w, &h);
            if (w != cases[i].chroma_width || h != cases[i].chroma_height)
                fail_msg("case %zu, plane %u: %ux%u", i, p, w, h);
        }
        w = h = 1;
        vqx_format_plane_size(&format, 3, &w, &h);
        assert_int_equal(w + h, 0);
        vqx_format_plane_size(&format, 0, NULL, &h);
        vqx_format_plane_size(&format, 0, &w, NULL);
        assert_int_equal(w, format.width);
        assert_int_equal(h, format.height);
        assert_int_equal(vqx_format_planes(&format), format.chroma == VQX_CHROMA_400 ? 1 : 3);
    }
    static const uint32_t bits[] = {8, 10, 12, 16};
    for (size_t i = 0; i < LENGTH(bits); i++)
        assert_int_equal(vqx_format_sample_bytes(&(vqx_format){1, 1, VQX_CHROMA_420, bits[i]}), bits[i] == 8 ? 1 : 2);
}

/* ---- frames with memory of their own --------------------------------------------------------------------------------- */

/* Writes every byte of every plane, then sees that no plane has written into another. */
static void check_memory(vqx_frame *frame, const vqx_format *format, unsigned planes) {
    const size_t sample = vqx_format_sample_bytes(format);
    uint32_t w, h;
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
        ptrdiff_t stride;
        uint8_t *data = vqx_frame_data(frame, p, &stride);
        if (!(planes >> p & 1)) {
            assert_null(data);
            assert_null(vqx_frame_plane(frame, p).data);
            continue;
        }
        vqx_format_plane_size(format, p, &w, &h);
        assert_int_equal(stride, w * sample);
        assert_int_equal((uintptr_t)data % 64, 0);
        memset(data, 0x11 * ((int)p + 1), w * sample * h);
    }
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
        const vqx_plane plane = vqx_frame_plane(frame, p);
        vqx_format_plane_size(format, p, &w, &h);
        assert_int_equal(plane.width, w);
        assert_int_equal(plane.height, h);
        for (size_t i = 0; plane.data && i < w * sample * h; i++)
            assert_int_equal(plane.data[i], 0x11 * (p + 1));
    }
    assert_int_equal(vqx_frame_planes(frame), planes);
    assert_memory_equal(vqx_frame_format(frame), format, sizeof(*format));
}

static void test_alloc(void **state) {
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {2, 3}, {63, 2}, {64, 64}, {65, 5}, {33, 17}};
    vqx_frame *frame;
    for (unsigned chroma = 0; chroma < 4; chroma++)
        for (uint32_t bits = 8; bits <= 10; bits += 2)
            for (size_t s = 0; s < LENGTH(sizes); s++) {
                const vqx_format format = {sizes[s][0], sizes[s][1], (vqx_chroma)chroma, bits};
                const unsigned all = (1u << vqx_format_planes(&format)) - 1;
                for (unsigned planes = 1; planes <= all; planes++) {
                    assert_int_equal(vqx_frame_alloc(&frame, &format, planes), 0);
                    check_memory(frame, &format, planes);
                    assert_null(vqx_frame_data(frame, 3, NULL));
                    vqx_message_text message;
                    assert_int_equal(vqx_frame_require(frame, &message), 0);
                    vqx_frame_unref(&frame);
                    assert_null(frame);
                }
                static const unsigned wrong[] = {0, 8, 9, 1u << 31};
                for (size_t i = 0; i < LENGTH(wrong); i++) {
                    frame = (vqx_frame *)&frame;
                    assert_int_equal(vqx_frame_alloc(&frame, &format, wrong[i]), -EINVAL);
                    assert_null(frame);
                }
                assert_int_equal(vqx_frame_alloc(&frame, &format, all + 1), -EINVAL);
            }
    assert_int_equal(vqx_frame_alloc(&frame, &(vqx_format){0, 1, VQX_CHROMA_420, 8}, 1), -EINVAL);
    assert_int_equal(vqx_frame_alloc(&frame, NULL, 1), -EINVAL);
    vqx_frame_unref(&frame); /* NULL is fine */
}

/* ---- frames over the caller's memory --------------------------------------------------------------------------------- */

static void count_release(void *cookie) {
    atomic_fetch_add((atomic_int *)cookie, 1);
}

static void *drop(void *frame) {
    vqx_frame_unref((vqx_frame **)frame);
    return NULL;
}

static void test_wrap(void **state) {
    (void)state;
    const vqx_format format = {5, 3, VQX_CHROMA_420, 10};
    static uint16_t luma[3 * 8], chroma[2 * 3];
    const void *const data[VQX_MAX_PLANES] = {luma, NULL, chroma};
    const ptrdiff_t stride[VQX_MAX_PLANES] = {16, 0, 6};
    atomic_int released = 0;
    vqx_frame *frame;
    assert_int_equal(vqx_frame_wrap(&frame, &format, data, stride, count_release, &released), 0);
    assert_int_equal(vqx_frame_planes(frame), 5);
    assert_memory_equal(vqx_frame_format(frame), &format, sizeof(format));
    const vqx_plane plane[3] = {vqx_frame_plane(frame, 0), vqx_frame_plane(frame, 1), vqx_frame_plane(frame, 2)};
    assert_ptr_equal(plane[0].data, luma);
    assert_int_equal(plane[0].stride, 16);
    assert_null(plane[1].data);
    assert_ptr_equal(plane[2].data, chroma);
    assert_int_equal(plane[2].width, 3);
    assert_int_equal(plane[2].height, 2);
    vqx_message_text message;
    assert_int_equal(vqx_frame_require(frame, &message), 0);

    vqx_frame *second = vqx_frame_ref(frame), *third = vqx_frame_ref(second);
    assert_ptr_equal(second, frame);
    vqx_frame_unref(&frame);
    vqx_frame_unref(&third);
    assert_int_equal(released, 0);
    pthread_t thread; /* the last one goes elsewhere */
    assert_int_equal(pthread_create(&thread, NULL, drop, &second), 0);
    pthread_join(thread, NULL);
    assert_null(second);
    assert_int_equal(released, 1);

    assert_int_equal(vqx_frame_wrap(&frame, &format, data, stride, NULL, NULL), 0);
    vqx_frame_unref(&frame);
}

static void test_wrap_refused(void **state) {
    (void)state;
    static _Alignas(2) uint8_t memory[256];
    static const struct {
        vqx_format format;
        ptrdiff_t at[VQX_MAX_PLANES], stride[VQX_MAX_PLANES]; /* at < 0: no plane */
        int err;
    } cases[] = {
        {{5, 3, VQX_CHROMA_400, 8}, {1, -1, -1}, {5, 0, 0}, 0},
        {{5, 3, VQX_CHROMA_400, 8}, {1, -1, -1}, {4, 0, 0}, -EINVAL},
        {{5, 3, VQX_CHROMA_400, 8}, {1, -1, -1}, {0, 0, 0}, -EINVAL},
        {{5, 3, VQX_CHROMA_400, 8}, {100, -1, -1}, {-5, 0, 0}, -EINVAL},
        {{5, 3, VQX_CHROMA_400, 8}, {1, -1, -1}, {PTRDIFF_MIN, 0, 0}, -EINVAL},
        {{5, 3, VQX_CHROMA_400, 8}, {-1, -1, -1}, {5, 5, 5}, -EINVAL},
        {{5, 3, VQX_CHROMA_400, 8}, {1, 50, -1}, {5, 5, 0}, -EINVAL}, /* 4:0:0 has no chroma */
        {{5, 3, VQX_CHROMA_400, 8}, {-1, -1, 50}, {5, 5, 5}, -EINVAL},
        {{5, 3, VQX_CHROMA_420, 8}, {-1, 50, -1}, {0, 3, 0}, 0},
        {{5, 3, VQX_CHROMA_420, 8}, {-1, 50, -1}, {0, 2, 0}, -EINVAL},
        {{5, 3, VQX_CHROMA_420, 8}, {0, 50, 100}, {5, 3, 2}, -EINVAL},
        {{5, 3, VQX_CHROMA_444, 8}, {0, 50, 100}, {5, 5, 4}, -EINVAL},
        {{5, 3, VQX_CHROMA_400, 16}, {0, -1, -1}, {10, 0, 0}, 0},
        {{5, 3, VQX_CHROMA_400, 16}, {0, -1, -1}, {12, 0, 0}, 0},
        {{5, 3, VQX_CHROMA_400, 16}, {0, -1, -1}, {8, 0, 0}, -EINVAL},
        {{5, 3, VQX_CHROMA_400, 16}, {0, -1, -1}, {11, 0, 0}, -EINVAL},
        {{5, 3, VQX_CHROMA_400, 16}, {1, -1, -1}, {10, 0, 0}, -EINVAL},
        {{5, 3, VQX_CHROMA_400, 9}, {0, -1, -1}, {10, 0, 0}, -EINVAL},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const void *data[VQX_MAX_PLANES];
        for (int p = 0; p < VQX_MAX_PLANES; p++)
            data[p] = cases[i].at[p] < 0 ? NULL : memory + cases[i].at[p];
        atomic_int released = 0;
        vqx_frame *frame = (vqx_frame *)memory;
        if (vqx_frame_wrap(&frame, &cases[i].format, data, cases[i].stride, count_release, &released) != cases[i].err)
            fail_msg("case %zu", i);
        assert_int_equal(released, 0);
        if (cases[i].err < 0)
            assert_null(frame);
        vqx_frame_unref(&frame);
        assert_int_equal(released, cases[i].err == 0);
    }
}

/* ---- pools ------------------------------------------------------------------------------------------------------------- */

static const vqx_format small = {19, 7, VQX_CHROMA_420, 10};

static void test_pool_open(void **state) {
    (void)state;
    vqx_pool *pool = (vqx_pool *)&pool;
    assert_int_equal(vqx_pool_open(&pool, &small, 0), -EINVAL);
    assert_null(pool);
    assert_int_equal(vqx_pool_open(&pool, &small, 8), -EINVAL);
    assert_int_equal(vqx_pool_open(&pool, &(vqx_format){8, 8, VQX_CHROMA_400, 8}, 2), -EINVAL);
    assert_int_equal(vqx_pool_open(&pool, &(vqx_format){8, 8, VQX_CHROMA_400, 9}, 1), -EINVAL);
    vqx_pool_close(&pool); /* NULL is fine */
}

static void test_pool_reuse(void **state) {
    (void)state;
    vqx_pool *pool;
    vqx_frame *frame[3];
    assert_int_equal(vqx_pool_open(&pool, &small, 5), 0);
    const uint8_t *seen[3];
    for (int i = 0; i < 3; i++) {
        assert_int_equal(vqx_pool_frame(pool, &frame[i], NULL, NULL, 0), 0);
        check_memory(frame[i], &small, 5);
        seen[i] = vqx_frame_data(frame[i], 0, NULL);
        for (int j = 0; j < i; j++)
            assert_ptr_not_equal(seen[i], seen[j]);
    }
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < 3; i++)
            vqx_frame_unref(&frame[i]);
        unsigned found = 0;
        for (int i = 0; i < 3; i++) {
            assert_int_equal(vqx_pool_frame(pool, &frame[i], NULL, NULL, 0), 0);
            for (unsigned j = 0; j < 3; j++)
                found |= (unsigned)(vqx_frame_data(frame[i], 0, NULL) == seen[j]) << j;
            check_memory(frame[i], &small, 5);
        }
        assert_int_equal(found, 7);
    }
    vqx_pool_close(&pool);
    assert_null(pool);
    for (int i = 0; i < 3; i++) {
        check_memory(frame[i], &small, 5);
        vqx_frame_unref(&frame[i]);
    }
}

/* ---- lazy frames --------------------------------------------------------------------------------------------------------- */

struct source {
    atomic_int calls;
    unsigned planes; /* that must have memory */
    int err;
    const char *line; /* NULL: none is written */
    unsigned microseconds;
};

static int fill(void *cookie, uint64_t position, uint8_t *const data[VQX_MAX_PLANES], const ptrdiff_t stride[VQX_MAX_PLANES],
                char *message, size_t size) {
    struct source *source = cookie;
    atomic_fetch_add(&source->calls, 1);
    if (source->microseconds)
        usleep(source->microseconds);
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
        uint32_t w, h;
        vqx_format_plane_size(&small, p, &w, &h);
        assert_int_equal(data[p] != NULL, source->planes >> p & 1);
        if (!data[p])
            continue;
        assert_int_equal(stride[p], w * 2);
        memset(data[p], (int)(position + p), w * 2 * h);
    }
    if (source->line)
        snprintf(message, size, "%s", source->line);
    return source->err;
}

static void check_filled(const vqx_frame *frame, uint64_t position) {
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
        const vqx_plane plane = vqx_frame_plane(frame, p);
        assert_int_equal(plane.data != NULL, vqx_frame_planes(frame) >> p & 1);
        for (size_t i = 0; plane.data && i < plane.width * 2 * plane.height; i++)
            assert_int_equal(plane.data[i], (uint8_t)(position + p));
    }
}

static void test_lazy(void **state) {
    (void)state;
    enum { FRAMES = 20 };
    struct source source = {.planes = 3};
    vqx_pool *pool;
    vqx_frame *frame[FRAMES];
    vqx_message_text message;
    assert_int_equal(vqx_pool_open(&pool, &small, 3), 0);
    for (unsigned i = 0; i < FRAMES; i++) {
        assert_int_equal(vqx_pool_frame(pool, &frame[i], fill, &source, i), 0);
        assert_int_equal(vqx_frame_planes(frame[i]), 3);
        assert_memory_equal(vqx_frame_format(frame[i]), &small, sizeof(small));
        assert_null(vqx_frame_data(frame[i], 0, NULL));
    }
    /* memory is taken when the samples are needed, so one piece serves all of them */
    const uint8_t *first = NULL;
    for (unsigned i = 0; i < FRAMES - 1; i++) {
        for (int again = 0; again < 3; again++)
            assert_int_equal(vqx_frame_require(frame[i], &message), 0);
        check_filled(frame[i], i);
        assert_int_equal(source.calls, i + 1);
        first = first ? first : vqx_frame_data(frame[i], 0, NULL);
        assert_ptr_equal(vqx_frame_data(frame[i], 0, NULL), first);
        vqx_frame_unref(&frame[i]);
    }
    vqx_frame_unref(&frame[FRAMES - 1]); /* never needed, never filled */
    assert_int_equal(source.calls, FRAMES - 1);
    /* a struct that was lazy comes back with memory at once, and the other way round */
    assert_int_equal(vqx_pool_frame(pool, &frame[0], NULL, NULL, 0), 0);
    check_memory(frame[0], &small, 3);
    vqx_frame_unref(&frame[0]);
    assert_int_equal(vqx_pool_frame(pool, &frame[0], fill, &source, 77), 0);
    assert_null(vqx_frame_data(frame[0], 0, NULL));
    vqx_pool_close(&pool);
    assert_int_equal(vqx_frame_require(frame[0], &message), 0);
    check_filled(frame[0], 77);
    vqx_frame_unref(&frame[0]);
}

static void test_lazy_failure(void **state) {
    (void)state;
    struct source good = {.planes = 3}, bad = {.planes = 3, .err = -EIO, .line = "clip.yuv: byte 4711"};
    vqx_pool *pool;
    vqx_frame *frame;
    vqx_message_text message;
    assert_int_equal(vqx_pool_open(&pool, &small, 3), 0);
    assert_int_equal(vqx_pool_frame(pool, &frame, fill, &bad, 0), 0);
    for (int again = 0; again < 3; again++) {
        message.text[0] = '\0';
        assert_int_equal(vqx_frame_require(frame, &message), -EIO);
        assert_string_equal(message.text, bad.line);
        assert_int_equal(bad.calls, 1);
    }
    vqx_frame_unref(&frame);
    /* the struct is used again: nothing of the failure is left */
    assert_int_equal(vqx_pool_frame(pool, &frame, fill, &good, 5), 0);
    assert_int_equal(vqx_frame_require(frame, &message), 0);
    check_filled(frame, 5);
    vqx_frame_unref(&frame);
    bad.line = NULL;
    assert_int_equal(vqx_pool_frame(pool, &frame, fill, &bad, 0), 0);
    assert_int_equal(vqx_frame_require(frame, &message), -EIO);
    assert_string_equal(message.text, vqx_strerror(EIO));
    vqx_frame_unref(&frame);
    vqx_pool_close(&pool);
}

/* ---- threads ------------------------------------------------------------------------------------------------------------- */

enum { THREADS = 4, ROUNDS = 1000 };

struct shared {
    pthread_barrier_t barrier;
    vqx_pool *pool;
    vqx_frame *frame;
    struct source source;
    int err;
    atomic_int right;
};

static void *require_all(void *arg) {
    struct shared *s = arg;
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (pthread_barrier_wait(&s->barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
            vqx_frame_unref(&s->frame);
            if (vqx_pool_frame(s->pool, &s->frame, fill, &s->source, round) < 0)
                abort();
        }
        pthread_barrier_wait(&s->barrier);
        vqx_message_text message = {""};
        vqx_frame *mine = vqx_frame_ref(s->frame);
        bool right = vqx_frame_require(mine, &message) == s->err;
        if (s->err < 0)
            right &= strcmp(message.text, s->source.line) == 0;
        else
            right &= vqx_frame_plane(mine, 1).data[0] == (uint8_t)(round + 1);
        atomic_fetch_add(&s->right, right);
        vqx_frame_unref(&mine);
        pthread_barrier_wait(&s->barrier);
    }
    return NULL;
}

/* Many threads need a frame at once: one fills it, all see the samples, or all get the error. */
static void test_lazy_threads(void **state) {
    (void)state;
    static const int errs[] = {0, -EPROTO};
    for (size_t e = 0; e < LENGTH(errs); e++) {
        struct shared s = {
            .source = {.planes = 3, .err = errs[e], .line = errs[e] < 0 ? "header of frame 7" : NULL, .microseconds = 50},
            .err = errs[e]};
        pthread_t thread[THREADS];
        pthread_barrier_init(&s.barrier, NULL, THREADS);
        assert_int_equal(vqx_pool_open(&s.pool, &small, 3), 0);
        for (int t = 0; t < THREADS; t++)
            assert_int_equal(pthread_create(&thread[t], NULL, require_all, &s), 0);
        for (int t = 0; t < THREADS; t++)
            pthread_join(thread[t], NULL);
        vqx_frame_unref(&s.frame);
        vqx_pool_close(&s.pool);
        pthread_barrier_destroy(&s.barrier);
        assert_int_equal(s.source.calls, ROUNDS);
        assert_int_equal(s.right, ROUNDS * THREADS);
    }
}

static void overwrite(void *memory) {
    for (int i = 0; i < 64; i++)
        ((uint8_t *)memory)[i] = 0x55;
}

/* Reads a frame that others read, too, and drops it. */
static void *read_and_drop(void *arg) {
    struct shared *s = arg;
    int rights = 0; /* nothing but the reference count may order the threads */
    for (unsigned round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&s->barrier);
        vqx_frame *mine = s->frame;
        const uint8_t *data = vqx_frame_plane(mine, 0).data;
        bool right = true;
        for (int i = 0; i < 64; i++)
            right &= data[i] == 0xaa;
        rights += right;
        vqx_frame_unref(&mine);
        pthread_barrier_wait(&s->barrier);
    }
    atomic_fetch_add(&s->right, rights);
    return NULL;
}

/* The memory of a wrapped frame is the caller's again only after the last reader. */
static void test_wrap_threads(void **state) {
    (void)state;
    struct shared s = {.frame = NULL};
    static uint8_t memory[64];
    pthread_t thread[THREADS];
    pthread_barrier_init(&s.barrier, NULL, THREADS + 1);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, read_and_drop, &s), 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        memset(memory, 0xaa, sizeof(memory));
        assert_int_equal(vqx_frame_wrap(&s.frame, &(vqx_format){8, 8, VQX_CHROMA_400, 8},
                                        (const void *const[VQX_MAX_PLANES]){memory}, (ptrdiff_t[VQX_MAX_PLANES]){8}, overwrite,
                                        memory),
                         0);
        for (int t = 1; t < THREADS; t++)
            vqx_frame_ref(s.frame);
        pthread_barrier_wait(&s.barrier);
        pthread_barrier_wait(&s.barrier);
        assert_int_equal(memory[0], 0x55);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    pthread_barrier_destroy(&s.barrier);
    assert_int_equal(s.right, ROUNDS * THREADS);
}

/* Takes frames of both kinds, keeps a few of them, writes and checks them. The last ones go after the pool was closed. */
static void *churn(void *arg) {
    struct shared *s = arg;
    vqx_frame *kept[4] = {NULL};
    vqx_message_text message;
    for (unsigned round = 0; round < ROUNDS; round++) {
        vqx_frame **frame = &kept[round % LENGTH(kept)];
        vqx_frame_unref(frame);
        if (vqx_pool_frame(s->pool, frame, round & 1 ? fill : NULL, &s->source, round) < 0)
            abort();
        if (!(round & 1))
            for (unsigned p = 0; p < 2; p++)
                memset(vqx_frame_data(*frame, p, NULL), (int)(round + p), p ? 10 * 2 * 4 : 19 * 2 * 7);
        vqx_frame *old = kept[(round + 2) % LENGTH(kept)];
        if (old && round % 3 == 0) {
            if (vqx_frame_require(old, &message) < 0)
                abort();
            atomic_fetch_add(&s->right, vqx_frame_plane(old, 1).data[5] == (uint8_t)(round - 2 + 1));
        }
    }
    pthread_barrier_wait(&s->barrier);
    pthread_barrier_wait(&s->barrier); /* closed in between */
    for (size_t i = 0; i < LENGTH(kept); i++)
        vqx_frame_unref(&kept[i]);
    return NULL;
}

static void test_pool_threads(void **state) {
    (void)state;
    struct shared s = {.source = {.planes = 3}};
    pthread_t thread[THREADS];
    pthread_barrier_init(&s.barrier, NULL, THREADS + 1);
    assert_int_equal(vqx_pool_open(&s.pool, &small, 3), 0);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&thread[t], NULL, churn, &s), 0);
    pthread_barrier_wait(&s.barrier);
    vqx_pool_close(&s.pool);
    pthread_barrier_wait(&s.barrier);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
    pthread_barrier_destroy(&s.barrier);
    unsigned checks = 0;
    for (unsigned round = 0; round < ROUNDS; round++)
        checks += round >= 2 && round % 3 == 0;
    assert_int_equal(s.right, checks * THREADS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_format_check), cmocka_unit_test(test_plane_size),   cmocka_unit_test(test_alloc),
        cmocka_unit_test(test_wrap),         cmocka_unit_test(test_wrap_refused), cmocka_unit_test(test_pool_open),
        cmocka_unit_test(test_pool_reuse),   cmocka_unit_test(test_lazy),         cmocka_unit_test(test_lazy_failure),
        cmocka_unit_test(test_lazy_threads), cmocka_unit_test(test_wrap_threads), cmocka_unit_test(test_pool_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
