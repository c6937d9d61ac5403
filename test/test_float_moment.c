/* float_moment: the vectors of the reference, and all forms of its sums against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dialect/cpu.h"
#include "kernel/square.h"
#include "test/chain.h"
#include "test/direct.h"

static void vectors(void **state) {
    (void)state;
    direct_check_vectors(&vqx_metric_float_moment, "psnr_ssim_moment.tsv");
}

static void interface(void **state) {
    (void)state;
    static const char *const name[] = {"float_moment_ref1st", "float_moment_dis1st", "float_moment_ref2nd", "float_moment_dis2nd"};
    direct d;
    assert_int_equal(direct_open(&d, &vqx_metric_float_moment, NULL, &(vqx_format){5, 3, VQX_CHROMA_420, 10}, VQX_LEVEL_DEFINITION),
                     0);
    assert_int_equal(d.feature.planes, 1);
    assert_false(d.feature.every_frame);
    assert_int_equal(d.feature.outputs, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(d.feature.output[i], name[i]);
    assert_int_equal(d.feature.aggregates, 0);
    direct_close(&d);
}

static void every_square(void **state) {
    (void)state;
    for (int32_t v = 0; v <= 65535; v++) {
        const uint64_t n = (uint64_t)v * (uint64_t)v;
        uint64_t q = n;
        if (n >> 24) {
            const int e = 64 - __builtin_clzll(n) - 24;
            const uint64_t rest = n & (((uint64_t)1 << e) - 1), half = (uint64_t)1 << (e - 1);
            q = n >> e;
            q += rest > half || (rest == half && (q & 1));
            q <<= e;
        }
        assert_int_equal(vqx_square_f32(v), q);
        assert_int_equal(vqx_square_f32(-v), q);
        assert_int_equal(vqx_square(v), n);
        assert_int_equal(vqx_square(-v), n);
    }
}

static void random_pictures(void **state) {
    (void)state;
    direct_check_random(&vqx_metric_float_moment, NULL, 300, 1);
}

static uint32_t constant(uint32_t x, uint32_t y, unsigned plane, void *cookie) {
    (void)x, (void)y, (void)plane;
    return *(const uint32_t *)cookie;
}

/* Rows as wide as they can be, of the largest words: no sum of a row wraps. */
static void widest_rows(void **state) {
    (void)state;
    static const uint32_t depth[] = {8, 10, 16};
    for (int i = 0; i < 3; i++) {
        const vqx_format format = {65535, 3, VQX_CHROMA_400, depth[i]};
        uint32_t word = depth[i] == 8 ? 255 : 65535;
        vqx_frame *frame = direct_frame(&format, 3, constant, &word);
        assert_non_null(frame);
        vqx_frame *const pair[2] = {frame, frame};
        direct_check_levels(&vqx_metric_float_moment, NULL, pair, "widest rows");
        direct d;
        uint64_t sums[4];
        assert_int_equal(direct_open(&d, &vqx_metric_float_moment, NULL, &format, vqx_cpu_best(0)), 0);
        direct_pass(&d, pair, sums);
        assert_int_equal(sums[0], 3 * (uint64_t)65535 * word);
        assert_int_equal(sums[3], 3 * (uint64_t)65535 * (word == 255 ? 65025 : 0xfffe0000u));
        direct_close(&d);
        vqx_frame_unref(&frame);
    }
}

static void raster_order(void **state) {
    (void)state;
    for (chain_kind kind = 0; kind < CHAIN_KINDS; kind++) {
        vqx_frame *pair[2] = {chain_frame(kind, 0), chain_frame(kind, 1)};
        assert_non_null(pair[0]);
        assert_non_null(pair[1]);
        direct_check_levels(&vqx_metric_float_moment, NULL, pair, "raster order");
        direct d;
        uint64_t sums[4];
        assert_int_equal(direct_open(&d, &vqx_metric_float_moment, NULL, vqx_frame_format(pair[0]), VQX_LEVEL_DEFINITION), 0);
        direct_pass(&d, pair, sums);
        assert_int_not_equal(sums[1], chain_exact(kind)); /* the picture tests something */
        direct_close(&d);
        vqx_frame_unref(&pair[0]);
        vqx_frame_unref(&pair[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),         cmocka_unit_test(interface),   cmocka_unit_test(every_square),
        cmocka_unit_test(random_pictures), cmocka_unit_test(widest_rows), cmocka_unit_test(raster_order),
    };
    return cmocka_run_group_tests_name("float_moment", tests, NULL, NULL);
}
