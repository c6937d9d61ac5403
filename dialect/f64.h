/* The fp64 words where there is fp64. Contraction must be off, by flag or pragma: each word is one rounding. kernel/f64_soft.h is
 * the other implementation of the same words. */
#ifndef VQX_DIALECT_F64_H
#define VQX_DIALECT_F64_H

#define d_add(a, b) ((a) + (b))
#define d_sub(a, b) ((a) - (b))
#define d_mul(a, b) ((a) * (b))
#define d_div(a, b) ((a) / (b))
#define d_lt(a, b) ((a) < (b))
#define d_of_f32(x) ((f64)(x))
#define d_to_f32(x) ((f32)(x))
#define d_of_i32(i) ((f64)(i))
#define d_trunc_i32(x) ((i32)(x))

/* RN32 of the fp64 sum, in order, of eleven fp32 numbers */
VQX_FN f32 d_sum11_f32(VQX_PRIVATE const f32 *x) {
    f64 sum = (f64)x[0];
    for (u32 k = 1; k < 11; k++)
        sum = sum + (f64)x[k];
    return (f32)sum;
}

/* x >= 0, times 2^-896: its bits shifted 29 places up. In halves, which are faster than one shift, and than a conversion. */
VQX_FN f64 d_small_f32(f32 x) {
    const u32 bits = vqx_bits_f32(x);
    return d_of_bits((u64)(bits >> 3) << 32 | bits << 29);
}

/* The same of x[k] >= 0: 2^896 times a sum that rounds where the other one does (doc/numerics.md, "Windows of 11x11"). */
VQX_FN f32 d_sum11_plus_f32(VQX_PRIVATE const f32 *x) {
    f64 sum = d_small_f32(x[0]);
    for (u32 k = 1; k < 11; k++)
        sum = sum + d_small_f32(x[k]);
    return (f32)(sum * 0x1p896);
}

#endif
