#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "dialect/cpu.h"
#include "metric/vif.h"

#include "kernel/vif_log2.h"
#include "metric/vif_log2_table.h"
#include "test/direct.h"
#include "test/vif_synth.h"

/* ---- vectors --------------------------------------------------------------------------------------------------------- */

/* FNV-1a 64 over luma, words in little-endian. */
static uint64_t hash_luma(uint64_t hash, const vqx_frame *frame) {
    const vqx_plane plane = vqx_frame_plane(frame, 0);
    const size_t bytes = vqx_format_sample_bytes(vqx_frame_format(frame));
    for (uint32_t y = 0; y < plane.height; y++)
        for (uint32_t x = 0; x < plane.width; x++) {
            const uint8_t *at = plane.data + (ptrdiff_t)y * plane.stride + x * bytes;
            uint16_t word = *at;
            if (bytes == 2)
                memcpy(&word, at, 2);
            for (size_t i = 0; i < bytes; i++)
                hash = (hash ^ (word >> 8 * i & 255)) * 0x100000001b3u;
        }
    return hash;
}

static void test_synthetic_inputs(void **state) {
    static const struct {
        const char *id;
        uint64_t hash[2];
    } inputs[] = {
        {"N_96x80_8", {0x686ebbf92712d0abu, 0x2cfb6f0c34626bbau}},
        {"N_96x80_10", {0x71efd98bed4b48f6u, 0x291919f036f3bf6eu}},
        {"N_96x80_12", {0x96b0e09709a8ff79u, 0xa15d93e4396b9815u}},
        {"N_96x80_16", {0x7ff7b5d158bf9579u, 0x918b2c6cd084be52u}},
        {"A_96x80_8", {0x6dadc13cef938a6eu, 0x7a65b68d239875d7u}},
        {"A_96x80_16", {0x7ff7b5d158bf9579u, 0xf4e20a76b04ee6e7u}},
        {"E_96x80_8", {0x96193e055dce016au, 0x6dadc13cef938a6eu}},
        {"L_96x80_10", {0xb027a2a2c077dc21u, 0xb09aff22f5da5161u}},
        {"C_64x48_8", {0x4442fb862667e325u, 0x290a013d9d149325u}},
        {"C_64x48_16", {0xec693e5155702725u, 0x651b93a134fe0325u}},
        {"K_255_255_64x48_8", {0x9ebd73dc26767f25u, 0x9ebd73dc26767f25u}},
        {"K_255_0_64x48_8", {0x9ebd73dc26767f25u, 0x7e8e0fa784351325u}},
        {"K_0_65535_64x48_16", {0x6df0de0551480325u, 0x7cd7be9cea0adb25u}},
        {"S_64x48_16", {0x3a4b4e34968f6f25u, 0x8e204239f3896f25u}},
        {"I_96x80_12", {0x96b0e09709a8ff79u, 0x96b0e09709a8ff79u}},
        {"A_577x325_8", {0x47718a5d2908e23au, 0xe9fd281dacb96263u}},
        {"A_577x325_10", {0xa0d597d445caabacu, 0xef10bdf3b872c727u}},
        {"N_17x31_12", {0xb09c96d240da560fu, 0x5db37ec0b62106fcu}},
        {"N_16x16_8", {0xa92ed555e090f8c0u, 0x8fee25833d8e4a86u}},
        {"N_8x8_8", {0x8f3fccf555a71f7eu, 0xf0fcbe17143c571au}},
        {"N_9x15_10", {0x2d458b1910070750u, 0xf149101f22c311b8u}},
        {"N_15x64_16", {0x802c772407c691a5u, 0x4b60d6014bb80726u}},
        {"N_64x9_8", {0x661ccf38c723d465u, 0x05d4999d92190512u}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
        vif_clip clip;
        vqx_frame *pair[2];
        assert_int_equal(vif_synth_open(&clip, inputs[i].id), 0);
        uint64_t hash[2] = {0xcbf29ce484222325u, 0xcbf29ce484222325u};
        for (int frames = strcmp(inputs[i].id, "N_96x80_8") == 0 ? 2 : 1; frames > 0; frames--) {
            assert_int_equal(vif_synth_read(&clip, pair), 0);
            for (int side = 0; side < 2; side++) {
                hash[side] = hash_luma(hash[side], pair[side]);
                vqx_frame_unref(&pair[side]);
            }
        }
        if (hash[0] != inputs[i].hash[0] || hash[1] != inputs[i].hash[1])
            fail_msg("input %s has other samples", inputs[i].id);
        vif_synth_close(&clip);
    }
}

static void test_vectors(void **state) {
    (void)state;
    direct_check_vectors(&vqx_metric_vif, "vif.tsv");
}

/* ---- forms ----------------------------------------------------------------------------------------------------------- */

static void test_random(void **state) {
    (void)state;
    direct_check_random(&vqx_metric_vif, NULL, 150, VQX_VIF_LEAST);
    direct_check_random(&vqx_metric_vif, "vif_enhn_gain_limit=1.25", 60, VQX_VIF_ROWS_LEAST);
    direct_check_random(&vqx_metric_vif, "vif_skip_scale0=true", 60, VQX_VIF_ROWS_LEAST);
}

/* Pictures that make large or odd variances. */
static uint32_t content(uint32_t x, uint32_t y, unsigned plane, void *cookie) {
    uint64_t *const *c = cookie;
    const uint32_t noise = (uint32_t)(direct_random(c[0]) >> 40), most = (uint32_t)*c[2];
    (void)plane;
    switch (*c[1]) {
    case 0:
        return noise & most;
    case 1: /* all rounding in the low bits */
        return most - (noise & 1);
    case 2: /* blocks */
        return (x / 5 + y / 3) & 1 ? most : noise & 3;
    case 3: /* a soft picture with little noise */
        return ((x * 7 + y * 13) / 8 & most / 2) + (noise & most >> 6);
    default: /* stripes of the sampling frequency, then flat */
        return x > y ? (x & 1) * most : most / 2;
    }
}

/* One under, at and over the widths where rows of lanes grow, and all small heights. */
static void test_sizes(void **state) {
    static const uint32_t depth[] = {8, 10, 12, 16};
    uint64_t random = 7, kind, most;
    uint64_t *cookie[3] = {&random, &kind, &most};
    (void)state;
    unsigned i = 0;
    for (uint32_t step = 32; step <= 1024; step *= 2)
        for (uint32_t w = step - 1; w <= step + 1; w++)
            for (unsigned d = 0; d < 4; d++, i++) {
                const vqx_format format = {w, 16 + i % 37, VQX_CHROMA_400, depth[d]};
                vqx_frame *pair[2];
                for (unsigned side = 0; side < 2; side++) {
                    kind = (i / 4 + i * side) % 5;
                    most = (1u << depth[d]) - 1;
                    pair[side] = direct_frame(&format, 3, content, cookie);
                    assert_non_null(pair[side]);
                }
                direct_check_levels(&vqx_metric_vif, NULL, pair, "sizes");
                vqx_frame_unref(&pair[0]);
                vqx_frame_unref(&pair[1]);
            }
}

/* Sides at and around those where scales shrink to one row or column, and to less than a reflection reaches; and other small ones.
 */
static void test_small_sizes(void **state) {
    uint64_t random = 17, kind, most;
    uint64_t *cookie[3] = {&random, &kind, &most};
    (void)state;
    for (uint32_t w = VQX_VIF_LEAST; w <= 40; w++)
        for (uint32_t h = VQX_VIF_LEAST; h <= 40; h++) {
            if ((w > 17 || h > 17) && (w + 3 * h) % 11 != 0)
                continue;
            const vqx_format format = {w, h, VQX_CHROMA_400, (w + h) & 1 ? 16 : 8};
            vqx_frame *pair[2];
            for (unsigned side = 0; side < 2; side++) {
                kind = (w + h * side) % 5;
                most = (1u << format.bits) - 1;
                pair[side] = direct_frame(&format, 1, content, cookie);
                assert_non_null(pair[side]);
            }
            direct_check_levels(&vqx_metric_vif, NULL, pair, "small sizes");
            vqx_frame_unref(&pair[0]);
            vqx_frame_unref(&pair[1]);
        }
}

/* What scratch memory holds before a pass does not matter. */
static void test_scratch(void **state) {
    uint64_t random = 11, kind = 0, most;
    uint64_t *cookie[3] = {&random, &kind, &most};
    (void)state;
    for (uint32_t i = 0; i < 24; i++) {
        const vqx_format format = {16 + i * 23, 16 + i, VQX_CHROMA_400, i & 1 ? 8 : 16};
        vqx_frame *pair[2];
        most = (1u << format.bits) - 1;
        for (unsigned side = 0; side < 2; side++) {
            pair[side] = direct_frame(&format, 0, content, cookie);
            assert_non_null(pair[side]);
        }
        uint64_t expected[VQX_VIF_SUMS], sums[VQX_VIF_SUMS];
        for (vqx_cpu_level level = 0; level <= vqx_cpu_best(0); level++) {
            direct d;
            assert_int_equal(direct_open(&d, &vqx_metric_vif, NULL, &format, level), 0);
            for (unsigned byte = 0; byte < 256; byte += 51) {
                memset(d.scratch, (int)byte, d.feature.scratch);
                direct_pass(&d, pair, level + byte == 0 ? expected : sums);
                if (level + byte != 0)
                    assert_memory_equal(sums, expected, sizeof(sums));
            }
            direct_close(&d);
        }
        vqx_frame_unref(&pair[0]);
        vqx_frame_unref(&pair[1]);
    }
}

/* The sums from that many parts, the last one first, in memory that holds anything. */
static void sums_of_parts(const direct *d, vqx_frame *const frame[2], uint32_t parts, uint64_t *sums) {
    const vqx_pair pair = {.ref = {vqx_frame_plane(frame[0], 0)}, .dis = {vqx_frame_plane(frame[1], 0)}};
    uint64_t part[VQX_MAX_PARTS * VQX_VIF_SUMS];
    for (uint32_t p = parts; p-- > 0;) {
        memset(d->scratch, (int)(0xa5 + p), d->feature.scratch);
        vqx_metric_vif.pass(&d->feature, &pair, p, parts, d->scratch, part + p * VQX_VIF_SUMS);
    }
    vqx_metric_vif.join(&d->feature, &pair, parts, d->scratch, part, sums);
}

/* Bands of all heights down to none, cut at odd rows of every scale. */
static void test_parts(void **state) {
    static const uint32_t heights[] = {16, 17, 19, 23, 31, 33, 47, 62, 87, 129, 150, 255, 301};
    static const uint32_t counts[] = {2, 3, 5, 8, 13, VQX_MAX_PARTS};
    uint64_t random = 13, kind = 3, most;
    uint64_t *cookie[3] = {&random, &kind, &most};
    (void)state;
    for (uint32_t i = 0; i < 2 * sizeof(heights) / sizeof(heights[0]); i++) {
        const vqx_format format = {17 + 6 * i, heights[i / 2], VQX_CHROMA_400, i & 1 ? 10 : 8};
        vqx_frame *pair[2];
        most = (1u << format.bits) - 1;
        for (unsigned side = 0; side < 2; side++) {
            pair[side] = direct_frame(&format, 1, content, cookie);
            assert_non_null(pair[side]);
        }
        for (vqx_cpu_level level = 0; level <= vqx_cpu_best(0); level++) {
            uint64_t expected[VQX_VIF_SUMS], sums[VQX_VIF_SUMS];
            direct d;
            assert_int_equal(direct_open(&d, &vqx_metric_vif, NULL, &format, level), 0);
            direct_pass(&d, pair, expected);
            for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
                sums_of_parts(&d, pair, counts[c], sums);
                for (size_t s = 0; s < VQX_VIF_SUMS; s++)
                    if (sums[s] != expected[s])
                        fail_msg("%ux%u, %u bits, %s form: sum %zu from %u parts is %llu instead of %llu", format.width,
                                 format.height, format.bits, vqx_cpu_level_name(level), s, counts[c], (unsigned long long)sums[s],
                                 (unsigned long long)expected[s]);
            }
            direct_close(&d);
        }
        vqx_frame_unref(&pair[0]);
        vqx_frame_unref(&pair[1]);
    }
}

static void test_how_many_parts(void **state) {
    static const struct {
        uint32_t width, height, parts;
    } sizes[] = {{1920, 1080, 7}, {3840, 2160, 16}, {576, 324, 1}, {16384, 64, 1}, {64, 16384, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (vqx_cpu_level level = 0; level <= vqx_cpu_best(0); level++) {
            const vqx_format format = {sizes[i].width, sizes[i].height, VQX_CHROMA_400, 8};
            direct d;
            assert_int_equal(direct_open(&d, &vqx_metric_vif, NULL, &format, level), 0);
            assert_int_equal(d.feature.parts, level == 0 ? 0 : sizes[i].parts);
            direct_close(&d);
        }
}

static void test_memory(void **state) {
    (void)state;
    for (uint32_t bits = 8; bits <= 16; bits += 8)
        for (vqx_cpu_level level = 0; level <= vqx_cpu_best(0); level++) {
            direct d;
            const vqx_format format = {3840, 2160, VQX_CHROMA_420, bits};
            assert_int_equal(direct_open(&d, &vqx_metric_vif, NULL, &format, level), 0);
            assert_true(d.feature.scratch <= (level == 0 ? 42 : 2) * 1000000u);
            direct_close(&d);
        }
}

/* ---- arithmetic ------------------------------------------------------------------------------------------------------ */

/* The nearest integer to log2(i) 2^20 by squaring, for 2^15 <= i < 2^16. */
static uint32_t slow_log2(uint32_t i) {
    unsigned __int128 y = (unsigned __int128)i << 48; /* 1 <= y < 2 in units of 2^-63 */
    uint32_t bits = 15;
    for (int b = 0; b < 24; b++) {
        y = (y >> 1) * (y >> 1) >> 61;
        const uint32_t bit = (uint32_t)(y >> 64);
        y >>= bit;
        bits = 2 * bits + bit;
    }
    return (bits + 8) >> 4;
}

static void test_log2_table(void **state) {
    uint64_t sum = 0, hash = 0xcbf29ce484222325u;
    (void)state;
    for (uint32_t i = 32768; i < 65536; i++) {
        const uint32_t expected = (slow_log2(i) + 256) >> 9, value = vqx_vif_log2(i << 1) - 2048;
        if (value != expected)
            fail_msg("T[%u] is %u instead of %u", i, value, expected);
        sum += value;
        hash = (hash ^ (value & 255)) * 0x100000001b3u;
        hash = (hash ^ value >> 8) * 0x100000001b3u;
    }
    assert_int_equal(sum, 1044032097);
    assert_true(hash == 0xd6509fd850265c09u);
}

static void test_log2(void **state) {
    uint64_t random = 3;
    (void)state;
    for (uint32_t i = 0; i < 10000000; i++) {
        /* all lengths; every other one just under or over a power of two or with ones below the top 16 bits */
        uint32_t x = (uint32_t)(direct_random(&random) >> 33) >> i % 15;
        if (i % 4 == 1)
            x |= 0x7fff;
        x = x < 65536 ? 65536 + x : x;
        uint32_t k = 0;
        while (x >> k >= 65536)
            k++;
        const uint32_t expected = vqx_vif_log2((x >> k) << 1) - 2048 + 2048 * k;
        if (vqx_vif_log2(x) != expected)
            fail_msg("L(%u) is %u instead of %u", x, vqx_vif_log2(x), expected);
    }
}

/* Every top 16 bits, at every length, with zeros or ones below them. */
static void test_log2_by_piece(void **state) {
    (void)state;
    for (uint32_t k = 1; k < 16; k++)
        for (uint32_t top = 32768; top < 65536; top++)
            for (uint32_t rest = 0; rest < 2; rest++) {
                const uint32_t x = ((top + rest) << k) - rest;
                if (x >> 31 == 0 && vqx_vif_log2_by_piece(&vqx_vif_log2_piece[0][0], x) != vqx_vif_log2(x))
                    fail_msg("L(%u) is %u instead of %u", x, vqx_vif_log2_by_piece(&vqx_vif_log2_piece[0][0], x), vqx_vif_log2(x));
            }
}

/* A pixel as the page says it: with branches and wide integers. */
static void slow_pixel(int64_t s1, int64_t s2, int64_t s12, double limit, int64_t sums[4]) {
    if (s1 < 131072) {
        sums[2] += s2;
        sums[3]++;
        return;
    }
    sums[1] += (int64_t)vqx_vif_log2((uint32_t)(s1 + 131072)) - 34816;
    if (s12 <= 0 || s2 <= 0)
        return;
    volatile double g = (double)s12 / ((double)s1 + 65536 * 1e-10), gs = g * (double)s12, rest = (double)s2 - gs;
    const int64_t v = (int64_t)rest > 0 ? (int64_t)rest : 0;
    g = g < limit ? g : limit;
    volatile double g2 = g * g, kept = g2 * (double)s1;
    const int64_t n1 = v + 131072, n2 = n1 + (int64_t)kept;
    sums[0] += (int64_t)vqx_vif_log2((uint32_t)n2) - (int64_t)vqx_vif_log2((uint32_t)n1);
}

static void test_pixel(void **state) {
    uint64_t random = 5;
    static const double limits[] = {100, 1, 1.25, 2.71828};
    (void)state;
    for (uint32_t i = 0; i < 10000000; i++) {
        const uint64_t r = direct_random(&random), q = direct_random(&random);
        /* variances of all sizes, and a correlation of -1 to 1, often 1 */
        int32_t s1 = (int32_t)(r & 0x3fffffff) >> (r >> 32) % 24, s2 = (int32_t)(q & 0x3fffffff) >> (q >> 32) % 24;
        if ((r >> 40) % 8 == 0)
            s1 = 131072 + (int32_t)(r >> 50 & 3) - 2;
        if ((r >> 43) % 16 == 0)
            s1 = -(int32_t)(r >> 50);
        if ((q >> 43) % 16 == 0)
            s2 = (int32_t)(q >> 50 & 1);
        const double most = sqrt((double)(s1 > 0 ? s1 : 0)) * sqrt((double)s2);
        double correlation = (double)(int64_t)(r ^ q << 7) * 0x1p-63;
        if ((q >> 47) % 4 == 0)
            correlation = 1;
        const int32_t s12 = (int32_t)(most * correlation) - (int32_t)((q >> 60) & 1);
        const double limit = limits[(q >> 61) % 4];
        int64_t expected[4] = {0};
        slow_pixel(s1, s2, s12, limit, expected);
        vqx_vif_terms t;
        vqx_vif_pixel(s1, s2, s12, limit, &t);
        if (vqx_vif_log2(t.distorted) - vqx_vif_log2(t.noise) != expected[0] ||
            vqx_vif_log2(t.reference) - VQX_VIF_LOG2_NOISE != expected[1] || t.nn != expected[2] || t.dn != expected[3])
            fail_msg("s1 %d, s2 %d, s12 %d, limit %g", s1, s2, s12, limit);
    }
}

static void test_variance(void **state) {
    uint64_t random = 9;
    (void)state;
    for (uint32_t i = 0; i < 10000000; i++) {
        const uint64_t r = direct_random(&random), q = direct_random(&random);
        const uint32_t m1 = (uint32_t)r % 4294901761u, m2 = i % 3 == 0 ? m1 : (uint32_t)(r >> 32) % 4294901761u;
        unsigned __int128 product = (unsigned __int128)m1 * m2;
        const int64_t exact = (int64_t)((product >> 32) + (product >> 31 & 1));
        const int64_t variance = (int64_t)(q % 0x80010000u) - 65536; /* that it should have */
        if (exact + variance < 0 || exact + variance > 0xffffffff || variance > INT32_MAX)
            continue;
        assert_int_equal(vqx_vif_variance((uint32_t)(exact + variance), m1, m2), variance);
    }
}

static void test_reflect(void **state) {
    (void)state;
    for (int32_t n = 2; n < 40; n++) {
        int32_t at = 0, step = 1; /* walks to and fro */
        for (int32_t p = 0; p < 200; p++) {
            assert_int_equal(vqx_vif_reflect(p, n), at);
            assert_int_equal(vqx_vif_reflect(-p, n), at);
            if (at + step < 0 || at + step >= n)
                step = -step;
            at += step;
        }
    }
}

/* ---- options, names, scores ------------------------------------------------------------------------------------------ */

static void check_name(const char *options, size_t output, const char *name) {
    direct d;
    const vqx_format format = {64, 64, VQX_CHROMA_400, 8};
    assert_int_equal(direct_open(&d, &vqx_metric_vif, options, &format, 0), 0);
    assert_string_equal(d.feature.output[output], name);
    assert_int_equal(d.feature.outputs, options && strstr(options, "debug=true") ? 15 : 4);
    assert_int_equal(d.feature.planes, 1);
    direct_close(&d);
}

static void test_names(void **state) {
    (void)state;
    const char *const comma[] = {"C", "de_DE.UTF-8", "fr_FR.UTF-8"};
    for (size_t i = 0; i < sizeof(comma) / sizeof(comma[0]); i++) {
        if (!setlocale(LC_ALL, comma[i]))
            continue;
        check_name(NULL, 0, "integer_vif_scale0");
        check_name("debug=true", 4, "integer_vif");
        check_name("debug=true", 14, "integer_vif_den_scale3");
        check_name("vif_enhn_gain_limit=100", 3, "integer_vif_scale3");
        check_name("vif_enhn_gain_limit=1.0", 0, "integer_vif_scale0_egl_1");
        check_name("vif_enhn_gain_limit=2.7182818", 1, "integer_vif_scale1_egl_2.71828");
        check_name("vif_enhn_gain_limit=99.9999", 1, "integer_vif_scale1_egl_99.9999");
        check_name("vif_enhn_gain_limit=10", 1, "integer_vif_scale1_egl_10");
        check_name("vif_enhn_gain_limit=1.00001", 1, "integer_vif_scale1_egl_1.00001");
        check_name("vif_skip_scale0=true", 2, "integer_vif_scale2_ssclz");
        check_name("vif_skip_scale0=true:vif_enhn_gain_limit=1.25:debug=true", 5, "integer_vif_num_egl_1.25_ssclz");
    }
    setlocale(LC_ALL, "C");
}

static void test_refusals(void **state) {
    static const char *const bad[] = {"vif_enhn_gain_limit=0.99", "vif_enhn_gain_limit=101", "vif_enhn_gain_limit=nan",
                                      "vif_enhn_gain_limit=x",    "vif_skip_scale0=1",       "egl=2"};
    vqx_message_text message = {""};
    _Alignas(8) char values[64];
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(vqx_option_parse(vqx_metric_vif.options, "vif", bad[i], values, &message), -EINVAL);
    for (uint32_t side = 0; side < 2; side++) {
        vqx_feature feature = {
            .metric = &vqx_metric_vif, .options = values, .format = {side ? 8 : 7, side ? 7 : 8, VQX_CHROMA_420, 8}};
        assert_int_equal(vqx_option_parse(vqx_metric_vif.options, "vif", NULL, values, &message), 0);
        assert_int_equal(vqx_metric_vif.setup(&feature, &message), -ENOTSUP);
        assert_string_equal(message.text, side ? "vif: 8x7 is too small: both sides must be at least 8"
                                               : "vif: 7x8 is too small: both sides must be at least 8");
    }
}

static void test_scores(void **state) {
    direct d;
    const vqx_format format = {64, 64, VQX_CHROMA_400, 8};
    const uint64_t none[VQX_VIF_SUMS] = {0};
    double output[VQX_MAX_OUTPUTS];
    (void)state;
    assert_int_equal(direct_open(&d, &vqx_metric_vif, "debug=true", &format, 0), 0);
    vqx_metric_vif.finish_frame(&d.feature, none, output);
    assert_true(output[4] == 1.0 && output[6] == 0 && isnan(output[0]));
    direct_close(&d);
    assert_int_equal(direct_open(&d, &vqx_metric_vif, "debug=true:vif_skip_scale0=true", &format, 0), 0);
    vqx_metric_vif.finish_frame(&d.feature, none, output);
    assert_true(output[0] == 0 && output[7] == 0 && output[8] == -1 && output[6] == 0);
    direct_close(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_synthetic_inputs),
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_small_sizes),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_how_many_parts),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_scratch),
        cmocka_unit_test(test_log2_table),
        cmocka_unit_test(test_log2),
        cmocka_unit_test(test_log2_by_piece),
        cmocka_unit_test(test_pixel),
        cmocka_unit_test(test_variance),
        cmocka_unit_test(test_reflect),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
