#include "src/context.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arithmetic.h"
#include "src/registry.h"

/* Threads that feed one device, unless the caller chooses, and pairs in flight there: so many that it is never idle. Each pair
 * costs host memory that the driver must pin. */
#define MOST_SLOTS 8u
#define MOST_IN_FLIGHT 32u
/* Of pictures, that a worker has on a device side by side: small ones share launches. */
#define BATCH_BYTES (8u << 20)
_Static_assert(VQX_MAX_BATCH == VQX_MAX_SETS, "a launch takes all pairs of a worker");

int vqx_open(vqx_context **context, const vqx_config *config) {
    *context = NULL;
    vqx_context *c = calloc(1, sizeof(*c));
    if (!c)
        return -ENOMEM;
    if (config)
        c->config = *config;
    if (!c->config.subsample)
        c->config.subsample = 1;
    c->threads_chosen = c->config.threads != 0;
    if (!c->config.threads) {
        cpu_set_t set; /* holds 1024 processors; on larger machines the call fails */
        c->config.threads =
            sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned)CPU_COUNT(&set) : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    }
    if (pthread_mutex_init(&c->error_lock, NULL)) {
        free(c);
        return -ENOMEM;
    }
    atomic_init(&c->error, 0);
    atomic_init(&c->scored, 0);
    *context = c;
    return 0;
}

void vqx_close(vqx_context **context) {
    vqx_context *c = *context;
    *context = NULL;
    if (!c)
        return;
    vqx_scheduler_close(&c->scheduler);
    for (size_t i = 0; i < c->entries; i++) {
        vqx_feature *f = &c->entry[i].feature;
        if (c->started && f->metric->teardown)
            f->metric->teardown(f);
        free(f->options);
    }
    if (c->started)
        vqx_store_close(&c->store);
    vqx_devices_close(&c->devices);
    pthread_mutex_destroy(&c->error_lock);
    free(c);
}

const char *vqx_message(const vqx_context *context) {
    return context->message.text;
}

void vqx_context_log(const vqx_context *c, vqx_log_level level, const char *line) {
    if (c->config.log)
        c->config.log(c->config.log_cookie, level, line);
}

static int add_feature(vqx_context *c, const char *spec) {
    const size_t length = strcspn(spec, "=");
    const vqx_metric *metric = vqx_registry_find(spec, length);
    if (c->started)
        return vqx_fail(&c->message, -EBUSY, "%s: cannot be added after the start", spec);
    if (!metric)
        return vqx_fail(&c->message, -ENOENT, "unknown feature '%.*s'", (int)length, spec);
    void *options = calloc(1, metric->options_size ? metric->options_size : 1);
    if (!options)
        return vqx_fail(&c->message, -ENOMEM, "%s: out of memory", metric->name);
    int err = vqx_option_parse(metric->options, metric->name, spec[length] ? spec + length + 1 : NULL, options, &c->message);
    if (err < 0)
        goto fail;
    for (size_t i = 0; i < c->entries; i++) {
        const vqx_feature *f = &c->entry[i].feature;
        if (f->metric != metric || (metric->same_names && !metric->same_names(f->options, options)))
            continue;
        if (!vqx_option_equal(metric->options, f->options, options))
            err = vqx_fail(&c->message, -EEXIST, "%s: requested twice with different options", metric->name);
        goto fail; /* nothing is wrong when they are equal: the first one stands for both */
    }
    if (c->entries == VQX_MAX_FEATURES) {
        err = vqx_fail(&c->message, -EINVAL, "%s: more than %d features", metric->name, VQX_MAX_FEATURES);
        goto fail;
    }
    c->entry[c->entries++].feature = (vqx_feature){.metric = metric, .options = options};
    return 0;
fail:
    free(options);
    return err;
}

int vqx_add_feature(vqx_context *c, const char *spec) {
    fenv_t before;
    vqx_arithmetic_enter(&before);
    const int err = add_feature(c, spec);
    vqx_arithmetic_leave(&before);
    return err;
}

/* How many workers feed the devices, and how many pairs each of them has there side by side. */
static int share_pairs(vqx_context *c) {
    size_t offset[VQX_MAX_PLANES];
    uint64_t pairs = BATCH_BYTES / (2 * vqx_format_layout(&c->format, c->planes, offset) + 1);
    if (c->config.batch > VQX_MAX_BATCH)
        return vqx_fail(&c->message, -EINVAL, "a batch of %" PRIu32 " frames: at most %u", c->config.batch, VQX_MAX_BATCH);
    pairs = pairs < 1 ? 1 : pairs > VQX_MAX_BATCH ? VQX_MAX_BATCH : pairs;
    c->pairs = c->config.batch ? c->config.batch : (size_t)pairs;
    const unsigned room = MOST_IN_FLIGHT / (unsigned)c->pairs;
    const unsigned most = (room < MOST_SLOTS ? room : MOST_SLOTS) * (unsigned)c->devices.devices;
    if (!c->threads_chosen && c->config.threads > most)
        c->config.threads = most;
    return 0;
}

/* Opens the devices, plans, and makes as many slots as there are workers. *scratch: bytes of a worker's memory. */
static int start_devices(vqx_context *c, size_t *scratch) {
    vqx_devices *d = &c->devices;
    uint32_t programs = 0, words = 0;
    bool carried = true;
    for (size_t i = 0; i < c->entries; i++) {
        programs |= c->entry[i].feature.metric->programs;
        words += c->entry[i].feature.words;
        carried = carried && c->entry[i].feature.metric->launch;
    }
    const char *const obstacle = !carried                ? "not every feature has kernels"
                                 : words > VQX_MAX_WORDS ? "the features are too many for one pass"
                                                         : NULL;
    int err = vqx_devices_open(d, &c->config, programs, obstacle, &c->message);
    if (err < 0)
        return err;
    c->pairs = 1;
    if (d->backend && (err = share_pairs(c)) < 0)
        return err;
    c->ordered = vqx_devices_ordered(&c->config) ? UINT64_MAX : 0;
    *scratch = vqx_score_plan(c);
    return d->backend ? vqx_devices_start(d, c->config.threads, c->pairs, &c->format, c->planes, &c->message) : 0;
}

static int start(vqx_context *c, const vqx_format *format) {
    size_t scratch, slots = 0, words = 0, ready = 0;
    if (c->started)
        return vqx_fail(&c->message, -EBUSY, "scoring has started already");
    if (!format)
        return vqx_fail(&c->message, -EINVAL, "no picture format was given");
    if (vqx_format_check(format) < 0)
        return vqx_fail(&c->message, -EINVAL,
                        "pictures of %" PRIu32 "x%" PRIu32 ", chroma format %d, %" PRIu32
                        " bits are not supported (sides 1 to 65535, fewer than 2^31 samples; 8, 10, 12 or 16 bits)",
                        format->width, format->height, (int)format->chroma, format->bits);
    if (!c->entries)
        return vqx_fail(&c->message, -EINVAL, "no feature was requested");
    int err = 0;
    c->format = *format;
    for (; ready < c->entries; ready++) {
        vqx_entry *e = &c->entry[ready];
        vqx_feature *f = &e->feature;
        f->outputs = f->aggregates = 0; /* of a start that failed */
        f->parts = 1;
        f->format = *format;
        f->level = vqx_cpu_best(c->config.cpumask);
        err = f->metric->setup(f, &c->message);
        if (err < 0)
            goto fail;
        e->slot = slots;
        e->word = words;
        slots += f->outputs;
        words += f->metric->finish_stream ? f->sums : 0;
        c->planes |= f->planes;
    }
    err = vqx_store_open(&c->store, slots, words, c->entries);
    if (err < 0) {
        vqx_fail(&c->message, err, "out of memory");
        goto fail;
    }
    if ((err = start_devices(c, &scratch)) < 0) {
        vqx_store_close(&c->store);
        goto fail;
    }
    err = vqx_scheduler_open(&c->scheduler, c->config.threads, c->pairs, scratch, vqx_score_tasks, c);
    if (err < 0) {
        vqx_store_close(&c->store);
        vqx_fail(&c->message, err, "out of memory for %u worker threads", c->config.threads);
        goto fail;
    }
    c->started = true;
    vqx_message_text line;
    if (c->devices.backend)
        vqx_fail(&line, 0, "%s: %s, %u frames at a time", c->devices.backend->name, c->devices.name,
                 c->config.threads * (unsigned)c->pairs);
    else
        vqx_fail(&line, 0, "cpu: %s form, %u workers", vqx_cpu_form(c->config.cpumask), c->config.threads);
    vqx_context_log(c, VQX_LOG_INFO, line.text);
    return 0;
fail:
    vqx_devices_close(&c->devices);
    c->devices = (vqx_devices){0};
    while (ready--)
        if (c->entry[ready].feature.metric->teardown)
            c->entry[ready].feature.metric->teardown(&c->entry[ready].feature);
    c->planes = 0;
    return err;
}

int vqx_start(vqx_context *c, const vqx_format *format) {
    fenv_t before;
    vqx_arithmetic_enter(&before); /* the workers inherit it */
    const int err = start(c, format);
    vqx_arithmetic_leave(&before);
    return err;
}

unsigned vqx_planes(const vqx_context *c) {
    return c->planes;
}

int vqx_frame_listed(const vqx_context *c, uint64_t index) {
    return index % c->config.subsample == 0;
}

int vqx_frame_wanted(const vqx_context *c, uint64_t index) {
    for (size_t i = 0; i < c->entries; i++)
        if (vqx_feature_wants(c, &c->entry[i].feature, index))
            return 1;
    return 0;
}

bool vqx_context_fits(const vqx_context *c, const vqx_frame *frame) {
    const vqx_format *f = vqx_frame_format(frame);
    return f->width == c->format.width && f->height == c->format.height && f->chroma == c->format.chroma &&
           f->bits == c->format.bits && (vqx_frame_planes(frame) & c->planes) == c->planes;
}

/* Why samples in a device's memory cannot be scored; NULL: they can, or are the host's. */
static const char *misplaced(const vqx_context *c, const vqx_frame *frame) {
    const vqx_devices *d = &c->devices;
    unsigned number;
    const char *backend = vqx_frame_backend(frame, &number);
    if (!backend)
        return NULL;
    if (d->devices != 1 || strcmp(d->backend->name, backend) != 0 || d->device[0]->device->number != number)
        return "its samples are in the memory of a device that does not score it";
    return c->config.audit ? "an audit needs samples in the host's memory" : NULL;
}

/* The error of a failed frame before this one, with its line; else 0. A frame before the failed one is still taken: which frames
 * have scores in the end must not depend on the order in which they came. */
static int failed_before(vqx_context *c, uint64_t index) {
    if (atomic_load(&c->error) == 0)
        return 0;
    pthread_mutex_lock(&c->error_lock);
    const int err = index > c->error_index ? atomic_load(&c->error) : 0;
    if (err < 0)
        c->message = c->error_message;
    pthread_mutex_unlock(&c->error_lock);
    return err;
}

/* Whether the pair can be queued; claims its index if so. */
static int accept(vqx_context *c, uint64_t index, const vqx_frame *reference, const vqx_frame *distorted) {
    const char *why = NULL;
    int err = failed_before(c, index);
    if (!c->started || c->finished)
        why = c->started ? "submitted after the end" : "submitted before the start";
    else if (err < 0)
        return err;
    else if (!vqx_context_fits(c, reference) || !vqx_context_fits(c, distorted))
        why = "format or planes differ from the start";
    else if (!(why = misplaced(c, reference)))
        why = misplaced(c, distorted);
    if (why) {
        err = -EINVAL;
    } else {
        err = vqx_store_claim(&c->store, index);
        why = err == -ENOMEM ? "out of memory" : err == -EEXIST ? "submitted twice" : "index out of range";
    }
    if (err < 0) {
        pthread_mutex_lock(&c->error_lock);
        vqx_fail(&c->message, err, "frame %" PRIu64 ": %s", index, why);
        pthread_mutex_unlock(&c->error_lock);
    }
    return err;
}

int vqx_submit(vqx_context *c, uint64_t index, vqx_frame *reference, vqx_frame *distorted) {
    const int err = accept(c, index, reference, distorted);
    if (err < 0) {
        vqx_frame_unref(&reference);
        vqx_frame_unref(&distorted);
        return err;
    }
    vqx_scheduler_push(c->scheduler, &(vqx_task){.index = index, .ref = reference, .dis = distorted});
    return 0;
}

uint64_t vqx_finished(const vqx_context *c) {
    return atomic_load_explicit(&c->scored, memory_order_relaxed);
}

int vqx_finish(vqx_context *c) {
    if (!c->started)
        return vqx_fail(&c->message, -EINVAL, "finished before the start");
    vqx_scheduler_close(&c->scheduler);
    vqx_devices_close(&c->devices);
    c->finished = true;
    fenv_t before;
    vqx_arithmetic_enter(&before);
    const int err = vqx_context_aggregate(c);
    vqx_arithmetic_leave(&before);
    if (err < 0)
        return vqx_fail(&c->message, err, "out of memory");
    if (atomic_load(&c->error) < 0)
        c->message = c->error_message;
    return atomic_load(&c->error);
}
