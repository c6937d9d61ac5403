/* Contexts: features, start, indices, what can be read when. */
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/pairs.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define APSNR "psnr=enable_mse=true:enable_apsnr=true"

static const vqx_format small = {35, 21, VQX_CHROMA_420, 10};
static const char *const all[] = {APSNR, "float_moment", "float_psnr", NULL};

/* ---- features and start ------------------------------------------------------------------------------------------------ */

static void test_features(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        int err;
        const char *line;
    } steps[] = {
        {"psnr=enable_mse=true", 0, ""},
        {"vmaf", -ENOENT, "unknown feature 'vmaf'"},
        {"", -ENOENT, "unknown feature ''"},
        {"psn", -ENOENT, "unknown feature 'psn'"},
        {"psnr ", -ENOENT, "unknown feature 'psnr '"},
        {"=enable_mse=true", -ENOENT, "unknown feature ''"},
        {"float_moment=", -EINVAL, "float_moment: option '' has no '=value'"},
        {"float_moment=uncapped=true", -EINVAL, "float_moment: unknown option 'uncapped'"},
        {"psnr=enable_chrome=true", -EINVAL, "psnr: unknown option 'enable_chrome'"},
        {"psnr=enable_mse=true:", -EINVAL, "psnr: option '' has no '=value'"},
        {"psnr=min_sse=-1", -EINVAL, "psnr: option 'min_sse' takes 0 to 1.79769e+308, not '-1'"},
        {"psnr", -EEXIST, "psnr: requested twice with different options"},
        {"psnr=enable_mse=false", -EEXIST, "psnr: requested twice with different options"},
        {"psnr=enable_mse=true", 0, NULL},
        {"psnr=enable_mse=false:enable_mse=true:min_sse=0", 0, NULL},
        {"float_moment", 0, NULL},
        /* options that change the output names make another feature */
        {"vif", 0, NULL},
        {"vif=debug=true", -EEXIST, "vif: requested twice with different options"},
        {"vif=vif_skip_scale0=true", 0, NULL},
        {"vif=vif_skip_scale0=true:debug=true", -EEXIST, "vif: requested twice with different options"},
        {"vif=vif_enhn_gain_limit=1.5", 0, NULL},
        {"vif=vif_enhn_gain_limit=1.5", 0, NULL},
    };
    vqx_context *c;
    assert_int_equal(vqx_open(&c, NULL), 0);
    assert_string_equal(vqx_message(c), "");
    for (size_t i = 0; i < LENGTH(steps); i++) {
        assert_int_equal(vqx_add_feature(c, steps[i].spec), steps[i].err);
        if (steps[i].line)
            assert_string_equal(vqx_message(c), steps[i].line);
    }
    for (int i = 0; i < 100; i++) /* one metric counts once, however often it is requested */
        assert_int_equal(vqx_add_feature(c, "float_moment"), 0);
    assert_int_equal(vqx_start(c, &small), 0);
    assert_int_equal(vqx_add_feature(c, "float_psnr"), -EBUSY);
    assert_string_equal(vqx_message(c), "float_psnr: cannot be added after the start");
    static const char *const name[] = {"psnr_y",
                                       "mse_y",
                                       "psnr_cb",
                                       "mse_cb",
                                       "psnr_cr",
                                       "mse_cr",
                                       "float_moment_ref1st",
                                       "float_moment_dis1st",
                                       "float_moment_ref2nd",
                                       "float_moment_dis2nd",
                                       "integer_vif_scale0",
                                       "integer_vif_scale1",
                                       "integer_vif_scale2",
                                       "integer_vif_scale3",
                                       "integer_vif_scale0_ssclz",
                                       "integer_vif_scale1_ssclz",
                                       "integer_vif_scale2_ssclz",
                                       "integer_vif_scale3_ssclz",
                                       "integer_vif_scale0_egl_1.5",
                                       "integer_vif_scale1_egl_1.5",
                                       "integer_vif_scale2_egl_1.5",
                                       "integer_vif_scale3_egl_1.5"};
    assert_int_equal(vqx_output_count(c), LENGTH(name));
    for (size_t o = 0; o < LENGTH(name); o++) {
        assert_string_equal(vqx_output_name(c, o), name[o]);
        assert_string_equal(vqx_output_metric(c, o), o < 6 ? "psnr" : o < 10 ? "float_moment" : "vif");
    }
    assert_null(vqx_output_name(c, LENGTH(name)));
    assert_null(vqx_output_metric(c, LENGTH(name)));
    assert_int_equal(vqx_aggregate_count(c), 0);
    assert_null(vqx_aggregate_name(c, 0));
    vqx_close(&c);
    assert_null(c);
    vqx_close(&c); /* NULL is fine */
}

static void test_start(void **state) {
    (void)state;
    vqx_context *c;
    assert_int_equal(vqx_open(&c, &(vqx_config){.threads = 2}), 0);
    assert_int_equal(vqx_start(c, &small), -EINVAL);
    assert_string_equal(vqx_message(c), "no feature was requested");
    assert_int_equal(vqx_add_feature(c, APSNR), 0);
    assert_int_equal(vqx_start(c, &(vqx_format){64, 48, VQX_CHROMA_420, 9}), -EINVAL);
    assert_string_equal(vqx_message(c), "pictures of 64x48, chroma format 1, 9 bits are not supported (sides 1 to 65535, fewer "
                                        "than 2^31 samples; 8, 10, 12 or 16 bits)");
    assert_int_equal(vqx_start(c, NULL), -EINVAL);
    assert_int_equal(vqx_planes(c), 0);
    /* before the start nothing can be submitted or finished, and nothing is there to be read */
    pairs p;
    assert_int_equal(pairs_open(&p, &small, 7, NULL, NULL), 0);
    assert_int_equal(pairs_submit(&p, c, 0), -EINVAL);
    assert_string_equal(vqx_message(c), "frame 0: submitted before the start");
    assert_int_equal(vqx_finish(c), -EINVAL);
    assert_string_equal(vqx_message(c), "finished before the start");
    assert_int_equal(vqx_frame_count(c), 0);
    assert_int_equal(vqx_output_count(c), 0);
    assert_int_equal(vqx_finished(c), 0);
    /* a start that failed can be made good, and leaves nothing behind */
    assert_int_equal(vqx_add_feature(c, "float_moment"), 0);
    assert_int_equal(vqx_add_feature(c, "float_psnr"), 0);
    assert_int_equal(vqx_start(c, &small), 0);
    assert_int_equal(vqx_planes(c), 7);
    assert_int_equal(vqx_start(c, &small), -EBUSY);
    assert_string_equal(vqx_message(c), "scoring has started already");
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(pairs_submit(&p, c, i), 0);
    assert_int_equal(vqx_finish(c), 0);
    assert_int_equal(vqx_start(c, &small), -EBUSY);
    pairs_check(c, &small, all, 1, 3);
    vqx_close(&c);
    pairs_close(&p);
}

static void test_planes(void **state) {
    (void)state;
    static const struct {
        const char *features[3];
        vqx_chroma chroma;
        unsigned planes;
    } cases[] = {
        {{"float_moment"}, VQX_CHROMA_444, 1}, {{"psnr=enable_chroma=false"}, VQX_CHROMA_420, 1}, {{"psnr"}, VQX_CHROMA_422, 7},
        {{"psnr"}, VQX_CHROMA_400, 1},         {{"float_psnr", "psnr"}, VQX_CHROMA_420, 7},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        vqx_context *c;
        assert_int_equal(vqx_open(&c, &(vqx_config){.threads = 1}), 0);
        for (size_t f = 0; cases[i].features[f]; f++)
            assert_int_equal(vqx_add_feature(c, cases[i].features[f]), 0);
        assert_int_equal(vqx_start(c, &(vqx_format){16, 16, cases[i].chroma, 8}), 0);
        assert_int_equal(vqx_planes(c), cases[i].planes);
        vqx_close(&c);
    }
}

static atomic_int lines;

static void count_line(void *cookie, vqx_log_level level, const char *line) {
    assert_ptr_equal(cookie, &lines);
    assert_in_range(level, VQX_LOG_ERROR, VQX_LOG_DEBUG);
    assert_true(line[0] && !strchr(line, '\n'));
    atomic_fetch_add(&lines, 1);
}

static void test_forms(void **state) {
    (void)state;
    assert_string_equal(vqx_cpu_form(UINT32_MAX), "definition");
    assert_string_equal(vqx_cpu_form(VQX_CPU_BASELINE), "definition");
    assert_true(vqx_cpu_flags() & VQX_CPU_BASELINE);
    static const uint32_t below_avx2[] = {VQX_CPU_SSSE3, VQX_CPU_SSE41, VQX_CPU_AVX2, ~VQX_CPU_BASELINE};
    for (size_t i = 0; i < LENGTH(below_avx2); i++)
        assert_string_equal(vqx_cpu_form(below_avx2[i]), "baseline");
    const char *avx512 = vqx_cpu_flags() & VQX_CPU_AVX512 ? "avx512" : vqx_cpu_flags() & VQX_CPU_AVX2 ? "avx2" : "baseline";
    assert_string_equal(vqx_cpu_form(VQX_CPU_AVX512ICL), avx512);
    assert_string_equal(vqx_cpu_form(0), vqx_cpu_flags() & VQX_CPU_AVX512ICL ? "avx512icl" : avx512);
    assert_string_equal(vqx_cpu_form(VQX_CPU_AVX512), vqx_cpu_flags() & VQX_CPU_AVX2 ? "avx2" : "baseline");
    static const uint32_t masks[] = {UINT32_MAX, ~VQX_CPU_BASELINE, VQX_CPU_AVX512, VQX_CPU_AVX512ICL, 0};
    for (size_t i = 0; i < LENGTH(masks); i++) {
        vqx_context *c = pairs_context(&small, all, &(vqx_config){.cpumask = masks[i], .log = count_line, .log_cookie = &lines});
        pairs p;
        assert_int_equal(pairs_open(&p, &small, vqx_planes(c), NULL, NULL), 0);
        for (unsigned n = 0; n < 3; n++)
            assert_int_equal(pairs_submit(&p, c, n), 0);
        assert_int_equal(vqx_finish(c), 0);
        pairs_check(c, &small, all, 1, 3);
        vqx_close(&c);
        pairs_close(&p);
    }
    assert_true(lines > 0);
}

/* ---- subsampling ------------------------------------------------------------------------------------------------------- */

static int count_calls(void *cookie, unsigned side, uint64_t position) {
    atomic_int(*calls)[2] = cookie;
    (void)position;
    atomic_fetch_add(&(*calls)[side], 1);
    return 0;
}

static void test_subsample(void **state) {
    (void)state;
    enum { STEP = 5, COUNT = 23 };
    static const char *const moment[] = {"float_moment", NULL};
    /* psnr is of every frame; the files and the pooling are not */
    vqx_context *c = pairs_context(&small, all, &(vqx_config){.threads = 3, .subsample = STEP});
    pairs p;
    assert_int_equal(pairs_open(&p, &small, vqx_planes(c), NULL, NULL), 0);
    for (uint64_t i = COUNT; i-- > 0;) {
        assert_int_equal(vqx_frame_wanted(c, i), 1);
        assert_int_equal(pairs_submit(&p, c, i), 0);
    }
    assert_int_equal(vqx_finish(c), 0);
    assert_int_equal(vqx_frame_count(c), COUNT);
    pairs_check(c, &small, all, STEP, COUNT);
    size_t words;
    uint64_t *every = pairs_expected(&small, all, 1, COUNT, &words), *got = pairs_results(c, &words);
    assert_memory_equal(got + words - 6, every + words - 6, 6 * sizeof(*got)); /* apsnr is of all frames */
    free(every);
    free(got);
    for (size_t o = 0; o < vqx_output_count(c); o++) {
        const bool sparse = strcmp(vqx_output_metric(c, o), "psnr") != 0;
        double value, sum = 0, score;
        unsigned n = 0;
        for (uint64_t i = 0; i < COUNT; i++) {
            assert_int_equal(vqx_frame_listed(c, i), i % STEP == 0);
            assert_int_equal(vqx_score(c, o, i, &score), sparse && i % STEP ? -ENOENT : 0);
            if (i % STEP == 0) {
                sum += score;
                n++;
            }
        }
        assert_int_equal(vqx_pooled(c, o, "mean", &value), 0);
        assert_true(value == sum / n);
    }
    vqx_close(&c);
    pairs_close(&p);
    /* a pair that no feature looks at is not made, nor scored */
    atomic_int calls[2] = {0, 0};
    c = pairs_context(&small, moment, &(vqx_config){.threads = 2, .subsample = STEP});
    assert_int_equal(pairs_open(&p, &small, vqx_planes(c), count_calls, &calls), 0);
    for (uint64_t i = 0; i < COUNT; i++) {
        assert_int_equal(vqx_frame_wanted(c, i), i % STEP == 0);
        assert_int_equal(pairs_submit(&p, c, i), 0);
    }
    assert_int_equal(vqx_finish(c), 0);
    assert_int_equal(calls[0], 5);
    assert_int_equal(calls[1], 5);
    pairs_check(c, &small, moment, STEP, COUNT);
    vqx_close(&c);
    pairs_close(&p);
}

/* ---- indices ----------------------------------------------------------------------------------------------------------- */

static void test_gaps(void **state) {
    (void)state;
    static const uint64_t index[] = {0, 70001, 3, 700, 256, 255};
    static const char *const features[] = {"psnr", "float_moment", NULL};
    vqx_context *c = pairs_context(&small, features, &(vqx_config){.threads = 2});
    pairs p;
    assert_int_equal(pairs_open(&p, &small, vqx_planes(c), NULL, NULL), 0);
    for (size_t i = 0; i < LENGTH(index); i++)
        assert_int_equal(pairs_submit(&p, c, index[i]), 0);
    assert_int_equal(vqx_finish(c), 0);
    assert_int_equal(vqx_frame_count(c), 70002);
    size_t words;
    double score, value;
    uint64_t *dense = pairs_expected(&small, features, 1, 701, &words);
    for (size_t o = 0; o < vqx_output_count(c); o++) {
        unsigned found = 0;
        for (uint64_t i = 0; i < 70002; i++) {
            const int err = vqx_score(c, o, i, &score);
            assert_true(err == 0 || err == -ENOENT);
            found += err == 0;
            if (err == 0 && i < 701)
                assert_memory_equal(&score, &dense[3 + o * 2 * (701 + 7) + 2 * i + 1], sizeof(score));
        }
        assert_int_equal(found, LENGTH(index));
        for (size_t i = 0; i < LENGTH(index); i++)
            assert_int_equal(vqx_score(c, o, index[i], &score), 0);
        assert_int_equal(vqx_pooled(c, o, "mean", &value), -ENOENT);
    }
    free(dense);
    assert_int_equal(vqx_score(c, 0, 70002, &score), -ENOENT);
    assert_int_equal(vqx_score(c, 0, UINT64_MAX, &score), -ENOENT);
    assert_int_equal(vqx_score(c, vqx_output_count(c), 0, &score), -EINVAL);
    assert_int_equal(vqx_score(c, SIZE_MAX, 0, &score), -EINVAL);
    assert_int_equal(vqx_pooled(c, vqx_output_count(c), "mean", &value), -EINVAL);
    assert_int_equal(vqx_pooled(c, 0, "meen", &value), -EINVAL);
    assert_int_equal(vqx_pooled(c, 0, "p101", &value), -EINVAL);
    assert_int_equal(vqx_pooling_check("p99"), 0);
    assert_int_equal(vqx_pooling_check("average"), -EINVAL);
    assert_int_equal(vqx_aggregate(c, 0, &value), -EINVAL);
    vqx_close(&c);
    pairs_close(&p);
}

/* The highest index there is; what lies between takes no memory for scores. */
static void test_highest_index(void **state) {
    (void)state;
    static const char *const features[] = {"float_moment", NULL};
    vqx_context *c = pairs_context(&small, features, &(vqx_config){.threads = 1});
    pairs p;
    assert_int_equal(pairs_open(&p, &small, vqx_planes(c), NULL, NULL), 0);
    assert_int_equal(pairs_submit(&p, c, (uint64_t)UINT32_MAX + 1), -EINVAL);
    assert_string_equal(vqx_message(c), "frame 4294967296: index out of range");
    assert_int_equal(pairs_submit(&p, c, UINT64_MAX), -EINVAL);
    assert_int_equal(pairs_submit(&p, c, UINT32_MAX), 0);
    assert_int_equal(vqx_finish(c), 0);
    assert_int_equal(vqx_frame_count(c), (uint64_t)UINT32_MAX + 1);
    double score, value;
    assert_int_equal(vqx_score(c, 0, UINT32_MAX, &score), 0);
    assert_int_equal(vqx_score(c, 0, 0, &score), -ENOENT);
    assert_int_equal(vqx_pooled(c, 0, "median", &value), -ENOENT);
    vqx_close(&c);
    pairs_close(&p);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        vqx_format format;
        unsigned planes;
    } wrong[] = {
        {{34, 21, VQX_CHROMA_420, 10}, 7}, {{35, 20, VQX_CHROMA_420, 10}, 7}, {{35, 21, VQX_CHROMA_422, 10}, 7},
        {{35, 21, VQX_CHROMA_420, 12}, 7}, {{35, 21, VQX_CHROMA_420, 8}, 7},  {{35, 21, VQX_CHROMA_420, 10}, 3},
        {{35, 21, VQX_CHROMA_420, 10}, 6},
    };
    vqx_context *c = pairs_context(&small, all, &(vqx_config){.threads = 2});
    int given = 0;
    atomic_int released = 0;
    /* both references are taken over, also on failure */
    for (size_t i = 0; i < LENGTH(wrong); i++)
        for (int side = 0; side < 2; side++) {
            vqx_frame *bad = pairs_wrapped(&wrong[i].format, wrong[i].planes, &released),
                      *good = pairs_wrapped(&small, 7, &released);
            assert_int_equal(vqx_submit(c, 4, side ? good : bad, side ? bad : good), -EINVAL);
            assert_string_equal(vqx_message(c), "frame 4: format or planes differ from the start");
            assert_int_equal(released, given += 2);
        }
    assert_int_equal(vqx_submit(c, UINT64_MAX, pairs_wrapped(&small, 7, &released), pairs_wrapped(&small, 7, &released)), -EINVAL);
    assert_int_equal(released, given += 2);
    assert_int_equal(vqx_submit(c, 4, pairs_wrapped(&small, 7, &released), pairs_wrapped(&small, 7, &released)),
                     0); /* what was refused has not used the index */
    assert_int_equal(vqx_submit(c, 4, pairs_wrapped(&small, 7, &released), pairs_wrapped(&small, 7, &released)), -EEXIST);
    assert_string_equal(vqx_message(c), "frame 4: submitted twice");
    vqx_frame *both = pairs_wrapped(&small, 7, &released); /* one picture may be both sides */
    assert_int_equal(vqx_submit(c, 5, vqx_frame_ref(both), both), 0);
    assert_int_equal(vqx_finish(c), 0);
    assert_int_equal(released, given += 5);
    assert_int_equal(vqx_submit(c, 6, pairs_wrapped(&small, 7, &released), pairs_wrapped(&small, 7, &released)), -EINVAL);
    assert_string_equal(vqx_message(c), "frame 6: submitted after the end");
    assert_int_equal(released, given += 2);
    assert_int_equal(vqx_frame_count(c), 6);
    vqx_close(&c);
    assert_int_equal(released, given);
}

/* ---- end ----------------------------------------------------------------------------------------------------------------- */

static void test_finish(void **state) {
    (void)state;
    vqx_context *c = pairs_context(&small, all, &(vqx_config){.threads = 2});
    pairs p;
    double value;
    assert_int_equal(pairs_open(&p, &small, vqx_planes(c), NULL, NULL), 0);
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(pairs_submit(&p, c, i), 0);
    /* nothing is readable before the end */
    assert_int_equal(vqx_frame_count(c), 0);
    assert_int_equal(vqx_score(c, 0, 0, &value), -ENOENT);
    assert_int_equal(vqx_pooled(c, 0, "mean", &value), -ENOENT);
    assert_int_equal(vqx_aggregate(c, 0, &value), -ENOENT);
    assert_int_equal(vqx_aggregate(c, 99, &value), -EINVAL);
    assert_int_equal(vqx_aggregate_count(c), 3);
    assert_string_equal(vqx_aggregate_name(c, 0), "apsnr_y");
    assert_string_equal(vqx_aggregate_name(c, 2), "apsnr_cr");
    assert_null(vqx_aggregate_name(c, 3));
    for (int again = 0; again < 3; again++) {
        assert_int_equal(vqx_finish(c), 0);
        assert_int_equal(vqx_finished(c), 10);
        pairs_check(c, &small, all, 1, 10);
    }
    vqx_close(&c);
    pairs_close(&p);
}

/* Each pair has the scores that it has alone, and the aggregate is that of all pairs. */
static void test_scores(void **state) {
    (void)state;
    enum { COUNT = 7 };
    vqx_context *c = pairs_context(&small, all, &(vqx_config){.threads = 2});
    pairs p;
    double sum = 0, aggregate, score, alone;
    assert_int_equal(pairs_open(&p, &small, vqx_planes(c), NULL, NULL), 0);
    for (unsigned i = 0; i < COUNT; i++)
        assert_int_equal(pairs_submit(&p, c, i), 0);
    assert_int_equal(vqx_finish(c), 0);
    for (unsigned i = 0; i < COUNT; i++) {
        vqx_context *one = pairs_context(&small, all, &(vqx_config){.threads = 1});
        vqx_frame *frame[2];
        for (unsigned s = 0; s < 2; s++)
            assert_int_equal(pairs_frame(&p, s, i, &frame[s]), 0);
        assert_int_equal(vqx_submit(one, 0, frame[0], frame[1]), 0);
        assert_int_equal(vqx_finish(one), 0);
        for (size_t o = 0; o < vqx_output_count(c); o++) {
            assert_int_equal(vqx_score(c, o, i, &score), 0);
            assert_int_equal(vqx_score(one, o, 0, &alone), 0);
            assert_memory_equal(&score, &alone, sizeof(score));
            if (strcmp(vqx_output_name(c, o), "mse_y") == 0)
                sum += score;
        }
        vqx_close(&one);
    }
    assert_string_equal(vqx_aggregate_name(c, 0), "apsnr_y");
    assert_int_equal(vqx_aggregate(c, 0, &aggregate), 0);
    const double expected = 10 * log10(1023.0 * 1023 * COUNT / sum);
    assert_true(fabs(aggregate - expected) < 1e-9);
    vqx_close(&c);
    pairs_close(&p);
}

static void test_no_frames(void **state) {
    (void)state;
    vqx_context *c = pairs_context(&small, all, &(vqx_config){.threads = 2});
    double value;
    assert_int_equal(vqx_finish(c), 0);
    assert_int_equal(vqx_frame_count(c), 0);
    assert_int_equal(vqx_finished(c), 0);
    assert_int_equal(vqx_score(c, 0, 0, &value), -ENOENT);
    assert_int_equal(vqx_pooled(c, 0, "mean", &value), -ENOENT);
    assert_int_equal(vqx_pooled(c, 0, "median", &value), -ENOENT);
    vqx_close(&c);
}

/* The caller's rounding mode neither shows in the results nor is lost. */
static void test_rounding_mode(void **state) {
    (void)state;
    static const vqx_format format = {192, 180, VQX_CHROMA_420, 10};
    static const char *const features[] = {"float_ssim", "float_ms_ssim", "vif", "psnr=enable_apsnr=true:min_sse=0.1", NULL};
    fesetround(FE_UPWARD);
    vqx_context *c = pairs_context(&format, features, &(vqx_config){.threads = 2});
    pairs p;
    assert_int_equal(pairs_open(&p, &format, vqx_planes(c), NULL, NULL), 0);
    for (uint64_t index = 0; index < 3; index++)
        assert_int_equal(pairs_submit(&p, c, index), 0);
    assert_int_equal(vqx_finish(c), 0);
    size_t words, expected_words;
    uint64_t *results = pairs_results(c, &words);
    assert_int_equal(fegetround(), FE_UPWARD);
    fesetround(FE_TONEAREST);
    uint64_t *expected = pairs_expected(&format, features, 1, 3, &expected_words);
    assert_non_null(results);
    assert_non_null(expected);
    assert_int_equal(words, expected_words);
    assert_memory_equal(results, expected, words * sizeof(*results));
    free(results);
    free(expected);
    vqx_close(&c);
    pairs_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_features),      cmocka_unit_test(test_start),     cmocka_unit_test(test_planes),
        cmocka_unit_test(test_forms),         cmocka_unit_test(test_subsample), cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_highest_index), cmocka_unit_test(test_refused),   cmocka_unit_test(test_finish),
        cmocka_unit_test(test_scores),        cmocka_unit_test(test_no_frames), cmocka_unit_test(test_rounding_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
