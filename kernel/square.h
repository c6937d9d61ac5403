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

/* Sample k of the four of a word. */
VQX_FN i32 vqx_sample_of(u64 word, u32 k) {
    return (i32)(word >> 16 * k & 0xffff);
}

/* The samples of a word added up, and their squares. */
VQX_FN u32 vqx_sum_of(u64 word, u32 bytes) {
    const u32 low = (u32)word, high = (u32)(word >> 32);
    return bytes == 1 ? VQX_DOT4(low, 0x01010101u) + VQX_DOT4(high, 0x01010101u)
                      : (low & 0xffff) + (low >> 16) + (high & 0xffff) + (high >> 16);
}
VQX_FN u64 vqx_squares_of(u64 word, u32 bytes) {
    const u32 low = (u32)word, high = (u32)(word >> 32);
    u64 sum = 0;
    if (bytes == 1)
        return VQX_DOT4(low, low) + VQX_DOT4(high, high);
    for (u32 k = 0; k < 4; k++)
        sum += vqx_square_f32(vqx_sample_of(word, k));
    return sum;
}

/* Sums of the samples of both pictures and of their squares. */
VQX_FN void vqx_moment(vqx_cx cx, VQX_LOCAL vqx_local_sum *lm, VQX_GLOBAL const u8 *ref, VQX_GLOBAL const u8 *dis, u64 size,
                       VQX_GLOBAL u64 *part, u32 bytes) {
    const u32 words = (u32)((size + 7) / 8), share = (words + cx.ngx - 1) / cx.ngx;
    const u64 at = (u64)cx.gx * VQX_SQUARE_COLUMNS;
    u64 ref_sum = 0, ref_squares = 0, dis_sum = 0, dis_squares = 0;
    VQX_EACH(cx, i, share) {
        const u32 w = cx.gx * share + i;
        const u64 r = w < words ? vqx_bytes_at(ref, size, w) : 0, d = w < words ? vqx_bytes_at(dis, size, w) : 0;
        ref_sum += vqx_sum_of(r, bytes);
        ref_squares += vqx_squares_of(r, bytes);
        dis_sum += vqx_sum_of(d, bytes);
        dis_squares += vqx_squares_of(d, bytes);
    }
    ref_sum = vqx_group_sum_u64(cx, &lm->red, ref_sum);
    ref_squares = vqx_group_sum_u64(cx, &lm->red, ref_squares);
    dis_sum = vqx_group_sum_u64(cx, &lm->red, dis_sum);
    dis_squares = vqx_group_sum_u64(cx, &lm->red, dis_squares);
    VQX_ONE(cx) {
        part[at] = ref_sum;
        part[at + 1] = ref_squares;
        part[at + 2] = dis_sum;
        part[at + 3] = dis_squares;
    }
}

VQX_BODY(moment_u8, vqx_local_sum) {
    vqx_moment(cx, lm, ref, dis, size, part, 1);
}
VQX_BODY(moment_u16, vqx_local_sum) {
    vqx_moment(cx, lm, ref, dis, size, part, 2);
}

/* The squares of differences of the bytes of two words, added up: below 2^24 each, so fp32 products round none. */
VQX_FN u32 vqx_error_of_bytes(u32 r, u32 d) {
    return VQX_DOT4(r, r) + VQX_DOT4(d, d) - 2 * VQX_DOT4(r, d);
}

/* Sum of the squares of differences of samples, each `rounded` to an fp32 product or not. */
VQX_FN void vqx_error(vqx_cx cx, VQX_LOCAL vqx_local_sum *lm, VQX_GLOBAL const u8 *ref, VQX_GLOBAL const u8 *dis, u64 size,
                      u32 rounded, VQX_GLOBAL u64 *part, u32 bytes) {
    const u32 words = (u32)((size + 7) / 8), share = (words + cx.ngx - 1) / cx.ngx;
    u64 sum = 0;
    VQX_EACH(cx, i, share) {
        const u32 w = cx.gx * share + i;
        const u64 r = w < words ? vqx_bytes_at(ref, size, w) : 0, d = w < words ? vqx_bytes_at(dis, size, w) : 0;
        if (bytes == 1)
            sum += vqx_error_of_bytes((u32)r, (u32)d) + vqx_error_of_bytes((u32)(r >> 32), (u32)(d >> 32));
        for (u32 k = 0; bytes == 2 && k < 4; k++) {
            const i32 v = vqx_sample_of(r, k) - vqx_sample_of(d, k);
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
