/* Sums of float_ssim and float_ms_ssim on a device: how far they can be off, and which means they leave open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "dialect/cpu.h"
#include "kernel/ssim_levels.h"
#include "metric/ssim_twin.h"
#include "test/direct.h"
#include "test/twin.h"

/* What a pair shows. */
typedef enum content {
    NOISE,    /* two kinds of it */
    FLAT,     /* two levels */
    DARK,     /* two kinds of noise near 0 */
    INVERTED, /* noise, and its negative */
    NEAR,     /* noise, and the same with a little more */
    CROSSING, /* inverted in the upper half, near in the lower: sums come back to 0 */
    CONTENTS,
} content;

typedef struct pair_rule {
    content content;
    uint32_t most, height;
    int side;
    uint64_t random[2];
} pair_rule;

static uint32_t pair_word(uint32_t x, uint32_t y, unsigned plane, void *cookie) {
    pair_rule *rule = cookie;
    (void)x, (void)plane;
    const uint32_t common = (uint32_t)(direct_random(&rule->random[0]) >> 40);
    const uint32_t own = (uint32_t)(direct_random(&rule->random[1]) >> 40);
    switch (rule->content) {
    case NOISE:
        return own & rule->most;
    case FLAT:
        return rule->most / 5 * (uint32_t)(3 + rule->side);
    case DARK:
        return own & 3;
    case INVERTED:
        return rule->side ? rule->most - (common & rule->most) : common & rule->most;
    case NEAR:
        return (common & rule->most) / 2 + (own & rule->most) / 32;
    default:
        return rule->side && y < rule->height / 2 ? rule->most - (common & rule->most) : common & rule->most;
    }
}

static void pair_of(vqx_frame *pair[2], const vqx_format *format, content content, uint32_t most, uint64_t seed) {
    for (int side = 0; side < 2; side++) {
        pair_rule rule = {content, most, format->height, side, {seed, ~seed + (uint64_t)side}};
        pair[side] = direct_frame(format, 3, pair_word, &rule);
        assert_non_null(pair[side]);
    }
}

static void drop(vqx_frame *pair[2]) {
    vqx_frame_unref(&pair[0]);
    vqx_frame_unref(&pair[1]);
}

static vqx_device *device_open(bool fp64) {
    vqx_message_text message;
    vqx_device *device;
    assert_int_equal(vqx_backend_cpu_kernels.open(&device, 0, fp64, false, &message), 0);
    return device;
}

/* The words of the feature for a pair. */
static void words_of(const vqx_feature *feature, vqx_device *device, vqx_frame *const pair[2], uint64_t *words) {
    vqx_message_text message;
    vqx_work *work;
    assert_int_equal(vqx_work_open(&work, device, &feature->format, 1, &message), 0);
    for (unsigned side = 0; side < 2; side++) {
        const vqx_plane plane = vqx_frame_plane(pair[side], 0);
        vqx_work_upload(work, side, 1, &plane, false);
    }
    feature->metric->launch(feature, work, 0, 0);
    assert_int_equal(vqx_work_wait(work, feature->words), 0);
    memcpy(words, work->words, feature->words * sizeof(*words));
    vqx_work_close(&work);
}

static direct open_for(const vqx_metric *metric, const char *options, const vqx_format *format) {
    direct d;
    assert_int_equal(direct_open(&d, metric, options, format, VQX_LEVEL_DEFINITION), 0);
    return d;
}

/* Sums of the definition in raster order. */
static void sums_in_order(vqx_frame *const pair[2], vqx_ssim_sum sum[VQX_SSIM_MEANS]) {
    const vqx_format *f = vqx_frame_format(pair[0]);
    const vqx_ssim_task task = {
        {vqx_frame_plane(pair[0], 0), f->bits}, {vqx_frame_plane(pair[1], 0), f->bits}, {0, f->height - 10}, 15, true};
    void *scratch = malloc(vqx_ssim_scratch_definition(f->width, f->height));
    assert_non_null(scratch);
    vqx_ssim_windows_definition(&task, scratch, sum);
    free(scratch);
}

/* The sum in raster order is as near as the words say, and they do not say much more than need be. */
static void bound(void **state) {
    (void)state;
    static const uint32_t depth[] = {8, 10, 12, 16}, size[][2] = {{11, 11}, {42, 64}, {43, 65}, {331, 173}, {26, 700}, {611, 395}};
    vqx_device *device[2] = {device_open(true), device_open(false)};
    unsigned open = 0;
    for (unsigned i = 0; i < CONTENTS * 4 * 6; i++) {
        const uint32_t bits = depth[i / CONTENTS % 4];
        const vqx_format format = {size[i / CONTENTS / 4][0], size[i / CONTENTS / 4][1], VQX_CHROMA_400, bits};
        const uint32_t n = (format.width - 10) * (format.height - 10);
        const int fraction = (int)vqx_ssim_fraction(n);
        vqx_frame *pair[2];
        uint64_t words[VQX_SSIM_WORDS], same[VQX_SSIM_WORDS];
        vqx_ssim_sum sum[VQX_SSIM_MEANS];
        pair_of(pair, &format, (content)(i % CONTENTS), (1u << bits) - 1, i + 1);
        direct d = open_for(&vqx_metric_float_ssim, "scale=1:enable_lcs=true", &format);
        words_of(&d.feature, device[0], pair, words);
        words_of(&d.feature, device[1], pair, same);
        assert_memory_equal(words, same, 2 * VQX_SSIM_KINDS * sizeof(*words));
        sums_in_order(pair, sum);
        for (int k = 0; k < VQX_SSIM_MEANS; k++) {
            const long double made = ldexpl((long double)(int64_t)words[2 * k], -fraction);
            const long double off = ldexpl((long double)words[2 * k + 1], -48), apart = fabsl(sum[k].sum - made);
            double mean;
            if (apart > off)
                fail_msg("%ux%u, %u bits, content %u: sum %d is %La from %a, more than %La", format.width, format.height, bits,
                         i % CONTENTS, k, apart, sum[k].sum, off);
            /* terms are not much above 1: an addition is off by half an ulp of n at most, a term by half a unit */
            assert_true(off < n * (ldexp(n, -53) + ldexp(1.1, -fraction - 1)) + ldexp(70, -48));
            if (!vqx_ssim_mean((vqx_ssim_sum){(double)made, (double)off}, n, &mean))
                open++;
        }
        direct_close(&d);
        drop(pair);
    }
    assert_true(open < 20); /* of 576: those near 0 */
    for (int i = 0; i < 2; i++)
        vqx_backend_cpu_kernels.close(device[i]);
}

static void fill(vqx_frame *frame, uint16_t word) {
    ptrdiff_t stride;
    uint8_t *data = vqx_frame_data(frame, 0, &stride);
    const vqx_format *f = vqx_frame_format(frame);
    for (uint32_t y = 0; y < f->height; y++)
        for (uint32_t x = 0; x < f->width; x++)
            ((uint16_t *)(data + y * stride))[x] = word;
}

static void flat_pair(vqx_frame *pair[2], const vqx_format *format, uint64_t words) {
    for (int side = 0; side < 2; side++) {
        assert_int_equal(vqx_frame_alloc(&pair[side], format, 1), 0);
        fill(pair[side], (uint16_t)(words >> 16 * side));
    }
}

/* Equal terms that are rounded the same way, and nearly as far as they can be, at most additions. */
static void worst(void **state) {
    (void)state;
    const vqx_format one = {11, 11, VQX_CHROMA_400, 16}, many = {611, 395, VQX_CHROMA_400, 16};
    const uint32_t n = (611 - 10) * (395 - 10);
    uint64_t random = 8, words_found = 0, words[VQX_SSIM_WORDS];
    double most = 0;
    vqx_frame *pair[2];
    vqx_ssim_sum sum[VQX_SSIM_MEANS];
    flat_pair(pair, &one, 0);
    for (int i = 0; i < 300; i++) {
        const uint64_t r = direct_random(&random);
        fill(pair[0], (uint16_t)r);
        fill(pair[1], (uint16_t)(r >> 16));
        sums_in_order(pair, sum);
        double added = 0;
        for (uint32_t k = 0; k < n; k++)
            added += sum[VQX_SSIM_L].sum;
        const double off = fabs((double)(added - (long double)n * sum[VQX_SSIM_L].sum));
        if (off > most && sum[VQX_SSIM_L].sum > 0.95) {
            most = off;
            words_found = r;
        }
    }
    drop(pair);
    flat_pair(pair, &many, words_found);
    direct d = open_for(&vqx_metric_float_ssim, "scale=1:enable_lcs=true", &many);
    vqx_device *device = device_open(true);
    words_of(&d.feature, device, pair, words);
    vqx_backend_cpu_kernels.close(device);
    sums_in_order(pair, sum);
    const long double made = ldexpl((long double)(int64_t)words[2 * VQX_SSIM_L], -(int)vqx_ssim_fraction(n));
    const double share = (double)(fabsl(sum[VQX_SSIM_L].sum - made) / ldexpl((long double)words[2 * VQX_SSIM_L + 1], -48));
    print_message("%.2f of what is allowed\n", share);
    assert_true(share <= 1 && share > 0.55);
    direct_close(&d);
    drop(pair);
}

/* The share of means that stay open, of pictures of 1920x1080. */
static void sharp(void **state) {
    (void)state;
    const vqx_format format = {1920, 1080, VQX_CHROMA_400, 8};
    const double n = 1910 * 1070;
    vqx_device *device = device_open(true);
    vqx_frame *pair[2];
    uint64_t words[VQX_SSIM_WORDS];
    pair_of(pair, &format, NEAR, 255, 77);
    direct d = open_for(&vqx_metric_float_ssim, "scale=1:enable_lcs=true", &format);
    words_of(&d.feature, device, pair, words);
    for (int k = 0; k < VQX_SSIM_MEANS; k++) {
        const float mean = (float)(ldexp((double)(int64_t)words[2 * k], -(int)vqx_ssim_fraction((uint32_t)n)) / n);
        const double share = 2 * ldexp((double)words[2 * k + 1], -48) / n / (nextafterf(mean, 2) - mean);
        print_message("mean %d, %g: %.3f %% stay open\n", k, mean, 100 * share);
        assert_true(mean > 0.5 && share < 0.0045);
    }
    direct_close(&d);
    drop(pair);
    vqx_backend_cpu_kernels.close(device);
}

/* Sums on either side of a boundary between two fp32 means. */
static void boundaries(void **state) {
    (void)state;
    const vqx_format format = {111, 211, VQX_CHROMA_400, 8};
    const vqx_ssim_twin twin = {&format, 1, 1, 15};
    const int64_t n = 101 * 201, boundary[] = {0x1ffffff, 0x1fffffd, 0x1000001, 0x2000002, -0x1fffffd, -0x1000001}; /* 2^-25 */
    assert_int_equal(vqx_ssim_fraction((uint32_t)n), 39);
    for (size_t i = 0; i < sizeof(boundary) / sizeof(boundary[0]); i++) {
        const int64_t at = boundary[i] * n * (1 << 14);
        const double below = (float)nextafter((double)boundary[i] * 0x1p-25, -9);
        const double above = (float)nextafter((double)boundary[i] * 0x1p-25, 9);
        assert_true(below < above);
        for (int64_t off = 0; off < 100000; off = 3 * off + 1)
            for (uint32_t k = 0; k < VQX_SSIM_KINDS; k++) {
                const int64_t reach = off + 8 + (llabs(at) >> 50); /* `off` and what rounding asks for */
                const int64_t step[] = {-reach, -off, 0, off, reach};
                for (int s = 0; s < 5; s++) {
                    uint64_t words[VQX_SSIM_WORDS] = {0};
                    double mean;
                    words[2 * k] = (uint64_t)(at + step[s]);
                    words[2 * k + 1] = (uint64_t)off << 9;
                    const bool settled = s == 0 || s == 4;
                    assert_int_equal(vqx_ssim_twin_settle(&twin, words, 0, k, 0, &mean), settled ? 0 : 1u << k);
                    if (settled)
                        assert_true(mean == (s == 0 ? below : above));
                }
            }
    }
    uint64_t words[VQX_SSIM_WORDS] = {(uint64_t)n << 39};
    double mean;
    assert_int_equal(vqx_ssim_twin_settle(&twin, words, 0, 0, 0, &mean), 0);
    assert_true(mean == 1);
}

/* The sums of the kernels are those of the definition; returns the values that were made again. */
static unsigned check(const direct *d, vqx_frame *const pair[2], uint64_t ordered) {
    uint64_t expected[VQX_MAX_SUMS], sums[VQX_MAX_SUMS];
    unsigned again[2] = {0, 0};
    direct_pass(d, pair, expected);
    for (int fp64 = 0; fp64 < 2; fp64++) {
        vqx_device *device = device_open(fp64);
        assert_int_equal(twin_sums(&d->feature, device, pair, ordered, sums, &again[fp64]), 0);
        for (size_t i = 0; i < d->feature.sums; i++)
            if (sums[i] != expected[i])
                fail_msg("%s, %s fp64, ordered %llx: sum %zu is %a instead of %a", d->feature.metric->name,
                         fp64 ? "with" : "without", (unsigned long long)ordered, i, vqx_f64_of_bits(sums[i]),
                         vqx_f64_of_bits(expected[i]));
        vqx_backend_cpu_kernels.close(device);
    }
    assert_int_equal(again[0], again[1]);
    return again[0];
}

/* One window of flat pictures whose l or l * c * s is next to a boundary: left open, then made in raster order. */
static void open_means(void **state) {
    (void)state;
    const vqx_format format = {11, 11, VQX_CHROMA_400, 16};
    direct d = open_for(&vqx_metric_float_ssim, "enable_lcs=true", &format);
    uint64_t random = 5;
    unsigned found = 0, again = 0, settled = 0;
    vqx_frame *pair[2];
    flat_pair(pair, &format, 0);
    for (int i = 0; i < 100000; i++) {
        const uint64_t r = direct_random(&random);
        vqx_ssim_sum sum[VQX_SSIM_MEANS];
        unsigned near = 0;
        fill(pair[0], (uint16_t)r);
        fill(pair[1], (uint16_t)(r >> 16));
        sums_in_order(pair, sum);
        for (int k = 0; k < VQX_SSIM_MEANS; k++)
            near += (float)(sum[k].sum - 0x1p-41) != (float)(sum[k].sum + 0x1p-41);
        if (near) {
            const unsigned open = check(&d, pair, 0);
            assert_true(open >= near);
            found += near;
            again += open;
        } else if (i % 1000 == 0) {
            settled += check(&d, pair, 0) == 0;
        }
    }
    print_message("%u means next to a boundary, %u made in raster order\n", found, again);
    assert_true(found >= 5 && settled >= 95);
    direct_close(&d);
    drop(pair);
}

/* Some of the means in raster order, whichever. */
static void some_ordered(void **state) {
    (void)state;
    uint64_t random = 6;
    for (uint32_t i = 0; i < 12; i++) {
        const vqx_format format = {177 + 5 * i, 230 - 3 * i, VQX_CHROMA_400, i % 2 ? 8 : 12};
        vqx_frame *pair[2];
        pair_of(pair, &format, (content)(i % CONTENTS), (1u << format.bits) - 1, i + 1);
        direct d =
            open_for(i % 4 == 0 ? &vqx_metric_float_ssim : &vqx_metric_float_ms_ssim, i % 3 ? "enable_lcs=true" : NULL, &format);
        check(&d, pair, direct_random(&random) & direct_random(&random));
        direct_close(&d);
        drop(pair);
    }
}

static uint32_t bright_word(uint32_t x, uint32_t y, unsigned plane, void *cookie) {
    (void)x, (void)y, (void)plane;
    return 65535 - (uint32_t)(direct_random(cookie) >> 60);
}

static uint32_t noise_word(uint32_t x, uint32_t y, unsigned plane, void *cookie) {
    (void)x, (void)y, (void)plane;
    return (uint32_t)(direct_random(cookie) >> 48);
}

/* Words beyond the depth lead to terms that fixed point does not hold. */
static void large_terms(void **state) {
    (void)state;
    const vqx_format format = {64, 40, VQX_CHROMA_400, 10};
    const vqx_ssim_twin twin = {&format, 1, 1, 15};
    double mean;
    uint64_t words[VQX_SSIM_WORDS];
    vqx_frame *pair[2];
    uint64_t random = 9;
    pair[0] = direct_frame(&format, 0, bright_word, &random);
    pair[1] = direct_frame(&format, 0, noise_word, &random);
    assert_non_null(pair[0]);
    assert_non_null(pair[1]);
    direct d = open_for(&vqx_metric_float_ssim, "enable_lcs=true:scale=1", &format);
    vqx_device *device = device_open(true);
    words_of(&d.feature, device, pair, words);
    vqx_backend_cpu_kernels.close(device);
    assert_true(words[2 * VQX_SSIM_S + 1] == UINT64_MAX);
    assert_true(words[2 * VQX_SSIM_L + 1] < UINT64_MAX);
    /* the sum in order needs to know it, too */
    const uint64_t open = vqx_ssim_twin_settle(&twin, words, 0, VQX_SSIM_S, 0, &mean);
    assert_true(open == (1u << VQX_SSIM_S | 1u << 20));
    assert_true(vqx_ssim_twin_settle(&twin, words, 0, VQX_SSIM_S, 1u << VQX_SSIM_S, &mean) == open);
    assert_true(vqx_ssim_twin_settle(&twin, words, 0, VQX_SSIM_S, UINT64_MAX, &mean) == (open | 15));
    assert_true(vqx_ssim_twin_settle(&twin, words, 0, VQX_SSIM_S, open, &mean) == 0);
    check(&d, pair, UINT64_MAX);
    assert_true(check(&d, pair, 0) >= 1);
    direct_close(&d);
    drop(pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bound),      cmocka_unit_test(worst),        cmocka_unit_test(sharp),       cmocka_unit_test(boundaries),
        cmocka_unit_test(open_means), cmocka_unit_test(some_ordered), cmocka_unit_test(large_terms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
