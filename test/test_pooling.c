/* Pooling of scores: the vectors of the reference, and the methods it does not have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/pooling.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static uint64_t bits(double value) {
    uint64_t pattern;
    memcpy(&pattern, &value, sizeof pattern);
    return pattern;
}

/* Bit for bit, except that all NaNs are one. */
static void assert_same(double value, double expected, const char *what) {
    if (isnan(expected) ? !isnan(value) : bits(value) != bits(expected))
        fail_msg("%s: %a (%.17g) instead of %a (%.17g)", what, value, value, expected, expected);
}

static double pool(const char *method, const double *score, size_t n) {
    struct vqx_pooling pooling;
    double value = -99.0;
    assert_int_equal(vqx_pooling_parse(method, &pooling), 0);
    assert_int_equal(vqx_pooling_value(&pooling, score, n, &value), 0);
    return value;
}

#define ASSERT_POOL(method, expected, ...)                                                     \
    do {                                                                                       \
        const double score[] = {__VA_ARGS__};                                                  \
        assert_same(pool(method, score, LENGTH(score)), expected, method " of " #__VA_ARGS__); \
    } while (0)

/* ---- vectors ------------------------------------------------------------------------------------------------------- */

struct row {
    char series[128]; /* case, features and output, with tabs between */
    char where[16];
    double value;
};

static struct row *read_rows(const char *path, size_t *count) {
    FILE *file = fopen(path, "r");
    struct row *rows = NULL;
    char line[512];
    *count = 0;
    if (!file)
        fail_msg("%s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, file)) {
        char name[32], features[64], where[16], output[32], hex[32];
        if (line[0] == '#')
            continue;
        assert_int_equal(sscanf(line, "%31[^\t]\t%63[^\t]\t%15[^\t]\t%31[^\t]\t%*s %31s", name, features, where, output, hex), 5);
        rows = realloc(rows, (*count + 1) * sizeof *rows);
        assert_non_null(rows);
        struct row *row = &rows[(*count)++];
        const int length = snprintf(row->series, sizeof row->series, "%s\t%s\t%s", name, features, output);
        assert_in_range(length, 1, sizeof row->series - 1);
        strcpy(row->where, where);
        row->value = strtod(hex, NULL);
    }
    fclose(file);
    return rows;
}

static int frame_of(const struct row *row) {
    return row->where[0] >= '0' && row->where[0] <= '9' ? atoi(row->where) : -1;
}

static void test_vectors(void **state) {
    static const char *const methods[] = {"min", "max", "mean", "harmonic_mean"};
    size_t count, checked[LENGTH(methods)] = {0};
    struct row *rows = read_rows(VQX_TEST_VECTORS "/psnr_ssim_moment.tsv", &count);
    (void)state;
    for (size_t i = 0; i < count; i++) {
        for (size_t m = 0; m < LENGTH(methods); m++) {
            if (strcmp(rows[i].where, methods[m]))
                continue;
            double score[16];
            size_t n = 0;
            int last = -1;
            for (size_t k = 0; k < count; k++) {
                if (frame_of(&rows[k]) < 0 || strcmp(rows[k].series, rows[i].series))
                    continue;
                assert_true(frame_of(&rows[k]) > last);
                assert_true(n < LENGTH(score));
                last = frame_of(&rows[k]);
                score[n++] = rows[k].value;
            }
            assert_true(n > 0);
            char what[160];
            snprintf(what, sizeof what, "%s\t%s", rows[i].series, methods[m]);
            assert_same(pool(methods[m], score, n), rows[i].value, what);
            checked[m]++;
        }
    }
    for (size_t m = 0; m < LENGTH(methods); m++)
        assert_true(checked[m] > 100);
    free(rows);
}

/* ---- the four methods of the reference, where the vectors do not reach -------------------------------------------- */

static void test_order_of_operations(void **state) {
    (void)state;
    /* 1e16 + 1 + 1 in this order stays 1e16; any other order does not. */
    ASSERT_POOL("mean", 1e16 / 3.0, 1e16, 1.0, 1.0);
    ASSERT_POOL("mean", (1e16 + 2.0) / 3.0, 1.0, 1.0, 1e16);
    ASSERT_POOL("mean", 0.1, 0.1);
    ASSERT_POOL("harmonic_mean", 3.0 / (1.0 / (0.1 + 1.0) + 1.0 / (0.2 + 1.0) + 1.0 / (0.3 + 1.0)) - 1.0, 0.1, 0.2, 0.3);
    /* One frame: not the score itself. */
    ASSERT_POOL("harmonic_mean", 1.0 / (1.0 / (0.1 + 1.0)) - 1.0, 0.1);
    ASSERT_POOL("harmonic_mean", -1.0, 5.0, -1.0, 7.0);
    ASSERT_POOL("mean", 0.0, -0.0);
}

static void test_nan_and_infinity(void **state) {
    (void)state;
    ASSERT_POOL("min", NAN, NAN, 1.0, 2.0);
    ASSERT_POOL("max", NAN, NAN, 1.0, 2.0);
    ASSERT_POOL("min", 1.0, 3.0, NAN, 1.0, 2.0);
    ASSERT_POOL("max", 4.0, 3.0, NAN, 4.0, 2.0);
    ASSERT_POOL("min", 1.0, 1.0, NAN);
    ASSERT_POOL("mean", NAN, 1.0, 2.0, NAN);
    ASSERT_POOL("harmonic_mean", NAN, 1.0, NAN, 2.0);
    ASSERT_POOL("stdev", NAN, 1.0, NAN, 2.0);
    ASSERT_POOL("median", NAN, 1.0, 2.0, NAN);
    ASSERT_POOL("p0", NAN, 1.0, NAN);
    ASSERT_POOL("p100", NAN, NAN, 1.0);

    ASSERT_POOL("min", -INFINITY, 1.0, -INFINITY);
    ASSERT_POOL("max", INFINITY, INFINITY, 1.0);
    ASSERT_POOL("mean", INFINITY, INFINITY, 1.0);
    ASSERT_POOL("mean", NAN, INFINITY, -INFINITY);
    ASSERT_POOL("harmonic_mean", INFINITY, INFINITY, INFINITY);
    ASSERT_POOL("stdev", NAN, INFINITY, 1.0);
    /* Equal neighbours and whole positions stay what they are. */
    ASSERT_POOL("median", INFINITY, INFINITY, 1.0, INFINITY);
    ASSERT_POOL("median", INFINITY, 1.0, INFINITY, INFINITY, INFINITY);
    ASSERT_POOL("p50", 2.0, INFINITY, 2.0, -INFINITY);
    ASSERT_POOL("p25", -INFINITY, -INFINITY, 7.0, -INFINITY);
    /* Between a number and infinity. */
    ASSERT_POOL("median", INFINITY, 1.0, INFINITY);
    ASSERT_POOL("median", -INFINITY, -INFINITY, 1.0);
    ASSERT_POOL("median", NAN, -INFINITY, INFINITY);
    /* min and max: of equal zeros the first one. */
    ASSERT_POOL("min", 0.0, 0.0, -0.0);
    ASSERT_POOL("max", -0.0, -0.0, 0.0);
}

/* ---- the others ---------------------------------------------------------------------------------------------------- */

static void test_stdev(void **state) {
    (void)state;
    ASSERT_POOL("stdev", 2.0, 2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0);
    ASSERT_POOL("stdev", 0.0, 3.0);
    ASSERT_POOL("stdev", 0.0, 1.5, 1.5, 1.5);
    ASSERT_POOL("stdev", 0.5, 1.0, 2.0);
    /* In one pass (mean of squares less square of mean) this would be 0 or worse. */
    ASSERT_POOL("stdev", 1.0, 1e9 - 1.0, 1e9 + 1.0);
}

static const char *percentile_name(unsigned p) {
    static char name[16];
    snprintf(name, sizeof name, "p%u", p);
    return name;
}

static void test_percentiles(void **state) {
    (void)state;
    ASSERT_POOL("median", 2.0, 3.0, 1.0, 2.0);
    ASSERT_POOL("median", 2.5, 4.0, 1.0, 3.0, 2.0);
    ASSERT_POOL("median", 7.0, 7.0);
    ASSERT_POOL("p0", 10.0, 30.0, 20.0, 10.0);
    ASSERT_POOL("p100", 30.0, 30.0, 20.0, 10.0);
    ASSERT_POOL("p1", 7.0, 7.0);
    ASSERT_POOL("p25", 17.5, 10.0, 40.0, 30.0, 20.0);
    ASSERT_POOL("p75", 32.5, 10.0, 40.0, 30.0, 20.0);
    ASSERT_POOL("p50", -0.0, -0.0, 0.0);
    ASSERT_POOL("p0", -0.0, 0.0, -0.0);
    ASSERT_POOL("p100", 0.0, 0.0, -0.0);
    /* The difference of the two would overflow. */
    ASSERT_POOL("median", 0.0, -DBL_MAX, DBL_MAX);
    ASSERT_POOL("median", DBL_MAX, DBL_MAX, DBL_MAX);
    /* One step apart, with weights that do not sum to exactly 1: never outside the two. */
    ASSERT_POOL("p7", 0x1.bcc6a70f2ce8dp-2, 0x1.bcc6a70f2ce8dp-2, 0x1.bcc6a70f2ce8ep-2);
    ASSERT_POOL("p42", 0x1.c301bb8b614bdp-1, 0x1.c301bb8b614bcp-1, 0x1.c301bb8b614bdp-1);

    double score[101];
    for (int i = 0; i <= 100; i++)
        score[i] = (double)((i * 37) % 101);
    for (unsigned p = 0; p <= 100; p++)
        assert_same(pool(percentile_name(p), score, 101), (double)p, percentile_name(p));
    for (int i = 0; i <= 100; i++) /* untouched */
        assert_same(score[i], (double)((i * 37) % 101), "score");
}

static void test_no_scores(void **state) {
    static const char *const methods[] = {"mean", "min", "max", "harmonic_mean", "median", "stdev", "p5"};
    (void)state;
    for (size_t m = 0; m < LENGTH(methods); m++) {
        struct vqx_pooling pooling;
        double value = 5.0;
        assert_int_equal(vqx_pooling_parse(methods[m], &pooling), 0);
        assert_int_equal(vqx_pooling_value(&pooling, NULL, 0, &value), -ENOENT);
        assert_same(value, 5.0, methods[m]);
    }
}

static void test_names(void **state) {
    static const char *const bad[] = {"",
                                      "p",
                                      "p101",
                                      "p1000",
                                      "p99999999999999999999",
                                      "p-1",
                                      "p+1",
                                      "p1.5",
                                      "p05",
                                      "p00",
                                      "p1 ",
                                      " p1",
                                      "P1",
                                      "q1",
                                      "p1x",
                                      "percent",
                                      "Mean",
                                      "mean ",
                                      "average",
                                      "min,max",
                                      "\xc3\xa9",
                                      "p\xc3\xa9",
                                      "harmonic",
                                      "harmonic_means"};
    struct vqx_pooling pooling;
    (void)state;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        pooling = (struct vqx_pooling){VQX_POOLING_MAX, 77};
        if (vqx_pooling_parse(bad[i], &pooling) != -EINVAL)
            fail_msg("'%s' is taken for a method", bad[i]);
        assert_int_equal(pooling.kind, VQX_POOLING_MAX);
        assert_int_equal(pooling.percent, 77);
    }
    for (unsigned p = 0; p <= 100; p++) {
        assert_int_equal(vqx_pooling_parse(percentile_name(p), &pooling), 0);
        assert_int_equal(pooling.kind, VQX_POOLING_PERCENTILE);
        assert_int_equal(pooling.percent, p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors), cmocka_unit_test(test_order_of_operations), cmocka_unit_test(test_nan_and_infinity),
        cmocka_unit_test(test_stdev),   cmocka_unit_test(test_percentiles),         cmocka_unit_test(test_no_scores),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
