#include "test/pairs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static uint32_t sample(uint64_t position, unsigned side, unsigned plane, uint32_t x, uint32_t y) {
    uint32_t v = (uint32_t)position * 2654435761u + plane * 40503u + x * 97u + y * 8191u;
    v ^= v >> 15;
    v *= 2246822519u;
    v ^= v >> 13;
    return side ? v ^ (v >> 7 & 7) : v;
}

static int fill(void *source, uint64_t position, uint8_t *const data[VQX_MAX_PLANES], const ptrdiff_t stride[VQX_MAX_PLANES],
                char *message, size_t size) {
    const struct pairs_side *s = source;
    const pairs *p = s->pairs;
    const int err = p->hook ? p->hook(p->cookie, s->side, position) : 0;
    if (err < 0) {
        snprintf(message, size, "picture %llu", (unsigned long long)position);
        return err;
    }
    for (unsigned plane = 0; plane < VQX_MAX_PLANES; plane++) {
        uint32_t w, h;
        vqx_format_plane_size(&p->format, plane, &w, &h);
        for (uint32_t y = 0; data[plane] && y < h; y++) {
            uint8_t *row = data[plane] + (ptrdiff_t)y * stride[plane];
            for (uint32_t x = 0; x < w; x++) {
                const uint32_t v = sample(position, s->side, plane, x, y) & ((1u << p->format.bits) - 1);
                if (p->format.bits > 8)
                    ((uint16_t *)(void *)row)[x] = (uint16_t)v;
                else
                    row[x] = (uint8_t)v;
            }
        }
    }
    return 0;
}

int pairs_open(pairs *p, const vqx_format *format, unsigned planes, pairs_hook hook, void *cookie) {
    *p = (pairs){.format = *format, .hook = hook, .cookie = cookie};
    int err = 0;
    for (unsigned s = 0; s < 2 && err == 0; s++) {
        p->side[s] = (struct pairs_side){.pairs = p, .side = s};
        err = vqx_pool_open(&p->side[s].pool, format, planes);
    }
    if (err < 0)
        pairs_close(p);
    return err;
}

void pairs_close(pairs *p) {
    vqx_pool_close(&p->side[0].pool);
    vqx_pool_close(&p->side[1].pool);
}

int pairs_frame(pairs *p, unsigned side, uint64_t position, vqx_frame **frame) {
    return vqx_pool_frame(p->side[side].pool, frame, fill, &p->side[side], position);
}

int pairs_submit(pairs *p, vqx_context *context, uint64_t index) {
    vqx_frame *frame[2];
    int err = pairs_frame(p, 0, index, &frame[0]);
    if (err < 0)
        return err;
    err = pairs_frame(p, 1, index, &frame[1]);
    if (err < 0) {
        vqx_frame_unref(&frame[0]);
        return err;
    }
    return vqx_submit(context, index, frame[0], frame[1]);
}

static void put(uint64_t **at, int err, double value) {
    *(*at)++ = (uint64_t)err;
    if (err < 0)
        value = 0;
    memcpy((*at)++, &value, sizeof(value));
}

uint64_t *pairs_results(const vqx_context *context, size_t *words) {
    static const char *const method[] = {"mean", "min", "max", "harmonic_mean", "median", "stdev", "p10"};
    const uint64_t frames = vqx_frame_count(context);
    const size_t outputs = vqx_output_count(context), aggregates = vqx_aggregate_count(context);
    uint64_t *result = malloc((3 + 2 * (outputs * (frames + LENGTH(method)) + aggregates)) * sizeof(*result)), *at = result;
    if (!result)
        return NULL;
    *at++ = frames;
    *at++ = outputs;
    *at++ = aggregates;
    for (size_t o = 0; o < outputs; o++) {
        double value;
        for (uint64_t i = 0; i < frames; i++) {
            const int err = vqx_score(context, o, i, &value);
            put(&at, err, value);
        }
        for (size_t m = 0; m < LENGTH(method); m++) {
            const int err = vqx_pooled(context, o, method[m], &value);
            put(&at, err, value);
        }
    }
    for (size_t a = 0; a < aggregates; a++) {
        double value;
        const int err = vqx_aggregate(context, a, &value);
        put(&at, err, value);
    }
    *words = (size_t)(at - result);
    return result;
}

uint64_t *pairs_expected(const vqx_format *format, const char *const *features, uint32_t subsample, uint64_t count, size_t *words) {
    pairs p = {.hook = NULL};
    vqx_context *context;
    uint64_t *result = NULL;
    int err = vqx_open(&context, &(vqx_config){.threads = 1, .subsample = subsample});
    if (err < 0)
        return NULL;
    for (size_t i = 0; features[i] && err == 0; i++)
        err = vqx_add_feature(context, features[i]);
    if (err == 0)
        err = vqx_start(context, format);
    if (err == 0)
        err = pairs_open(&p, format, vqx_planes(context), NULL, NULL);
    for (uint64_t i = 0; i < count && err == 0; i++)
        err = pairs_submit(&p, context, i);
    if (err == 0 && vqx_finish(context) == 0)
        result = pairs_results(context, words);
    if (!result)
        fprintf(stderr, "%s\n", vqx_message(context));
    pairs_close(&p);
    vqx_close(&context);
    return result;
}

vqx_context *pairs_context(const vqx_format *format, const char *const *features, const vqx_config *config) {
    vqx_context *c;
    assert_int_equal(vqx_open(&c, config), 0);
    for (size_t i = 0; features[i]; i++)
        assert_int_equal(vqx_add_feature(c, features[i]), 0);
    assert_int_equal(vqx_start(c, format), 0);
    return c;
}

static void release(void *cookie) {
    atomic_fetch_add((atomic_int *)cookie, 1);
}

vqx_frame *pairs_wrapped(const vqx_format *format, unsigned planes, atomic_int *released) {
    static const uint16_t memory[64 * 64];
    const ptrdiff_t stride[VQX_MAX_PLANES] = {128, 128, 128};
    const void *data[VQX_MAX_PLANES];
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++)
        data[p] = planes >> p & 1 ? memory : NULL;
    vqx_frame *frame;
    assert_int_equal(vqx_frame_wrap(&frame, format, data, stride, release, released), 0);
    return frame;
}

void pairs_check(const vqx_context *context, const vqx_format *format, const char *const *features, uint32_t subsample,
                 uint64_t count) {
    size_t words[2];
    uint64_t *expected = pairs_expected(format, features, subsample, count, &words[0]), *got = pairs_results(context, &words[1]);
    assert_non_null(expected);
    assert_non_null(got);
    assert_int_equal(got[0], expected[0]);
    assert_int_equal(words[1], words[0]);
    assert_memory_equal(got, expected, words[0] * sizeof(*got));
    free(expected);
    free(got);
}
