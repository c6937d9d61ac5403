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

/* Memory for the frames of a pool, other than the heap's. */
typedef struct vqx_memory {
    void *owner;
    /* 64-byte-aligned memory, and a handle that goes with it. A negative errno with a line. */
    int (*take)(void *owner, size_t bytes, void **memory, void **handle, vqx_message_text *message);
    void (*give)(void *owner, void *memory, void *handle);
    void (*leave)(void *owner); /* called once, when all of it was given back */
} vqx_memory;

/* As vqx_pool_open(). After a failure leave() is not called. */
int vqx_pool_open_in(vqx_pool **pool, const vqx_format *format, unsigned planes, const vqx_memory *memory);

/* The owner of the frame's memory; NULL for the heap and for memory of the caller. */
const void *vqx_frame_owner(const vqx_frame *frame);

/* Bytes of the planes of a frame as pools keep them, packed, and where each one starts: on 64-byte boundaries. */
uint64_t vqx_format_layout(const vqx_format *format, unsigned planes, size_t offset[VQX_MAX_PLANES]);

/* The back end, and the number of its device, in whose memory a vqx_frame_wrap_device() is; NULL for all other frames. */
const char *vqx_frame_backend(const vqx_frame *frame, unsigned *device);

/* Makes the samples of a lazy frame real (once, whoever comes first); nothing to do for others. Thread-safe. A negative errno of
 * the fill callback is kept and returned to every caller, with its line. */
int vqx_frame_require(vqx_frame *frame, vqx_message_text *message);

/* The planes the frame has or, if lazy, will have: bit p = plane p. */
unsigned vqx_frame_planes(const vqx_frame *frame);

/* A plane of a frame that is real. data is NULL for a plane that it lacks, and of no use to the host for one of a device. */
vqx_plane vqx_frame_plane(const vqx_frame *frame, unsigned plane);

#endif
