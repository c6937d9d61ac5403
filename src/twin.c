/* Scoring one pair on a device: upload once, launch every feature, read a few words back. */
#include "src/context.h"

/* The planes that the features of this frame look at. */
static void upload(const vqx_context *c, const vqx_frame_job *job, vqx_work *work) {
    unsigned planes = 0;
    for (size_t i = 0; i < c->entries; i++)
        planes |= vqx_feature_wants(c, &c->entry[i].feature, job->index) ? c->entry[i].feature.planes : 0;
    for (unsigned side = 0; side < 2; side++) {
        const vqx_plane *plane = side ? job->pair.dis : job->pair.ref;
        const vqx_shared_device *owner = vqx_frame_owner(job->frame[side]);
        const bool direct = owner && owner->device->backend == c->devices.backend;
        unsigned device;
        const bool there = vqx_frame_backend(job->frame[side], &device);
        for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
            if (planes >> p & 1 && there)
                vqx_work_adopt(work, side, p, plane[p].data, plane[p].stride);
            else if (planes >> p & 1)
                vqx_work_upload(work, side, p, plane[p].data, plane[p].stride, direct);
        }
    }
}

/* Turns the words of a feature into its sums; returns the values that are still open. */
static uint64_t settle(const vqx_feature *f, const uint64_t *words, uint64_t ordered, uint64_t *sums) {
    if (f->metric->settle)
        return f->metric->settle(f, words, ordered, sums);
    memcpy(sums, words, f->sums * sizeof(*sums));
    return 0;
}

int vqx_twin_run(vqx_context *c, const vqx_frame_job *job, vqx_message_text *message) {
    vqx_work *work = vqx_devices_take(&c->devices);
    uint64_t open[VQX_MAX_FEATURES], remade = 0;
    bool again = true;
    int err = 0;
    upload(c, job, work);
    for (size_t i = 0; i < c->entries; i++)
        open[i] = c->ordered;
    for (bool first = true; again && err == 0; first = false) {
        size_t words = 0;
        again = false;
        for (size_t i = 0; i < c->entries; i++) {
            const vqx_entry *e = &c->entry[i];
            if (!vqx_entry_runs(c, i, job->index) || (!first && !open[i]))
                continue;
            e->feature.metric->launch(&e->feature, work, e->at, open[i]);
            words = e->at + e->feature.words;
        }
        err = vqx_work_wait(work, words);
        for (size_t i = 0; i < c->entries && err == 0; i++) {
            const vqx_entry *e = &c->entry[i];
            if (!vqx_entry_runs(c, i, job->index) || (!first && !open[i]))
                continue;
            open[i] = settle(&e->feature, work->words + e->at, open[i], job->words + e->sums_at);
            remade += (uint64_t)__builtin_popcountll(open[i]);
            again = again || open[i];
        }
    }
    if (err < 0)
        *message = work->message;
    vqx_devices_give(&c->devices, work);
    if (remade) {
        pthread_mutex_lock(&c->devices.lock);
        c->devices.stages.ordered += remade;
        pthread_mutex_unlock(&c->devices.lock);
    }
    return err;
}
