/* What passes between the parts of vif. */
#ifndef VQX_METRIC_VIF_H
#define VQX_METRIC_VIF_H

#include <stdbool.h>

#include "base/frame.h"
#include "dialect/cpu.h"
#include "metric/rows.h"

#define VQX_VIF_SCALES 4
/* Words per frame: for each scale NL, DL, NN, DN (doc/numerics.md, "vif"). */
#define VQX_VIF_SUMS 16
/* Smallest side. */
#define VQX_VIF_LEAST 8

typedef struct vqx_vif_frame {
    vqx_plane ref, dis;
    uint32_t bits;
    double limit;     /* of the gain */
    bool skip_scale0; /* the sums of scale 0 stay 0 */
    uint32_t part, parts;
} vqx_vif_frame;

/* A pass fills sums[VQX_VIF_SUMS] of one part of a frame with sides of at least VQX_VIF_LEAST; scratch is as large as the function
 * beside it says, and 64-byte aligned. The definition does everything in part 0. */
typedef void vqx_vif_pass(const vqx_vif_frame *frame, void *scratch, uint64_t *sums);
typedef size_t vqx_vif_scratch(const vqx_format *format);

vqx_vif_pass vqx_vif_definition;
vqx_vif_scratch vqx_vif_scratch_definition;

/* The row passes want sides of at least VQX_VIF_ROWS_LEAST. */
#define VQX_VIF_ROWS_LEAST 16
VQX_ROWS_DECLARE_ICL(void, vqx_vif_rows, (const vqx_vif_frame *frame, void *scratch, uint64_t *sums));
VQX_ROWS_DECLARE_ICL(size_t, vqx_vif_scratch_rows, (const vqx_format *format));

#endif
