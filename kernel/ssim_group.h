/* SSIM on a device: the terms of windows, and sums of them in which no order shows. doc/numerics.md, "Windows of 11x11". */
#ifndef VQX_KERNEL_SSIM_GROUP_H
#define VQX_KERNEL_SSIM_GROUP_H

#include "kernel/sample.h"
#include "kernel/ssim.h"
#include "kernel/ssim_levels.h"

#define VQX_SSIM_REACH (VQX_SSIM_ACROSS + 10) /* samples of a row of windows */

typedef struct vqx_local_ssim {
    f32 in[2][VQX_SSIM_BATCH * VQX_SSIM_REACH];
    f32 row[5][(VQX_SSIM_BATCH + 10) * VQX_SSIM_ACROSS]; /* filtered along rows: of R, T, R * R, T * T, R * T */
    vqx_red red;
} vqx_local_ssim;

/* Sums of a lane: of the terms in units of 2^-fraction, and of their magnitudes, each rounded up to units of 2^-16; the top bit
 * says that a term was not below 4, else they come to less. */
typedef struct vqx_ssim_sums {
    u64 sum[VQX_SSIM_KINDS];
    u32 size[VQX_SSIM_KINDS];
} vqx_ssim_sums;

#define VQX_SSIM_LARGE 0x80000000

/* `plus`: no x is below 0. */
VQX_FN f32 vqx_ssim_filter(VQX_PRIVATE const f32 *x, u32 plus) {
    f32 product[VQX_SSIM_TAPS];
    for (u32 k = 0; k < VQX_SSIM_TAPS; k++)
        product[k] = x[k] * vqx_ssim_tap[k < 5 ? 5 - k : k - 5];
    return plus ? d_sum11_plus_f32(product) : d_sum11_f32(product);
}

VQX_FN f32 vqx_ssim_filter_column(VQX_LOCAL const f32 *row, u32 plus) {
    f32 x[VQX_SSIM_TAPS];
    for (u32 k = 0; k < VQX_SSIM_TAPS; k++)
        x[k] = row[k * VQX_SSIM_ACROSS];
    return vqx_ssim_filter(x, plus);
}

VQX_FN f32 vqx_ssim_sample_at(VQX_GLOBAL const u8 *plane, u32 pitch, u32 x, u32 y, f32 unit, u32 bytes) {
    if (bytes == 4)
        return ((VQX_GLOBAL const f32 *)(plane + (u64)y * pitch))[x];
    return vqx_ssim_sample((i32)vqx_sample_at(plane, pitch, x, y, bytes), unit);
}

VQX_FN void vqx_ssim_count(VQX_PRIVATE vqx_ssim_sums *sums, u32 kind, f64 term, u32 fraction) {
    const u64 bits = d_bits(term), mantissa = (bits & 0xfffffffffffffUL) | 0x10000000000000UL;
    const u32 e = (u32)(bits >> 52) & 2047, large = e > 1024, shift = 1075 - fraction - e; /* at least 12 when it is not large */
    const u64 units = large || shift > 60 ? 0 : (mantissa + ((u64)1 << (shift - 1))) >> shift;
    sums->sum[kind] += bits >> 63 ? 0 - units : units;
    sums->size[kind] = (sums->size[kind] + (u32)(units >> (fraction - 16)) + 1) | (large ? VQX_SSIM_LARGE : 0);
}

/* The windows of tile number cx.gx + tile of the pictures that begin at ref and dis; `pitch` where these are planes. Bits of kinds:
 * `wanted`, four for each picture, whose terms are summed; `store`, whose terms are written, one kind behind the other, too. */
VQX_FN void vqx_ssim_tile(vqx_cx cx, VQX_LOCAL vqx_local_ssim *lm, VQX_GLOBAL const u8 *ref, VQX_GLOBAL const u8 *dis, u32 pitch,
                          u32 w, u32 h, u32 tile, f32 unit, u32 wanted, u32 store, u32 fraction, VQX_GLOBAL u64 *sum,
                          VQX_GLOBAL u32 *size, u32 at, u32 tiles, VQX_GLOBAL u64 *term, u32 bytes) {
    const u32 plus = bytes < 4, kept = 10 * VQX_SSIM_ACROSS, fresh = VQX_SSIM_BATCH * VQX_SSIM_ACROSS;
    vqx_ssim_level l = vqx_ssim_level_first(w, h);
    vqx_ssim_sums sums;
    for (; cx.gx + tile - l.tile >= l.across * l.down; wanted >>= VQX_SSIM_KINDS)
        l = vqx_ssim_level_next(l);
    const u32 x0 = (cx.gx + tile - l.tile) % l.across * VQX_SSIM_ACROSS;
    const u32 y0 = (cx.gx + tile - l.tile) / l.across * VQX_SSIM_DOWN;
    const u32 row_bytes = bytes < 4 ? pitch : l.w * 4;
    const u64 first = (u64)l.sample * 4, windows = (u64)(l.w - 10) * (l.h - 10);
    for (u32 kind = 0; kind < VQX_SSIM_KINDS; kind++)
        sums.sum[kind] = sums.size[kind] = 0;
    for (u32 y = y0; y < y0 + VQX_SSIM_BATCH * VQX_SSIM_BATCHES && y < l.h; y += VQX_SSIM_BATCH) {
        VQX_EACH(cx, i, VQX_SSIM_BATCH * VQX_SSIM_REACH) { /* beyond the picture: read, never used */
            const u32 sx = x0 + i % VQX_SSIM_REACH, sy = y + i / VQX_SSIM_REACH;
            const u32 x = sx < l.w ? sx : l.w - 1, row = sy < l.h ? sy : l.h - 1;
            lm->in[0][i] = vqx_ssim_sample_at(ref + first, row_bytes, x, row, unit, bytes);
            lm->in[1][i] = vqx_ssim_sample_at(dis + first, row_bytes, x, row, unit, bytes);
        }
        VQX_EACH(cx, i, y > y0 ? kept : 0) {
            for (u32 p = 0; p < 5; p++)
                lm->row[p][i] = lm->row[p][i + fresh];
        }
        VQX_SYNC(cx);
        VQX_EACH(cx, i, fresh) {
            const u32 from = i / VQX_SSIM_ACROSS * VQX_SSIM_REACH + i % VQX_SSIM_ACROSS;
            f32 r[VQX_SSIM_TAPS], t[VQX_SSIM_TAPS], product[VQX_SSIM_TAPS];
            for (u32 k = 0; k < VQX_SSIM_TAPS; k++) {
                r[k] = lm->in[0][from + k];
                t[k] = lm->in[1][from + k];
            }
            lm->row[0][kept + i] = vqx_ssim_filter(r, plus);
            lm->row[1][kept + i] = vqx_ssim_filter(t, plus);
            for (u32 k = 0; k < VQX_SSIM_TAPS; k++)
                product[k] = r[k] * r[k];
            lm->row[2][kept + i] = vqx_ssim_filter(product, 1);
            for (u32 k = 0; k < VQX_SSIM_TAPS; k++)
                product[k] = t[k] * t[k];
            lm->row[3][kept + i] = vqx_ssim_filter(product, 1);
            for (u32 k = 0; k < VQX_SSIM_TAPS; k++)
                product[k] = r[k] * t[k];
            lm->row[4][kept + i] = vqx_ssim_filter(product, plus);
        }
        VQX_SYNC(cx);
        const u32 skip = y > y0 ? 0 : kept; /* no ten rows before the first ones */
        VQX_EACH(cx, i, fresh - skip) {
            const u32 from = skip + i, wx = x0 + from % VQX_SSIM_ACROSS, wy = y + from / VQX_SSIM_ACROSS - 10;
            if (wx < l.w - 10 && wy < l.h - 10) {
                const vqx_ssim_terms terms =
                    vqx_ssim_window(vqx_ssim_filter_column(lm->row[0] + from, plus),
                                    vqx_ssim_filter_column(lm->row[1] + from, plus), vqx_ssim_filter_column(lm->row[2] + from, 1),
                                    vqx_ssim_filter_column(lm->row[3] + from, 1), vqx_ssim_filter_column(lm->row[4] + from, plus));
                u64 to = (u64)wy * (l.w - 10) + wx;
                if (wanted & 1)
                    vqx_ssim_count(&sums, 0, vqx_ssim_lcs_near(terms), fraction);
                if (wanted & 2)
                    vqx_ssim_count(&sums, 1, vqx_ssim_l(terms), fraction);
                if (wanted & 4)
                    vqx_ssim_count(&sums, 2, vqx_ssim_c(terms), fraction);
                if (wanted & 8)
                    vqx_ssim_count(&sums, 3, d_of_f32(terms.s), fraction);
                if (store & 1) {
                    term[to] = d_bits(vqx_ssim_lcs(terms));
                    to += windows;
                }
                if (store & 2) {
                    term[to] = d_bits(vqx_ssim_l(terms));
                    to += windows;
                }
                if (store & 4) {
                    term[to] = d_bits(vqx_ssim_c(terms));
                    to += windows;
                }
                if (store & 8)
                    term[to] = d_bits(d_of_f32(terms.s));
            }
        }
        VQX_SYNC(cx);
    }
    for (u32 kind = 0; kind < VQX_SSIM_KINDS; kind++)
        if (wanted >> kind & 1) {
            const u64 s = vqx_group_sum_u64(cx, &lm->red, sums.sum[kind]);
            const u64 z = vqx_group_sum_u64(cx, &lm->red, sums.size[kind]);
            VQX_ONE(cx) {
                sum[kind * tiles + at + cx.gx] = s;
                size[kind * tiles + at + cx.gx] = z >= VQX_SSIM_LARGE ? VQX_SSIM_LARGE : (u32)z;
            }
        }
}

VQX_BODY(ssim_u8, vqx_local_ssim) {
    vqx_ssim_tile(cx, lm, ref, dis, pitch, w, h, tile, unit, wanted, store, fraction, sum, size, at, tiles, term, 1);
}
VQX_BODY(ssim_u16, vqx_local_ssim) {
    vqx_ssim_tile(cx, lm, ref, dis, pitch, w, h, tile, unit, wanted, store, fraction, sum, size, at, tiles, term, 2);
}
VQX_BODY(ssim_f32, vqx_local_ssim) {
    vqx_ssim_tile(cx, lm, ref, dis, pitch, w, h, tile, unit, wanted, store, fraction, sum, size, at, tiles, term, 4);
}

#define VQX_SSIM_BANDS 64 /* of rows of tiles */
#define VQX_SSIM_SHARE 4  /* of the tiles of a row */
/* What `size` is where a tile says that a term was too large; all terms otherwise come to less. */
#define VQX_SSIM_LARGE_TOTAL 0x80000000000000UL

typedef struct vqx_local_ssim_total {
    u64 size[VQX_SSIM_BANDS * VQX_SSIM_SHARE];
    vqx_red red;
} vqx_local_ssim_total;

/* Group (kind, level): the sum over all tiles in units of 2^-fraction, and how far from it, in units of 2^-48, the fp64 sum in
 * raster order can be: no addition up to the end of a band rounds by more than half an ulp of the magnitudes of all terms up to
 * there. All ones: a term was too large to tell. */
VQX_BODY(ssim_total, vqx_local_ssim_total) {
    vqx_ssim_level l = vqx_ssim_level_first(w, h);
    if (wanted >> (VQX_SSIM_KINDS * cx.gy + cx.gx) & 1) {
        for (u32 i = 0; i < cx.gy; i++)
            l = vqx_ssim_level_next(l);
        const u32 each = (l.down + (VQX_SSIM_BANDS - 1)) / VQX_SSIM_BANDS, first = cx.gx * tiles + l.tile;
        u64 total = 0;
        VQX_EACH(cx, i, VQX_SSIM_BANDS * VQX_SSIM_SHARE) {
            const u32 row = i / VQX_SSIM_SHARE * each;
            u64 sizes = 0;
            for (u32 y = row; y < row + each && y < l.down; y++)
                for (u32 x = i % VQX_SSIM_SHARE; x < l.across; x += VQX_SSIM_SHARE) {
                    const u32 part = size[first + y * l.across + x];
                    total += sum[first + y * l.across + x];
                    sizes = part == VQX_SSIM_LARGE ? VQX_SSIM_LARGE_TOTAL : sizes + part;
                }
            lm->size[i] = sizes;
        }
        VQX_SYNC(cx);
        total = vqx_group_sum_u64(cx, &lm->red, total);
        VQX_ONE(cx) {
            const u32 n = (l.w - 10) * (l.h - 10);
            u64 before = 0, off = (u64)n << (47 - fraction);
            for (u32 b = 0; b < VQX_SSIM_BANDS && b * each < l.down; b++) {
                const u32 top = b * each * VQX_SSIM_DOWN, end = (b + 1) * each * VQX_SSIM_DOWN;
                const u64 count = (u64)((end < l.h - 10 ? end : l.h - 10) - top) * (l.w - 10);
                for (u32 i = 0; i < VQX_SSIM_SHARE; i++)
                    before += lm->size[b * VQX_SSIM_SHARE + i];
                /* the sums that round are a little larger than those of exact terms */
                const i32 binade = 63 - vqx_clz_u64(before + (before >> 20) + 1);
                off += binade < 21 ? (count >> (21 - binade)) + 1 : count << (binade - 21);
            }
            off += (before >> 18) + 2; /* vqx_ssim_lcs_near() */
            result[at + VQX_SSIM_WORDS * cx.gy + 2 * cx.gx] = total;
            result[at + VQX_SSIM_WORDS * cx.gy + 2 * cx.gx + 1] = before >= VQX_SSIM_LARGE_TOTAL ? 0xffffffffffffffffUL : off;
        }
    }
}

#endif
