/* The fixed-point arithmetic of vif: taps, borders, roundings and one pixel's statistics (doc/numerics.md, "vif"). */
#ifndef VQX_KERNEL_VIF_H
#define VQX_KERNEL_VIF_H

/* Taps of the scales 0..3, sum 65536, as many as vqx_vif_taps says. */
VQX_TABLE u32 vqx_vif_taps[4] = {17, 9, 5, 3};
VQX_TABLE u32 vqx_vif_tap[4][17] = {
    {489, 935, 1640, 2640, 3896, 5274, 6547, 7455, 7784, 7455, 6547, 5274, 3896, 2640, 1640, 935, 489},
    {1244, 3663, 7925, 12590, 14692, 12590, 7925, 3663, 1244},
    {3571, 16004, 26386, 16004, 3571},
    {10904, 43728, 10904},
};

/* Below this variance, in units of 2^-16 of a squared 8-bit step, a pixel counts by its noise alone. */
#define VQX_VIF_NOISE 131072

/* What one pixel adds to the sums of its scale: to DL L(reference) - VQX_VIF_LOG2_NOISE, to NL L(distorted) - L(noise), to NN and
 * DN the rest. */
typedef struct vqx_vif_terms {
    u32 reference, noise, distorted, nn, dn;
} vqx_vif_terms;

/* Words of a column after the pass over rows: the two means, p11, p22, p12. */
#define VQX_VIF_MOMENTS 4

/* Pixels of a group (kernel/vif_group.h), and groups for an image. */
#define VQX_VIF_TILE_WIDTH 112
#define VQX_VIF_TILE_HEIGHT 8
#define VQX_VIF_TILES_X(w) (((w) + VQX_VIF_TILE_WIDTH - 1) / VQX_VIF_TILE_WIDTH)
#define VQX_VIF_TILES_Y(h) (((h) + VQX_VIF_TILE_HEIGHT - 1) / VQX_VIF_TILE_HEIGHT)
#define VQX_VIF_TILES(w, h) (VQX_VIF_TILES_X(w) * VQX_VIF_TILES_Y(h))

/* L(VQX_VIF_NOISE) */
#define VQX_VIF_LOG2_NOISE 34816

/* A sample as the filters see it: bits above the depth do not count. */
VQX_FN u32 vqx_vif_sample(u32 word, u32 bits) {
    return word & ((1u << bits) - 1);
}

/* Row or column p of a line of n >= 2: reflection without repeating the edge, periodic. */
VQX_FN u32 vqx_vif_reflect(i32 p, i32 n) {
    const i32 period = 2 * (n - 1);
    i32 q = p % period;
    if (q < 0)
        q += period;
    return (u32)(q < n ? q : period - q);
}

/* sum / 2^shift, halves upwards. */
VQX_FN u64 vqx_vif_round(u64 sum, u32 shift) {
    return shift > 0 ? (sum + ((u64)1 << (shift - 1))) >> shift : sum;
}

/* The top 16 bits of x, 2^16 <= x < 2^31, in a form that sorts: 15 bits of mantissa, above them the exponent + 127. */
VQX_FN u32 vqx_vif_top16(u32 x) {
    /* clears the bit below the top 16, so that the conversion cannot carry into them */
    return vqx_bits_f32((f32)(i32)(x & ~(x >> 16))) >> 8;
}

/* Variance, or covariance, of a window: the mean product minus the product of the means, wrapping. */
VQX_FN i32 vqx_vif_variance(u32 product, u32 mean1, u32 mean2) {
    return (i32)(product - (u32)(((u64)mean1 * mean2 + 0x80000000u) >> 32));
}

/* What a pixel's variances (s2 already >= 0) say, without a branch: a pixel without signal has s1 = s12 = 0 there, hence g = 0 and
 * logarithms that cancel. */
VQX_FN void vqx_vif_pixel(i32 s1, i32 s2, i32 s12, f64 limit, VQX_PRIVATE vqx_vif_terms *terms) {
    const f64 eps = d_of_bits(0x3edb7cdfd9d7bdbbUL); /* 65536e-10 */
    const i32 signal = -(i32)(s1 >= VQX_VIF_NOISE);  /* all ones or none */
    const i32 both = -(i32)((s12 > 0) & (s2 > 0));
    const i32 t1 = s1 & signal, t12 = s12 & signal & both;
    const f64 d1 = d_of_i32(t1), d12 = d_of_i32(t12);
    const f64 g = d_div(d12, d_add(d1, eps));
    const i32 rest = d_trunc_i32(d_sub(d_of_i32(s2), d_mul(g, d12)));
    const f64 gain = d_lt(g, limit) ? g : limit;
    const f64 kept = d_mul(d_mul(gain, gain), d1);
    terms->reference = (u32)t1 + VQX_VIF_NOISE;
    terms->noise = (u32)(rest > 0 ? rest : 0) + VQX_VIF_NOISE;
    terms->distorted = terms->noise + (u32)d_trunc_i32(kept);
    terms->nn = (u32)(s2 & ~signal);
    terms->dn = (u32)(signal + 1);
}

#endif
