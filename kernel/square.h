/* Squares of samples and of differences of samples, |v| <= 65535. */
#ifndef VQX_KERNEL_SQUARE_H
#define VQX_KERNEL_SQUARE_H

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

#endif
