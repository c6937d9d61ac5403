/* Rows without the gaps between them. */
#ifndef VQX_KERNEL_PACK_H
#define VQX_KERNEL_PACK_H

#include "kernel/sum.h"

/* Group (0, y): the `pitch` bytes of row y; those of `from` lie `stride` bytes apart, at any alignment. */
VQX_BODY(pack_rows, vqx_local_sum) {
    (void)lm;
    VQX_EACH(cx, x, pitch)
    to[(u64)cx.gy * pitch + x] = from[(u64)cx.gy * stride + x];
}

#endif
