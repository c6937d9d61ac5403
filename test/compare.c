#include "test/compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test/direct.h"
#include "test/twin.h"
#include "test/vectors.h"
#include "test/vif_synth.h"

/* The `count` words of a form against what they must be; a difference is one line behind `head`. */
static void compare_sums(const uint64_t *sums, const uint64_t *expected, size_t count, vqx_cpu_level level, const char *head,
                         compare_tally *tally) {
    for (size_t i = 0; i < count; i++) {
        tally->values++;
        if (sums[i] == expected[i])
            continue;
        tally->different++;
        fprintf(stderr, "%s: sum %zu of the %s form is %#llx instead of %#llx\n", head, i, vqx_cpu_level_name(level),
                (unsigned long long)sums[i], (unsigned long long)expected[i]);
    }
}

/* The pass in 2, 3 and 7 parts, joined, against the sums of the whole one; the slow definition in one of these numbers a time. */
static void compare_parts(const direct *d, vqx_frame *const pair[2], const uint64_t *sums, const char *head, compare_tally *tally) {
    static const uint32_t counts[] = {2, 3, 7};
    enum { COUNTS = sizeof(counts) / sizeof(counts[0]) };
    static size_t turn;
    const bool one = d->feature.level == VQX_LEVEL_DEFINITION;
    uint64_t joined[VQX_MAX_SUMS];
    for (size_t c = one ? turn++ % COUNTS : 0; d->feature.metric->join && c < COUNTS; c += one ? COUNTS : 1) {
        char parts[300];
        snprintf(parts, sizeof(parts), "%s, in %u parts", head, counts[c]);
        direct_parts(d, pair, counts[c], joined);
        compare_sums(joined, sums, d->feature.sums, d->feature.level, parts, tally);
    }
}

/* Something that keeps a comparison from being made. */
static void cannot(const char *head, int err, compare_tally *tally) {
    tally->different++;
    fprintf(stderr, "%s: %s\n", head, vqx_strerror(err));
}

/* ---- vectors --------------------------------------------------------------------------------------------------------- */

static bool is_frame(const vectors_row *row) {
    return row->where[strspn(row->where, "0123456789")] == '\0';
}

/* A named value of one frame: an output, or one of the sums of vif ("sum_nl_scale0"). -ENOENT: no such output. */
static int frame_value(const vqx_feature *feature, const char *name, const uint64_t *sums, double *value) {
    static const char *const sum_name[4] = {"nl", "dl", "nn", "dn"};
    double output[VQX_MAX_OUTPUTS];
    char kind[3];
    unsigned scale;
    if (sscanf(name, "sum_%2s_scale%u", kind, &scale) == 2)
        for (unsigned i = 0; i < 4; i++)
            if (strcmp(kind, sum_name[i]) == 0) {
                *value = (double)sums[4 * scale + i];
                return 0;
            }
    feature->metric->finish_frame(feature, sums, output);
    for (size_t i = 0; i < feature->outputs; i++)
        if (strcmp(name, feature->output[i]) == 0) {
            *value = output[i];
            return 0;
        }
    return -ENOENT;
}

static int stream_value(const vqx_feature *feature, const char *name, const uint64_t *sums, unsigned frames, double *value) {
    double aggregate[VQX_MAX_AGGREGATES];
    if (feature->aggregates)
        feature->metric->finish_stream(feature, sums, frames, aggregate);
    for (size_t i = 0; i < feature->aggregates; i++)
        if (strcmp(name, feature->aggregate[i]) == 0) {
            *value = aggregate[i];
            return 0;
        }
    return -ENOENT;
}

/* The rows of one case and feature in one form, from the sums of all frames. */
static void compare_rows(const vectors_row *row, size_t rows, const vqx_feature *feature, const uint64_t *sums, unsigned frames,
                         compare_tally *tally) {
    for (; rows > 0; rows--, row++) {
        double value;
        int err = -ENOENT;
        if (is_frame(row)) {
            const unsigned long frame = strtoul(row->where, NULL, 10);
            if (frame < frames)
                err = frame_value(feature, row->name, sums + frame * feature->sums, &value);
        } else if (strcmp(row->where, "agg") == 0) {
            err = stream_value(feature, row->name, sums, frames, &value);
        } else {
            continue; /* pooled */
        }
        tally->values++;
        if (err == 0 && direct_same(value, row->value))
            continue;
        tally->different++;
        fprintf(stderr, "%s %s %s %s, %s form: ", row->id, row->feature, row->where, row->name, vqx_cpu_level_name(feature->level));
        if (err < 0)
            fprintf(stderr, "no such value\n");
        else
            fprintf(stderr, "%a (%.17g) instead of %a (%.17g)\n", value, value, row->value, row->value);
    }
}

/* Rows of one case and feature, in all forms. */
static void compare_run(const vqx_metric *metric, const vectors_row *row, size_t rows, uint64_t most, compare_tally *tally) {
    const vqx_cpu_level levels = vqx_cpu_best(0) + 1;
    const char *equals = strchr(row->feature, '=');
    vif_clip clip;
    direct d[VQX_LEVELS] = {0};
    uint64_t *sums[VQX_LEVELS] = {NULL};
    char head[256];
    snprintf(head, sizeof(head), "%s %s", row->id, row->feature);
    int err = vif_synth_open(&clip, row->id);
    if (err == -ENODATA || (err == 0 && (uint64_t)clip.format.width * clip.format.height > most)) {
        *(err ? &tally->missing : &tally->larger) += 1;
        err = 0;
        goto end;
    }
    for (vqx_cpu_level l = 0; l < levels && err == 0; l++) {
        err = direct_open(&d[l], metric, equals ? equals + 1 : NULL, &clip.format, l);
        if (err == 0 && !(sums[l] = calloc(clip.frames, d[l].feature.sums * sizeof(uint64_t))))
            err = -ENOMEM;
    }
    const size_t words = d[0].feature.sums;
    for (unsigned f = 0; f < clip.frames && err == 0; f++) {
        vqx_frame *pair[2];
        err = vif_synth_read(&clip, pair);
        for (vqx_cpu_level l = 0; l < levels && err == 0; l++)
            direct_pass(&d[l], pair, sums[l] + f * words);
        if (f == 0 && err == 0)
            compare_parts(&d[levels - 1], pair, sums[levels - 1], head, tally);
        vqx_frame_unref(&pair[0]);
        vqx_frame_unref(&pair[1]);
    }
    for (vqx_cpu_level l = 0; l < levels && err == 0; l++) {
        compare_rows(row, rows, &d[l].feature, sums[l], clip.frames, tally);
        if (l > 0)
            compare_sums(sums[l], sums[0], clip.frames * words, l, head, tally);
    }
end:
    if (err < 0)
        cannot(head, err, tally);
    for (vqx_cpu_level l = 0; l < levels; l++) {
        free(sums[l]);
        direct_close(&d[l]);
    }
    vif_synth_close(&clip);
}

void compare_vectors(const vqx_metric *metric, const char *file, uint64_t most, compare_tally *tally) {
    vectors v;
    const int err = vectors_load(&v, file);
    if (err < 0) {
        cannot(file, err, tally);
        return;
    }
    for (size_t first = 0, end; first < v.rows && !tally->different; first = end) {
        end = vectors_run_end(&v, first);
        if (vectors_is(&v.row[first], metric->name))
            compare_run(metric, &v.row[first], end - first, most, tally);
    }
    vectors_free(&v);
}

/* ---- forms against each other -------------------------------------------------------------------------------------------- */

/* The kernels on one device, in raster order where they must and where they need not. */
static void compare_device(const direct *d, vqx_device *on, vqx_frame *const pair[2], const uint64_t *expected, const char *head,
                           compare_tally *tally) {
    for (int ordered = 0; ordered < 2; ordered++) {
        uint64_t sums[VQX_MAX_SUMS];
        unsigned again = 0;
        char kernels[400];
        snprintf(kernels, sizeof(kernels), "%s, %s kernels%s%s", head, on->backend->name, on->fp64 ? "" : " without fp64",
                 ordered ? " in raster order" : "");
        const int err = twin_sums(&d->feature, on, pair, ordered ? UINT64_MAX : 0, sums, &again);
        if (err < 0)
            cannot(kernels, err, tally);
        else
            compare_sums(sums, expected, d->feature.sums, d->feature.level, kernels, tally);
    }
}

/* Devices that the kernels are compared on, each with fp64 and without; NULL where there is none. Open to the end of the program.
 */
static vqx_device *device[4];

static void close_devices(void) {
    for (int i = 0; i < 4; i++)
        if (device[i])
            device[i]->backend->close(device[i]);
}

static void open_devices(compare_tally *tally) {
    static bool done;
    const char *const name[] = {"cpu-kernels", getenv("VQX_TEST_DEVICE")};
    for (int i = 0; i < 4 && !done; i++) {
        const vqx_backend *const *b = vqx_backends;
        vqx_message_text message = {"no such back end"};
        if (!name[i / 2])
            continue;
        while (*b && strcmp((*b)->name, name[i / 2]) != 0)
            b++;
        const int err = *b ? (*b)->open(&device[i], 0, i % 2 == 0, false, &message) : -ENODEV;
        if (err == 0)
            continue;
        fprintf(stderr, "%s\n", message.text);
        cannot(name[i / 2], err, tally);
    }
    if (!done)
        atexit(close_devices);
    done = true;
}

/* Whether it is the turn of number `i`: of every one, or of each N-th, where the environment's variable says N; 0: of none. */
static bool wanted(const char *variable, unsigned long i) {
    const char *text = getenv(variable);
    const unsigned long every = text ? strtoul(text, NULL, 10) : 1;
    return every > 0 && i % every == 0;
}

/* The kernels as plain C, and, where VQX_TEST_DEVICE names a back end ("opencl"), on its device 0. */
static void compare_kernels(const direct *d, vqx_frame *const pair[2], const uint64_t *expected, const char *head,
                            compare_tally *tally) {
    static unsigned long pairs;
    if (!d->feature.metric->launch || !wanted("VQX_TEST_KERNELS", pairs++))
        return;
    open_devices(tally);
    for (int i = 0; i < 4; i++)
        if (device[i])
            compare_device(d, device[i], pair, expected, head, tally);
}

void compare_levels(const vqx_metric *metric, const char *options, vqx_frame *const pair[2], const char *what,
                    compare_tally *tally) {
    const vqx_format *format = vqx_frame_format(pair[0]);
    uint64_t expected[VQX_MAX_SUMS], sums[VQX_MAX_SUMS];
    char head[256];
    snprintf(head, sizeof(head), "%s%s%s, %ux%u, chroma format %d, %u bits, %s", metric->name, options ? "=" : "",
             options ? options : "", format->width, format->height, (int)format->chroma, format->bits, what);
    for (vqx_cpu_level l = 0; l <= vqx_cpu_best(0); l++) {
        direct d;
        const int err = direct_open(&d, metric, options, format, l);
        if (err < 0) {
            cannot(head, err, tally);
            return;
        }
        direct_pass(&d, pair, l == 0 ? expected : sums);
        compare_parts(&d, pair, l == 0 ? expected : sums, head, tally);
        if (l > 0)
            compare_sums(sums, expected, d.feature.sums, l, head, tally);
        else
            compare_kernels(&d, pair, expected, head, tally);
        direct_close(&d);
    }
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

void compare_random(const vqx_metric *metric, const char *options, unsigned pairs, uint32_t least, compare_tally *tally) {
    static const uint32_t depth[] = {8, 10, 12, 16};
    uint64_t state = 1;
    for (unsigned i = 0; i < pairs && !tally->different; i++) {
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
        }
        char what[32];
        snprintf(what, sizeof(what), "random pair %u", i);
        if (!pair[0] || !pair[1])
            cannot(what, -ENOMEM, tally);
        else if (wanted("VQX_TEST_PAIRS", i))
            compare_levels(metric, options, pair, what, tally);
        vqx_frame_unref(&pair[0]);
        vqx_frame_unref(&pair[1]);
    }
}
