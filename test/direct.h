/* Metrics called without a context, in one thread, in each form that the machine has; and checks that all metrics share. */
#ifndef VQX_TEST_DIRECT_H
#define VQX_TEST_DIRECT_H

#include "metric/metric.h"

typedef struct direct {
    vqx_feature feature;
    void *scratch;
} direct;

/* `options` as text, or NULL. 0 or the negative errno of the options, of setup or of memory, with its line on stderr. */
int direct_open(direct *d, const vqx_metric *metric, const char *options, const vqx_format *format, vqx_cpu_level level);
void direct_close(direct *d);

/* The sums of a pair, of which the pass sees only the planes that the feature asked for. */
void direct_pass(const direct *d, vqx_frame *const pair[2], uint64_t *sums);

/* The same by a pass in parts, at most VQX_MAX_PARTS, that are then joined; only for a metric with a join. */
void direct_parts(const direct *d, vqx_frame *const pair[2], uint32_t parts, uint64_t *sums);

/* Same bits, or both not a number. */
bool direct_same(double a, double b);

/* test/compare.h as the checks of a cmocka test (direct_check.c), which fails when there is a difference. */

/* compare_vectors() of clips of any size. Real clips are left out, with a line, when VQX_FIXTURES is not set. */
void direct_check_vectors(const vqx_metric *metric, const char *file);
void direct_check_levels(const vqx_metric *metric, const char *options, vqx_frame *const pair[2], const char *what);
void direct_check_random(const vqx_metric *metric, const char *options, unsigned pairs, uint32_t least);

/* The next number of a random source, all 64 bits good. */
uint64_t direct_random(uint64_t *state);

/* A frame over memory of its own, filled by word(x, y, plane, cookie); NULL when out of memory. Rows are `pad` samples longer than
 * the picture, rows and padding lie on odd samples, and nothing may be read past the last one. */
vqx_frame *direct_frame(const vqx_format *format, uint32_t pad,
                        uint32_t (*word)(uint32_t x, uint32_t y, unsigned plane, void *cookie), void *cookie);

#endif
