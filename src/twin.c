/* Scoring pairs on a device: upload once, launch every feature, read a few words back. */
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

int vqx_twin_run(vqx_context *c, const vqx_frame_job *job, size_t jobs, vqx_slot *slot, vqx_message_text *message) {
    vqx_work *const first = slot->pair[0];
    uint64_t open[VQX_MAX_SETS][VQX_MAX_FEATURES], remade = 0;
    bool again = true;
    int err = 0;
    for (size_t k = 0; k < jobs; k++)
        for (size_t i = 0; i < c->entries; i++)
            open[k][i] = c->ordered;
    for (bool all = true; again && err == 0; all = false) {
        size_t words = 0;
        again = false;
        for (size_t k = 0; k < jobs; k++) {
            const size_t end = launch(c, job[k].index, slot->pair[k], (uint32_t)(k * c->words), all, open[k]);
            words = end ? end : words;
        }
        vqx_work_release(slot->pair, (unsigned)jobs);
        err = vqx_work_wait(first, words);
        for (size_t k = 0; k < jobs && err == 0; k++)
            for (size_t i = 0; i < c->entries; i++) {
                const vqx_entry *e = &c->entry[i];
                if (!vqx_entry_runs(c, i, job[k].index) || (!all && !open[k][i]))
                    continue;
                open[k][i] = settle(&e->feature, first->words + k * c->words + e->at, open[k][i], job[k].words + e->sums_at);
                remade += (uint64_t)__builtin_popcountll(open[k][i]);
                again = again || open[k][i];
            }
    }
    if (err < 0)
        *message = first->message;
    if (remade) {
        pthread_mutex_lock(&c->devices.lock);
        c->devices.stages.ordered += remade;
        pthread_mutex_unlock(&c->devices.lock);
    }
    return err;
}
