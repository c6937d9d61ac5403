#include "test/ssim_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "test/direct.h"

static uint32_t noise_word(uint32_t x, uint32_t y, unsigned plane, void *cookie) {
    (void)x, (void)y, (void)plane;
    return (uint32_t)(direct_random(cookie) >> 48);
}

vqx_frame *ssim_noise(const vqx_format *format, uint64_t *random) {
    return direct_frame(format, 7, noise_word, random);
}

void ssim_check_join(const vqx_metric *metric, const char *options, const vqx_format *format, uint64_t *random) {
    vqx_frame *const frame[2] = {ssim_noise(format, random), ssim_noise(format, random)};
    assert_non_null(frame[0]);
    assert_non_null(frame[1]);
    const vqx_pair pair = {{vqx_frame_plane(frame[0], 0)}, {vqx_frame_plane(frame[1], 0)}};
    for (vqx_cpu_level level = 0; level <= vqx_cpu_best(0); level++) {
        direct d;
        assert_int_equal(direct_open(&d, metric, options, format, level), 0);
        const size_t words = d.feature.sums, means = words / 2;
        uint64_t part[2][VQX_MAX_SUMS], joint[2 * VQX_MAX_SUMS], sums[VQX_MAX_SUMS], joined[VQX_MAX_SUMS];
        direct_pass(&d, frame, sums);
        for (uint32_t parts = 2; parts < 20; parts += parts + 1) {
            direct_parts(&d, frame, parts, joined);
            for (size_t w = 0; w < words; w++)
                if (joined[w] != sums[w])
                    fail_msg("%s, %s form: word %zu from %u parts is %a instead of %a", metric->name, vqx_cpu_level_name(level), w,
                             parts, vqx_f64_of_bits(joined[w]), vqx_f64_of_bits(sums[w]));
        }
        metric->pass(&d.feature, &pair, 0, 2, d.scratch, part[0]);
        metric->pass(&d.feature, &pair, 1, 2, d.scratch, part[1]);
        for (size_t i = 0; i < 2 * means; i++) {
            const bool settled = i >= means;
            const size_t m = i % means;
            memcpy(joint, part[0], words * sizeof(*joint));
            memcpy(joint + words, part[1], words * sizeof(*joint));
            for (size_t p = 0; p < 2; p++) {
                const double sum = vqx_f64_of_bits(part[p][m]), off = vqx_f64_of_bits(part[p][means + m]);
                assert_true(off > 0 && off < fabs(sum) * 0x1p-24);
                joint[p * words + m] = vqx_bits_of_f64(sum * (1 + 0x1p-10));
                if (!settled)
                    joint[p * words + means + m] = vqx_bits_of_f64(fabs(sum) * 0x1p-9);
            }
            metric->join(&d.feature, &pair, 2, d.scratch, joint, joined);
            for (size_t w = 0; w < words; w++)
                if ((joined[w] == sums[w]) != (!settled || w != m))
                    fail_msg("%s, %s form: word %zu is %a after mean %zu was made %s", metric->name, vqx_cpu_level_name(level), w,
                             vqx_f64_of_bits(joined[w]), m, settled ? "another one" : "open");
        }
        direct_close(&d);
    }
    for (int i = 0; i < 2; i++)
        vqx_frame_unref((vqx_frame *[]){frame[i]});
}

static float sample(uint32_t x, uint32_t y, ssim_kind kind, uint64_t *random) {
    const uint64_t r = direct_random(random);
    const float noise = (float)(r >> 40) * 0x1p-24f;
    switch (kind) {
    case SSIM_SMOOTH:
        return 128 + 100 * sinf((float)x * 0.05f) * cosf((float)y * 0.03f) + 20 * noise;
    case SSIM_NOISE:
        return 255 * noise;
    case SSIM_SIGNED:
        return 80 * noise - 20;
    case SSIM_CANCEL: /* odd about every even column */
        return x % 2 == 0 ? noise : x % 4 == 1 ? 0x1p26f : -0x1p26f;
    default:
        return (r & 7) == 0 ? 0 : ldexpf(r & 8 ? noise : -noise, -(int)(r >> 4 & 63) - (int)(r >> 10 & 15));
    }
}

vqx_ssim_picture ssim_picture(uint32_t width, uint32_t height, uint32_t bits, ssim_kind kind, uint64_t *random, void **memory) {
    const size_t bytes = bits == 8 ? 1 : bits < 32 ? 2 : 4, stride = (width + 5) * bytes;
    uint8_t *data = malloc(stride * height);
    assert_non_null(data);
    *memory = data;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint8_t *at = data + y * stride + x * bytes;
            if (bits == 32)
                *(float *)at = sample(x, y, kind, random);
            else if (bits == 8)
                *at = (uint8_t)(direct_random(random) >> 56);
            else
                *(uint16_t *)at = (uint16_t)(direct_random(random) >> 48);
        }
    return (vqx_ssim_picture){{data, (ptrdiff_t)stride, width, height}, bits};
}
