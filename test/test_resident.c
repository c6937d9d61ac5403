/* Frames in a device's memory. The device is cpu-kernels, whose memory is the host's. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/frame.h"
#include "device/work.h"
#include "test/pairs.h"

#define BACKEND "cpu-kernels"

static const vqx_format narrow = {35, 21, VQX_CHROMA_420, 10}, wide = {64, 32, VQX_CHROMA_422, 8};
static const char *const all[] = {"psnr", "float_moment", "float_ssim", "vif", NULL};
static const vqx_config config = {.backend = BACKEND, .threads = 2};
static atomic_int released;

/* How rows lie in memory that starts on a 64-byte boundary. */
typedef struct layout {
    size_t offset, gap; /* samples in front of the first row, and between rows */
} layout;
static const layout layouts[] = {{0, 0}, {1, 0}, {0, 5}, {3, 1}};

static void release(void *cookie) {
    free(cookie);
    atomic_fetch_add(&released, 1);
}

/* Picture `position` of a side in a block of its own, as one of the device. */
static vqx_frame *resident(pairs *p, unsigned side, uint64_t position, layout l, unsigned planes) {
    const size_t sample = vqx_format_sample_bytes(&p->format);
    uint8_t *block = aligned_alloc(64, 3 * 65536), *at = block;
    const void *data[VQX_MAX_PLANES] = {NULL};
    ptrdiff_t stride[VQX_MAX_PLANES] = {0};
    vqx_message_text message;
    vqx_frame *from, *frame;
    assert_non_null(block);
    memset(block, 0x5a, 3 * 65536); /* gaps are not zero */
    assert_int_equal(pairs_frame(p, side, position, &from), 0);
    assert_int_equal(vqx_frame_require(from, &message), 0);
    for (unsigned i = 0; i < VQX_MAX_PLANES; i++, at = block + 65536 * i) {
        const vqx_plane plane = vqx_frame_plane(from, i);
        stride[i] = (ptrdiff_t)((plane.width + l.gap) * sample);
        uint8_t *to = at + l.offset * sample;
        for (uint32_t y = 0; y < plane.height; y++)
            memcpy(to + y * stride[i], plane.data + y * plane.stride, plane.width * sample);
        data[i] = planes >> i & 1 ? to : NULL;
    }
    vqx_frame_unref(&from);
    assert_int_equal(vqx_frame_wrap_device(&frame, &p->format, BACKEND, 0, data, stride, release, block), 0);
    assert_null(vqx_frame_data(frame, 0, NULL));
    return frame;
}

static void same_scores(void **state) {
    (void)state;
    enum { PAIRS = 5 };
    for (size_t i = 0; i < 2 * sizeof(layouts) / sizeof(layouts[0]); i++) {
        const vqx_format *format = i % 2 ? &wide : &narrow;
        const layout l = layouts[i / 2];
        vqx_context *c = pairs_context(format, all, &config);
        pairs p;
        atomic_store(&released, 0);
        assert_int_equal(pairs_open(&p, format, vqx_planes(c), NULL, NULL), 0);
        for (uint64_t n = 0; n < PAIRS; n++) { /* the last two pairs have one side of the host */
            vqx_frame *frame[2];
            for (unsigned s = 0; s < 2; s++) {
                if (n == 3 + s)
                    assert_int_equal(pairs_frame(&p, s, n, &frame[s]), 0);
                else
                    frame[s] = resident(&p, s, n, l, vqx_planes(c));
            }
            assert_int_equal(vqx_submit(c, n, frame[0], frame[1]), 0);
        }
        assert_int_equal(vqx_finish(c), 0);
        assert_int_equal(atomic_load(&released), 2 * PAIRS - 2);
        pairs_check(c, format, all, 1, PAIRS);
        pairs_close(&p);
        vqx_close(&c);
    }
}

/* Which buffer a plane is in: the caller's where that will do, else the slot's own, whatever was before. */
static void in_which_buffer(void **state) {
    (void)state;
    _Alignas(64) static uint8_t memory[65536];
    vqx_message_text message;
    vqx_device *device;
    vqx_work *w;
    const vqx_plane packed = {.data = memory, .stride = 64}, odd = {.data = memory + 8, .stride = 64},
                    gaps = {.data = memory, .stride = 66};
    assert_int_equal(vqx_backend_cpu_kernels.open(&device, 0, true, false, &message), 0);
    assert_int_equal(vqx_work_open(&w, device, &wide, 7, &message), 0);
    vqx_work_adopt(w, 1, 1, &packed);
    assert_ptr_equal(w->plane[1][0], memory);
    vqx_work_adopt(w, 1, 1, &odd);
    assert_ptr_equal(w->plane[1][0], w->own[1][0]);
    vqx_work_adopt(w, 1, 1, &packed);
    vqx_work_upload(w, 1, 1, &packed, false);
    assert_ptr_equal(w->plane[1][0], w->own[1][0]);
    vqx_work_adopt(w, 1, 1, &packed);
    vqx_work_adopt(w, 1, 1, &gaps);
    assert_ptr_equal(w->plane[1][0], w->own[1][0]);
    assert_int_equal(vqx_work_wait(w, 0), 0);
    vqx_work_adopt(w, 1, 1, &packed);
    vqx_work_close(&w); /* frees its own buffers */
    vqx_backend_cpu_kernels.close(device);
}

/* Copies that the library makes, scored twice, from one context to the next one. */
static void to_device(void **state) {
    (void)state;
    vqx_frame *frame[2] = {NULL};
    vqx_context *c = pairs_context(&narrow, all, &config);
    pairs p;
    assert_int_equal(pairs_open(&p, &narrow, vqx_planes(c), NULL, NULL), 0);
    for (unsigned s = 0; s < 2; s++) {
        vqx_frame *from;
        assert_int_equal(pairs_frame(&p, s, 0, &from), 0);
        assert_int_equal(vqx_frame_to_device(&frame[s], c, from), 0);
        vqx_frame_unref(&from);
    }
    vqx_frame *again;
    assert_int_equal(vqx_frame_to_device(&again, c, frame[0]), -EINVAL);
    assert_null(again);
    pairs_close(&p);
    for (int run = 0; run < 2; run++) {
        assert_int_equal(vqx_submit(c, 0, vqx_frame_ref(frame[0]), vqx_frame_ref(frame[1])), 0);
        assert_int_equal(vqx_finish(c), 0);
        pairs_check(c, &narrow, all, 1, 1);
        vqx_close(&c);
        c = pairs_context(&narrow, all, &config);
    }
    vqx_close(&c);
    vqx_frame_unref(&frame[0]);
    vqx_frame_unref(&frame[1]);
}

static int fails(void *cookie, unsigned side, uint64_t position) {
    (void)cookie, (void)side, (void)position;
    return -EIO;
}

static void not_to_device(void **state) {
    (void)state;
    static const vqx_config cpu = {.backend = "cpu"};
    vqx_frame *from, *frame;
    vqx_context *c = pairs_context(&narrow, all, &config), *other = pairs_context(&narrow, all, &cpu);
    pairs p;
    assert_int_equal(pairs_open(&p, &narrow, vqx_planes(c), fails, NULL), 0);
    assert_int_equal(pairs_frame(&p, 0, 7, &from), 0);
    assert_int_equal(vqx_frame_to_device(&frame, c, from), -EIO);
    assert_string_equal(vqx_message(c), "picture 7");
    assert_null(frame);
    assert_int_equal(vqx_frame_to_device(&frame, other, from), -EINVAL);
    assert_string_equal(vqx_message(other), "a frame goes to the device of a context that is running on one");
    vqx_frame_unref(&from);
    assert_int_equal(vqx_frame_alloc(&from, &wide, 7), 0);
    assert_int_equal(vqx_frame_to_device(&frame, c, from), -EINVAL);
    assert_string_equal(vqx_message(c),
                        "a frame for a device: format or planes differ from the start, or it is on a device already");
    vqx_frame_unref(&from);
    pairs_close(&p);
    vqx_close(&c);
    vqx_close(&other);
}

/* Contexts that cannot score it say so; the frame is released all the same. */
static void refused(void **state) {
    (void)state;
    static const struct {
        vqx_config config;
        const char *backend;
        unsigned number;
        const char *why;
    } cases[] = {
        {{.backend = "cpu"}, BACKEND, 0, "frame 0: its samples are in the memory of a device that does not score it"},
        {{.backend = BACKEND}, "cuda", 0, "frame 0: its samples are in the memory of a device that does not score it"},
        {{.backend = BACKEND}, BACKEND, 1, "frame 0: its samples are in the memory of a device that does not score it"},
        {{.backend = BACKEND, .audit = 3}, BACKEND, 0, "frame 0: an audit needs samples in the host's memory"},
    };
    for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
        vqx_context *c = pairs_context(&wide, all, &cases[i / 2].config);
        vqx_frame *frame[2];
        for (unsigned s = 0; s < 2; s++) {
            void *block = calloc(1, 65536);
            const void *const data[] = {block, block, block};
            const ptrdiff_t stride[] = {64, 32, 32};
            if (s == i % 2)
                assert_int_equal(vqx_frame_wrap_device(&frame[s], &wide, cases[i / 2].backend, cases[i / 2].number, data, stride,
                                                       release, block),
                                 0);
            else
                assert_int_equal(vqx_frame_wrap(&frame[s], &wide, data, stride, release, block), 0);
        }
        atomic_store(&released, 0);
        assert_int_equal(vqx_submit(c, 0, frame[0], frame[1]), -EINVAL);
        assert_string_equal(vqx_message(c), cases[i / 2].why);
        assert_int_equal(atomic_load(&released), 2);
        vqx_close(&c);
    }
}

static void bad_values(void **state) {
    (void)state;
    static const uint8_t memory[64 * 64];
    const void *const data[] = {memory, NULL, NULL};
    const ptrdiff_t stride[] = {64, 0, 0}, less[] = {63, 0, 0};
    vqx_frame *frame;
    assert_int_equal(vqx_frame_wrap_device(&frame, &wide, "", 0, data, stride, NULL, NULL), -EINVAL);
    assert_int_equal(vqx_frame_wrap_device(&frame, &wide, "a name of 16 char", 0, data, stride, NULL, NULL), -EINVAL);
    assert_int_equal(vqx_frame_wrap_device(&frame, &wide, BACKEND, 0, data, less, NULL, NULL), -EINVAL);
    assert_null(frame);
    assert_int_equal(vqx_frame_wrap_device(&frame, &wide, "fifteen letters", 0, data, stride, NULL, NULL), 0);
    vqx_frame_unref(&frame);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_scores),   cmocka_unit_test(in_which_buffer), cmocka_unit_test(to_device),
        cmocka_unit_test(not_to_device), cmocka_unit_test(refused),         cmocka_unit_test(bad_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
