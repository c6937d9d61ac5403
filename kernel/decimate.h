/* Making a picture smaller. doc/numerics.md, "float_ssim" (box) and "float_ms_ssim" (halving). */
#ifndef VQX_KERNEL_DECIMATE_H
#define VQX_KERNEL_DECIMATE_H

/* The sample that stands for index i of a row or column of n: mirrored once at the edges, which repeat. */
VQX_FN i32 vqx_mirror(i32 i, i32 n) {
    return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i;
}

/* Every tap of a box of f x f. */
VQX_FN f32 vqx_box_tap(i32 f) {
    return 1.0f / (f32)(f * f);
}

#define VQX_HALVE_TAPS 9

/* The halving filter by distance of row and column from its centre. It is no product of a row and a column. */
VQX_TABLE f32 vqx_halve_tap[5][5] = {
    {0x1.743aa8p-2f, 0x1.497e14p-3f, -0x1.823e9ep-5f, -0x1.4c76d2p-7f, 0x1.080304p-6f},
    {0x1.497e14p-3f, 0x1.23a9f4p-4f, -0x1.55e28ap-6f, -0x1.2641b4p-8f, 0x1.d3671ap-8f},
    {-0x1.823e9ep-5f, -0x1.55e28ap-6f, 0x1.90c0aep-8f, 0x1.58fb44p-10f, -0x1.11f0c4p-9f},
    {-0x1.4c76d2p-7f, -0x1.2641b4p-8f, 0x1.58fb44p-10f, 0x1.28bf3cp-12f, -0x1.d7dbf4p-12f},
    {0x1.080304p-6f, 0x1.d3671ap-8f, -0x1.11f0c4p-9f, -0x1.d7dbf4p-12f, 0x1.765776p-11f},
};

#endif
