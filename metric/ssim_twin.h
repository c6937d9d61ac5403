/* The kernels of float_ssim and float_ms_ssim: pictures and windows on a device, and means of what they sum. */
#ifndef VQX_METRIC_SSIM_TWIN_H
#define VQX_METRIC_SSIM_TWIN_H

#include "metric/metric.h"
#include "metric/ssim.h"

#define VQX_SSIM_PROGRAMS (1u << VQX_PROGRAM_SSIM | 1u << VQX_PROGRAM_ORDERED)

/* Luma, or with factor > 1 pictures that many times smaller, then levels - 1 more, each half the size of the one before; all at
 * least 11x11. Sets of values have the bits VQX_SSIM_MEANS * level + kind. */
typedef struct vqx_ssim_twin {
    const vqx_format *format;
    uint32_t factor, levels; /* one of them 1, levels up to 5 */
    uint32_t wanted;
} vqx_ssim_twin;

/* Words of the result buffer for that many levels. */
uint32_t vqx_ssim_twin_words(uint32_t levels);

/* Launches what fills the words from `at` on. */
void vqx_ssim_twin_launch(vqx_work *work, uint32_t at, const vqx_ssim_twin *twin, uint64_t ordered);

/* From these words the mean of a wanted kind of a level, as vqx_ssim_mean() makes it, and 0; or what must be among `ordered` for
 * it: its bit, and where terms are not below 4, which words beyond the depth can lead to, those of `ordered` and one more. */
uint64_t vqx_ssim_twin_settle(const vqx_ssim_twin *twin, const uint64_t *words, uint32_t level, uint32_t kind, uint64_t ordered,
                              double *mean);

#endif
