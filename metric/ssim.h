/* What float_ssim and float_ms_ssim share: the windows of two pictures, and smaller pictures, in every CPU form. */
#ifndef VQX_METRIC_SSIM_H
#define VQX_METRIC_SSIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/frame.h"
#include "metric/rows.h"

/* A plane of bytes (8 bits), of 16-bit words (10, 12, 16) or of fp32 samples on the scale 0..255 (32). */
typedef struct vqx_ssim_picture {
    vqx_plane plane;
    uint32_t bits;
} vqx_ssim_picture;

/* Means over all windows, and the sets of them (bit i: mean i). */
enum { VQX_SSIM_LCS, VQX_SSIM_L, VQX_SSIM_C, VQX_SSIM_S, VQX_SSIM_MEANS };

typedef struct vqx_ssim_task {
    vqx_ssim_picture ref, dis; /* of one size, at least 11x11 */
    unsigned wanted;           /* bits of means */
    bool ordered;              /* add in raster order without asking whether order matters: for tests, costs time only */
} vqx_ssim_task;

/* Fills mean[i] for each wanted i: the fp64 sum of the term in raster order over all windows, divided by their number, rounded to
 * fp32. `scratch` has vqx_ssim_forms.scratch bytes, 64-byte aligned. */
typedef void vqx_ssim_windows(const vqx_ssim_task *task, void *scratch, double mean[VQX_SSIM_MEANS]);
/* Bytes of scratch for pictures up to this size, for all functions of the form; a multiple of 64. */
typedef size_t vqx_ssim_scratch(uint32_t width, uint32_t height);
/* The picture, f times smaller (f > 1, result at least 11x11), to rows of vqx_ssim_box_side(width, f) fp32 samples. */
typedef void vqx_ssim_box(const vqx_ssim_picture *from, uint32_t f, float *to, void *scratch);
/* The picture (sides >= 9), half the size with sides rounded up, to rows of (width + 1) / 2 fp32 samples. */
typedef void vqx_ssim_halve(const vqx_ssim_picture *from, float *to, void *scratch);

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

/* A score in dB; `clip`: at most what half an error step on one sample of the picture would give. */
double vqx_ssim_decibel(double score, const vqx_format *format, bool clip);

vqx_ssim_scratch vqx_ssim_scratch_definition;
vqx_ssim_windows vqx_ssim_windows_definition;
vqx_ssim_box vqx_ssim_box_definition;
vqx_ssim_halve vqx_ssim_halve_definition;

VQX_ROWS_DECLARE(size_t, vqx_ssim_scratch, (uint32_t width, uint32_t height));
VQX_ROWS_DECLARE(void, vqx_ssim_windows, (const vqx_ssim_task *task, void *scratch, double mean[VQX_SSIM_MEANS]));
VQX_ROWS_DECLARE(void, vqx_ssim_box, (const vqx_ssim_picture *from, uint32_t f, float *to, void *scratch));
VQX_ROWS_DECLARE(void, vqx_ssim_halve, (const vqx_ssim_picture *from, float *to, void *scratch));

#endif
