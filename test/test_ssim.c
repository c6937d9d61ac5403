/* What float_ssim and float_ms_ssim are made of: windows and smaller pictures, every form against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test/direct.h"
#include "test/ssim_input.h"

static void *scratch_of(const vqx_ssim_forms *forms, uint32_t width, uint32_t height) {
    const size_t bytes = forms->scratch(width, height);
    void *scratch = aligned_alloc(64, bytes);
    assert_non_null(scratch);
    memset(scratch, 0xff, bytes); /* no number */
    return scratch;
}

/* Means of two pictures in all forms, added in any order and in raster order. */
static void check_windows(uint32_t w, uint32_t h, uint32_t bits, ssim_kind kind, uint64_t *random) {
    void *memory[2];
    vqx_ssim_task task = {.wanted = (1u << VQX_SSIM_MEANS) - 1};
    task.ref = ssim_picture(w, h, bits, kind, random, &memory[0]);
    task.dis = ssim_picture(w, h, bits, kind, random, &memory[1]);
    double expected[VQX_SSIM_MEANS];
    for (vqx_cpu_level level = 0; level <= vqx_cpu_best(0); level++)
        for (int ordered = 0; ordered < 2; ordered++) {
            const vqx_ssim_forms forms = vqx_ssim_forms_of(level);
            void *scratch = scratch_of(&forms, w, h);
            double mean[VQX_SSIM_MEANS];
            task.ordered = ordered;
            forms.windows(&task, scratch, level == 0 ? expected : mean);
            free(scratch);
            for (int i = 0; i < VQX_SSIM_MEANS && level > 0; i++)
                if (!direct_same(mean[i], expected[i]))
                    fail_msg("%ux%u, %u bits, kind %d, %s form, %s: mean %d is %a instead of %a", w, h, bits, kind,
                             vqx_cpu_level_name(level), ordered ? "ordered" : "any order", i, mean[i], expected[i]);
        }
    free(memory[0]);
    free(memory[1]);
}

/* Sides around the widths of vectors, tiles (144 windows) and bands (44, 88, 176 rows). */
static void window_sizes(void **state) {
    (void)state;
    static const uint32_t tall[] = {11, 12, 15, 16, 17, 21, 22, 43, 44, 45, 54, 55, 87, 89, 175, 176, 177, 186, 187, 353};
    static const uint32_t broad[] = {11, 12, 13, 14, 15, 16, 17, 18, 19,  20,  22,  25,  26,  27,  28,  33,  41,  42,
                                     43, 57, 58, 59, 74, 75, 90, 91, 153, 154, 155, 156, 158, 162, 170, 171, 298, 299};
    uint64_t random = 11;
    for (size_t i = 0; i < sizeof(broad) / sizeof(broad[0]); i++)
        check_windows(broad[i], tall[i % (sizeof(tall) / sizeof(tall[0]))], i % 2 ? 8 : 16, SSIM_NOISE, &random);
    for (size_t i = 0; i < sizeof(tall) / sizeof(tall[0]); i++)
        check_windows(broad[(i * 7) % (sizeof(broad) / sizeof(broad[0]))], tall[i], i % 2 ? 10 : 12, SSIM_NOISE, &random);
}

/* fp32 samples below 0 and near it take another path, and every filter sum of them rounds. */
static void window_kinds(void **state) {
    (void)state;
    uint64_t random = 12;
    for (int kind = 0; kind < SSIM_KINDS; kind++)
        for (uint32_t i = 0; i < 6; i++)
            check_windows(11 + 37 * i, 190 - 30 * i, 32, (ssim_kind)kind, &random);
    for (int i = 0; i < 20; i++) /* a single window shows every bit */
        check_windows(11, 11, 32, SSIM_TINY, &random);
}

static void check_smaller(const vqx_ssim_picture *picture, uint32_t f, ssim_kind kind) {
    const uint32_t w = picture->plane.width, h = picture->plane.height;
    const uint32_t ow = f ? vqx_ssim_box_side(w, f) : (w + 1) / 2, oh = f ? vqx_ssim_box_side(h, f) : (h + 1) / 2;
    float *expected = NULL;
    for (vqx_cpu_level level = 0; level <= vqx_cpu_best(0); level++) {
        const vqx_ssim_forms forms = vqx_ssim_forms_of(level);
        void *scratch = scratch_of(&forms, w, h);
        float *to = malloc(ow * oh * sizeof(float));
        assert_non_null(to);
        if (f)
            forms.box(picture, f, to, scratch);
        else
            forms.halve(picture, to, scratch);
        free(scratch);
        if (level == 0) {
            expected = to;
            continue;
        }
        for (uint32_t i = 0; i < ow * oh; i++)
            if (to[i] != expected[i])
                fail_msg("%ux%u, %u bits, kind %d, %s form, f %u: sample %u of row %u is %a instead of %a", w, h, picture->bits,
                         kind, vqx_cpu_level_name(level), f, i % ow, i / ow, to[i], expected[i]);
        free(to);
    }
    free(expected);
}

static void box(void **state) {
    (void)state;
    static const uint32_t depth[] = {8, 10, 12, 16};
    static const uint32_t factor[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 17, 24, 31, 32, 63, 64, 97, 127, 128, 129};
    uint64_t random = 13;
    void *memory;
    for (uint32_t i = 0; i < 4 * sizeof(factor) / sizeof(factor[0]); i++) {
        const uint32_t f = factor[i / 4];
        const vqx_ssim_picture p =
            ssim_picture(11 * f + i % 7 * (f / 3), (11 + i % 3) * f + i % 5, depth[i % 4], SSIM_NOISE, &random, &memory);
        check_smaller(&p, f, SSIM_NOISE);
        free(memory);
    }
}

static void halve(void **state) {
    (void)state;
    static const uint32_t side[] = {11, 12,  13,  16,  17,  22,  31,  32,  33,  34,  63,  64,
                                    65, 127, 128, 129, 255, 256, 257, 258, 259, 272, 511, 513};
    static const uint32_t depth[] = {8, 10, 12, 16, 32};
    const uint32_t sides = sizeof(side) / sizeof(side[0]);
    uint64_t random = 14;
    void *memory;
    for (uint32_t i = 0; i < 5 * sides; i++) {
        const ssim_kind kind = depth[i % 5] == 32 ? (ssim_kind)(i / 5 % SSIM_KINDS) : SSIM_NOISE;
        const vqx_ssim_picture p = ssim_picture(side[i / 5], side[i * 7 % sides], depth[i % 5], kind, &random, &memory);
        check_smaller(&p, 0, kind);
        free(memory);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(window_sizes),
        cmocka_unit_test(window_kinds),
        cmocka_unit_test(box),
        cmocka_unit_test(halve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
