/* Sums that round on the way, on a device: the bits of the fp64 sum in raster order. */
#ifndef VQX_METRIC_EXACT_SUM_H
#define VQX_METRIC_EXACT_SUM_H

#include "device/work.h"

/* Arrays of rows x columns terms, fp64 bit patterns of numbers that are zero or normal, `sums` of them one behind the other; rows *
 * columns < 2^31. Magnitudes are counted in units of 2^unit; those of the terms of an array add up to less than 2^61 units. A sum
 * is fast to make while it stays far above a unit and its terms. */
typedef struct vqx_ordered {
    vqx_buffer terms;
    uint32_t columns, rows, sums;
    int32_t unit;
} vqx_ordered;

/* Launches: words at .. at + sums - 1 of the result buffer become the bits of the sums of the arrays, from +0.0 on, in raster
 * order. Of the scratch buffers, VQX_SCRATCH_ORDERED.. are used. */
void vqx_ordered_sum(vqx_work *work, const vqx_ordered *sum, uint32_t at);

#endif
