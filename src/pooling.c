#include "src/pooling.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    struct vqx_pooling pooling;
} named[] = {
    {"mean", {VQX_POOLING_MEAN, 0}},   {"min", {VQX_POOLING_MIN, 0}},
    {"max", {VQX_POOLING_MAX, 0}},     {"harmonic_mean", {VQX_POOLING_HARMONIC_MEAN, 0}},
    {"stdev", {VQX_POOLING_STDEV, 0}}, {"median", {VQX_POOLING_PERCENTILE, 50}},
};

int vqx_pooling_parse(const char *name, struct vqx_pooling *pooling) {
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++) {
        if (!strcmp(name, named[i].name)) {
            *pooling = named[i].pooling;
            return 0;
        }
    }
    const char *digit = name + 1;
    if (name[0] != 'p' || !*digit || (digit[0] == '0' && digit[1]))
        return -EINVAL;
    unsigned percent = 0;
    for (; *digit; digit++) {
        if (*digit < '0' || *digit > '9')
            return -EINVAL;
        percent = percent * 10 + (unsigned)(*digit - '0');
        if (percent > 100)
            return -EINVAL;
    }
    *pooling = (struct vqx_pooling){VQX_POOLING_PERCENTILE, percent};
    return 0;
}

static double mean(const double *score, size_t n) {
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += score[i];
    return sum / (double)n;
}

static double harmonic_mean(const double *score, size_t n) {
    double inverse = 0.0;
    for (size_t i = 0; i < n; i++)
        inverse += 1.0 / (score[i] + 1.0);
    return (double)n / inverse - 1.0;
}

/* The comparisons are written so that a NaN loses them: it stays only where it came first. */
static double least(const double *score, size_t n) {
    double min = score[0];
    for (size_t i = 1; i < n; i++)
        if (score[i] < min)
            min = score[i];
    return min;
}

static double greatest(const double *score, size_t n) {
    double max = score[0];
    for (size_t i = 1; i < n; i++)
        if (score[i] > max)
            max = score[i];
    return max;
}

static double stdev(const double *score, size_t n) {
    const double centre = mean(score, n);
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const double distance = score[i] - centre;
        sum += distance * distance;
    }
    return sqrt(sum / (double)n);
}

/* A total order of the numbers, -0 before +0, so that the result does not depend on how qsort treats equals. */
static int ascending(const void *left, const void *right) {
    const double a = *(const double *)left, b = *(const double *)right;
    if (a != b)
        return a < b ? -1 : 1;
    return !!signbit(b) - !!signbit(a);
}

static int percentile(const double *score, size_t n, unsigned percent, double *value) {
    for (size_t i = 0; i < n; i++) {
        if (isnan(score[i])) {
            *value = NAN;
            return 0;
        }
    }
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return -ENOMEM;
    memcpy(sorted, score, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, ascending);

    const uint64_t hundredths = (uint64_t)(n - 1) * percent;
    const double fraction = (double)(hundredths % 100) / 100.0;
    const double *at = sorted + hundredths / 100;
    *value = at[0];
    /* Weights, not at[0] + f * (at[1] - at[0]): that difference could overflow, and is NaN from -inf on. */
    if (fraction > 0.0 && at[0] != at[1]) {
        const double between = at[0] * (1.0 - fraction) + at[1] * fraction;
        *value = between < at[0] ? at[0] : between > at[1] ? at[1] : between;
    }
    free(sorted);
    return 0;
}

int vqx_pooling_value(const struct vqx_pooling *pooling, const double *score, size_t n, double *value) {
    if (n == 0)
        return -ENOENT;
    switch (pooling->kind) {
    case VQX_POOLING_MEAN:
        *value = mean(score, n);
        return 0;
    case VQX_POOLING_MIN:
        *value = least(score, n);
        return 0;
    case VQX_POOLING_MAX:
        *value = greatest(score, n);
        return 0;
    case VQX_POOLING_HARMONIC_MEAN:
        *value = harmonic_mean(score, n);
        return 0;
    case VQX_POOLING_STDEV:
        *value = stdev(score, n);
        return 0;
    case VQX_POOLING_PERCENTILE:
        return percentile(score, n, pooling->percent, value);
    }
    return -EINVAL;
}
