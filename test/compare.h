/* Scores and sums against what they must be, in every form that the machine has. A difference, or whatever keeps a comparison from
 * being made, is a line on stderr and counts. Without cmocka, so that it is built for other machines, too. */
#ifndef VQX_TEST_COMPARE_H
#define VQX_TEST_COMPARE_H

#include "metric/metric.h"

typedef struct compare_tally {
    size_t values;    /* compared */
    size_t different; /* of these, and comparisons that could not be made */
    size_t missing;   /* runs over real clips left out: VQX_FIXTURES is not set */
    size_t larger;    /* runs over clips of more pixels than asked for */
} compare_tally;

/* Every per-frame and stream value that a file of test/vectors has for the metric, for clips of at most `most` pixels, and equal
 * sums in all forms; up to the first run that differs. */
void compare_vectors(const vqx_metric *metric, const char *file, uint64_t most, compare_tally *tally);

/* All forms, and the pass in parts, give the sums of the definition. `options` as text, or NULL; `what` ends the line of a
 * difference. */
void compare_levels(const vqx_metric *metric, const char *options, vqx_frame *const pair[2], const char *what,
                    compare_tally *tally);

/* The same for `pairs` random pairs with sides 1..300 and not below `least`: all depths, chroma formats, odd strides and unaligned
 * rows, noise and extremes, words above 2^bits - 1; up to the first pair that differs. */
void compare_random(const vqx_metric *metric, const char *options, unsigned pairs, uint32_t least, compare_tally *tally);

#endif
