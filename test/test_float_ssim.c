/* float_ssim: the vectors of the reference, its options and outputs, and all forms against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "test/direct.h"
#include "test/ssim_input.h"

static void vectors(void **state) {
    (void)state;
    direct_check_vectors(&vqx_metric_float_ssim, "psnr_ssim_moment.tsv");
}

static direct open_for(const char *options, const vqx_format *format) {
    direct d;
    assert_int_equal(direct_open(&d, &vqx_metric_float_ssim, options, format, vqx_cpu_best(0)), 0);
    return d;
}

static void interface(void **state) {
    (void)state;
    static const char *const name[] = {"float_ssim", "float_ssim_l", "float_ssim_c", "float_ssim_s"};
    const vqx_format format = {64, 64, VQX_CHROMA_420, 8};
    for (size_t outputs = 1; outputs <= 4; outputs += 3) {
        direct d = open_for(outputs == 4 ? "enable_lcs=true" : NULL, &format);
        assert_int_equal(d.feature.planes, 1);
        assert_false(d.feature.every_frame);
        assert_int_equal(d.feature.outputs, outputs);
        assert_int_equal(d.feature.aggregates, 0);
        for (size_t i = 0; i < outputs; i++)
            assert_string_equal(d.feature.output[i], name[i]);
        direct_close(&d);
    }
    for (int scale = -1; scale <= 11; scale += 12) {
        char options[32];
        snprintf(options, sizeof(options), "scale=%d", scale);
        direct d;
        assert_true(direct_open(&d, &vqx_metric_float_ssim, options, &format, vqx_cpu_best(0)) < 0);
    }
}

static void decibel(void **state) {
    (void)state;
    static const struct {
        const char *options;
        uint32_t bits;
        double mean, expected;
    } of[] = {
        {"enable_db=true", 8, 1, INFINITY},          {"enable_db=true", 8, 0x1.000002p+0, INFINITY}, {"enable_db=true", 8, 0, -0.0},
        {"enable_db=true:clip_db=true", 8, 1, 97}, /* ceil(10 log10(255^2 / (0.5 / (192 * 176)))) */
        {"enable_db=true:clip_db=true", 10, 1, 109}, {"enable_db=true:clip_db=true", 16, NAN, 145},  {"clip_db=true", 8, 1, 1},
        {"clip_db=true", 8, -0.25, -0.25},
    };
    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        direct d = open_for(of[i].options, &(vqx_format){192, 176, VQX_CHROMA_420, of[i].bits});
        const uint64_t sum = vqx_bits_of_f64(of[i].mean);
        double value;
        d.feature.metric->finish_frame(&d.feature, &sum, &value);
        assert_true(direct_same(value, of[i].expected));
        direct_close(&d);
    }
}

/* Pictures that leave no window, whatever the depth and form. */
static void no_window(void **state) {
    (void)state;
    static const struct {
        uint32_t width, height;
        const char *options;
        double expected;
    } of[] = {
        {1, 1, "scale=1", 0},      {9, 9, "scale=1", 0},     {10, 10, "scale=1", NAN},    {9, 20, "scale=1", -0.0},
        {20, 9, "scale=1", -0.0},  {10, 20, "scale=1", NAN}, {20, 10, "scale=1", NAN},    {2, 2, "scale=10", 0},
        {99, 99, "scale=10", NAN}, {98, 98, "scale=10", 0},  {119, 89, "scale=10", -0.0},
    };
    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
        for (uint32_t bits = 8; bits <= 16; bits += 8) {
            direct d = open_for(of[i].options, &(vqx_format){of[i].width, of[i].height, VQX_CHROMA_400, bits});
            vqx_frame *frame;
            assert_int_equal(vqx_frame_alloc(&frame, &d.feature.format, 1), 0);
            uint64_t sums[2];
            double value;
            direct_pass(&d, (vqx_frame *[]){frame, frame}, sums);
            for (uint32_t parts = 2; parts <= 7; parts++) {
                uint64_t joined[2];
                direct_parts(&d, (vqx_frame *[]){frame, frame}, parts, joined);
                assert_memory_equal(joined, sums, d.feature.sums * sizeof(*sums));
            }
            d.feature.metric->finish_frame(&d.feature, sums, &value);
            assert_true(direct_same(value, of[i].expected));
            vqx_frame_unref(&frame);
            direct_close(&d);
        }
}

/* Shorter side to automatic scale: equal to that scale given, and different from the next one. */
static void automatic_scale(void **state) {
    (void)state;
    static const uint32_t step[][2] = {{11, 1}, {383, 1}, {384, 2}, {639, 2}, {640, 3}, {895, 3}, {896, 4}};
    uint64_t random = 3;
    for (size_t i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
        const vqx_format format = {step[i][0] + 40, step[i][0], VQX_CHROMA_400, 8};
        vqx_frame *pair[2];
        for (int side = 0; side < 2; side++) {
            pair[side] = ssim_noise(&format, &random);
            assert_non_null(pair[side]);
        }
        uint64_t sum[3][2];
        for (unsigned k = 0; k < 3; k++) {
            char options[32];
            snprintf(options, sizeof(options), "scale=%u", k == 0 ? 0 : step[i][1] + k - 1);
            direct d = open_for(options, &format);
            direct_pass(&d, pair, sum[k]);
            direct_close(&d);
        }
        assert_true(sum[0][0] == sum[1][0]);
        assert_true(sum[0][0] != sum[2][0]);
        vqx_frame_unref(&pair[0]);
        vqx_frame_unref(&pair[1]);
    }
}

static void forms(void **state) {
    (void)state;
    direct_check_random(&vqx_metric_float_ssim, NULL, 40, 1);
    for (int scale = 1; scale <= 10; scale++) {
        char options[48];
        snprintf(options, sizeof(options), "enable_lcs=true:scale=%d", scale);
        direct_check_random(&vqx_metric_float_ssim, options, 40, scale < 4 ? 1 : (uint32_t)scale * 8);
    }
}

static void join(void **state) {
    (void)state;
    uint64_t random = 21;
    for (uint32_t bits = 8; bits <= 16; bits += 4) {
        ssim_check_join(&vqx_metric_float_ssim, "enable_lcs=true:scale=1", &(vqx_format){141, 203, VQX_CHROMA_420, bits}, &random);
        ssim_check_join(&vqx_metric_float_ssim, "scale=3", &(vqx_format){141, 203, VQX_CHROMA_420, bits}, &random);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),         cmocka_unit_test(interface), cmocka_unit_test(decibel), cmocka_unit_test(no_window),
        cmocka_unit_test(automatic_scale), cmocka_unit_test(forms),     cmocka_unit_test(join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
