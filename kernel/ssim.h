/* SSIM: one sample, one step of a window filter, the terms of one window. doc/numerics.md, "float_ssim". */
#ifndef VQX_KERNEL_SSIM_H
#define VQX_KERNEL_SSIM_H

#define VQX_SSIM_TAPS 11

/* The window by distance from its centre: a row or a column of it is 5 4 3 2 1 0 1 2 3 4 5. */
VQX_TABLE f32 vqx_ssim_tap[6] = {0x1.106574p-2f, 0x1.b43c7ep-3f, 0x1.bff152p-4f, 0x1.26eb92p-5f, 0x1.f2021p-8f, 0x1.0d7beap-10f};

#define VQX_SSIM_C1 0x1.a028f4p+2f
#define VQX_SSIM_C2 0x1.d42e12p+5f
#define VQX_SSIM_C3 0x1.d42e12p+4f

/* A sample on the scale 0..255; unit = 2^(8 - bits). */
VQX_FN f32 vqx_ssim_sample(i32 word, f32 unit) {
    return (f32)word * unit;
}

/* The sum of a filter after one more tap: the product is rounded to fp32 before it is added. */
VQX_FN f64 vqx_ssim_add(f64 sum, f32 x, f32 tap) {
    const f32 product = x * tap;
    return d_add(sum, d_of_f32(product));
}

/* Fractions whose values are l and c of a window, and s. */
typedef struct vqx_ssim_terms {
    f64 l_over, c_over;
    f32 l_under, c_under, s;
} vqx_ssim_terms;

/* From the five filtered pictures: of R, T, R * R, T * T, R * T. */
VQX_FN vqx_ssim_terms vqx_ssim_window(f32 r, f32 t, f32 rr, f32 tt, f32 rt) {
    const f32 r2 = r * r, t2 = t * t, cross = r * t;
    const f32 r_raw = rr - r2, t_raw = tt - t2;
    const f32 r_var = r_raw < 0 ? 0 : r_raw, t_var = t_raw < 0 ? 0 : t_raw;
    const f32 covariance = rt - cross;
    const f32 both = r_var * t_var, deviation = vqx_sqrt_f32(both);
    const f64 l_product = d_mul(d_of_f32(2 * r), d_of_f32(t)), c_product = d_of_f32(2 * deviation); /* doubling is exact */
    const f32 squares = r2 + t2, variances = r_var + t_var;
    const f32 z = ((covariance < 0) & (deviation <= 0)) ? 0 : covariance;
    const f32 s_over = z + VQX_SSIM_C3, s_under = deviation + VQX_SSIM_C3;
    vqx_ssim_terms terms;
    terms.l_over = d_add(l_product, d_of_f32(VQX_SSIM_C1));
    terms.l_under = squares + VQX_SSIM_C1;
    terms.c_over = d_add(c_product, d_of_f32(VQX_SSIM_C2));
    terms.c_under = variances + VQX_SSIM_C2;
    terms.s = s_over / s_under;
    return terms;
}

VQX_FN f64 vqx_ssim_l(vqx_ssim_terms terms) {
    return d_div(terms.l_over, d_of_f32(terms.l_under));
}

VQX_FN f64 vqx_ssim_c(vqx_ssim_terms terms) {
    return d_div(terms.c_over, d_of_f32(terms.c_under));
}

VQX_FN f64 vqx_ssim_lcs(vqx_ssim_terms terms) {
    return d_mul(d_mul(vqx_ssim_l(terms), vqx_ssim_c(terms)), d_of_f32(terms.s));
}

/* l * c * s with one division, within 8 * 2^-53 of vqx_ssim_lcs(), relatively. */
VQX_FN f64 vqx_ssim_lcs_near(vqx_ssim_terms terms) {
    const f64 over = d_mul(terms.l_over, terms.c_over), under = d_mul(d_of_f32(terms.l_under), d_of_f32(terms.c_under));
    return d_div(d_mul(over, d_of_f32(terms.s)), under);
}

#endif
