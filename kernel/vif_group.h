/* vif by groups: a tile of one scale, its sums, and its part of the next scale (doc/numerics.md, "vif").
 *
 * The scales 1, 2, 3 are pairs, the reference in the low half of a word, the distorted picture in the high half, one after the
 * other in one buffer. Before them stand VQX_VIF_MOMENTS words: what scale 3 has left and right of a single column.
 */
#ifndef VQX_KERNEL_VIF_GROUP_H
#define VQX_KERNEL_VIF_GROUP_H

#include "kernel/sample.h"
#include "kernel/sum.h"
#include "kernel/vif_log2.h"

/* Taps on each side of the middle one; `scale` is a literal everywhere, so that loops unroll. */
#define VQX_VIF_AROUND(scale) (8u >> (scale))
#define VQX_VIF_MOST_AROUND 16 /* on both sides together */

#define VQX_VIF_ROWS 4 /* rows of a column that a lane makes: more of them take more registers than there are */
#define VQX_VIF_RUN 7  /* columns of a row that a lane makes: an odd number, for neighbour lanes to meet different banks */
#define VQX_VIF_RUNS (VQX_VIF_TILE_WIDTH / VQX_VIF_RUN)
/* Words of a row, half of the banks more than a multiple of them: 16 lanes are in one row, 16 in the next. */
#define VQX_VIF_LINE (VQX_VIF_TILE_WIDTH + VQX_VIF_MOST_AROUND + 16)

typedef struct vqx_local_vif {
    u32 row[VQX_VIF_TILE_HEIGHT + VQX_VIF_MOST_AROUND]; /* where the rows around the tile begin */
    u32 moment[VQX_VIF_MOMENTS][VQX_VIF_TILE_HEIGHT][VQX_VIF_LINE];
    u32 low[VQX_VIF_TILE_HEIGHT / 2][VQX_VIF_LINE]; /* the next scale after the pass over rows */
    f32 log2_piece[96];
    vqx_red red;
} vqx_local_vif;

/* What a lane adds up; the logarithms of a tile fit in 32 bits. */
typedef struct vqx_vif_share {
    u32 nl, dl, dn;
    u64 nn;
} vqx_vif_share;

/* The filter of a scale over numbers of which two make no carry, and over any. */
VQX_FN u32 vqx_vif_filter(VQX_PRIVATE const u32 *v, u32 scale) {
    const u32 middle = VQX_VIF_AROUND(scale);
    u32 sum = vqx_vif_tap[scale][middle] * v[middle];
    VQX_UNROLL
    for (u32 t = 0; t < middle; t++)
        sum += vqx_vif_tap[scale][t] * (v[t] + v[2 * middle - t]);
    return sum;
}

VQX_FN u64 vqx_vif_filter_wide(VQX_PRIVATE const u32 *v, u32 scale) {
    const u32 last = 2 * VQX_VIF_AROUND(scale);
    u64 sum = 0;
    VQX_UNROLL
    for (u32 t = 0; t <= last; t++)
        sum += (u64)vqx_vif_tap[scale][t] * v[t];
    return sum;
}

/* The filter over the means of both pictures, rounded: a pair. */
VQX_FN u32 vqx_vif_filter_pair(VQX_PRIVATE const u32 *a, VQX_PRIVATE const u32 *b, u32 scale, u32 shift) {
    return (u32)vqx_vif_round(vqx_vif_filter(a, scale), shift) | (u32)vqx_vif_round(vqx_vif_filter(b, scale), shift) << 16;
}

/* Pair number i. bytes, a literal: of a sample, or 4 where `ref` holds pairs. */
VQX_FN u32 vqx_vif_pair(VQX_GLOBAL const u8 *ref, VQX_GLOBAL const u8 *dis, u32 i, u32 bits, u32 bytes) {
    if (bytes == 4)
        return ((VQX_GLOBAL const u32 *)ref)[i];
    return vqx_vif_sample(vqx_sample_at(ref, 0, i, 0, bytes), bits) | vqx_vif_sample(vqx_sample_at(dis, 0, i, 0, bytes), bits)
                                                                          << 16;
}

/* The pass over rows: column c of the tile, column x of the picture, rows j0 .. j0 + VQX_VIF_ROWS - 1; j0 is even. */
VQX_FN void vqx_vif_column(VQX_LOCAL vqx_local_vif *lm, VQX_GLOBAL const u8 *ref, VQX_GLOBAL const u8 *dis, u32 x, u32 c, u32 j0,
                           u32 bits, u32 scale, u32 bytes) {
    const u32 rows = VQX_VIF_ROWS + 2 * VQX_VIF_AROUND(scale), inset = VQX_VIF_AROUND(scale) - VQX_VIF_AROUND(scale + 1);
    u32 a[VQX_VIF_ROWS + VQX_VIF_MOST_AROUND], b[VQX_VIF_ROWS + VQX_VIF_MOST_AROUND], p[VQX_VIF_ROWS + VQX_VIF_MOST_AROUND];
    VQX_UNROLL
    for (u32 k = 0; k < rows; k++) {
        const u32 pair = vqx_vif_pair(ref, dis, lm->row[j0 + k] + x, bits, bytes);
        a[k] = pair & 0xffff;
        b[k] = pair >> 16;
    }
    VQX_UNROLL
    for (u32 j = 0; j < VQX_VIF_ROWS; j++) {
        lm->moment[0][j0 + j][c] = vqx_vif_filter_pair(a + j, b + j, scale, bits);
        if (scale < 3 && j % 2 == 0)
            lm->low[(j0 + j) / 2][c] = vqx_vif_filter_pair(a + j + inset, b + j + inset, scale + 1, bits);
    }
    VQX_UNROLL
    for (u32 q = 1; q < VQX_VIF_MOMENTS; q++) {
        VQX_UNROLL
        for (u32 k = 0; k < rows; k++)
            p[k] = (q == 2 ? b : a)[k] * (q == 1 ? a : b)[k];
        VQX_UNROLL
        for (u32 j = 0; j < VQX_VIF_ROWS; j++)
            lm->moment[q][j0 + j][c] =
                bytes == 1 ? vqx_vif_filter(p + j, scale) : (u32)vqx_vif_round(vqx_vif_filter_wide(p + j, scale), 2 * (bits - 8));
    }
}

/* The pass over columns: a run in row j from column c on, of which the first `pixels` are in the picture, and what they add. */
VQX_FN void vqx_vif_run(VQX_LOCAL vqx_local_vif *lm, u32 j, u32 c, u32 pixels, u64 limit, u32 scale,
                        VQX_PRIVATE vqx_vif_share *share) {
    const u32 columns = VQX_VIF_RUN + 2 * VQX_VIF_AROUND(scale);
    u32 a[VQX_VIF_RUN + VQX_VIF_MOST_AROUND], b[VQX_VIF_RUN + VQX_VIF_MOST_AROUND];
    u32 m1[VQX_VIF_RUN], m2[VQX_VIF_RUN];
    i32 s[VQX_VIF_MOMENTS][VQX_VIF_RUN];
    VQX_UNROLL
    for (u32 k = 0; k < columns; k++) {
        a[k] = lm->moment[0][j][c + k] & 0xffff;
        b[k] = lm->moment[0][j][c + k] >> 16;
    }
    VQX_UNROLL
    for (u32 r = 0; r < VQX_VIF_RUN; r++) {
        m1[r] = vqx_vif_filter(a + r, scale);
        m2[r] = vqx_vif_filter(b + r, scale);
    }
    VQX_UNROLL
    for (u32 q = 1; q < VQX_VIF_MOMENTS; q++) {
        VQX_UNROLL
        for (u32 k = 0; k < columns; k++)
            a[k] = lm->moment[q][j][c + k];
        VQX_UNROLL
        for (u32 r = 0; r < VQX_VIF_RUN; r++)
            s[q][r] = vqx_vif_variance((u32)vqx_vif_round(vqx_vif_filter_wide(a + r, scale), 16), (q == 2 ? m2 : m1)[r],
                                       (q == 1 ? m1 : m2)[r]);
    }
    for (u32 r = 0; r < VQX_VIF_RUN; r++) { /* straight or not: with fp64 in integers it is long */
        const i32 is_pixel = -(i32)(r < pixels), s2 = s[2][r] & is_pixel;
        vqx_vif_terms terms;
        vqx_vif_pixel(s[1][r] & is_pixel, s2 > 0 ? s2 : 0, s[3][r], d_of_bits(limit), &terms);
        share->nl += vqx_vif_log2_by_piece(lm->log2_piece, terms.distorted) - vqx_vif_log2_by_piece(lm->log2_piece, terms.noise);
        share->dl += vqx_vif_log2_by_piece(lm->log2_piece, terms.reference) - VQX_VIF_LOG2_NOISE;
        share->nn += terms.nn;
        share->dn += terms.dn & (u32)is_pixel;
    }
}

/* The tile of the group, of a w x h picture that begins at number `at`; `beyond` is where the row above and below a single one
 * begins. The next scale goes to `to` from `next` on; the sums, 0 if not `counted`, to two words of `part`: NL + 2^32 DL and
 * NN + 2^48 DN. */
VQX_FN void vqx_vif_tile(vqx_cx cx, VQX_LOCAL vqx_local_vif *lm, VQX_GLOBAL const u8 *ref, VQX_GLOBAL const u8 *dis, u32 at,
                         u32 beyond, u32 w, u32 h, u32 bits, u64 limit, u32 counted, u32 next, VQX_GLOBAL u32 *to,
                         VQX_GLOBAL u64 *part, u32 scale, u32 bytes) {
    const u32 around = VQX_VIF_AROUND(scale), columns = VQX_VIF_TILE_WIDTH + 2 * around;
    const u32 x0 = cx.gx * VQX_VIF_TILE_WIDTH, y0 = cx.gy * VQX_VIF_TILE_HEIGHT;
    VQX_EACH(cx, k, VQX_VIF_TILE_HEIGHT + 2 * around) {
        const i32 y = (i32)(y0 + k) - (i32)around;
        if (h > 1)
            lm->row[k] = at + vqx_vif_reflect(y, (i32)h) * w;
        else
            lm->row[k] = y == 0 ? at : beyond;
    }
    VQX_EACH(cx, i, 96) {
        lm->log2_piece[i] = vqx_vif_log2_piece[i / 32][i % 32];
    }
    VQX_SYNC(cx);
    VQX_EACH(cx, i, columns * (VQX_VIF_TILE_HEIGHT / VQX_VIF_ROWS)) {
        const u32 c = i % columns, j0 = i / columns * VQX_VIF_ROWS;
        if (y0 + j0 < h && x0 + c < w + 2 * around) {
            const u32 x = w > 1 ? vqx_vif_reflect((i32)(x0 + c) - (i32)around, (i32)w) : 0;
            vqx_vif_column(lm, ref, dis, x, c, j0, bits, scale, bytes);
            if (scale == 3 && w == 1 && c != around)
                for (u32 q = 0; q < VQX_VIF_MOMENTS; q++)
                    for (u32 j = 0; j < VQX_VIF_ROWS; j++)
                        lm->moment[q][j0 + j][c] = ((VQX_GLOBAL const u32 *)ref)[q];
        }
    }
    VQX_SYNC(cx);
    vqx_vif_share share;
    share.nl = 0;
    share.dl = 0;
    share.dn = 0;
    share.nn = 0;
    VQX_EACH(cx, i, counted ? VQX_VIF_TILE_HEIGHT * VQX_VIF_RUNS : 0) {
        const u32 j = i / VQX_VIF_RUNS, c = i % VQX_VIF_RUNS * VQX_VIF_RUN;
        if (y0 + j < h && x0 + c < w)
            vqx_vif_run(lm, j, c, w - x0 - c, limit, scale, &share);
    }
    VQX_EACH(cx, i, scale < 3 ? VQX_VIF_TILE_HEIGHT / 2 * (VQX_VIF_TILE_WIDTH / 2) : 0) {
        const u32 j = i / (VQX_VIF_TILE_WIDTH / 2), c = i % (VQX_VIF_TILE_WIDTH / 2);
        const u32 x = x0 / 2 + c, y = y0 / 2 + j, inset = around - around / 2;
        if (x < w / 2 && y < h / 2) {
            u32 a[1 + VQX_VIF_MOST_AROUND / 2], b[1 + VQX_VIF_MOST_AROUND / 2];
            VQX_UNROLL
            for (u32 k = 0; k <= around; k++) {
                const u32 pair = lm->low[j][2 * c + inset + k];
                a[k] = pair & 0xffff;
                b[k] = pair >> 16;
            }
            to[next + y * (w / 2) + x] = vqx_vif_filter_pair(a, b, scale + 1, 16);
        }
    }
    if (scale == 2 && cx.gx == 0 && cx.gy == (h - 1) / VQX_VIF_TILE_HEIGHT)
        VQX_EACH(cx, q, VQX_VIF_MOMENTS) {
            to[q] = lm->moment[q][(h - 1) % VQX_VIF_TILE_HEIGHT][around + 1];
        }
    const u64 logs = vqx_group_sum_u64(cx, &lm->red, share.nl + ((u64)share.dl << 32));
    const u64 noise = vqx_group_sum_u64(cx, &lm->red, share.nn + ((u64)share.dn << 48));
    VQX_ONE(cx) {
        VQX_GLOBAL u64 *sums = part + 2 * (u64)(cx.gy * cx.ngx + cx.gx);
        sums[0] = logs;
        sums[1] = noise;
    }
}

VQX_BODY(vif_0_u8, vqx_local_vif) {
    (void)bits;
    vqx_vif_tile(cx, lm, ref, dis, 0, 0, w, h, 8, limit, counted, next, to, part, 0, 1);
}

VQX_BODY(vif_0_u16, vqx_local_vif) {
    vqx_vif_tile(cx, lm, ref, dis, 0, 0, w, h, bits, limit, counted, next, to, part, 0, 2);
}

#define VQX_VIF_BODY(scale)                                                                                            \
    VQX_BODY(vif_##scale, vqx_local_vif) {                                                                             \
        VQX_GLOBAL const u8 *pairs = (VQX_GLOBAL const u8 *)from;                                                      \
        vqx_vif_tile(cx, lm, pairs, pairs, at, beyond, w, h, 16, limit, 1, next, to, part + 2 * (u64)first, scale, 4); \
    }
VQX_VIF_BODY(1)
VQX_VIF_BODY(2)
VQX_VIF_BODY(3)

/* Group 4 s + i: sum i of scale s, of NL, DL, NN, DN, over the tiles. */
VQX_BODY(vif_sum, vqx_local_sum) {
    const u32 scale = cx.gx / 4, word = cx.gx / 2 % 2, low_bits = word ? 48 : 32;
    u32 first = 0;
    for (u32 s = 0; s < scale; s++)
        first += VQX_VIF_TILES(w >> s, h >> s);
    u64 sum = 0;
    VQX_EACH(cx, i, VQX_VIF_TILES(w >> scale, h >> scale)) {
        const u64 both = part[2 * (u64)(first + i) + word], high = both >> low_bits;
        sum += cx.gx % 2 ? high : both - (high << low_bits);
    }
    sum = vqx_group_sum_u64(cx, &lm->red, sum);
    VQX_ONE(cx)
    result[at + cx.gx] = sum;
}

#endif
