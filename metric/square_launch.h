/* The sums of metric/square.h on a device: what float_moment, psnr and float_psnr launch. */
#ifndef VQX_METRIC_SQUARE_LAUNCH_H
#define VQX_METRIC_SQUARE_LAUNCH_H

#include <stdbool.h>

#include "device/work.h"
#include "metric/square.h"

#define VQX_SQUARE_PROGRAMS (1u << VQX_PROGRAM_SUM | 1u << VQX_PROGRAM_SQUARE)
#define VQX_SQUARE_PROGRAMS_ORDERED (VQX_SQUARE_PROGRAMS | 1u << VQX_PROGRAM_ORDERED)

/* Launches: words at .. at + 3 become the sums of v over the first plane of the reference, of RN32(v^2), and both of the distorted
 * picture, added as integers. */
void vqx_square_moments(vqx_work *work, const vqx_format *format, uint32_t at);

/* Launches: words at .. at + planes - 1 become the sums of (r - d)^2 over the first planes, or of RN32((r - d)^2), added as
 * integers. */
void vqx_square_errors(vqx_work *work, const vqx_format *format, uint32_t planes, bool rounded, uint32_t at);

/* Launches: word `at` becomes the bits of the fp64 sum in raster order of RN32(v^2) over a plane of 16-bit words, v of a or of the
 * `difference` a - b; word at + 1, when there are two sums, that of b. */
void vqx_square_ordered(vqx_work *work, const vqx_format *format, vqx_buffer a, vqx_buffer b, bool difference, uint32_t sums,
                        uint32_t at);

/* Whether no sum of RN32(v^2) rounds in this format, whatever is in the picture. */
static inline bool vqx_square_always_exact(const vqx_format *format) {
    return format->bits == 8;
}

/* From the integer sum to the one in raster order, whose bits are in `word` if it was made. Returns whether it must be. */
bool vqx_square_settle(uint64_t *sum, uint64_t word, bool ordered);

#endif
