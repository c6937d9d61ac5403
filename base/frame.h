/* Inside of frames: what the scheduler and the metrics see of them. The public part is in include/vqx.h. */
#ifndef VQX_BASE_FRAME_H
#define VQX_BASE_FRAME_H

#include "base/message.h"
#include "include/vqx.h"

/* One plane for reading. Samples are bytes (8 bits) or 16-bit words; stride in bytes. */
typedef struct vqx_plane {
    const uint8_t *data;
    ptrdiff_t stride;
    uint32_t width, height;
} vqx_plane;

/* Makes the samples of a lazy frame real (once, whoever comes first); nothing to do for others. Thread-safe. A negative errno of
 * the fill callback is kept and returned to every caller, with its line. */
int vqx_frame_require(vqx_frame *frame, vqx_message_text *message);

/* The planes the frame has or, if lazy, will have: bit p = plane p. */
unsigned vqx_frame_planes(const vqx_frame *frame);

/* A plane of a frame that is real. data is NULL for a plane that it lacks. */
vqx_plane vqx_frame_plane(const vqx_frame *frame, unsigned plane);

#endif
