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
