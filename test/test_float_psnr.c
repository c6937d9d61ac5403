/* float_psnr: the vectors of the reference, and all forms of its sum against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "test/chain.h"
#include "test/direct.h"

static void vectors(void **state) {
    (void)state;
    direct_check_vectors(&vqx_metric_float_psnr, "psnr_ssim_moment.tsv");
}

static double score(const char *options, uint32_t bits, uint32_t width, uint64_t sum) {
    direct d;
    double value;
    assert_int_equal(direct_open(&d, &vqx_metric_float_psnr, options, &(vqx_format){width, 100, VQX_CHROMA_422, bits}, 0), 0);
    assert_int_equal(d.feature.planes, 1);
    assert_int_equal(d.feature.sums, 1);
    assert_false(d.feature.every_frame);
    assert_int_equal(d.feature.outputs, 1);
    assert_string_equal(d.feature.output[0], "float_psnr");
    assert_int_equal(d.feature.aggregates, 0);
    d.feature.metric->finish_frame(&d.feature, &sum, &value);
    direct_close(&d);
    return value;
}

static void caps(void **state) {
    (void)state;
    static const struct {
        uint32_t bits;
        double cap, peak, unit;
    } of[] = {{8, 60, 255, 1}, {10, 72, 255.75, 16}, {12, 84, 255.9375, 256}, {16, 108, 255.99609375, 65536}};
    for (int i = 0; i < 4; i++) {
        const uint32_t b = of[i].bits;
        assert_true(score(NULL, b, 300, 0) == of[i].cap);
        assert_true(score(NULL, b, 300, 1) == of[i].cap);
        assert_true(score("uncapped=false", b, 300, 1) == of[i].cap);
        assert_true(score("uncapped=true", b, 300, 0) == of[i].cap);
        const double above = 10.0 * log10(of[i].peak * of[i].peak / (1 / of[i].unit / 30000.0));
        assert_true(above > of[i].cap);
        assert_true(score("uncapped=true", b, 300, 1) == above);
        const double below = 10.0 * log10(of[i].peak * of[i].peak / (1e7 / of[i].unit / 30000.0));
        assert_true(below < of[i].cap);
        assert_true(score("uncapped=true", b, 300, 10000000) == below);
        assert_true(score(NULL, b, 300, 10000000) == below);
    }
    /* a mean square error below 1e-10, which is the least that counts */
    assert_true(score("uncapped=true", 16, 65535, 1) == 10.0 * log10(of[3].peak * of[3].peak / 1e-10));
}

static void random_pictures(void **state) {
    (void)state;
    direct_check_random(&vqx_metric_float_psnr, NULL, 300, 1);
}

static uint32_t constant(uint32_t x, uint32_t y, unsigned plane, void *cookie) {
    (void)x, (void)y, (void)plane;
    return *(const uint32_t *)cookie;
}

/* Rows as wide as they can be, of the largest differences: no sum of a row wraps. */
static void widest_rows(void **state) {
    (void)state;
    static const uint32_t depth[] = {8, 10, 16};
    for (int i = 0; i < 3; i++) {
        const vqx_format format = {65535, 3, VQX_CHROMA_400, depth[i]};
        uint32_t word = depth[i] == 8 ? 255 : 65535, zero = 0;
        vqx_frame *pair[2] = {direct_frame(&format, 3, constant, &zero), direct_frame(&format, 0, constant, &word)};
        assert_non_null(pair[0]);
        assert_non_null(pair[1]);
        direct_check_levels(&vqx_metric_float_psnr, NULL, pair, "widest rows");
        direct d;
        uint64_t sum;
        assert_int_equal(direct_open(&d, &vqx_metric_float_psnr, NULL, &format, vqx_cpu_best(0)), 0);
        direct_pass(&d, pair, &sum);
        assert_int_equal(sum, 3 * (uint64_t)65535 * (word == 255 ? 65025 : 0xfffe0000u));
        direct_close(&d);
        vqx_frame_unref(&pair[0]);
        vqx_frame_unref(&pair[1]);
    }
}

static uint32_t white(uint32_t x, uint32_t y, unsigned plane, void *cookie) {
    (void)x, (void)y, (void)plane, (void)cookie;
    return 65535;
}

static void raster_order(void **state) {
    (void)state;
    for (chain_kind kind = 0; kind < CHAIN_KINDS; kind++) {
        vqx_frame *pair[2] = {chain_frame(kind, 1), NULL}; /* so that the differences are the chain's words */
        assert_non_null(pair[0]);
        const vqx_format *format = vqx_frame_format(pair[0]);
        pair[1] = direct_frame(format, 0, white, NULL);
        assert_non_null(pair[1]);
        direct_check_levels(&vqx_metric_float_psnr, NULL, pair, "raster order");
        direct d;
        uint64_t sum;
        assert_int_equal(direct_open(&d, &vqx_metric_float_psnr, NULL, format, VQX_LEVEL_DEFINITION), 0);
        direct_pass(&d, pair, &sum);
        assert_int_not_equal(sum, chain_exact(kind)); /* the picture tests something */
        direct_close(&d);
        vqx_frame_unref(&pair[0]);
        vqx_frame_unref(&pair[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),     cmocka_unit_test(caps),         cmocka_unit_test(random_pictures),
        cmocka_unit_test(widest_rows), cmocka_unit_test(raster_order),
    };
    return cmocka_run_group_tests_name("float_psnr", tests, NULL, NULL);
}
