/* Reading scores of a finished context. */
#include <errno.h>
#include <stdlib.h>

#include "base/arithmetic.h"
#include "src/context.h"
#include "src/pooling.h"

uint64_t vqx_frame_count(const vqx_context *c) {
    if (!c->finished)
        return 0;
    return atomic_load(&c->error) < 0 ? c->error_index : c->store.end;
}

/* The entry that holds number *i of what count() counts per feature; *i becomes the feature's own number. */
static const vqx_entry *find(const vqx_context *c, size_t *i, size_t (*count)(const vqx_feature *)) {
    for (size_t e = 0; e < c->entries; e++) {
        const size_t n = count(&c->entry[e].feature);
        if (*i < n)
            return &c->entry[e];
        *i -= n;
    }
    return NULL;
}

static size_t total(const vqx_context *c, size_t (*count)(const vqx_feature *)) {
    size_t n = 0;
    for (size_t e = 0; e < c->entries; e++)
        n += count(&c->entry[e].feature);
    return n;
}

static size_t outputs(const vqx_feature *f) {
    return f->outputs;
}
static size_t aggregates(const vqx_feature *f) {
    return f->aggregates;
}

size_t vqx_output_count(const vqx_context *c) {
    return total(c, outputs);
}

const char *vqx_output_name(const vqx_context *c, size_t output) {
    const vqx_entry *e = find(c, &output, outputs);
    return e ? e->feature.output[output] : NULL;
}

const char *vqx_output_metric(const vqx_context *c, size_t output) {
    const vqx_entry *e = find(c, &output, outputs);
    return e ? e->feature.metric->name : NULL;
}

int vqx_score(const vqx_context *c, size_t output, uint64_t index, double *score) {
    const vqx_entry *e = find(c, &output, outputs);
    if (!e)
        return -EINVAL;
    if (index >= vqx_frame_count(c) || !vqx_store_has(&c->store, index, (size_t)(e - c->entry)))
        return -ENOENT;
    *score = vqx_store_score(&c->store, index, e->slot + output);
    return 0;
}

int vqx_pooling_check(const char *method) {
    struct vqx_pooling pooling;
    return vqx_pooling_parse(method, &pooling);
}

int vqx_pooled(const vqx_context *c, size_t output, const char *method, double *value) {
    struct vqx_pooling pooling;
    size_t own = output, n = 0;
    if (!find(c, &own, outputs) || vqx_pooling_parse(method, &pooling) < 0)
        return -EINVAL;
    const uint64_t frames = vqx_frame_count(c);
    double one;
    for (uint64_t i = 0; i < frames; i += c->config.subsample) /* first, for gaps may be larger than memory */
        if (vqx_score(c, output, i, &one) < 0)
            return -ENOENT;
    double *score = malloc((frames / c->config.subsample + 1) * sizeof(*score));
    if (!score)
        return -ENOMEM;
    for (uint64_t i = 0; i < frames; i += c->config.subsample)
        vqx_score(c, output, i, &score[n++]);
    fenv_t before;
    vqx_arithmetic_enter(&before);
    const int err = vqx_pooling_value(&pooling, score, n, value);
    vqx_arithmetic_leave(&before);
    free(score);
    return err;
}

size_t vqx_aggregate_count(const vqx_context *c) {
    return total(c, aggregates);
}

const char *vqx_aggregate_name(const vqx_context *c, size_t aggregate) {
    const vqx_entry *e = find(c, &aggregate, aggregates);
    return e ? e->feature.aggregate[aggregate] : NULL;
}

int vqx_aggregate(const vqx_context *c, size_t aggregate, double *value) {
    const vqx_entry *e = find(c, &aggregate, aggregates);
    if (!e)
        return -EINVAL;
    if (!e->aggregated)
        return -ENOENT;
    *value = e->aggregate[aggregate];
    return 0;
}

int vqx_context_aggregate(vqx_context *c) {
    const uint64_t frames = vqx_frame_count(c);
    for (size_t i = 0; i < c->entries; i++) {
        vqx_entry *e = &c->entry[i];
        const vqx_feature *f = &e->feature;
        if (!f->metric->finish_stream || !f->aggregates)
            continue;
        uint64_t *sums = malloc((atomic_load(&c->scored) + 1) * f->sums * sizeof(*sums));
        if (!sums)
            return -ENOMEM;
        uint64_t scored = 0;
        for (uint64_t n = 0; n < frames; n++)
            if (vqx_store_has(&c->store, n, i))
                memcpy(sums + scored++ * f->sums, vqx_store_sums(&c->store, n, e->word), f->sums * sizeof(*sums));
        if (scored)
            f->metric->finish_stream(f, sums, scored, e->aggregate);
        e->aggregated = scored > 0;
        free(sums);
    }
    return 0;
}
