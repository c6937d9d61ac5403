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

/* The means of the task's pictures, their windows' rows in `parts` parts: of the sums where they settle them, else in raster
 * order, as where parts is 0. */
static void means_of(const vqx_ssim_forms *forms, vqx_ssim_task task, uint32_t parts, double mean[VQX_SSIM_MEANS]) {
    const uint32_t across = task.ref.plane.width - 10, down = task.ref.plane.height - 10;
    vqx_ssim_sum total[VQX_SSIM_MEANS] = {{0, 0}}, sum[VQX_SSIM_MEANS], ordered[VQX_SSIM_MEANS];
    void *scratch = scratch_of(forms, across + 10, down + 10);
    for (uint32_t p = 0; p < parts; p++) {
        task.rows = vqx_ssim_part(down, p, parts);
        forms->windows(&task, scratch, sum);
        for (int i = 0; i < VQX_SSIM_MEANS; i++) {
            total[i].sum += sum[i].sum;
            total[i].off += sum[i].off;
        }
    }
    task.rows = (vqx_ssim_rows){0, down};
    task.ordered = true;
    forms->windows(&task, scratch, ordered);
    for (int i = 0; i < VQX_SSIM_MEANS; i++) {
        assert_true(ordered[i].off == 0);
        assert_true(vqx_ssim_mean(ordered[i], across * down, &mean[i]));
        if (parts && fabs(total[i].sum - ordered[i].sum) > total[i].off)
            fail_msg("term %d, %u parts: the sum %a is not within %a of %a", i, parts, total[i].sum, total[i].off, ordered[i].sum);
        if (parts && !vqx_ssim_mean(total[i], across * down, &mean[i]))
            vqx_ssim_mean(ordered[i], across * down, &mean[i]);
    }
    free(scratch);
}

/* Means of two pictures in all forms, in raster order and of the sums of parts. */
static void check_windows(uint32_t w, uint32_t h, uint32_t bits, ssim_kind kind, uint64_t *random) {
    static const uint32_t parts[] = {0, 1, 2, 5};
    void *memory[2];
    vqx_ssim_task task = {.wanted = (1u << VQX_SSIM_MEANS) - 1};
    task.ref = ssim_picture(w, h, bits, kind, random, &memory[0]);
    task.dis = ssim_picture(w, h, bits, kind, random, &memory[1]);
    double expected[VQX_SSIM_MEANS];
    for (vqx_cpu_level level = 0; level <= vqx_cpu_best(0); level++)
        for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
            const vqx_ssim_forms forms = vqx_ssim_forms_of(level);
            const bool first = level == 0 && p == 0;
            double mean[VQX_SSIM_MEANS];
            means_of(&forms, task, parts[p], first ? expected : mean);
            for (int i = 0; i < VQX_SSIM_MEANS && !first; i++)
                if (!direct_same(mean[i], expected[i]))
                    fail_msg("%ux%u, %u bits, kind %d, %s form, %u parts: mean %d is %a instead of %a", w, h, bits, kind,
                             vqx_cpu_level_name(level), parts[p], i, mean[i], expected[i]);
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

/* Rows of a smaller picture, f = 0: of half the size. */
static void make_smaller(const vqx_ssim_forms *forms, const vqx_ssim_picture *picture, uint32_t f, vqx_ssim_rows rows, float *to) {
    void *scratch = scratch_of(forms, picture->plane.width, picture->plane.height);
    if (f)
        forms->box(picture, f, rows, to, scratch);
    else
        forms->halve(picture, rows, to, scratch);
    free(scratch);
}

/* All forms, whole and of some rows only. */
static void check_smaller(const vqx_ssim_picture *picture, uint32_t f, ssim_kind kind) {
    const uint32_t w = picture->plane.width, h = picture->plane.height;
    const uint32_t ow = f ? vqx_ssim_box_side(w, f) : (w + 1) / 2, oh = f ? vqx_ssim_box_side(h, f) : (h + 1) / 2;
    const vqx_ssim_rows all = {0, oh}, some = vqx_ssim_part(oh, oh % 5, 5);
    float *const expected = malloc(ow * oh * sizeof(float)), *const to = malloc(ow * oh * sizeof(float));
    assert_non_null(expected);
    assert_non_null(to);
    const vqx_ssim_forms definition = vqx_ssim_forms_of(0);
    make_smaller(&definition, picture, f, all, expected);
    for (vqx_cpu_level level = 0; level <= vqx_cpu_best(0); level++)
        for (int whole = 0; whole < 2; whole++) {
            const vqx_ssim_forms forms = vqx_ssim_forms_of(level);
            const vqx_ssim_rows rows = whole ? all : some;
            memset(to, 0xff, ow * oh * sizeof(float));
            make_smaller(&forms, picture, f, rows, to);
            for (uint32_t i = 0; i < ow * oh; i++)
                if (i / ow < rows.first || i / ow >= rows.end ? !isnan(to[i]) : to[i] != expected[i])
                    fail_msg("%ux%u, %u bits, kind %d, %s form, f %u: sample %u of row %u is %a instead of %a", w, h, picture->bits,
                             kind, vqx_cpu_level_name(level), f, i % ow, i / ow, to[i], expected[i]);
        }
    free(to);
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
