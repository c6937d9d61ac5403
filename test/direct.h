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

/* Fails the running test unless the pass in 2, 3 and 7 parts, joined, gives the same sums; nothing for metrics without join. */
void direct_check_parts(const direct *d, vqx_frame *const pair[2], const uint64_t *sums);

/* Same bits, or both not a number. */
bool direct_same(double a, double b);

/* The checks below fail the running cmocka test with a line that says where. */

/* Every per-frame and stream value that a file of test/vectors has for the metric, and equal sums in all forms. Real clips are left
 * out, with a line, when VQX_FIXTURES is not set. */
void direct_check_vectors(const vqx_metric *metric, const char *file);

/* All forms give the sums of the definition. */
void direct_check_levels(const vqx_metric *metric, const char *options, vqx_frame *const pair[2], const char *what);

/* The same for `pairs` random pairs with sides 1..300 and not below `least`: all depths, chroma formats, odd strides and unaligned
 * rows, noise and extremes, words above 2^bits - 1. */
void direct_check_random(const vqx_metric *metric, const char *options, unsigned pairs, uint32_t least);

/* The next number of a random source, all 64 bits good. */
uint64_t direct_random(uint64_t *state);

/* A frame over memory of its own, filled by word(x, y, plane, cookie); NULL when out of memory. Rows are `pad` samples longer than
 * the picture, rows and padding lie on odd samples, and nothing may be read past the last one. */
vqx_frame *direct_frame(const vqx_format *format, uint32_t pad,
                        uint32_t (*word)(uint32_t x, uint32_t y, unsigned plane, void *cookie), void *cookie);

#endif
