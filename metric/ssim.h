/* What float_ssim and float_ms_ssim share: the windows of two pictures, and smaller pictures, in every CPU form. */
#ifndef VQX_METRIC_SSIM_H
#define VQX_METRIC_SSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/frame.h"
#include "metric/metric.h"
#include "metric/rows.h"

/* A plane of bytes (8 bits), of 16-bit words (10, 12, 16) or of fp32 samples on the scale 0..255 (32). */
typedef struct vqx_ssim_picture {
    vqx_plane plane;
    uint32_t bits;
} vqx_ssim_picture;

/* Rows of windows or of a picture, from first to end - 1. */
typedef struct vqx_ssim_rows {
    uint32_t first, end;
} vqx_ssim_rows;

/* Terms of a window, and the sets of them (bit i: term i). Their means over all windows are scores. */
enum { VQX_SSIM_LCS, VQX_SSIM_L, VQX_SSIM_C, VQX_SSIM_S, VQX_SSIM_MEANS };

typedef struct vqx_ssim_task {
    vqx_ssim_picture ref, dis; /* of one size, at least 11x11 */
    vqx_ssim_rows rows;        /* of windows; the samples of no other ones are read */
    unsigned wanted;           /* bits of terms */
    bool ordered;              /* add in raster order; then rows are all rows */
} vqx_ssim_task;

/* A fp64 sum of terms. The sums of parts, their `sum` added and their `off` added, are within `off` of the fp64 sum over all
 * windows in raster order. */
typedef struct vqx_ssim_sum {
    double sum, off;
} vqx_ssim_sum;

/* Fills sum[i] for each wanted i; off is 0 for an ordered task. `scratch` has vqx_ssim_forms.scratch bytes, 64-byte aligned. */
typedef void vqx_ssim_windows(const vqx_ssim_task *task, void *scratch, vqx_ssim_sum sum[VQX_SSIM_MEANS]);
/* Bytes of scratch for pictures up to this size, for all functions of the form; a multiple of 64. */
typedef size_t vqx_ssim_scratch(uint32_t width, uint32_t height);
/* Rows of the picture f times smaller (f > 1, at least 11x11), to their place in rows of vqx_ssim_box_side(width, f) fp32 samples.
 */
typedef void vqx_ssim_box(const vqx_ssim_picture *from, uint32_t f, vqx_ssim_rows rows, float *to, void *scratch);
/* Rows of the picture (sides >= 9) half the size, sides rounded up, to their place in rows of (width + 1) / 2 fp32 samples. Of the
 * picture itself only the rows are read that vqx_ssim_halved() names. */
typedef void vqx_ssim_halve(const vqx_ssim_picture *from, vqx_ssim_rows rows, float *to, void *scratch);

typedef struct vqx_ssim_forms {
    vqx_ssim_scratch *scratch;
    vqx_ssim_windows *windows;
    vqx_ssim_box *box;
    vqx_ssim_halve *halve;
} vqx_ssim_forms;

/* The functions of a level. */
vqx_ssim_forms vqx_ssim_forms_of(vqx_cpu_level level);

/* Side of a picture `f` times smaller. */
uint32_t vqx_ssim_box_side(uint32_t side, uint32_t f);

/* Rows of a picture of that height that rows of the picture of half the size are made of. */
vqx_ssim_rows vqx_ssim_halved(vqx_ssim_rows rows, uint32_t height);

/* Rows of part number `part` of n rows in `parts` parts. */
vqx_ssim_rows vqx_ssim_part(uint32_t n, uint32_t part, uint32_t parts);

/* How far `size`, the sum of the magnitudes of some of n terms, lets sums be from each other: the share of these terms in one where
 * none of them passes more than `adds` additions before those of the parts, and in the one of all terms in raster order. */
static inline double vqx_ssim_off(double size, uint32_t n, uint32_t adds) {
    /* Either is within its additions * 2^-53 * size of the true sum. 16: terms with one division for three are within 8 * 2^-53,
     * the rest is for the arithmetic on the bounds; 1.0001: for what is of second order. */
    return size * ((double)n + adds + (16 + VQX_MAX_PARTS)) * (1.0001 * 0x1p-53);
}

/* The mean of n terms, rounded to fp32, when it is the same wherever within `off` the sum is; else false. */
bool vqx_ssim_mean(vqx_ssim_sum sum, uint32_t n, double *mean);

/* What feature->sums holds of float_ssim and float_ms_ssim, for n means: n means and n zeros; of a part: n sums and n times how far
 * off they are. */
vqx_ssim_sum vqx_ssim_joined(const vqx_feature *feature, uint32_t parts, const uint64_t *part, size_t i);
static inline void vqx_ssim_put(const vqx_feature *feature, size_t i, vqx_ssim_sum sum, uint64_t *sums) {
    sums[i] = vqx_bits_of_f64(sum.sum);
    sums[feature->sums / 2 + i] = vqx_bits_of_f64(sum.off);
}

/* A score in dB; `clip`: at most what half an error step on one sample of the picture would give. */
double vqx_ssim_decibel(double score, const vqx_format *format, bool clip);

vqx_ssim_scratch vqx_ssim_scratch_definition;
vqx_ssim_windows vqx_ssim_windows_definition;
vqx_ssim_box vqx_ssim_box_definition;
vqx_ssim_halve vqx_ssim_halve_definition;

VQX_ROWS_DECLARE(size_t, vqx_ssim_scratch, (uint32_t width, uint32_t height));
VQX_ROWS_DECLARE(void, vqx_ssim_windows, (const vqx_ssim_task *task, void *scratch, vqx_ssim_sum sum[VQX_SSIM_MEANS]));
VQX_ROWS_DECLARE(void, vqx_ssim_box, (const vqx_ssim_picture *from, uint32_t f, vqx_ssim_rows rows, float *to, void *scratch));
VQX_ROWS_DECLARE(void, vqx_ssim_halve, (const vqx_ssim_picture *from, vqx_ssim_rows rows, float *to, void *scratch));

#endif
