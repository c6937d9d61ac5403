/* Scoring one pair: passes, whole or in parts, then the finish steps. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <time.h>

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
    uint32_t at = 0;
    c->scratch = 0;
    find_leaders(c);
    for (size_t i = 0; i < c->entries; i++) {
        vqx_entry *e = &c->entry[i];
        const vqx_feature *f = &e->feature;
        const uint32_t most = f->parts < VQX_MAX_PARTS ? f->parts : VQX_MAX_PARTS;
        if (e->leader != i)
            continue;
        e->parts = c->config.threads < most && !c->devices.backend ? c->config.threads : most;
        e->parts = e->parts && !c->devices.backend ? e->parts : 1;
        e->sums_at = words;
        e->at = at;
        words += (1 + e->parts) * f->sums;
        at += f->words;
        c->scratch = f->scratch > c->scratch ? f->scratch : c->scratch;
    }
    if (c->devices.backend && !c->config.audit)
        c->scratch = 0;
    c->scratch = (c->scratch + 63) / 64 * 64;
    c->sums = words;
    c->words = at;
    return c->scratch + (c->pairs - 1 + (c->config.audit ? 2 : 1)) * words * sizeof(uint64_t);
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
static int take_pair(vqx_context *c, vqx_frame_job *job) {
    static const char *const name[2] = {"reference", "distorted"};
    vqx_plane *const view[2] = {job->pair.ref, job->pair.dis};
    for (int s = 0; s < 2; s++) {
        vqx_message_text message;
        const int err = vqx_frame_require(job->frame[s], &message);
        if (err < 0) {
            keep_error(c, job->index, err, name[s], message.text);
            return err;
        }
        for (unsigned p = 0; p < VQX_MAX_PLANES; p++)
            if (c->planes >> p & 1)
                view[s][p] = vqx_frame_plane(job->frame[s], p);
    }
    return 0;
}

bool vqx_entry_runs(const vqx_context *c, size_t entry, uint64_t index) {
    return c->entry[entry].leader == entry && vqx_feature_wants(c, &c->entry[entry].feature, index);
}

/* Where a worker keeps the sums of its n-th pair; behind those of all pairs are the CPU's for an audit. */
static uint64_t *sums_of(const vqx_context *c, void *scratch, size_t n) {
    return (uint64_t *)(void *)((char *)scratch + c->scratch) + n * c->sums;
}

/* In how many parts the pass of an entry runs on this frame; 0: not at all. */
static uint32_t parts_of(const vqx_frame_job *job, size_t entry) {
    if (!vqx_entry_runs(job->context, entry, job->index))
        return 0;
    return job->split ? job->context->entry[entry].parts : 1;
}

/* Part `number` of all parts of all passes. A pass in one part sets the frame's sums at once. */
static void run_part(void *arg, size_t number, void *scratch) {
    const vqx_frame_job *job = arg;
    size_t i = 0;
    uint32_t parts;
    for (; number >= (parts = parts_of(job, i)); i++)
        number -= parts;
    const vqx_entry *e = &job->context->entry[i];
    uint64_t *sums = job->words + e->sums_at + (parts > 1 ? 1 + number : 0) * e->feature.sums;
    e->feature.metric->pass(&e->feature, &job->pair, (uint32_t)number, parts, scratch, sums);
}

static void run_passes(const vqx_context *c, vqx_frame_job *job, void *scratch) {
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

/* Sums of a frame to the outputs of an entry. */
static const uint64_t *finish(const vqx_context *c, const vqx_entry *e, const uint64_t *words, double *output) {
    const uint64_t *sums = words + c->entry[e->leader].sums_at + e->leader_word;
    e->feature.metric->finish_frame(&e->feature, sums, output);
    return sums;
}

/* Says what differs between a device and the CPU, if anything does; -EBADMSG. */
static int compare_entry(vqx_context *c, const vqx_entry *e, uint64_t index, const uint64_t *words, const uint64_t *expected) {
    double output[2][VQX_MAX_OUTPUTS];
    vqx_message_text text;
    const uint64_t *sums = finish(c, e, words, output[0]), *right = finish(c, e, expected, output[1]);
    for (size_t i = 0; i < e->feature.outputs; i++)
        if (memcmp(&output[0][i], &output[1][i], sizeof(double)) != 0 && !(isnan(output[0][i]) && isnan(output[1][i]))) {
            vqx_fail(&text, 0, "%s of %s is %.17g (%a), of the CPU %.17g (%a)", e->feature.output[i], c->devices.backend->name,
                     output[0][i], output[0][i], output[1][i], output[1][i]);
            keep_error(c, index, -EBADMSG, "audit", text.text);
            return -EBADMSG;
        }
    for (size_t i = 0; i < e->feature.sums; i++)
        if (sums[i] != right[i]) {
            vqx_fail(&text, 0, "sum %zu of %s by %s is %#" PRIx64 ", by the CPU %#" PRIx64, i, e->feature.metric->name,
                     c->devices.backend->name, sums[i], right[i]);
            keep_error(c, index, -EBADMSG, "audit", text.text);
            return -EBADMSG;
        }
    return 0;
}

/* Scores the frame on the CPU, too, and compares. */
static int audit(vqx_context *c, const vqx_frame_job *job, void *scratch) {
    vqx_frame_job cpu = *job;
    int err = 0;
    cpu.words = sums_of(c, scratch, c->pairs);
    run_passes(c, &cpu, scratch);
    for (size_t i = 0; i < c->entries && err == 0; i++)
        if (vqx_feature_wants(c, &c->entry[i].feature, job->index))
            err = compare_entry(c, &c->entry[i], job->index, job->words, cpu.words);
    return err;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Sums to outputs, into the store. */
static void store(vqx_context *c, const vqx_frame_job *job) {
    const bool timed = c->devices.backend && c->config.device_flags & VQX_DEVICE_PROFILE;
    const double start = timed ? seconds() : 0;
    for (size_t i = 0; i < c->entries; i++) {
        const vqx_entry *e = &c->entry[i];
        const vqx_feature *f = &e->feature;
        double output[VQX_MAX_OUTPUTS];
        if (!vqx_feature_wants(c, f, job->index))
            continue;
        const uint64_t *sums = finish(c, e, job->words, output);
        vqx_store_put(&c->store, job->index, i, e->slot, output, f->outputs, e->word, sums, f->metric->finish_stream ? f->sums : 0);
    }
    if (timed) {
        pthread_mutex_lock(&c->devices.lock);
        c->devices.stages.finish += seconds() - start;
        pthread_mutex_unlock(&c->devices.lock);
    }
    atomic_fetch_add_explicit(&c->scored, 1, memory_order_relaxed);
}

/* Pairs side by side on a device. */
static void score_on_device(vqx_context *c, vqx_frame_job *job, size_t jobs, void *scratch) {
    vqx_message_text message = {""};
    vqx_slot *slot = vqx_devices_take(&c->devices);
    size_t taken = 0;
    for (size_t k = 0; k < jobs; k++)
        if (take_pair(c, &job[k]) == 0) {
            job[taken] = job[k];
            job[taken].words = sums_of(c, scratch, taken);
            vqx_twin_upload(c, &job[taken], slot->pair[taken]);
            taken++;
        }
    const int err = taken ? vqx_twin_run(c, job, taken, slot, &message) : 0;
    vqx_devices_give(&c->devices, slot);
    for (size_t k = 0; k < taken; k++)
        if (err < 0 && (err != -EBADMSG || job[k].lost))
            keep_error(c, job[k].index, err, c->devices.backend->name, message.text);
        else if (!c->config.audit || job[k].index / c->config.subsample % c->config.audit || audit(c, &job[k], scratch) == 0)
            store(c, &job[k]);
}

void vqx_score_tasks(void *context, const vqx_task *task, size_t tasks, void *scratch) {
    vqx_context *c = context;
    vqx_frame_job job[VQX_MAX_SETS];
    size_t jobs = 0;
    for (size_t k = 0; k < tasks; k++) {
        job[jobs] = (vqx_frame_job){
            .context = c, .frame = {task[k].ref, task[k].dis}, .index = task[k].index, .words = sums_of(c, scratch, 0)};
        if (!vqx_frame_wanted(c, task[k].index)) /* a pair that no feature looks at is not read */
            store(c, &job[jobs]);
        else
            jobs++;
    }
    if (c->devices.backend) {
        score_on_device(c, job, jobs, scratch);
    } else if (jobs > 0 && take_pair(c, &job[0]) == 0) {
        run_passes(c, &job[0], scratch);
        store(c, &job[0]);
    }
}
