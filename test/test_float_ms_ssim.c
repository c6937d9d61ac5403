/* float_ms_ssim: the vectors of the reference, its options and outputs, and all forms against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "test/direct.h"
#include "test/ssim_input.h"

static void vectors(void **state) {
    (void)state;
    direct_check_vectors(&vqx_metric_float_ms_ssim, "psnr_ssim_moment.tsv");
}

static void interface(void **state) {
    (void)state;
    const vqx_format format = {176, 176, VQX_CHROMA_400, 8};
    direct d;
    assert_int_equal(direct_open(&d, &vqx_metric_float_ms_ssim, NULL, &format, vqx_cpu_best(0)), 0);
    assert_int_equal(d.feature.outputs, 1);
    assert_int_equal(d.feature.planes, 1);
    assert_false(d.feature.every_frame);
    direct_close(&d);
    assert_int_equal(direct_open(&d, &vqx_metric_float_ms_ssim, "enable_lcs=true", &format, vqx_cpu_best(0)), 0);
    assert_int_equal(d.feature.outputs, 16);
    assert_string_equal(d.feature.output[0], "float_ms_ssim");
    for (int i = 0; i < 15; i++) {
        char name[40];
        snprintf(name, sizeof(name), "float_ms_ssim_%c_scale%d", "lcs"[i / 5], i % 5);
        assert_string_equal(d.feature.output[1 + i], name);
    }
    direct_close(&d);
}

static void too_small(void **state) {
    (void)state;
    static const uint32_t size[][2] = {{175, 176}, {176, 175}, {1, 1}, {65535, 175}};
    for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++) {
        direct d;
        assert_int_equal(
            direct_open(&d, &vqx_metric_float_ms_ssim, NULL, &(vqx_format){size[i][0], size[i][1], VQX_CHROMA_420, 8}, 0),
            -ENOTSUP);
    }
}

/* Scores of means that are all 1 but one. */
static void score(void **state) {
    (void)state;
    static const struct {
        const char *options;
        int at; /* l4, c0 … c4, s0 … s4 */
        double mean, expected;
    } of[] = {
        {NULL, 0, 0.5, 0x1.d2d00cp-1},
        {NULL, 7, -0.5, NAN},
        {NULL, 10, 0, 0},
        {"enable_db=true", 7, -0.5, INFINITY},
        {"enable_db=true:clip_db=true", 7, -0.5, 97},
        {"enable_db=true:clip_db=true", 0, 1, 97},
    };
    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        direct d;
        assert_int_equal(direct_open(&d, &vqx_metric_float_ms_ssim, of[i].options, &(vqx_format){192, 176, VQX_CHROMA_420, 8}, 0),
                         0);
        assert_int_equal(d.feature.sums, 2 * 11);
        uint64_t sum[11];
        for (int k = 0; k < 11; k++)
            sum[k] = vqx_bits_of_f64(k == of[i].at ? of[i].mean : 1);
        double value;
        d.feature.metric->finish_frame(&d.feature, sum, &value);
        assert_true(direct_same((float)value, of[i].expected));
        direct_close(&d);
    }
}

/* With enable_lcs or without, the score is the same. */
static void same_score(void **state) {
    (void)state;
    const vqx_format format = {200, 181, VQX_CHROMA_400, 10};
    uint64_t random = 5;
    vqx_frame *pair[2] = {ssim_noise(&format, &random), NULL};
    pair[1] = pair[0];
    double value[2][16];
    for (int lcs = 0; lcs < 2; lcs++) {
        direct d;
        assert_int_equal(direct_open(&d, &vqx_metric_float_ms_ssim, lcs ? "enable_lcs=true" : NULL, &format, vqx_cpu_best(0)), 0);
        uint64_t sums[2 * 15];
        direct_pass(&d, pair, sums);
        d.feature.metric->finish_frame(&d.feature, sums, value[lcs]);
        direct_close(&d);
    }
    assert_true(direct_same(value[0][0], value[1][0]));
    vqx_frame_unref(&pair[0]);
}

static void forms(void **state) {
    (void)state;
    direct_check_random(&vqx_metric_float_ms_ssim, "enable_lcs=true", 24, 176);
    direct_check_random(&vqx_metric_float_ms_ssim, NULL, 8, 176);
}

static void join(void **state) {
    (void)state;
    uint64_t random = 22;
    ssim_check_join(&vqx_metric_float_ms_ssim, "enable_lcs=true", &(vqx_format){187, 192, VQX_CHROMA_420, 8}, &random);
    ssim_check_join(&vqx_metric_float_ms_ssim, NULL, &(vqx_format){176, 195, VQX_CHROMA_420, 16}, &random);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),    cmocka_unit_test(interface), cmocka_unit_test(too_small), cmocka_unit_test(score),
        cmocka_unit_test(same_score), cmocka_unit_test(forms),     cmocka_unit_test(join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
