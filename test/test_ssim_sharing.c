/* float_ssim beside float_ms_ssim: where it takes its means out of the other's pass, every score is the one that it has alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "src/context.h"
#include "test/pairs.h"

#define FRAMES 4

static vqx_context *run(const vqx_format *format, const char *const *features, const vqx_config *config) {
    pairs p;
    vqx_context *c = pairs_context(format, features, config);
    assert_int_equal(pairs_open(&p, format, vqx_planes(c), NULL, NULL), 0);
    for (uint64_t i = 0; i < FRAMES; i++)
        assert_int_equal(pairs_submit(&p, c, i), 0);
    assert_int_equal(vqx_finish(c), 0);
    pairs_close(&p);
    return c;
}

/* All scores of `alone` are among those of `both`, with the same bits. */
static void check_scores(const vqx_context *alone, const vqx_context *both) {
    for (size_t a = 0; a < vqx_output_count(alone); a++) {
        size_t b = 0;
        while (b < vqx_output_count(both) && strcmp(vqx_output_name(both, b), vqx_output_name(alone, a)) != 0)
            b++;
        assert_true(b < vqx_output_count(both));
        for (uint64_t i = 0; i < FRAMES; i++) {
            double x = 0, y = 0;
            assert_int_equal(vqx_score(alone, a, i, &x), vqx_score(both, b, i, &y));
            if (vqx_bits_of_f64(x) != vqx_bits_of_f64(y))
                fail_msg("%s of frame %d is %a instead of %a", vqx_output_name(alone, a), (int)i, y, x);
        }
    }
}

/* shared: float_ssim has no pass of its own. */
static void check(const vqx_format *format, const char *ssim, const char *ms_ssim, const vqx_config *config, bool shared) {
    const char *const feature[] = {ssim, ms_ssim, ssim, NULL}, *const only[2][2] = {{ssim}, {ms_ssim}};
    vqx_context *alone[2] = {run(format, only[0], config), run(format, only[1], config)};
    for (int first = 0; first < 2; first++) {
        const char *const two[] = {feature[first], feature[first + 1], NULL};
        vqx_context *both = run(format, two, config);
        assert_int_equal(both->entry[first].leader, shared ? 1 - first : first);
        assert_int_equal(both->entry[1 - first].leader, 1 - first);
        check_scores(alone[0], both);
        check_scores(alone[1], both);
        vqx_close(&both);
    }
    vqx_close(&alone[0]);
    vqx_close(&alone[1]);
}

static const char *const ms_ssim[] = {"float_ms_ssim", "float_ms_ssim=enable_lcs=true", "float_ms_ssim=enable_db=true"};

static void taken(void **state) {
    (void)state;
    static const char *const ssim[] = {"float_ssim", "float_ssim=scale=1:enable_lcs=true",
                                       "float_ssim=enable_db=true:clip_db=true"};
    for (uint32_t subsample = 1; subsample <= 3; subsample += 2)
        for (unsigned threads = 1; threads <= 3; threads += 2)
            for (int i = 0; i < 9; i++) {
                const vqx_format format = {201, 390, VQX_CHROMA_420, i % 2 ? 8 : 10};
                check(&format, ssim[i / 3], ms_ssim[i % 3], &(vqx_config){.threads = threads, .subsample = subsample}, true);
            }
}

/* A form that is not the fastest. */
static void definition(void **state) {
    (void)state;
    const vqx_format format = {180, 270, VQX_CHROMA_400, 8};
    check(&format, "float_ssim=enable_lcs=true", ms_ssim[1], &(vqx_config){.threads = 2, .cpumask = UINT32_MAX}, true);
}

/* Windows on smaller pictures are others. */
static void not_taken(void **state) {
    (void)state;
    const vqx_config config = {.threads = 2};
    check(&(vqx_format){201, 390, VQX_CHROMA_420, 8}, "float_ssim=scale=2", ms_ssim[0], &config, false);
    check(&(vqx_format){390, 390, VQX_CHROMA_420, 8}, "float_ssim=enable_lcs=true", ms_ssim[1], &config, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(taken), cmocka_unit_test(definition), cmocka_unit_test(not_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
