/* A slot: the queue of a device, the buffers of one frame pair, and typed launches. One thread at a time. The first error stays;
 * what is asked of the slot behind it does nothing, so that a sequence of launches is looked at once, by vqx_work_wait().
 *
 * Slots for several pairs that go through the device side by side share the first one's queue, result buffer and error.
 */
#ifndef VQX_DEVICE_WORK_H
#define VQX_DEVICE_WORK_H

#include "base/frame.h"
#include "device/device.h"
#include "include/vqx.h"

/* Words of a pair in the result buffer, all metrics' together: what is read back. */
#define VQX_MAX_WORDS 1024

/* Scratch buffers by number. A queue is in order, so features of a slot use the same ones, one after the other. */
enum {
    VQX_SCRATCH_METRIC = 0,   /* 0..15: a metric's own use within one launch() */
    VQX_SCRATCH_ORDERED = 16, /* 16..23: metric/exact_sum.c */
    VQX_SCRATCH_TABLE = 24,   /* 24..31: vqx_work_table() */
    VQX_SCRATCHES = 32,
};

typedef struct vqx_work {
    vqx_device *device;
    struct vqx_work *first; /* whose queue, result and error are shared */
    vqx_queue *queue;
    vqx_buffer plane[2][VQX_MAX_PLANES]; /* reference, distorted: packed rows; one of `own`, or memory of the caller */
    vqx_buffer own[2][VQX_MAX_PLANES];
    vqx_buffer memory[2][VQX_MAX_PLANES]; /* of `own`: one for all planes, or where buffers are opaque one for each */
    size_t plane_bytes[VQX_MAX_PLANES];
    size_t offset[VQX_MAX_PLANES];  /* of the planes of a side in one memory, in that of a pool's frame, too */
    uint32_t pitch[VQX_MAX_PLANES]; /* bytes of a row */
    struct {
        vqx_buffer buffer;
        size_t bytes;
    } scratch[VQX_SCRATCHES];
    vqx_buffer result, poison; /* as large; NULL: the back end loses nothing */
    uint64_t *words;           /* host copy of the result buffer, VQX_MAX_SETS * VQX_MAX_WORDS */
    void *words_handle;
    uint8_t *staging[2]; /* host memory for pictures that are not in it already */
    void *staging_handle[2];
    size_t side_bytes;
    vqx_times before; /* what opening the slot cost its queue */
    bool hold;        /* set by whoever opened it: launches are kept for vqx_work_release() */
    uint8_t *held;    /* kernel, gx, gy, arguments, one behind the other */
    size_t held_bytes, held_room;
    int err;
    vqx_message_text message;
} vqx_work;

/* A slot for pictures of the format with these planes. -ENODEV, -ENOMEM with a line. */
int vqx_work_open(vqx_work **work, vqx_device *device, const vqx_format *format, unsigned planes, vqx_message_text *message);
/* A slot for another pair beside that of `first`, at most VQX_MAX_SETS in all, to be closed before it. Slots beside each other use
 * different words of the result buffer, which is read back through the first. -ENODEV, -ENOMEM with a line. */
int vqx_work_open_beside(vqx_work **work, vqx_work *first, const vqx_format *format, unsigned planes, vqx_message_text *message);
/* Waits for what is running. NULL is fine. */
void vqx_work_close(vqx_work **work);

/* Scratch buffer `number` with room for that many bytes, contents undefined; NULL after an error. */
vqx_buffer vqx_work_scratch(vqx_work *work, unsigned number, size_t bytes);
/* Buffer `number` (from VQX_SCRATCH_TABLE on) with that content, uploaded once per slot. */
vqx_buffer vqx_work_table(vqx_work *work, unsigned number, const void *content, size_t bytes);

/* Uploads plane[p] of the reference (0) or distorted (1) picture for each bit p of `planes`; the memory must stay until
 * vqx_work_wait(). `direct`: it is a frame in host memory of the device; other memory, or one with gaps between rows, goes through
 * the slot's staging memory. */
void vqx_work_upload(vqx_work *work, unsigned side, unsigned planes, const vqx_plane *plane, bool direct);

/* The same for samples that are in the device's memory: where they are, if rows are packed and start on a 64-byte boundary, else
 * from a copy. */
void vqx_work_adopt(vqx_work *work, unsigned side, unsigned planes, const vqx_plane *plane);

/* What a result word holds before a launch writes it. */
#define VQX_POISON UINT64_C(0xfbfbfbfbfbfbfbfb)

/* Where the back end loses launches: brings VQX_POISON into the first `words` words of the result buffer. Before the launches of
 * the pairs. */
void vqx_work_poison(vqx_work *work, size_t words);

/* Reads the first `words` words of the result buffer back, waits, and returns the slot's error, with its line in work->message. */
int vqx_work_wait(vqx_work *work, size_t words);

/* Starts what slots beside each other held back, each in its order; launches of several that differ in arguments alone are one. */
void vqx_work_release(vqx_work *const *work, unsigned count);

/* Launches a kernel; behind vqx_run_NAME(). */
void vqx_work_launch(vqx_work *work, unsigned kernel, uint32_t gx, uint32_t gy, const void *arguments);

/* vqx_run_NAME(work, gx, gy, arguments as in kernels.def, a vqx_buffer for IN and OUT) for every kernel. */
#define VQX_WORK_COMMA ,
#define VQX_HOST_BUFFER(type, name) vqx_buffer name
#define VQX_HOST_VALUE(type, name) vqx_host_##type name
#define VQX_HOST_NAME(type, name) name
#define VQX_HOST_RUN(name, lanes, local)                                                                                        \
    static inline void vqx_run_##name(vqx_work *work_, uint32_t gx_, uint32_t gy_,                                              \
                                      VQX_ARGS_##name(VQX_HOST_BUFFER, VQX_HOST_BUFFER, VQX_HOST_VALUE, VQX_WORK_COMMA)) {      \
        const vqx_arguments_##name arguments_ = {VQX_ARGS_##name(VQX_HOST_NAME, VQX_HOST_NAME, VQX_HOST_NAME, VQX_WORK_COMMA)}; \
        vqx_work_launch(work_, VQX_KERNEL_##name, gx_, gy_, &arguments_);                                                       \
    }
VQX_KERNELS(VQX_HOST_RUN)

/* vqx_run_NAME_u8 or vqx_run_NAME_u16, which have the same arguments. */
#define VQX_RUN_DEPTH(name, bits) (*((bits) == 8 ? vqx_run_##name##_u8 : vqx_run_##name##_u16))

#endif
