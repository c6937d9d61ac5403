/* Inside of a context: features, the running frames, the store. */
#ifndef VQX_SRC_CONTEXT_H
#define VQX_SRC_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "metric/metric.h"
#include "src/scheduler.h"
#include "src/store.h"

#define VQX_MAX_FEATURES 32

/* A feature and where its values stand in the store. */
typedef struct vqx_entry {
    vqx_feature feature;
    size_t slot;     /* of its first output */
    size_t word;     /* of its first kept sum */
    bool aggregated; /* aggregate[] holds values */
    double aggregate[VQX_MAX_AGGREGATES];
} vqx_entry;

struct vqx_context {
    vqx_config config;
    vqx_message_text message;
    vqx_entry entry[VQX_MAX_FEATURES];
    size_t entries;
    bool started, finished;
    vqx_format format;
    unsigned planes;
    vqx_scheduler *scheduler;
    atomic_uint_fast64_t scored; /* pairs */
    vqx_store store;
    /* the failed frame with the lowest index */
    pthread_mutex_t error_lock; /* also guards message in calls that may come from several threads */
    atomic_int error;
    uint64_t error_index;
    vqx_message_text error_message;
};

/* Computes what needs the whole stream; after the last frame. -ENOMEM. */
int vqx_context_aggregate(vqx_context *context);

#endif
