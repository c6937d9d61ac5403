/* Squares of samples and of differences of samples, |v| <= 65535, and their sums. */
#ifndef VQX_KERNEL_SQUARE_H
#define VQX_KERNEL_SQUARE_H

#include "kernel/sum.h"

/* v * v: below 2^32, so arithmetic mod 2^32 is exact. */
VQX_FN u32 vqx_square(i32 v) {
    return (u32)v * (u32)v;
}

/* v * v rounded to 24 significant bits, ties to even: an fp32 product. It is at most 2^32 - 2^17 (doc/numerics.md, "float_moment").
 */
VQX_FN u32 vqx_square_f32(i32 v) {
    const f32 x = (f32)v;
    return (u32)(x * x);
}

/* Columns of the parts of sums that groups make. */
#define VQX_SQUARE_COLUMNS 4

/* Eight bytes of a plane of `size` bytes, number i of them; zeros behind its end. */
VQX_FN u64 vqx_bytes_at(VQX_GLOBAL const u8 *plane, u64 size, u32 i) {
    const u64 at = (u64)i * 8;
    u64 word = 0;
    if (at + 8 <= size)
        return ((VQX_GLOBAL const u64 *)plane)[i];
    for (u32 k = 0; at + k < size; k++)
        word |= (u64)plane[at + k] << 8 * k;
    return word;
}

/* Sample k of eight bytes. */
VQX_FN i32 vqx_sample_of(u64 word, u32 k, u32 bytes) {
    return (i32)(word >> 8 * bytes * k & (bytes == 1 ? 0xff : 0xffff));
}

/* Sums of samples and of their squares, of a picture per row of the grid. */
VQX_FN void vqx_moment(vqx_cx cx, VQX_LOCAL vqx_local_sum *lm, VQX_GLOBAL const u8 *plane, u64 size, VQX_GLOBAL u64 *part,
                       u32 bytes) {
    const u32 words = (u32)((size + 7) / 8), share = (words + cx.ngx - 1) / cx.ngx;
    const u64 at = (u64)cx.gx * VQX_SQUARE_COLUMNS + 2 * cx.gy;
    u64 sum = 0, squares = 0;
    VQX_EACH(cx, i, share) {
        const u32 w = cx.gx * share + i;
        const u64 word = w < words ? vqx_bytes_at(plane, size, w) : 0;
        for (u32 k = 0; k < 8 / bytes; k++) {
            const i32 v = vqx_sample_of(word, k, bytes);
            sum += (u32)v;
            squares += bytes == 1 ? vqx_square(v) : vqx_square_f32(v);
        }
    }
    sum = vqx_group_sum_u64(cx, &lm->red, sum);
    squares = vqx_group_sum_u64(cx, &lm->red, squares);
    VQX_ONE(cx) {
        part[at] = sum;
        part[at + 1] = squares;
    }
}

VQX_BODY(moment_u8, vqx_local_sum) {
    vqx_moment(cx, lm, cx.gy ? dis : ref, size, part, 1);
}
VQX_BODY(moment_u16, vqx_local_sum) {
    vqx_moment(cx, lm, cx.gy ? dis : ref, size, part, 2);
}

/* Sum of the squares of differences of samples, each `rounded` to an fp32 product or not. */
VQX_FN void vqx_error(vqx_cx cx, VQX_LOCAL vqx_local_sum *lm, VQX_GLOBAL const u8 *ref, VQX_GLOBAL const u8 *dis, u64 size,
                      u32 rounded, VQX_GLOBAL u64 *part, u32 bytes) {
    const u32 words = (u32)((size + 7) / 8), share = (words + cx.ngx - 1) / cx.ngx;
    u64 sum = 0;
    VQX_EACH(cx, i, share) {
        const u32 w = cx.gx * share + i;
        const u64 r = w < words ? vqx_bytes_at(ref, size, w) : 0, d = w < words ? vqx_bytes_at(dis, size, w) : 0;
        for (u32 k = 0; k < 8 / bytes; k++) {
            const i32 v = vqx_sample_of(r, k, bytes) - vqx_sample_of(d, k, bytes);
            sum += rounded ? vqx_square_f32(v) : vqx_square(v);
        }
    }
    sum = vqx_group_sum_u64(cx, &lm->red, sum);
    VQX_ONE(cx)
    part[(u64)cx.gx * VQX_SQUARE_COLUMNS + cx.gy] = sum;
}

VQX_FN VQX_GLOBAL const u8 *vqx_plane_of(u32 number, VQX_GLOBAL const u8 *y, VQX_GLOBAL const u8 *cb, VQX_GLOBAL const u8 *cr) {
    return number == 0 ? y : number == 1 ? cb : cr;
}

/* A plane per row of the grid. */
VQX_BODY(error_u8, vqx_local_sum) {
    vqx_error(cx, lm, vqx_plane_of(cx.gy, ref0, ref1, ref2), vqx_plane_of(cx.gy, dis0, dis1, dis2), cx.gy ? size1 : size0, rounded,
              part, 1);
}
VQX_BODY(error_u16, vqx_local_sum) {
    vqx_error(cx, lm, vqx_plane_of(cx.gy, ref0, ref1, ref2), vqx_plane_of(cx.gy, dis0, dis1, dis2), cx.gy ? size1 : size0, rounded,
              part, 2);
}

/* The squares of `samples` samples of a and, in the next row of the grid, of b, or of a - b, as fp64 numbers. */
VQX_BODY(square_terms, vqx_local_sum) {
    const u32 share = (samples + cx.ngx - 1) / cx.ngx;
    (void)lm;
    VQX_EACH(cx, i, share) {
        const u32 s = cx.gx * share + i;
        if (s < samples) {
            const u32 square = vqx_square_f32(difference ? (i32)a[s] - (i32)b[s] : (i32)(cx.gy ? b[s] : a[s]));
            const i32 zeros = vqx_clz_u32(square | 1);
            term[(u64)cx.gy * samples + s] = square ? ((u64)(1053 - zeros) << 52) + ((u64)(square << zeros) << 21) : 0;
        }
    }
}

#endif
