#include "test/direct.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

void direct_parts(const direct *d, vqx_frame *const frame[2], uint32_t parts, uint64_t *sums) {
    const vqx_feature *f = &d->feature;
    const vqx_pair pair = pair_of(d, frame);
    uint64_t part[VQX_MAX_PARTS * VQX_MAX_SUMS];
    for (uint32_t p = parts; p-- > 0;) { /* in any order */
        memset(d->scratch, (int)(0x55 + p), f->scratch);
        f->metric->pass(f, &pair, p, parts, d->scratch, part + p * f->sums);
    }
    f->metric->join(f, &pair, parts, d->scratch, part, sums);
}

bool direct_same(double a, double b) {
    return (isnan(a) && isnan(b)) || vqx_bits_of_f64(a) == vqx_bits_of_f64(b);
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
