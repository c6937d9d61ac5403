#include "tools/picture.h"

#include <stdbool.h>

/* What a sample is made of, besides its place. */
struct brush {
    uint32_t bits, most; /* the largest value of the depth */
    unsigned side;
    uint32_t index, width, height;
    uint32_t own, common; /* random states of this side, and of both */
};

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static uint32_t noise(uint32_t *state, const struct brush *b) {
    return next_random(state) >> (16 - b->bits);
}

/* The value with -2 … 2 added on the distorted side. */
static uint32_t disturbed(struct brush *b, uint32_t value) {
    const int64_t v = (int64_t)value + (b->side ? (int)(next_random(&b->own) % 5) - 2 : 0);
    return v < 0 ? 0 : v > b->most ? b->most : (uint32_t)v;
}

static uint32_t grain(struct brush *b, uint32_t x, uint32_t y) {
    const uint32_t scene = ((3 * x + 5 * y + 11 * b->index) >> 2 & 127) + 64 + (x * y >> 6 & 7);
    return (scene << (b->bits - 8)) + next_random(&b->own) % ((4u + 4 * b->side) << (b->bits - 8));
}

static uint32_t checker(const struct brush *b, uint32_t x, uint32_t y) {
    const uint32_t low = b->index % 2 ? b->most / 2 : 0, high = b->index % 2 ? low + 1 : b->most;
    return (x + y + b->side) % 2 ? high : low;
}

static uint32_t flat(const struct brush *b) {
    static const uint16_t value[][2] = {{100, 200}, {128, 128}, {0, 255}, {222, 37}, {255, 255}, {0, 0}};
    const uint32_t v = value[b->index % (sizeof(value) / sizeof(value[0]))][b->side];
    return v == 255 ? b->most : v << (b->bits - 8);
}

static uint32_t comb(struct brush *b, uint32_t x) {
    const uint32_t n = noise(&b->own, b), value = x % 16 ? b->most - n / 8 : n / 16;
    if (b->index % 2 == 0)
        return value;
    return b->side ? b->most - value : b->most;
}

static uint32_t stripes(struct brush *b, uint32_t x) {
    static const struct {
        uint16_t value[2], seed;
    } found[PICTURE_STRIPES_COUNT] = {
        {{27919, 43915}, 2349}, {{20000, 50629}, 467},  {{43757, 49812}, 1867}, {{16999, 15478}, 2069},
        {{41573, 37287}, 31},   {{9080, 34238}, 1419},  {{63146, 43840}, 1927}, {{52226, 59339}, 327},
        {{37205, 6088}, 464},   {{64513, 18932}, 1303}, {{45124, 6893}, 1264},  {{2528, 36264}, 2088},
        {{45124, 21564}, 2527}, {{28469, 4650}, 1951},  {{32837, 44226}, 1205}, {{15365, 43498}, 2559},
    };
    const uint32_t i = b->index % PICTURE_STRIPES_COUNT;
    if (x == 0)
        b->common = found[i].seed;
    if (x >= 16)
        return found[i].value[b->side];
    const uint32_t reference = next_random(&b->common), distorted = next_random(&b->common);
    return b->side ? distorted : reference;
}

static uint32_t crossing(struct brush *b, uint32_t x, uint32_t y) {
    static const struct {
        uint16_t seed;
        uint8_t last[2];
    } found[PICTURE_CROSSING_COUNT] = {
        {4146, {208, 245}}, {5803, {182, 144}}, {9533, {199, 236}}, {11184, {0, 184}}, {13941, {66, 145}}, {23942, {90, 113}},
    };
    const uint32_t i = b->index % PICTURE_CROSSING_COUNT;
    if (x == 0 && y == 0)
        b->own = 2u * found[i].seed + 1 + b->side;
    const uint32_t value = noise(&b->own, b);
    return x == b->width - 1 && y == b->height - 1 ? found[i].last[b->side] : value;
}

static uint32_t sample(struct brush *b, enum picture_kind kind, uint32_t x, uint32_t y) {
    const uint32_t shift = b->index % 10;
    switch (kind) {
    case PICTURE_NOISE:
        return noise(&b->own, b);
    case PICTURE_COPY:
        return disturbed(b, noise(&b->common, b));
    case PICTURE_GRAIN:
        return grain(b, x, y);
    case PICTURE_INVERSE: {
        const uint32_t value = noise(&b->common, b);
        return disturbed(b, b->side ? b->most - value : value);
    }
    case PICTURE_CHECKER:
        return checker(b, x, y);
    case PICTURE_FLAT:
        return flat(b);
    case PICTURE_DOTS:
        return x % 20 == 10 - shift && y % 20 == 10 - shift ? b->most : b->side;
    case PICTURE_BRIGHT:
        return b->most - noise(&b->own, b) / 8;
    case PICTURE_DARK:
        return noise(&b->own, b) / 64;
    case PICTURE_COMB:
        return comb(b, x);
    case PICTURE_WORDS:
        return next_random(&b->own);
    case PICTURE_STRIPES:
        return stripes(b, x);
    case PICTURE_CROSSING:
        return crossing(b, x, y);
    }
    return 0;
}

void picture_paint(vqx_frame *frame, enum picture_kind kind, unsigned side, uint64_t index) {
    const vqx_format *format = vqx_frame_format(frame);
    const bool words = vqx_format_sample_bytes(format) == 2;
    struct brush b = {.bits = format->bits, .most = (1u << format->bits) - 1, .side = side, .index = (uint32_t)index};
    for (unsigned p = 0; p < vqx_format_planes(format); p++) {
        ptrdiff_t stride;
        uint8_t *row = vqx_frame_data(frame, p, &stride);
        if (!row)
            continue;
        vqx_format_plane_size(format, p, &b.width, &b.height);
        b.common = (b.index * VQX_MAX_PLANES + p) * 2654435761u + 7;
        b.own = b.common ^ (1 + side) * 0x5bd1e995u;
        for (uint32_t y = 0; y < b.height; y++, row += stride)
            for (uint32_t x = 0; x < b.width; x++) {
                const uint32_t value = sample(&b, kind, x, y);
                if (words)
                    ((uint16_t *)(void *)row)[x] = (uint16_t)value;
                else
                    row[x] = (uint8_t)value;
            }
    }
}
