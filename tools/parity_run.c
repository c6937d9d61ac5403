/* The gate: every input through every run of features, on the processor and on all targets side by side. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/parity.h"

/* Frames at a time on a device: one worker, so that those of an input that come while it runs the first one share launches. */
#define WORKERS 1
#define BATCH 4

/* ---- comparing ----------------------------------------------------------------------------------------------------- */

/* Value number `frame` of an item; NaN, and false, when there is none. */
static bool value_of(const vqx_context *context, size_t item, uint64_t frame, double *value) {
    const size_t outputs = vqx_output_count(context);
    const int err = item < outputs ? vqx_score(context, item, frame, value)
                    : frame        ? -ENOENT
                                   : vqx_aggregate(context, item - outputs, value);
    if (err < 0)
        *value = NAN;
    return err == 0;
}

static bool same(double a, double b) {
    return memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b));
}

bool parity_compare(const vqx_context *expected, const vqx_context *got, size_t item, struct parity_result *result) {
    const bool stream = item >= vqx_output_count(expected);
    *result = (struct parity_result){0};
    if (stream && item - vqx_output_count(expected) >= vqx_aggregate_count(expected))
        return false;
    const uint64_t left = vqx_frame_count(expected), right = vqx_frame_count(got), frames = left > right ? left : right;
    for (uint64_t f = 0; f < (stream ? 1 : frames); f++) {
        double a, b;
        const bool there = value_of(expected, item, f, &a), here = value_of(got, item, f, &b);
        result->frames += there || here;
        if (there == here && same(a, b))
            continue;
        const double difference = isfinite(a - b) ? fabs(a - b) : INFINITY;
        if (result->differing++ == 0) {
            result->first = f;
            result->expected = a;
            result->got = b;
        }
        if (difference > result->largest)
            result->largest = difference;
    }
    return true;
}

/* ---- keeping what was found ---------------------------------------------------------------------------------------- */

/* Keeps why the gate ends, says it, and returns `code`. */
__attribute__((format(printf, 3, 4))) static int stop(struct parity *p, int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(p->error, sizeof(p->error), format, args);
    va_end(args);
    if (p->progress)
        fprintf(stderr, "\r\033[K");
    cli_error("parity: %s", p->error);
    return code;
}

/* Adds a record, and to the cell of its target, feature and input. -1, or an exit code. */
static int keep(struct parity *p, const struct parity_record *record, const char *output) {
    if (p->records == p->room) {
        const size_t room = p->room ? 2 * p->room : 1024;
        struct parity_record *more = realloc(p->record, room * sizeof(*more));
        if (!more)
            return stop(p, CLI_MEMORY, "out of memory");
        p->record = more;
        p->room = room;
    }
    struct parity_record *r = &p->record[p->records];
    *r = *record;
    r->output = output ? strdup(output) : NULL;
    if (output && !r->output)
        return stop(p, CLI_MEMORY, "out of memory");
    p->records++;
    p->values += r->result.frames;
    p->differing += r->result.differing;
    enum parity_cell *cell = parity_cell_of(p, r->target, r->feature, r->input);
    if (r->result.differing)
        *cell = PARITY_DIFFERS;
    else if (*cell == PARITY_NOT_RUN)
        *cell = PARITY_EQUAL;
    return -1;
}

/* ---- one run of features on one input ------------------------------------------------------------------------------ */

/* The features of a run that an input is compared with, and how many outputs and values of the whole stream each has. */
struct selection {
    size_t feature[PARITY_MAX_FEATURES], outputs[PARITY_MAX_FEATURES], values[PARITY_MAX_FEATURES];
    size_t count;
};

/* A context on a target, or on the processor for NULL, with features of the list. What vqx_start() says, or a negative errno; the
 * caller closes it. */
static int start(const struct parity *p, const struct parity_target *target, const size_t *feature, size_t count,
                 const vqx_format *format, vqx_context **context) {
    char number[16] = "";
    vqx_config config = {0};
    if (target) {
        snprintf(number, sizeof(number), "%" PRIu32, target->device->number);
        config = (vqx_config){.threads = WORKERS,
                              .batch = BATCH,
                              .backend = target->device->backend,
                              .device = number,
                              .device_flags = target->flags};
    }
    int err = vqx_open(context, &config);
    for (size_t i = 0; i < count && err == 0; i++)
        err = vqx_add_feature(*context, p->feature[feature[i]].spec);
    return err < 0 ? err : vqx_start(*context, format);
}

static int stop_start(struct parity *p, int err, const vqx_context *context) {
    return stop(p, cli_exit_of(err), "%s", context ? vqx_message(context) : vqx_strerror(err));
}

/* Whether a target refuses what the processor does. -1, or an exit code. */
static int check_refusal(struct parity *p, size_t feature, size_t input) {
    for (size_t t = 0; t < p->targets; t++) {
        const struct parity_record record = {.target = t, .feature = feature, .input = input, .result = {.differing = 1}};
        vqx_context *context = NULL;
        const int err = start(p, &p->target[t], &feature, 1, &p->input[input].format, &context);
        int code = -1;
        if (err == -ENOTSUP)
            *parity_cell_of(p, t, feature, input) = PARITY_REFUSED;
        else
            code = err < 0 ? stop_start(p, err, context) : keep(p, &record, NULL);
        vqx_close(&context);
        if (code >= 0)
            return code;
    }
    return -1;
}

static bool takes_long(const char *spec) {
    return strncmp(spec, "float_ssim", 10) == 0 || strncmp(spec, "float_ms_ssim", 13) == 0 || strncmp(spec, "vif", 3) == 0;
}

/* Chooses the features of a run that the processor takes for this input. -1, or an exit code. */
static int select_features(struct parity *p, unsigned run, size_t input, struct selection *s) {
    s->count = 0;
    for (size_t f = 0; f < p->features; f++) {
        vqx_context *context = NULL;
        if (p->feature[f].run != run || (p->input[input].large && !p->inputs_named && takes_long(p->feature[f].spec)))
            continue;
        const int err = start(p, NULL, &f, 1, &p->input[input].format, &context);
        int code = -1;
        if (err == 0) {
            s->feature[s->count] = f;
            s->outputs[s->count] = vqx_output_count(context);
            s->values[s->count++] = vqx_aggregate_count(context);
        } else {
            code = err == -ENOTSUP ? check_refusal(p, f, input) : stop_start(p, err, context);
        }
        vqx_close(&context);
        if (code >= 0)
            return code;
    }
    return -1;
}

/* The feature that an item belongs to: outputs stand in the order of the features, and so do the values of the whole stream. */
static size_t feature_of(const struct selection *s, size_t item) {
    for (size_t i = 0; i < s->count; item -= s->outputs[i++])
        if (item < s->outputs[i])
            return s->feature[i];
    for (size_t i = 0; i < s->count; item -= s->values[i++])
        if (item < s->values[i])
            return s->feature[i];
    return s->feature[0];
}

static int compare_target(struct parity *p, const struct selection *s, size_t input, size_t target, const vqx_context *expected,
                          const vqx_context *got) {
    const size_t outputs = vqx_output_count(expected);
    struct parity_record record = {.target = target, .input = input};
    int code = -1;
    for (size_t i = 0; code < 0 && parity_compare(expected, got, i, &record.result); i++) {
        record.feature = feature_of(s, i);
        record.stream = i >= outputs;
        code = keep(p, &record, record.stream ? vqx_aggregate_name(expected, i - outputs) : vqx_output_name(expected, i));
    }
    return code;
}

/* Feeds all pairs of the input to all contexts and waits for them. Each context gets several at once: a device that is faster than
 * pictures are made would never share launches. -1, or an exit code. */
static int feed(struct parity *p, size_t input, vqx_context *const *context, struct parity_stream *stream, vqx_pool *pool) {
    enum { AT_ONCE = 1 + BATCH };
    vqx_frame *pair[AT_ONCE][2];
    char message[1024];
    int more = 1, submitted = 0, failed = 0;
    uint64_t index = 0, end = 0;
    while (more > 0 && submitted == 0) {
        const uint64_t first = end;
        while (end < first + AT_ONCE &&
               (more = parity_stream_next(stream, end, pool, pair[end - first], message, sizeof(message))) > 0)
            end++;
        for (size_t c = 0; c <= p->targets && submitted == 0; c++)
            for (index = first; index < end && submitted == 0; index++)
                submitted =
                    vqx_submit(context[c], index, vqx_frame_ref(pair[index - first][0]), vqx_frame_ref(pair[index - first][1]));
        for (uint64_t i = first; i < end; i++)
            for (int s = 0; s < 2; s++)
                vqx_frame_unref(&pair[i - first][s]);
    }
    for (size_t c = 0; c <= p->targets; c++) {
        const int err = vqx_finish(context[c]);
        if (err < 0 && !failed) {
            failed = err;
            stop(p, 0, "%s: %s", p->input[input].name, vqx_message(context[c]));
        }
    }
    if (failed)
        return cli_exit_of_frame(failed);
    if (submitted < 0)
        return stop(p, cli_exit_of_frame(submitted), "%s: frame %" PRIu64 ": %s", p->input[input].name, index - 1,
                    vqx_strerror(submitted));
    if (more < 0)
        return stop(p, cli_exit_of_frame(more), "%s", message);
    return end ? -1 : stop(p, CLI_NO_FRAMES, "%s: no frames", p->input[input].name);
}

static int compare_run(struct parity *p, unsigned run, size_t input) {
    const vqx_format *format = &p->input[input].format;
    struct selection s;
    struct parity_stream *stream = NULL;
    vqx_pool *pool = NULL;
    char message[1024];
    size_t outputs = 0;
    int err, code = select_features(p, run, input, &s);
    if (code >= 0 || !s.count)
        return code;
    vqx_context **context = calloc(1 + p->targets, sizeof(vqx_context *)); /* the processor's, then the targets' */
    if (!context)
        return stop(p, CLI_MEMORY, "out of memory");
    for (size_t c = 0; c <= p->targets && code < 0; c++)
        if ((err = start(p, c ? &p->target[c - 1] : NULL, s.feature, s.count, format, &context[c])) < 0)
            code = stop_start(p, err, context[c]);
    if (code < 0 && (err = parity_stream_open(&stream, &p->input[input], message, sizeof(message))) < 0)
        code = stop(p, err == -ENOMEM ? CLI_MEMORY : CLI_INPUT, "%s", message);
    /* frames in memory of the first target: it takes them as they are, the others copy them */
    if (code < 0 && (err = vqx_pool_open_for(&pool, context[1])) < 0)
        code = stop(p, cli_exit_of(err), "%s: %s", vqx_backend_used(context[1]), vqx_strerror(err));
    for (size_t i = 0; i < s.count && code < 0; i++)
        outputs += s.outputs[i];
    if (code < 0 && outputs != vqx_output_count(context[0]))
        code = stop(p, CLI_USAGE, "a feature stands twice in a run");
    if (code < 0)
        code = feed(p, input, context, stream, pool);
    for (size_t t = 0; t < p->targets && code < 0; t++)
        code = compare_target(p, &s, input, t, context[0], context[1 + t]);
    for (size_t c = 0; c <= p->targets; c++)
        vqx_close(&context[c]);
    free(context);
    vqx_pool_close(&pool);
    parity_stream_close(&stream);
    return code;
}

/* Contexts that keep the devices open, so that those of the runs need not open them again. -1, or an exit code. */
static int hold_devices(struct parity *p, vqx_context **held) {
    const vqx_format format = {16, 16, VQX_CHROMA_400, 8};
    const size_t first = 0;
    int err = 0;
    for (size_t t = 0; t < p->targets && p->features && err == 0; t++)
        if ((err = start(p, &p->target[t], &first, 1, &format, &held[t])) == -ENOTSUP)
            err = 0; /* the picture is too small for this feature */
        else if (err < 0)
            return stop_start(p, err, held[t]);
    return -1;
}

int parity_run(struct parity *p) {
    const unsigned runs = p->features ? p->feature[p->features - 1].run + 1 : 0;
    vqx_context **held = calloc(p->targets + 1, sizeof(vqx_context *));
    if (!held)
        return stop(p, CLI_MEMORY, "out of memory");
    int code = hold_devices(p, held);
    for (size_t i = 0; i < p->inputs && code < 0; i++) {
        if (p->progress)
            fprintf(stderr, "\r\033[K%zu/%zu %s", i + 1, p->inputs, p->input[i].name);
        for (unsigned run = 0; run < runs && code < 0; run++)
            code = compare_run(p, run, i);
    }
    if (p->progress)
        fprintf(stderr, "\r\033[K");
    for (size_t t = 0; t < p->targets; t++)
        vqx_close(&held[t]);
    free(held);
    return code;
}
