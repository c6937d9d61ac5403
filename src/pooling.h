/* Pooling: one number from the scores of all listed frames. Pure functions, no state. */
#ifndef VQX_SRC_POOLING_H
#define VQX_SRC_POOLING_H

#include <stddef.h>

enum vqx_pooling_kind {
    VQX_POOLING_MEAN,
    VQX_POOLING_MIN,
    VQX_POOLING_MAX,
    VQX_POOLING_HARMONIC_MEAN,
    VQX_POOLING_STDEV,
    VQX_POOLING_PERCENTILE,
};

struct vqx_pooling {
    enum vqx_pooling_kind kind;
    unsigned percent; /* VQX_POOLING_PERCENTILE: 0..100 */
};

/* Reads the name of a method: "mean", "min", "max", "harmonic_mean", "stdev", "median" (the same as "p50") or "p0" … "p100"
 * (digits without leading zeros). 0, or -EINVAL for any other name; then *pooling is untouched. */
int vqx_pooling_parse(const char *name, struct vqx_pooling *pooling);

/* Pools score[0..n-1], in frame order, into *value. Everything is binary64, in ascending frame order.
 *   mean            sum / n
 *   harmonic_mean   n / (sum of 1/(s + 1)) - 1
 *   min, max        the first score, replaced by every later one that is smaller (larger): a NaN in front stays, a later one is
 *                   passed over
 *   stdev           of the population, in two passes: sqrt((sum of (s - mean)^2) / n); NaN when a score is NaN or infinite
 *   percentile p    of the sorted scores, at h = (n-1)*p/100, counted from 0: with k = floor(h), f = h - k the value is
 *                   sorted[k]*(1-f) + sorted[k+1]*f, held between the two; sorted[k] itself when f is 0 or both are equal. NaN when
 *                   any score is NaN. The order of the scores does not matter.
 * 0; -ENOENT when n is 0; -ENOMEM (percentile only, which sorts a copy). */
int vqx_pooling_value(const struct vqx_pooling *pooling, const double *score, size_t n, double *value);

#endif
