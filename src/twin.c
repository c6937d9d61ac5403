/* Scoring pairs on a device: upload once, launch every feature, read a few words back. */
#include <errno.h>

#include "src/context.h"

void vqx_twin_upload(const vqx_context *c, const vqx_frame_job *job, vqx_work *work) {
    unsigned planes = 0, device;
    for (size_t i = 0; i < c->entries; i++)
        planes |= vqx_feature_wants(c, &c->entry[i].feature, job->index) ? c->entry[i].feature.planes : 0;
    for (unsigned side = 0; side < 2; side++) {
        const vqx_plane *plane = side ? job->pair.dis : job->pair.ref;
        const vqx_shared_device *owner = vqx_frame_owner(job->frame[side]);
        if (vqx_frame_backend(job->frame[side], &device))
            vqx_work_adopt(work, side, planes, plane);
        else
            vqx_work_upload(work, side, planes, plane, owner && owner->device->backend == c->devices.backend);
    }
}

/* Turns the words of a feature into its sums; returns the values that are still open. */
static uint64_t settle(const vqx_feature *f, const uint64_t *words, uint64_t ordered, uint64_t *sums) {
    if (f->metric->settle)
        return f->metric->settle(f, words, ordered, sums);
    memcpy(sums, words, f->sums * sizeof(*sums));
    return 0;
}

/* Launches the features of a pair: all of them, or those with open values. Returns how many words to read back. */
static size_t launch(const vqx_context *c, uint64_t index, vqx_work *work, uint32_t at, bool all, const uint64_t *open) {
    size_t words = 0;
    for (size_t i = 0; i < c->entries; i++) {
        const vqx_entry *e = &c->entry[i];
        if (!vqx_entry_runs(c, i, index) || (!all && !open[i]))
            continue;
        e->feature.metric->launch(&e->feature, work, at + e->at, open[i]);
        words = at + e->at + e->feature.words;
    }
    return words;
}

/* Whether a word that nothing wrote went into the sums, which settle() made from `before`: another word there makes others. */
static bool misses(const vqx_feature *f, uint64_t *words, uint64_t ordered, uint64_t open, const uint64_t *sums, uint64_t *before) {
    bool unwritten = false;
    for (size_t i = 0; i < f->words; i++)
        if (words[i] == VQX_POISON) {
            words[i] = 0;
            unwritten = true;
        }
    return unwritten && (settle(f, words, ordered, before) != open || memcmp(before, sums, f->sums * sizeof(*sums)) != 0);
}

/* From the words of a pair to its sums; returns how many values are still open. */
static unsigned settle_pair(const vqx_context *c, vqx_frame_job *job, uint64_t *words, bool all, uint64_t *open) {
    unsigned left = 0;
    for (size_t i = 0; i < c->entries; i++) {
        const vqx_entry *e = &c->entry[i];
        const uint64_t ordered = open[i];
        uint64_t before[VQX_MAX_SUMS], *sums = job->words + e->sums_at;
        if (!vqx_entry_runs(c, i, job->index) || (!all && !ordered))
            continue;
        memcpy(before, sums, e->feature.sums * sizeof(*sums));
        open[i] = settle(&e->feature, words + e->at, ordered, sums);
        job->lost = job->lost || (c->devices.backend->loses && misses(&e->feature, words + e->at, ordered, open[i], sums, before));
        left += (unsigned)__builtin_popcountll(open[i]);
    }
    if (!job->lost)
        return left;
    memset(open, 0, c->entries * sizeof(*open)); /* nothing more is made of it */
    return 0;
}

/* All launches of the pairs, once; *remade: values that were made again in raster order. */
static int run(vqx_context *c, vqx_frame_job *job, size_t jobs, vqx_slot *slot, uint64_t *remade) {
    vqx_work *const first = slot->pair[0];
    uint64_t open[VQX_MAX_SETS][VQX_MAX_FEATURES];
    bool again = true, lost = false;
    int err = 0;
    for (size_t k = 0; k < jobs; k++) {
        job[k].lost = false;
        for (size_t i = 0; i < c->entries; i++)
            open[k][i] = c->ordered;
    }
    for (bool all = true; again && err == 0; all = false) {
        size_t words = 0;
        again = false;
        vqx_work_poison(first, jobs * c->words);
        for (size_t k = 0; k < jobs; k++) {
            const size_t end = launch(c, job[k].index, slot->pair[k], (uint32_t)(k * c->words), all, open[k]);
            words = end ? end : words;
        }
        vqx_work_release(slot->pair, (unsigned)jobs);
        err = vqx_work_wait(first, words);
        for (size_t k = 0; k < jobs && err == 0; k++) {
            const unsigned left = settle_pair(c, &job[k], first->words + k * c->words, all, open[k]);
            *remade += left;
            again = again || left > 0;
            lost = lost || job[k].lost;
        }
    }
    return err < 0 || !lost ? err : -EBADMSG;
}

int vqx_twin_run(vqx_context *c, vqx_frame_job *job, size_t jobs, vqx_slot *slot, vqx_message_text *message) {
    uint64_t remade = 0;
    int err = run(c, job, jobs, slot, &remade);
    if (err == -EBADMSG)
        err = run(c, job, jobs, slot, &remade);
    if (err == -EBADMSG)
        vqx_fail(message, err, "its result was not written, twice: the device loses launches");
    else if (err < 0)
        *message = slot->pair[0]->message;
    if (remade) {
        pthread_mutex_lock(&c->devices.lock);
        c->devices.stages.ordered += remade;
        pthread_mutex_unlock(&c->devices.lock);
    }
    return err;
}
