/* Scoring one pair: passes, whole or in parts, then the finish steps. */
#include <inttypes.h>

#include "src/context.h"

bool vqx_feature_wants(const vqx_context *c, const vqx_feature *feature, uint64_t index) {
    return feature->every_frame || index % c->config.subsample == 0;
}

/* Lets the features that can take their sums out of another one's pass. */
static void find_leaders(vqx_context *c) {
    for (size_t i = 0; i < c->entries; i++) {
        vqx_entry *e = &c->entry[i];
        e->leader = i;
        e->leader_word = 0;
        for (size_t l = 0; l < c->entries && e->leader == i && e->feature.metric->follow; l++) {
            vqx_entry *leader = &c->entry[l];
            /* whoever follows cannot lead; a leader runs on all frames of the follower */
            if (l != i && (l > i || leader->leader == l) && leader->feature.every_frame >= e->feature.every_frame &&
                e->feature.metric->follow(&e->feature, &leader->feature, &e->leader_word))
                e->leader = l;
        }
    }
}

size_t vqx_score_plan(vqx_context *c) {
    size_t words = 0;
    c->scratch = 0;
    find_leaders(c);
    for (size_t i = 0; i < c->entries; i++) {
        vqx_entry *e = &c->entry[i];
        const vqx_feature *f = &e->feature;
        const uint32_t most = f->parts < VQX_MAX_PARTS ? f->parts : VQX_MAX_PARTS;
        if (e->leader != i)
            continue;
        e->parts = c->config.threads < most ? c->config.threads : most;
        e->parts = e->parts ? e->parts : 1;
        e->sums_at = words;
        words += (1 + e->parts) * f->sums;
        c->scratch = f->scratch > c->scratch ? f->scratch : c->scratch;
    }
    c->scratch = (c->scratch + 63) / 64 * 64;
    return c->scratch + words * sizeof(uint64_t);
}

/* Keeps the failed frame with the lowest index, so that the result does not depend on which worker was first. */
static void keep_error(vqx_context *c, uint64_t index, int err, const char *side, const char *text) {
    vqx_message_text message;
    vqx_fail(&message, err, "frame %" PRIu64 ": %s: %s", index, side, text);
    pthread_mutex_lock(&c->error_lock);
    if (!atomic_load(&c->error) || index < c->error_index) {
        c->error_index = index;
        c->error_message = message;
        atomic_store(&c->error, err);
    }
    pthread_mutex_unlock(&c->error_lock);
    vqx_context_log(c, VQX_LOG_ERROR, message.text);
}

/* Makes the planes of the pair real. */
static int take_pair(vqx_context *c, const vqx_task *task, vqx_pair *pair) {
    static const char *const name[2] = {"reference", "distorted"};
    vqx_frame *const side[2] = {task->ref, task->dis};
    vqx_plane *const view[2] = {pair->ref, pair->dis};
    for (int s = 0; s < 2; s++) {
        vqx_message_text message;
        const int err = vqx_frame_require(side[s], &message);
        if (err < 0) {
            keep_error(c, task->index, err, name[s], message.text);
            return err;
        }
        for (unsigned p = 0; p < VQX_MAX_PLANES; p++)
            if (c->planes >> p & 1)
                view[s][p] = vqx_frame_plane(side[s], p);
    }
    return 0;
}

/* The passes of one pair. */
typedef struct frame_job {
    const vqx_context *context;
    vqx_pair pair;
    uint64_t index;
    bool split;
    uint64_t *words; /* of the worker that has the pair */
} frame_job;

/* In how many parts the pass of an entry runs on this frame; 0: not at all. */
static uint32_t parts_of(const frame_job *job, size_t entry) {
    const vqx_entry *e = &job->context->entry[entry];
    if (e->leader != entry || !vqx_feature_wants(job->context, &e->feature, job->index))
        return 0;
    return job->split ? e->parts : 1;
}

/* Part `number` of all parts of all passes. A pass in one part sets the frame's sums at once. */
static void run_part(void *arg, size_t number, void *scratch) {
    const frame_job *job = arg;
    size_t i = 0;
    uint32_t parts;
    for (; number >= (parts = parts_of(job, i)); i++)
        number -= parts;
    const vqx_entry *e = &job->context->entry[i];
    uint64_t *sums = job->words + e->sums_at + (parts > 1 ? 1 + number : 0) * e->feature.sums;
    e->feature.metric->pass(&e->feature, &job->pair, (uint32_t)number, parts, scratch, sums);
}

static void run_passes(const vqx_context *c, frame_job *job, void *scratch) {
    size_t total = 0;
    job->split = c->config.threads > 1 && vqx_scheduler_idle(c->scheduler);
    for (size_t i = 0; i < c->entries; i++)
        total += parts_of(job, i);
    if (job->split)
        vqx_scheduler_spread(c->scheduler, total, run_part, job, scratch);
    else
        for (size_t number = 0; number < total; number++)
            run_part(job, number, scratch);
    for (size_t i = 0; i < c->entries; i++) {
        const vqx_entry *e = &c->entry[i];
        const uint32_t parts = parts_of(job, i);
        uint64_t *sums = job->words + e->sums_at;
        if (parts > 1)
            e->feature.metric->join(&e->feature, &job->pair, parts, scratch, sums + e->feature.sums, sums);
    }
}

void vqx_score_task(void *context, const vqx_task *task, void *scratch) {
    vqx_context *c = context;
    frame_job job = {.context = c, .index = task->index, .words = (uint64_t *)(void *)((char *)scratch + c->scratch)};
    /* a pair that no feature looks at is not read */
    if (vqx_frame_wanted(c, task->index)) {
        if (take_pair(c, task, &job.pair) < 0)
            return;
        run_passes(c, &job, scratch);
    }
    for (size_t i = 0; i < c->entries; i++) {
        const vqx_entry *e = &c->entry[i];
        const vqx_feature *f = &e->feature;
        const uint64_t *sums = job.words + c->entry[e->leader].sums_at + e->leader_word;
        double output[VQX_MAX_OUTPUTS];
        if (!vqx_feature_wants(c, f, task->index))
            continue;
        f->metric->finish_frame(f, sums, output);
        vqx_store_put(&c->store, task->index, i, e->slot, output, f->outputs, e->word, sums,
                      f->metric->finish_stream ? f->sums : 0);
    }
    atomic_fetch_add_explicit(&c->scored, 1, memory_order_relaxed);
}
