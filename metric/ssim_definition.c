/* The definition form of metric/ssim.h: the loops of doc/numerics.md, "float_ssim" and "float_ms_ssim". */
#include "metric/ssim.h"

#include "dialect/cpu.h"
#include "kernel/decimate.h"
#include "kernel/ssim.h"

static f32 sample(const vqx_ssim_picture *picture, u32 x, u32 y) {
    const u8 *row = picture->plane.data + (ptrdiff_t)y * picture->plane.stride;
    if (picture->bits == 32)
        return ((const f32 *)row)[x];
    if (picture->bits == 8)
        return vqx_ssim_sample(row[x], 1);
    return vqx_ssim_sample(((const u16 *)row)[x], 1 / (f32)(1 << (picture->bits - 8)));
}

static f32 window_tap(u32 k) {
    return vqx_ssim_tap[k < 5 ? 5 - k : k - 5];
}

/* The pictures R, T, R * R, T * T, R * T. */
enum { PICTURES = 5 };

/* Row y of the pictures, filtered along the row, to row[i], ow samples each. */
static void filter_row(const vqx_ssim_task *task, u32 y, u32 ow, f32 *const row[PICTURES]) {
    for (u32 x = 0; x < ow; x++) {
        f64 sum[PICTURES] = {0};
        for (u32 k = 0; k < VQX_SSIM_TAPS; k++) {
            const f32 r = sample(&task->ref, x + k, y), t = sample(&task->dis, x + k, y), g = window_tap(k);
            sum[0] = vqx_ssim_add(sum[0], r, g);
            sum[1] = vqx_ssim_add(sum[1], t, g);
            sum[2] = vqx_ssim_add(sum[2], r * r, g);
            sum[3] = vqx_ssim_add(sum[3], t * t, g);
            sum[4] = vqx_ssim_add(sum[4], r * t, g);
        }
        for (int i = 0; i < PICTURES; i++)
            row[i][x] = (f32)sum[i];
    }
}

size_t vqx_ssim_scratch_definition(uint32_t width, uint32_t height) {
    (void)height;
    return ((size_t)PICTURES * VQX_SSIM_TAPS * width * sizeof(f32) + 63) / 64 * 64;
}

void vqx_ssim_windows_definition(const vqx_ssim_task *task, void *scratch, vqx_ssim_sum sum[VQX_SSIM_MEANS]) {
    const u32 ow = task->ref.plane.width - 10, oh = task->ref.plane.height - 10;
    f32 *const store = scratch; /* the last 11 filtered rows of each picture */
    const u32 first = task->rows.first, end = task->rows.end;
    const bool all = end - first == oh; /* nothing is off */
    for (int i = 0; i < VQX_SSIM_MEANS; i++)
        sum[i] = (vqx_ssim_sum){0, 0};
    for (u32 y = first; y < end + 10 && first < end; y++) {
        f32 *row[PICTURES];
        for (u32 i = 0; i < PICTURES; i++)
            row[i] = store + (i * VQX_SSIM_TAPS + y % VQX_SSIM_TAPS) * (size_t)ow;
        filter_row(task, y, ow, row);
        for (u32 x = 0; x < ow && y >= first + 10; x++) {
            f32 f[PICTURES];
            for (u32 i = 0; i < PICTURES; i++) {
                f64 s = 0;
                for (u32 k = 0; k < VQX_SSIM_TAPS; k++)
                    s = vqx_ssim_add(s, store[(i * VQX_SSIM_TAPS + (y - 10 + k) % VQX_SSIM_TAPS) * (size_t)ow + x], window_tap(k));
                f[i] = (f32)s;
            }
            const vqx_ssim_terms terms = vqx_ssim_window(f[0], f[1], f[2], f[3], f[4]);
            const f64 term[VQX_SSIM_MEANS] = {vqx_ssim_lcs(terms), vqx_ssim_l(terms), vqx_ssim_c(terms), (f64)terms.s};
            for (int i = 0; i < VQX_SSIM_MEANS; i++) {
                sum[i].sum += term[i];
                sum[i].off += term[i] < 0 ? -term[i] : term[i];
            }
        }
    }
    for (int i = 0; i < VQX_SSIM_MEANS; i++)
        sum[i].off = all ? 0 : vqx_ssim_off(sum[i].off, ow * oh, ow * (end - first));
}

void vqx_ssim_box_definition(const vqx_ssim_picture *from, uint32_t f, vqx_ssim_rows rows, float *to, void *scratch) {
    (void)scratch;
    const i32 w = (i32)from->plane.width, h = (i32)from->plane.height, side = (i32)f;
    const i32 ow = (i32)vqx_ssim_box_side((u32)w, f);
    const f32 tap = vqx_box_tap(side);
    for (i32 y = (i32)rows.first; y < (i32)rows.end; y++)
        for (i32 x = 0; x < ow; x++) {
            f64 sum = 0;
            for (i32 v = 0; v < side; v++)
                for (i32 u = 0; u < side; u++) {
                    const i32 sx = vqx_mirror(x * side - side / 2 + u, w), sy = vqx_mirror(y * side - side / 2 + v, h);
                    sum = vqx_ssim_add(sum, sample(from, (u32)sx, (u32)sy), tap);
                }
            to[(size_t)y * (size_t)ow + (size_t)x] = (f32)sum;
        }
}

void vqx_ssim_halve_definition(const vqx_ssim_picture *from, vqx_ssim_rows rows, float *to, void *scratch) {
    (void)scratch;
    const i32 w = (i32)from->plane.width, h = (i32)from->plane.height, centre = VQX_HALVE_TAPS / 2;
    const i32 ow = (w + 1) / 2;
    for (i32 y = (i32)rows.first; y < (i32)rows.end; y++)
        for (i32 x = 0; x < ow; x++) {
            f64 sum = 0;
            for (i32 v = -centre; v <= centre; v++)
                for (i32 u = -centre; u <= centre; u++) {
                    const f32 s = sample(from, (u32)vqx_mirror(2 * x + u, w), (u32)vqx_mirror(2 * y + v, h));
                    sum = vqx_ssim_add(sum, s, vqx_halve_tap[v < 0 ? -v : v][u < 0 ? -u : u]);
                }
            to[(size_t)y * (size_t)ow + (size_t)x] = (f32)sum;
        }
}
