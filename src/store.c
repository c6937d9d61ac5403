#include "src/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_FRAMES 256u

struct vqx_store_chunk {
    double *score;    /* CHUNK_FRAMES * slots */
    uint64_t *sum;    /* CHUNK_FRAMES * words */
    uint8_t *written; /* CHUNK_FRAMES * groups */
    uint8_t claimed[CHUNK_FRAMES];
};

static void chunk_free(vqx_store_chunk *chunk) {
    if (!chunk)
        return;
    free(chunk->score);
    free(chunk->sum);
    free(chunk->written);
    free(chunk);
}

static vqx_store_chunk *chunk_new(const vqx_store *store) {
    vqx_store_chunk *chunk = calloc(1, sizeof(*chunk));
    if (!chunk)
        return NULL;
    chunk->score = calloc(CHUNK_FRAMES, (store->slots + 1) * sizeof(*chunk->score));
    chunk->sum = calloc(CHUNK_FRAMES, (store->words + 1) * sizeof(*chunk->sum));
    chunk->written = calloc(CHUNK_FRAMES, store->groups + 1);
    if (chunk->score && chunk->sum && chunk->written)
        return chunk;
    chunk_free(chunk);
    return NULL;
}

int vqx_store_open(vqx_store *store, size_t slots, size_t words, size_t groups) {
    *store = (vqx_store){.slots = slots, .words = words, .groups = groups};
    return pthread_mutex_init(&store->lock, NULL) ? -ENOMEM : 0;
}

void vqx_store_close(vqx_store *store) {
    for (size_t c = 0; c < store->chunks; c++)
        chunk_free(store->chunk[c]);
    free(store->chunk);
    pthread_mutex_destroy(&store->lock);
}

int vqx_store_claim(vqx_store *store, uint64_t index) {
    if (index > UINT32_MAX)
        return -EINVAL;
    const size_t c = (size_t)(index / CHUNK_FRAMES);
    int err = 0;
    pthread_mutex_lock(&store->lock);
    if (c >= store->chunks) {
        size_t chunks = store->chunks ? store->chunks : 16;
        while (chunks <= c)
            chunks *= 2;
        vqx_store_chunk **bigger = realloc(store->chunk, chunks * sizeof(*bigger));
        if (!bigger) {
            err = -ENOMEM;
            goto done;
        }
        memset(bigger + store->chunks, 0, (chunks - store->chunks) * sizeof(*bigger));
        store->chunk = bigger;
        store->chunks = chunks;
    }
    if (!store->chunk[c] && !(store->chunk[c] = chunk_new(store))) {
        err = -ENOMEM;
        goto done;
    }
    uint8_t *claimed = &store->chunk[c]->claimed[index % CHUNK_FRAMES];
    if (*claimed) {
        err = -EEXIST;
        goto done;
    }
    *claimed = 1;
    if (store->end <= index)
        store->end = index + 1;
done:
    pthread_mutex_unlock(&store->lock);
    return err;
}

void vqx_store_put(vqx_store *store, uint64_t index, size_t group, size_t slot, const double *score, size_t scores, size_t word,
                   const uint64_t *sum, size_t sums) {
    const size_t f = (size_t)(index % CHUNK_FRAMES);
    pthread_mutex_lock(&store->lock);
    vqx_store_chunk *chunk = store->chunk[index / CHUNK_FRAMES];
    memcpy(chunk->score + f * store->slots + slot, score, scores * sizeof(*score));
    memcpy(chunk->sum + f * store->words + word, sum, sums * sizeof(*sum));
    chunk->written[f * store->groups + group] = 1;
    pthread_mutex_unlock(&store->lock);
}

bool vqx_store_has(const vqx_store *store, uint64_t index, size_t group) {
    const size_t c = (size_t)(index / CHUNK_FRAMES);
    return index < store->end && store->chunk[c] && store->chunk[c]->written[index % CHUNK_FRAMES * store->groups + group];
}

double vqx_store_score(const vqx_store *store, uint64_t index, size_t slot) {
    return store->chunk[index / CHUNK_FRAMES]->score[index % CHUNK_FRAMES * store->slots + slot];
}

const uint64_t *vqx_store_sums(const vqx_store *store, uint64_t index, size_t word) {
    return store->chunk[index / CHUNK_FRAMES]->sum + index % CHUNK_FRAMES * store->words + word;
}
