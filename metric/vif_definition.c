/* vif as doc/numerics.md defines it: scale by scale, row by row. */
#include "metric/vif.h"

#include "metric/vif_log2_table.h"

/* What the vertical pass leaves of one column: means and mean products of the pair. */
typedef struct column {
    u32 m1, m2, p11, p22, p12;
} column;

typedef struct pair_image {
    u16 *plane[2]; /* reference, distorted; rows are packed */
    i32 width, height;
} pair_image;

/* Samples of a scale, and where a single row (or column) has its reflections: in the image of the scale before. */
typedef struct scale_input {
    pair_image image;
    const pair_image *before;
    const column *before_column; /* column 1 of the vertical pass at the last row of the scale before */
} scale_input;

typedef struct memory {
    pair_image image[2]; /* of the scale at hand and the next one */
    column *row;
    u32 *low; /* one row of the low-pass */
} memory;

static size_t image_bytes(size_t width, size_t height) {
    return (width * height * sizeof(u16) + 63) / 64 * 64;
}

static size_t row_bytes(size_t width, size_t size) {
    return (width * size + 63) / 64 * 64;
}

size_t vqx_vif_scratch_definition(const vqx_format *format) {
    const size_t w = format->width, h = format->height;
    return 2 * image_bytes(w, h) + 2 * image_bytes(w / 2, h / 2) + row_bytes(w, sizeof(column)) + row_bytes(w, sizeof(u32));
}

/* Row p of a scale, reflected at its borders. */
static const u16 *row_at(const scale_input *in, unsigned side, i32 p) {
    if (in->image.height == 1)
        return p == 0 ? in->image.plane[side] : in->before->plane[side] + in->before->width;
    return in->image.plane[side] + (size_t)vqx_vif_reflect(p, in->image.height) * (size_t)in->image.width;
}

static column column_at(const scale_input *in, const column *row, i32 p) {
    if (in->image.width == 1)
        return p == 0 ? row[0] : *in->before_column;
    return row[vqx_vif_reflect(p, in->image.width)];
}

/* The vertical pass for row i. shift1 and shift2 round first and second moments. */
static void moments_of_row(const scale_input *in, unsigned s, i32 i, u32 shift1, u32 shift2, column *out) {
    const i32 half = (i32)vqx_vif_taps[s] / 2;
    for (i32 j = 0; j < in->image.width; j++) {
        u64 m1 = 0, m2 = 0, p11 = 0, p22 = 0, p12 = 0;
        for (i32 t = -half; t <= half; t++) {
            const u64 f = vqx_vif_tap[s][t + half], x = row_at(in, 0, i + t)[j], y = row_at(in, 1, i + t)[j];
            m1 += f * x;
            m2 += f * y;
            p11 += f * x * x;
            p22 += f * y * y;
            p12 += f * x * y;
        }
        out[j] = (column){(u32)vqx_vif_round(m1, shift1), (u32)vqx_vif_round(m2, shift1), (u32)vqx_vif_round(p11, shift2),
                          (u32)vqx_vif_round(p22, shift2), (u32)vqx_vif_round(p12, shift2)};
    }
}

/* The horizontal pass at column j, and the statistics of that pixel. */
static void add_pixel(const scale_input *in, unsigned s, i32 j, double limit, const column *row, u64 *sums) {
    const i32 half = (i32)vqx_vif_taps[s] / 2;
    u32 m1 = 0, m2 = 0;
    u64 a11 = 0, a22 = 0, a12 = 0;
    for (i32 t = -half; t <= half; t++) {
        const u32 f = vqx_vif_tap[s][t + half];
        const column c = column_at(in, row, j + t);
        m1 += f * c.m1;
        m2 += f * c.m2;
        a11 += (u64)f * c.p11;
        a22 += (u64)f * c.p22;
        a12 += (u64)f * c.p12;
    }
    const i32 s1 = vqx_vif_variance((u32)vqx_vif_round(a11, 16), m1, m1);
    const i32 s2 = vqx_vif_variance((u32)vqx_vif_round(a22, 16), m2, m2);
    const i32 s12 = vqx_vif_variance((u32)vqx_vif_round(a12, 16), m1, m2);
    vqx_vif_terms terms;
    vqx_vif_pixel(s1, s2 > 0 ? s2 : 0, s12, limit, &terms);
    sums[0] += vqx_vif_log2(terms.distorted) - vqx_vif_log2(terms.noise);
    sums[1] += vqx_vif_log2(terms.reference) - VQX_VIF_LOG2_NOISE;
    sums[2] += terms.nn;
    sums[3] += terms.dn;
}

/* Low-pass of one picture with the taps of scale s + 1, and every second row and column of it. */
static void halve(const scale_input *in, unsigned s, unsigned side, u32 shift, u32 *low, pair_image *out) {
    const u32 *f = vqx_vif_tap[s + 1];
    const i32 half = (i32)vqx_vif_taps[s + 1] / 2;
    for (i32 i = 0; i < out->height; i++) {
        for (i32 j = 0; j < in->image.width; j++) {
            u32 sum = 0;
            for (i32 t = -half; t <= half; t++)
                sum += f[t + half] * row_at(in, side, 2 * i + t)[j];
            low[j] = (u32)vqx_vif_round(sum, shift);
        }
        for (i32 j = 0; j < out->width; j++) {
            u32 sum = 0;
            for (i32 t = -half; t <= half; t++)
                sum += f[t + half] * low[vqx_vif_reflect(2 * j + t, in->image.width)];
            out->plane[side][(size_t)i * (size_t)out->width + (size_t)j] = (u16)vqx_vif_round(sum, 16);
        }
    }
}

static void load(const vqx_plane *plane, u32 bits, u16 *out) {
    for (uint32_t i = 0; i < plane->height; i++) {
        const uint8_t *row = plane->data + (ptrdiff_t)i * plane->stride;
        for (uint32_t j = 0; j < plane->width; j++)
            *out++ = (u16)vqx_vif_sample(bits == 8 ? row[j] : ((const u16 *)row)[j], bits);
    }
}

/* Cuts the scratch up; two image pairs take turns. */
static memory memory_of(void *scratch, uint32_t w, uint32_t h) {
    char *at = scratch;
    memory m = {0};
    for (unsigned i = 0; i < 2; i++)
        for (unsigned side = 0; side < 2; side++) {
            m.image[i].plane[side] = (u16 *)at;
            at += image_bytes(w >> i, h >> i);
        }
    m.row = (column *)at;
    m.low = (u32 *)(at + row_bytes(w, sizeof(column)));
    m.image[0].width = (i32)w;
    m.image[0].height = (i32)h;
    return m;
}

void vqx_vif_definition(const vqx_vif_frame *frame, void *scratch, uint64_t *sums) {
    memset(sums, 0, VQX_VIF_SUMS * sizeof(*sums));
    if (frame->part > 0)
        return;
    memory m = memory_of(scratch, frame->ref.width, frame->ref.height);
    load(&frame->ref, frame->bits, m.image[0].plane[0]);
    load(&frame->dis, frame->bits, m.image[0].plane[1]);
    column last = {0};
    for (unsigned s = 0; s < VQX_VIF_SCALES; s++, sums += 4) {
        const scale_input in = {m.image[s & 1], &m.image[~s & 1], &last};
        const u32 shift1 = s == 0 ? frame->bits : 16, shift2 = s == 0 ? 2 * (frame->bits - 8) : 16;
        for (i32 i = 0; i < in.image.height && !(s == 0 && frame->skip_scale0); i++) {
            moments_of_row(&in, s, i, shift1, shift2, m.row);
            for (i32 j = 0; j < in.image.width; j++)
                add_pixel(&in, s, j, frame->limit, m.row, sums);
        }
        if (s + 1 == VQX_VIF_SCALES)
            break;
        if (s == 2)
            last = m.row[1];
        pair_image *next = &m.image[~s & 1];
        next->width = in.image.width / 2;
        next->height = in.image.height / 2;
        for (unsigned side = 0; side < 2; side++)
            halve(&in, s, side, shift1, m.low, next);
    }
}
