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

/* The same of x[k] >= 0, where conversions are slow. The bits of such a number shifted 29 places up are an fp64 number 2^-896 times
 * as large, and sums of those round where the others do (doc/numerics.md, "Windows of 11x11"). */
VQX_FN f32 d_sum11_plus_f32(VQX_PRIVATE const f32 *x) {
    f64 sum = d_of_bits((u64)vqx_bits_f32(x[0]) << 29);
    for (u32 k = 1; k < 11; k++)
        sum = sum + d_of_bits((u64)vqx_bits_f32(x[k]) << 29);
    return (f32)(sum * 0x1p896);
}

#endif
