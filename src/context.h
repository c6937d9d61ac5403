/* Inside of a context: features, the running frames, the store. */
#ifndef VQX_SRC_CONTEXT_H
#define VQX_SRC_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "metric/metric.h"
#include "src/devices.h"
#include "src/scheduler.h"
#include "src/store.h"

#define VQX_MAX_FEATURES 32

/* A feature and where its values stand in the store. */
typedef struct vqx_entry {
    vqx_feature feature;
    size_t slot;        /* of its first output */
    size_t word;        /* of its first kept sum */
    uint32_t parts;     /* that its pass is split in when workers are idle */
    size_t sums_at;     /* in a worker's memory: words of its sums, then of those of the parts */
    uint32_t at;        /* its words in a device's result buffer */
    size_t leader;      /* the entry whose pass makes its sums, itself or another one, */
    size_t leader_word; /* from that word of the leader's sums on */
    bool aggregated;    /* aggregate[] holds values */
    double aggregate[VQX_MAX_AGGREGATES];
} vqx_entry;

struct vqx_context {
    vqx_config config;
    vqx_message_text message;
    vqx_entry entry[VQX_MAX_FEATURES];
    size_t entries;
    bool threads_chosen; /* by the caller */
    bool started, finished;
    vqx_format format;
    unsigned planes;
    size_t scratch; /* bytes of a worker's memory that a pass may use; the sums stand behind */
    size_t sums;    /* words of these; behind them as many again when there is an audit */
    size_t words;   /* of a pair in a device's result buffer */
    size_t pairs;   /* that a worker scores side by side: on a device */
    vqx_devices devices;
    uint64_t ordered; /* what launch() is asked to make in raster order at first */
    vqx_scheduler *scheduler;
    atomic_uint_fast64_t scored; /* pairs */
    vqx_store store;
    /* the failed frame with the lowest index */
    pthread_mutex_t error_lock; /* also guards message in calls that may come from several threads */
    atomic_int error;
    uint64_t error_index;
    vqx_message_text error_message;
};

/* A line to the log callback, if there is one. */
void vqx_context_log(const vqx_context *context, vqx_log_level level, const char *line);

/* Whether the frame has the format and the planes of a started context. */
bool vqx_context_fits(const vqx_context *context, const vqx_frame *frame);

/* Decides who runs a pass, in how many parts, and where sums stand, for features that are set up; returns the bytes of a worker's
 * memory. */
size_t vqx_score_plan(vqx_context *context);

/* Scores pairs into the store: the vqx_task_run of the scheduler. */
void vqx_score_tasks(void *context, const vqx_task *task, size_t tasks, void *scratch);

/* The passes of one pair. */
typedef struct vqx_frame_job {
    const vqx_context *context;
    vqx_frame *frame[2];
    vqx_pair pair;
    uint64_t index;
    bool split;
    uint64_t *words; /* of the worker that has the pair: where sums go */
    bool lost;       /* the device did not write its result */
} vqx_frame_job;

/* Uploads what features look at, into the slot for that pair. */
void vqx_twin_upload(const vqx_context *context, const vqx_frame_job *job, vqx_work *work);
/* The sums of all passes on a device, of pairs that were uploaded; several threads at once. A negative errno with a line; -EBADMSG:
 * it is about the pairs that are `lost`, twice. */
int vqx_twin_run(vqx_context *context, vqx_frame_job *job, size_t jobs, vqx_slot *slot, vqx_message_text *message);

/* Whether an entry's own pass runs for this frame. */
bool vqx_entry_runs(const vqx_context *context, size_t entry, uint64_t index);

/* Whether the feature looks at the frame. */
bool vqx_feature_wants(const vqx_context *context, const vqx_feature *feature, uint64_t index);

/* Computes what needs the whole stream; after the last frame. -ENOMEM. */
int vqx_context_aggregate(vqx_context *context);

#endif
