/* Pairs of pictures made from their index, and the results of a run as one array: for tests of whole scoring runs. */
#ifndef VQX_TEST_PAIRS_H
#define VQX_TEST_PAIRS_H

#include <stdatomic.h>

#include "include/vqx.h"

/* Called by a worker before picture `position` of a side (0: reference) is made; its error is the picture's, then with the line
 * "picture POSITION". */
typedef int (*pairs_hook)(void *cookie, unsigned side, uint64_t position);

typedef struct pairs {
    vqx_format format;
    pairs_hook hook; /* may be NULL */
    void *cookie;
    struct pairs_side {
        const struct pairs *pairs;
        unsigned side;
        vqx_pool *pool;
    } side[2];
} pairs;

/* 0, or a negative errno; then nothing is open. It must not move while frames of it are alive. */
int pairs_open(pairs *p, const vqx_format *format, unsigned planes, pairs_hook hook, void *cookie);
void pairs_close(pairs *p);

/* A lazy picture with the samples of that position. */
int pairs_frame(pairs *p, unsigned side, uint64_t position, vqx_frame **frame);

/* Queues the lazy pair `index`. What pairs_frame() or vqx_submit() returns. */
int pairs_submit(pairs *p, vqx_context *context, uint64_t index);

/* Everything that can be read of a finished context: counts, scores, pooled values, aggregates, each value behind its error code.
 * The caller frees it; NULL when out of memory. */
uint64_t *pairs_results(const vqx_context *context, size_t *words);

/* The results of the first `count` pairs in order, scored by one thread. `features` ends with NULL. NULL when anything fails. */
uint64_t *pairs_expected(const vqx_format *format, const char *const *features, uint32_t subsample, uint64_t count, size_t *words);

/* The functions below fail the running cmocka test. */

/* A started context with these features, of which NULL is the last. */
vqx_context *pairs_context(const vqx_format *format, const char *const *features, const vqx_config *config);

/* A picture with these planes over nothing in particular (sides up to 64, up to 16 bits), that counts its release. */
vqx_frame *pairs_wrapped(const vqx_format *format, unsigned planes, atomic_int *released);

/* Checks that the context's results are pairs_expected(). */
void pairs_check(const vqx_context *context, const vqx_format *format, const char *const *features, uint32_t subsample,
                 uint64_t count);

#endif
