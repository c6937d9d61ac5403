/* psnr: the vectors of the reference, its options and stream values, and all forms of its sums against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "test/direct.h"

static void vectors(void **state) {
    (void)state;
    direct_check_vectors(&vqx_metric_psnr, "psnr_ssim_moment.tsv");
}

static direct open_for(const char *options, uint32_t width, uint32_t height, vqx_chroma chroma, uint32_t bits) {
    direct d;
    assert_int_equal(direct_open(&d, &vqx_metric_psnr, options, &(vqx_format){width, height, chroma, bits}, vqx_cpu_best(0)), 0);
    return d;
}

static void interface(void **state) {
    (void)state;
    static const struct {
        const char *options;
        vqx_chroma chroma;
        unsigned planes;
        size_t outputs, aggregates;
        const char *output[6];
    } of[] = {
        {NULL, VQX_CHROMA_420, 7, 3, 0, {"psnr_y", "psnr_cb", "psnr_cr"}},
        {NULL, VQX_CHROMA_400, 1, 1, 0, {"psnr_y"}},
        {"enable_chroma=false", VQX_CHROMA_444, 1, 1, 0, {"psnr_y"}},
        {"enable_mse=true", VQX_CHROMA_422, 7, 6, 0, {"psnr_y", "mse_y", "psnr_cb", "mse_cb", "psnr_cr", "mse_cr"}},
        {"enable_mse=true:enable_apsnr=true", VQX_CHROMA_400, 1, 2, 3, {"psnr_y", "mse_y"}},
    };
    static const char *const aggregate[] = {"apsnr_y", "apsnr_cb", "apsnr_cr"};
    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        direct d = open_for(of[i].options, 16, 16, of[i].chroma, 8);
        assert_int_equal(d.feature.planes, of[i].planes);
        assert_int_equal(d.feature.every_frame, of[i].aggregates > 0);
        assert_int_equal(d.feature.outputs, of[i].outputs);
        for (size_t o = 0; o < of[i].outputs; o++)
            assert_string_equal(d.feature.output[o], of[i].output[o]);
        assert_int_equal(d.feature.aggregates, of[i].aggregates);
        for (size_t a = 0; a < of[i].aggregates; a++)
            assert_string_equal(d.feature.aggregate[a], aggregate[a]);
        direct_close(&d);
    }
}

/* psnr_y of 100x100 with this sum of squared errors. */
static double score(const char *options, uint32_t bits, uint64_t sum) {
    direct d = open_for(options, 100, 100, VQX_CHROMA_400, bits);
    double value;
    d.feature.metric->finish_frame(&d.feature, &sum, &value);
    direct_close(&d);
    return value;
}

static void caps(void **state) {
    (void)state;
    static const struct {
        uint32_t bits;
        double cap, peak, reduced;
    } of[] = {{8, 60, 255, 255}, {10, 72, 1023, 1020}, {12, 84, 4095, 4080}, {16, 108, 65535, 65280}};
    for (int i = 0; i < 4; i++) {
        const uint32_t b = of[i].bits;
        const double peak2 = of[i].peak * of[i].peak, reduced2 = of[i].reduced * of[i].reduced;
        assert_true(score(NULL, b, 0) == of[i].cap);
        assert_true(score(NULL, b, 1) == of[i].cap);
        assert_true(score("reduced_hbd_peak=true", b, 0) == of[i].cap);
        assert_true(score("uncapped=true", b, 0) == of[i].cap);
        assert_true(10.0 * log10(peak2 / 1e-4) > of[i].cap);
        assert_true(score("uncapped=true", b, 1) == 10.0 * log10(peak2 / 1e-4));
        assert_true(score("uncapped=true:reduced_hbd_peak=true", b, 1) == 10.0 * log10(reduced2 / 1e-4));
        assert_true(score("reduced_hbd_peak=true", b, 100000000) == 10.0 * log10(reduced2 / 1e4));
        assert_true(score("min_sse=1", b, 0) == ceil(10.0 * log10(peak2 / 1e-4)));
        assert_true(score("min_sse=1:uncapped=true", b, 0) == ceil(10.0 * log10(peak2 / 1e-4)));
        assert_true(score("min_sse=1:reduced_hbd_peak=true", b, 0) == ceil(10.0 * log10(reduced2 / 1e-4)));
        assert_true(score("min_sse=1e-30", b, 0) == 10.0 * log10(peak2 / 1e-16));
        assert_true(score("min_sse=1e+12", b, 0) == ceil(10.0 * log10(peak2 / 1e8)));
        assert_true(score("min_sse=1234567", b, 0) == ceil(10.0 * log10(peak2 / 123.457)));
    }
    direct d;
    assert_int_equal(direct_open(&d, &vqx_metric_psnr, "min_sse=-1", &(vqx_format){16, 16, VQX_CHROMA_420, 8}, 0), -EINVAL);
    assert_int_equal(direct_open(&d, &vqx_metric_psnr, "enable_mse=1", &(vqx_format){16, 16, VQX_CHROMA_420, 8}, 0), -EINVAL);
}

static void stream(void **state) {
    (void)state;
    double apsnr[3];
    direct d = open_for("enable_apsnr=true", 4, 2, VQX_CHROMA_420, 10);
    const uint64_t sums[] = {10, 0, 7, 20, 0, 1, 30, 0, 2}; /* of three frames */
    d.feature.metric->finish_stream(&d.feature, sums, 3, apsnr);
    assert_true(apsnr[0] == 10.0 * ((log10(1023 * 1023) + log10(24)) - log10(60)));
    assert_true(apsnr[1] == ceil(10.0 * log10(1023.0 * 1023 * 6 * 2))); /* no error: twice the peak's power */
    assert_true(apsnr[2] == 10.0 * ((log10(1023 * 1023) + log10(6)) - log10(10)));
    direct_close(&d);
    static const char *const luma_only[] = {"enable_apsnr=true:enable_chroma=false", "enable_apsnr=true:reduced_hbd_peak=true"};
    for (int i = 0; i < 2; i++) {
        d = open_for(luma_only[i], 4, 2, i == 0 ? VQX_CHROMA_420 : VQX_CHROMA_400, 10);
        d.feature.metric->finish_stream(&d.feature, sums, 9, apsnr);
        const double peak = i == 0 ? 1023 : 1020;
        assert_true(apsnr[0] == 10.0 * ((log10(peak * peak) + log10(72)) - log10(70)));
        assert_true(apsnr[1] == -INFINITY && apsnr[2] == -INFINITY);
        direct_close(&d);
    }
}

/* The product of the cap wraps mod 2^64, as the reference's does: seen at 583 frames of 2560x1440 with 16 bits. */
static void stream_wraps(void **state) {
    (void)state;
    uint64_t *sums = calloc(583, sizeof(*sums));
    assert_non_null(sums);
    double apsnr[3];
    direct d = open_for("enable_apsnr=true:enable_chroma=false", 2560, 1440, VQX_CHROMA_420, 16);
    d.feature.metric->finish_stream(&d.feature, sums, 582, apsnr);
    assert_true(apsnr[0] == 193);
    d.feature.metric->finish_stream(&d.feature, sums, 583, apsnr);
    assert_true(apsnr[0] == 162);
    direct_close(&d);
    free(sums);
}

static uint32_t constant(uint32_t x, uint32_t y, unsigned plane, void *cookie) {
    (void)x, (void)y, (void)plane;
    return *(const uint32_t *)cookie;
}

static uint32_t last_sample(uint32_t x, uint32_t y, unsigned plane, void *cookie) {
    const vqx_format *format = cookie;
    uint32_t w, h;
    vqx_format_plane_size(format, plane, &w, &h);
    return x == w - 1 && y == h - 1 ? plane + 2 : 0;
}

/* Chroma planes of odd pictures have their sides rounded up, and all of their samples count. */
static void odd_sizes(void **state) {
    (void)state;
    static const struct {
        vqx_chroma chroma;
        uint32_t width, height;
        double samples;
    } of[] = {{VQX_CHROMA_420, 35, 17, 18 * 9},
              {VQX_CHROMA_422, 35, 17, 18 * 17},
              {VQX_CHROMA_420, 1, 1, 1},
              {VQX_CHROMA_444, 35, 17, 35 * 17}};
    for (int i = 0; i < 4; i++) {
        vqx_format format = {of[i].width, of[i].height, of[i].chroma, 16};
        uint32_t zero = 0;
        vqx_frame *pair[2] = {direct_frame(&format, 1, constant, &zero), direct_frame(&format, 0, last_sample, &format)};
        assert_non_null(pair[0]);
        assert_non_null(pair[1]);
        direct d = open_for("enable_mse=true:min_sse=0.5", format.width, format.height, format.chroma, 16);
        uint64_t sums[3];
        double output[6];
        direct_pass(&d, pair, sums);
        d.feature.metric->finish_frame(&d.feature, sums, output);
        assert_true(output[1] == 4.0 / (of[i].width * of[i].height));
        assert_true(output[3] == 9.0 / of[i].samples);
        assert_true(output[5] == 16.0 / of[i].samples);
        const uint64_t none[3] = {0};
        d.feature.metric->finish_frame(&d.feature, none, output);
        assert_true(output[2] == ceil(10.0 * log10(65535.0 * 65535.0 / (0.5 / of[i].samples))));
        direct_close(&d);
        vqx_frame_unref(&pair[0]);
        vqx_frame_unref(&pair[1]);
    }
}

static void random_pictures(void **state) {
    (void)state;
    direct_check_random(&vqx_metric_psnr, NULL, 300, 1);
}

/* Rows as wide as they can be, of the largest differences: no sum of a row wraps. */
static void widest_rows(void **state) {
    (void)state;
    static const uint32_t depth[] = {8, 10, 16};
    for (int i = 0; i < 3; i++) {
        const vqx_format format = {65535, 3, VQX_CHROMA_444, depth[i]};
        uint32_t word = depth[i] == 8 ? 255 : 65535, zero = 0;
        vqx_frame *pair[2] = {direct_frame(&format, 3, constant, &zero), direct_frame(&format, 0, constant, &word)};
        assert_non_null(pair[0]);
        assert_non_null(pair[1]);
        direct_check_levels(&vqx_metric_psnr, NULL, pair, "widest rows");
        direct d = open_for(NULL, format.width, format.height, format.chroma, format.bits);
        uint64_t sums[3];
        direct_pass(&d, pair, sums);
        for (int p = 0; p < 3; p++)
            assert_int_equal(sums[p], 3 * (uint64_t)65535 * word * word);
        direct_close(&d);
        vqx_frame_unref(&pair[0]);
        vqx_frame_unref(&pair[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors),         cmocka_unit_test(interface),    cmocka_unit_test(caps),
        cmocka_unit_test(stream),          cmocka_unit_test(stream_wraps), cmocka_unit_test(odd_sizes),
        cmocka_unit_test(random_pictures), cmocka_unit_test(widest_rows),
    };
    return cmocka_run_group_tests_name("psnr", tests, NULL, NULL);
}
