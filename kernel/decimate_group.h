/* Smaller pictures on a device. doc/numerics.md, "float_ssim" (box) and "float_ms_ssim" (halving). */
#ifndef VQX_KERNEL_DECIMATE_GROUP_H
#define VQX_KERNEL_DECIMATE_GROUP_H

#include "kernel/decimate.h"
#include "kernel/ssim_group.h"

/* Groups with cx.gy even make samples of the smaller reference, others of the distorted picture. */

typedef struct vqx_local_box {
    u8 none;
} vqx_local_box;

VQX_FN void vqx_box(vqx_cx cx, VQX_GLOBAL const u8 *plane, u32 pitch, u32 w, u32 h, f32 unit, u32 factor, VQX_GLOBAL f32 *to,
                    u32 ow, u32 oh, u32 bytes) {
    const f32 tap = vqx_box_tap((i32)factor);
    VQX_EACH(cx, i, VQX_SMALLER_ACROSS * VQX_SMALLER_DOWN) {
        const u32 x = cx.gx * VQX_SMALLER_ACROSS + i % VQX_SMALLER_ACROSS;
        const u32 y = cx.gy / 2 * VQX_SMALLER_DOWN + i / VQX_SMALLER_ACROSS;
        if (x < ow && y < oh) {
            f64 sum = d_of_f32(0.0f);
            for (u32 v = 0; v < factor; v++) {
                const u32 sy = (u32)vqx_mirror((i32)(y * factor + v) - (i32)(factor / 2), (i32)h);
                for (u32 u = 0; u < factor; u++) {
                    const u32 sx = (u32)vqx_mirror((i32)(x * factor + u) - (i32)(factor / 2), (i32)w);
                    sum = vqx_ssim_add(sum, vqx_ssim_sample_at(plane, pitch, sx, sy, unit, bytes), tap);
                }
            }
            to[y * ow + x] = d_to_f32(sum);
        }
    }
}

VQX_BODY(box_u8, vqx_local_box) {
    (void)lm;
    vqx_box(cx, cx.gy & 1 ? dis : ref, pitch, w, h, unit, factor, cx.gy & 1 ? dis_to : ref_to, ow, oh, 1);
}
VQX_BODY(box_u16, vqx_local_box) {
    (void)lm;
    vqx_box(cx, cx.gy & 1 ? dis : ref, pitch, w, h, unit, factor, cx.gy & 1 ? dis_to : ref_to, ow, oh, 2);
}

#define VQX_HALVE_ROWS (2 * VQX_SMALLER_DOWN + VQX_HALVE_TAPS - 2)
#define VQX_HALVE_COLUMNS (2 * VQX_SMALLER_ACROSS + VQX_HALVE_TAPS - 2)
#define VQX_HALVE_ODD \
    (VQX_HALVE_COLUMNS / 2 + 1) /* in a row even columns stand before odd ones, neighbours of lanes side by side */

typedef struct vqx_local_halve {
    f32 in[VQX_HALVE_ROWS][2 * VQX_HALVE_ODD];
} vqx_local_halve;

/* The sum after one more row of taps, by distance from the centre; even columns from 0 on, odd ones from 1 on. */
VQX_FN f64 vqx_halve_row(f64 sum, VQX_LOCAL const f32 *even, VQX_LOCAL const f32 *odd, f32 t0, f32 t1, f32 t2, f32 t3, f32 t4) {
    sum = vqx_ssim_add(sum, even[0], t4);
    sum = vqx_ssim_add(sum, odd[0], t3);
    sum = vqx_ssim_add(sum, even[1], t2);
    sum = vqx_ssim_add(sum, odd[1], t1);
    sum = vqx_ssim_add(sum, even[2], t0);
    sum = vqx_ssim_add(sum, odd[2], t1);
    sum = vqx_ssim_add(sum, even[3], t2);
    sum = vqx_ssim_add(sum, odd[3], t3);
    return vqx_ssim_add(sum, even[4], t4);
}

VQX_FN void vqx_halve(vqx_cx cx, VQX_LOCAL vqx_local_halve *lm, VQX_GLOBAL const u8 *plane, u32 pitch, u32 w, u32 h, f32 unit,
                      VQX_GLOBAL f32 *to, u32 bytes) {
    const u32 ow = (w + 1) / 2, oh = (h + 1) / 2, x0 = cx.gx * VQX_SMALLER_ACROSS, y0 = cx.gy / 2 * VQX_SMALLER_DOWN;
    VQX_EACH(cx, i, VQX_HALVE_ROWS * VQX_HALVE_COLUMNS) {
        const u32 u = i % VQX_HALVE_COLUMNS, v = i / VQX_HALVE_COLUMNS;
        const i32 x = vqx_mirror((i32)(2 * x0 + u) - VQX_HALVE_TAPS / 2, (i32)w);
        const i32 y = vqx_mirror((i32)(2 * y0 + v) - VQX_HALVE_TAPS / 2, (i32)h);
        lm->in[v][u % 2 * VQX_HALVE_ODD + u / 2] = /* far beyond the picture: never used */
            vqx_ssim_sample_at(plane, pitch, (u32)(x < 0 ? 0 : x), (u32)(y < 0 ? 0 : y), unit, bytes);
    }
    VQX_SYNC(cx);
    VQX_EACH(cx, i, VQX_SMALLER_ACROSS * VQX_SMALLER_DOWN) {
        const u32 x = i % VQX_SMALLER_ACROSS, y = i / VQX_SMALLER_ACROSS;
        f64 sum = d_of_f32(0.0f);
        for (u32 v = 0; v < VQX_HALVE_TAPS; v++) {
            const u32 d = v < 4 ? 4 - v : v - 4;
            sum = vqx_halve_row(sum, lm->in[2 * y + v] + x, lm->in[2 * y + v] + VQX_HALVE_ODD + x, vqx_halve_tap[d][0],
                                vqx_halve_tap[d][1], vqx_halve_tap[d][2], vqx_halve_tap[d][3], vqx_halve_tap[d][4]);
        }
        if (x0 + x < ow && y0 + y < oh)
            to[(y0 + y) * ow + x0 + x] = d_to_f32(sum);
    }
}

VQX_BODY(halve_u8, vqx_local_halve) {
    vqx_halve(cx, lm, (cx.gy & 1 ? dis : ref) + from, pitch, w, h, unit, (cx.gy & 1 ? dis_to : ref_to) + to, 1);
}
VQX_BODY(halve_u16, vqx_local_halve) {
    vqx_halve(cx, lm, (cx.gy & 1 ? dis : ref) + (u64)from * 2, pitch, w, h, unit, (cx.gy & 1 ? dis_to : ref_to) + to, 2);
}
VQX_BODY(halve_f32, vqx_local_halve) {
    vqx_halve(cx, lm, (cx.gy & 1 ? dis : ref) + (u64)from * 4, pitch, w, h, unit, (cx.gy & 1 ? dis_to : ref_to) + to, 4);
}

#endif
