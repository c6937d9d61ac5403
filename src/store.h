/* Scores by frame index. Grows with the highest index; frames may come in any order and from any thread. */
#ifndef VQX_SRC_STORE_H
#define VQX_SRC_STORE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct vqx_store_chunk vqx_store_chunk;

typedef struct vqx_store {
    pthread_mutex_t lock;
    size_t slots;  /* doubles kept per frame */
    size_t words;  /* sums kept per frame for the end of the stream */
    size_t groups; /* what is written at once: one feature's part of a frame */
    vqx_store_chunk **chunk;
    size_t chunks;
    uint64_t end; /* 1 + the highest index claimed */
} vqx_store;

/* -ENOMEM. */
int vqx_store_open(vqx_store *store, size_t slots, size_t words, size_t groups);
void vqx_store_close(vqx_store *store);

/* Takes an index before its frame is scored. -EEXIST when it was taken before, -EINVAL when it is out of range (2^32 and up),
 * -ENOMEM. */
int vqx_store_claim(vqx_store *store, uint64_t index);

/* Writes one group's scores (at slot) and sums (at word) of a claimed frame. */
void vqx_store_put(vqx_store *store, uint64_t index, size_t group, size_t slot, const double *score, size_t scores, size_t word,
                   const uint64_t *sum, size_t sums);

/* Reading, after the last put: whether the group of that frame was written, and its values. */
bool vqx_store_has(const vqx_store *store, uint64_t index, size_t group);
double vqx_store_score(const vqx_store *store, uint64_t index, size_t slot);
const uint64_t *vqx_store_sums(const vqx_store *store, uint64_t index, size_t word);

#endif
