#include "test/direct.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "test/synth.h"
#include "test/vectors.h"

int direct_open(direct *d, const vqx_metric *metric, const char *options, const vqx_format *format, vqx_cpu_level level) {
    vqx_message_text message = {""};
    *d = (direct){.feature = {.metric = metric, .format = *format, .level = level}};
    d->feature.options = calloc(1, metric->options_size + 1);
    int err = d->feature.options ? vqx_option_parse(metric->options, metric->name, options, d->feature.options, &message) : -ENOMEM;
    if (err < 0)
        goto fail;
    err = metric->setup(&d->feature, &message);
    if (err < 0)
        goto fail;
    d->scratch = aligned_alloc(64, (d->feature.scratch + 64) / 64 * 64);
    err = -ENOMEM;
    if (!d->scratch)
        goto fail;
    return 0;
fail:
    fprintf(stderr, "%s\n", *message.text ? message.text : vqx_strerror(err));
    direct_close(d);
    return err;
}

void direct_close(direct *d) {
    if (d->feature.metric && d->feature.metric->teardown)
        d->feature.metric->teardown(&d->feature);
    free(d->feature.options);
    free(d->scratch);
    *d = (direct){0};
}

static vqx_pair pair_of(const direct *d, vqx_frame *const frame[2]) {
    vqx_pair pair = {0};
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++)
        if (d->feature.planes >> p & 1) {
            pair.ref[p] = vqx_frame_plane(frame[0], p);
            pair.dis[p] = vqx_frame_plane(frame[1], p);
        }
    return pair;
}

void direct_pass(const direct *d, vqx_frame *const frame[2], uint64_t *sums) {
    const vqx_pair pair = pair_of(d, frame);
    d->feature.metric->pass(&d->feature, &pair, 0, 1, d->scratch, sums);
}

void direct_check_parts(const direct *d, vqx_frame *const frame[2], const uint64_t *sums) {
    static const uint32_t counts[] = {2, 3, 7};
    const vqx_feature *f = &d->feature;
    const vqx_pair pair = pair_of(d, frame);
    uint64_t part[7 * VQX_MAX_SUMS], joined[VQX_MAX_SUMS];
    for (size_t c = 0; f->metric->join && c < sizeof(counts) / sizeof(counts[0]); c++) {
        for (uint32_t p = counts[c]; p-- > 0;) { /* in any order */
            memset(d->scratch, (int)(0x55 + p), f->scratch);
            f->metric->pass(f, &pair, p, counts[c], d->scratch, part + p * f->sums);
        }
        f->metric->join(f, &pair, counts[c], d->scratch, part, joined);
        for (size_t i = 0; i < f->sums; i++)
            if (joined[i] != sums[i])
                fail_msg("%s, %ux%u, %u bits, %s form: sum %zu from %u parts is %#llx instead of %#llx", f->metric->name,
                         f->format.width, f->format.height, f->format.bits, vqx_cpu_level_name(f->level), i, counts[c],
                         (unsigned long long)joined[i], (unsigned long long)sums[i]);
    }
}

bool direct_same(double a, double b) {
    return (isnan(a) && isnan(b)) || vqx_bits_of_f64(a) == vqx_bits_of_f64(b);
}

/* ---- vectors --------------------------------------------------------------------------------------------------------- */

/* The value of a row from the sums of all frames; false when it is not of a frame or the stream. */
static bool value_of(const vqx_feature *feature, const vectors_row *row, const uint64_t *sums, unsigned frames, double *value) {
    double output[VQX_MAX_OUTPUTS], aggregate[VQX_MAX_AGGREGATES];
    char *end;
    const unsigned long frame = strtoul(row->where, &end, 10);
    if (*end == '\0') {
        assert_true(frame < frames);
        feature->metric->finish_frame(feature, sums + frame * feature->sums, output);
        for (size_t i = 0; i < feature->outputs; i++)
            if (strcmp(row->name, feature->output[i]) == 0) {
                *value = output[i];
                return true;
            }
        fail_msg("%s %s has no output %s", row->id, row->feature, row->name);
    }
    if (strcmp(row->where, "agg") != 0)
        return false;
    feature->metric->finish_stream(feature, sums, frames, aggregate);
    for (size_t i = 0; i < feature->aggregates; i++)
        if (strcmp(row->name, feature->aggregate[i]) == 0) {
            *value = aggregate[i];
            return true;
        }
    fail_msg("%s %s has no aggregate %s", row->id, row->feature, row->name);
    return false;
}

/* Checks the rows first..end-1, all of one case and feature; returns the number of values compared. */
static size_t check_run(const vqx_metric *metric, const vectors *v, size_t first, size_t end) {
    const vectors_row *head = &v->row[first];
    const vqx_cpu_level levels = vqx_cpu_best(0) + 1;
    const char *equals = strchr(head->feature, '=');
    synth_clip clip;
    const int err = synth_open(&clip, head->id);
    if (err == -ENODATA)
        return 0;
    assert_int_equal(err, 0);
    direct d[VQX_LEVELS];
    uint64_t *sums[VQX_LEVELS];
    for (vqx_cpu_level l = 0; l < levels; l++) {
        assert_int_equal(direct_open(&d[l], metric, equals ? equals + 1 : NULL, &clip.format, l), 0);
        sums[l] = calloc(clip.frames, d[l].feature.sums * sizeof(uint64_t));
        assert_non_null(sums[l]);
    }
    const size_t words = d[0].feature.sums;
    vqx_frame *pair[2];
    for (unsigned f = 0; synth_read(&clip, pair) == 0; f++) {
        for (vqx_cpu_level l = 0; l < levels; l++)
            direct_pass(&d[l], pair, sums[l] + f * words);
        direct_check_parts(&d[levels - 1], pair, sums[levels - 1] + f * words);
        vqx_frame_unref(&pair[0]);
        vqx_frame_unref(&pair[1]);
    }
    assert_int_equal(clip.next, clip.frames);
    size_t compared = 0;
    for (vqx_cpu_level l = 0; l < levels; l++) {
        for (size_t r = first; r < end; r++) {
            const vectors_row *row = &v->row[r];
            double value;
            if (!value_of(&d[l].feature, row, sums[l], clip.frames, &value))
                continue;
            if (!direct_same(value, row->value))
                fail_msg("%s %s %s %s, %s form: %a (%.17g) instead of %a (%.17g)", row->id, row->feature, row->where, row->name,
                         vqx_cpu_level_name(l), value, value, row->value, row->value);
            compared++;
        }
        if (memcmp(sums[l], sums[0], clip.frames * words * sizeof(uint64_t)) != 0)
            fail_msg("%s %s: sums of the %s form differ from the definition's", head->id, head->feature, vqx_cpu_level_name(l));
    }
    for (vqx_cpu_level l = 0; l < levels; l++) {
        free(sums[l]);
        direct_close(&d[l]);
    }
    synth_close(&clip);
    return compared;
}

void direct_check_vectors(const vqx_metric *metric, const char *file) {
    vectors v;
    assert_int_equal(vectors_load(&v, file), 0);
    size_t compared = 0, skipped = 0;
    for (size_t first = 0, end; first < v.rows; first = end) {
        end = vectors_run_end(&v, first);
        if (!vectors_is(&v.row[first], metric->name))
            continue;
        const size_t n = check_run(metric, &v, first, end);
        compared += n;
        skipped += n == 0;
    }
    vectors_free(&v);
    print_message("%s: %zu values equal to the reference\n", metric->name, compared);
    if (skipped)
        print_message("%s: %zu runs over real clips skipped: VQX_FIXTURES is not set\n", metric->name, skipped);
    assert_true(compared > 0);
}

/* ---- forms against each other -------------------------------------------------------------------------------------------- */

void direct_check_levels(const vqx_metric *metric, const char *options, vqx_frame *const pair[2], const char *what) {
    const vqx_format *format = vqx_frame_format(pair[0]);
    uint64_t expected[VQX_MAX_SUMS];
    for (vqx_cpu_level l = 0; l <= vqx_cpu_best(0); l++) {
        uint64_t sums[VQX_MAX_SUMS];
        direct d;
        assert_int_equal(direct_open(&d, metric, options, format, l), 0);
        direct_pass(&d, pair, l == 0 ? expected : sums);
        direct_check_parts(&d, pair, l == 0 ? expected : sums);
        for (size_t i = 0; l > 0 && i < d.feature.sums; i++)
            if (sums[i] != expected[i])
                fail_msg("%s, %ux%u, chroma format %d, %u bits, %s: sum %zu of the %s form is %#llx instead of %#llx", metric->name,
                         format->width, format->height, (int)format->chroma, format->bits, what, i, vqx_cpu_level_name(l),
                         (unsigned long long)sums[i], (unsigned long long)expected[i]);
        direct_close(&d);
    }
}

uint64_t direct_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

vqx_frame *direct_frame(const vqx_format *format, uint32_t pad,
                        uint32_t (*word)(uint32_t x, uint32_t y, unsigned plane, void *cookie), void *cookie) {
    const unsigned planes = vqx_format_planes(format);
    const size_t bytes = vqx_format_sample_bytes(format);
    size_t total = 0;
    ptrdiff_t stride[VQX_MAX_PLANES] = {0};
    const void *data[VQX_MAX_PLANES] = {NULL};
    uint32_t w, h;
    for (unsigned p = 0; p < planes; p++) {
        vqx_format_plane_size(format, p, &w, &h);
        stride[p] = (ptrdiff_t)((w + pad) * bytes);
        total += (size_t)stride[p] * (h - 1) + (w + 1) * bytes;
    }
    uint8_t *memory = malloc(total);
    if (!memory)
        return NULL;
    uint8_t *at = memory;
    memset(memory, 0xa5, total);
    for (unsigned p = 0; p < planes; p++) {
        vqx_format_plane_size(format, p, &w, &h);
        at += bytes;
        data[p] = at;
        for (uint32_t y = 0; y < h; y++)
            for (uint32_t x = 0; x < w; x++) {
                const uint32_t v = word(x, y, p, cookie);
                uint8_t *sample = at + (ptrdiff_t)y * stride[p] + x * bytes;
                if (bytes == 1)
                    *sample = (uint8_t)v;
                else
                    *(uint16_t *)sample = (uint16_t)v;
            }
        at += (size_t)stride[p] * (h - 1) + w * bytes;
    }
    vqx_frame *frame;
    if (vqx_frame_wrap(&frame, format, data, stride, free, memory) < 0)
        free(memory);
    return frame;
}

/* What a random picture is made of. */
typedef struct content {
    uint64_t *state;
    unsigned kind;
    uint32_t most; /* largest word */
} content;

static uint32_t content_word(uint32_t x, uint32_t y, unsigned plane, void *cookie) {
    const content *c = cookie;
    const uint32_t noise = (uint32_t)(direct_random(c->state) >> 32);
    switch (c->kind) {
    case 0: /* all of it, two of three times */
    case 1:
        return noise & c->most;
    case 2:
        return 0;
    case 3:
        return c->most;
    case 4:
        return (x + y + plane) & 1 ? c->most : 0;
    case 5:
        return x & 1 ? 0 : c->most;
    case 6: /* dark, with a bright word here and there */
        return noise % 61 == 0 ? c->most : noise >> 16 & 15;
    default: /* bright */
        return c->most - (noise & 15);
    }
}

void direct_check_random(const vqx_metric *metric, const char *options, unsigned pairs, uint32_t least) {
    static const uint32_t depth[] = {8, 10, 12, 16};
    uint64_t state = 1;
    for (unsigned i = 0; i < pairs; i++) {
        const uint64_t r = direct_random(&state);
        const vqx_format format = {
            .width = least + r % (301 - least),
            .height = least + (r >> 10) % (301 - least),
            .chroma = (vqx_chroma)(r >> 20 & 3),
            .bits = depth[r >> 22 & 3],
        };
        vqx_frame *pair[2];
        for (int side = 0; side < 2; side++) {
            const uint64_t s = direct_random(&state);
            content c = {&state, s & 7, s & 8 ? (1u << format.bits) - 1 : vqx_format_sample_bytes(&format) == 1 ? 255 : 65535};
            pair[side] = direct_frame(&format, s >> 4 & 15, content_word, &c);
            assert_non_null(pair[side]);
        }
        char what[32];
        snprintf(what, sizeof(what), "random pair %u", i);
        direct_check_levels(metric, options, pair, what);
        vqx_frame_unref(&pair[0]);
        vqx_frame_unref(&pair[1]);
    }
}
