/* vqx: video quality scores, the same bits on every device. The one public header.
 *
 * Conventions
 *   - Functions that can fail return 0 or a negative errno; vqx_strerror() names it, vqx_message() of a context says which
 *     option, frame or feature it was about.
 *   - Planes are in the order Y, Cb, Cr. Strides are in bytes. Samples above 8 bits are 16-bit words in the machine's byte
 *     order, aligned to 2 bytes.
 *   - Chroma planes of odd-sized pictures have their sides rounded up.
 *   - Handles are opaque. Frames are reference-counted and may be shared between threads; a context may be used from several
 *     threads where its functions say so.
 */
#ifndef VQX_H
#define VQX_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define VQX_API __attribute__((visibility("default")))
#else
#define VQX_API
#endif

#define VQX_VERSION_MAJOR 0
#define VQX_VERSION_MINOR 1
#define VQX_VERSION_PATCH 0

#define VQX_MAX_PLANES 3

/* "0.1.0" of the library in use. Static text. */
VQX_API const char *vqx_version(void);

/* Static English text for a negative errno returned by this library, or for the positive errno. */
VQX_API const char *vqx_strerror(int err);

/* ---- pictures ------------------------------------------------------------------------------------------------------ */

typedef enum vqx_chroma {
    VQX_CHROMA_400, /* luma only */
    VQX_CHROMA_420,
    VQX_CHROMA_422,
    VQX_CHROMA_444,
} vqx_chroma;

/* width, height: of luma, each 1..65535, their product below 2^31. bits: 8, 10, 12 or 16; samples above 8 bits are 16-bit
 * words, used whole even where they exceed 2^bits-1 (vif: the low bits only). */
typedef struct vqx_format {
    uint32_t width, height;
    vqx_chroma chroma;
    uint32_t bits;
} vqx_format;

/* 0 when every field is in its range, else -EINVAL. */
VQX_API int vqx_format_check(const vqx_format *format);

/* Number of planes of the format: 1 or 3. */
VQX_API unsigned vqx_format_planes(const vqx_format *format);

/* Width and height in samples of plane 0, 1 or 2; 0x0 for the chroma of 4:0:0. Either pointer may be NULL. */
VQX_API void vqx_format_plane_size(const vqx_format *format, unsigned plane, uint32_t *width, uint32_t *height);

/* Bytes of one sample: 1 or 2. */
VQX_API size_t vqx_format_sample_bytes(const vqx_format *format);

typedef struct vqx_frame vqx_frame;

/* A frame with memory of its own for the planes whose bit is set in `planes` (bit 0 = Y); plane 0 is not special. Rows are packed
 * (stride = width * sample bytes), planes start on 64-byte boundaries, contents undefined. The caller owns one reference.
 * -EINVAL (format, planes), -ENOMEM. */
VQX_API int vqx_frame_alloc(vqx_frame **frame, const vqx_format *format, unsigned planes);

/* A frame over memory of the caller, not copied: data[p] and stride[p] for each plane whose data pointer is not NULL.
 * stride >= width * sample bytes and, above 8 bits, even; data aligned to the sample. release(cookie) is called once, when the last
 * reference goes (from any thread), and not at all when this call fails; it may be NULL. -EINVAL, -ENOMEM. */
VQX_API int vqx_frame_wrap(vqx_frame **frame, const vqx_format *format, const void *const data[VQX_MAX_PLANES],
                           const ptrdiff_t stride[VQX_MAX_PLANES], void (*release)(void *cookie), void *cookie);

/* A frame whose samples are in the memory of a device already, not copied: data[p] as the back end names memory; for "cuda" and
 * "hip" an address there, in the primary context, which is that of their runtime library; of "opencl" and "sycl" only
 * vqx_frame_to_device() has such memory. Scored only by a context that runs on this device alone and without audit. Planes without
 * gaps between rows that start on a 64-byte boundary are read where they are, others are copied on the device first. What makes the
 * samples must be done before vqx_submit(); they stay until release(cookie). For the rest as vqx_frame_wrap(). */
VQX_API int vqx_frame_wrap_device(vqx_frame **frame, const vqx_format *format, const char *backend, unsigned device,
                                  const void *const data[VQX_MAX_PLANES], const ptrdiff_t stride[VQX_MAX_PLANES],
                                  void (*release)(void *cookie), void *cookie);

/* A store of frame memory, reused from frame to frame. All frames of a pool have one format and one set of planes. */
typedef struct vqx_pool vqx_pool;

/* -EINVAL, -ENOMEM. The pool may be closed while frames of it are still alive. Thread-safe. */
VQX_API int vqx_pool_open(vqx_pool **pool, const vqx_format *format, unsigned planes);
VQX_API void vqx_pool_close(vqx_pool **pool);

/* Fills data[p] (rows `stride[p]` bytes apart) for every plane with a non-NULL pointer. Called from a worker thread, once per
 * frame, several frames at a time. Returns 0 or a negative errno with one line in message[0..size-1]. */
typedef int (*vqx_fill)(void *source, uint64_t position, uint8_t *const data[VQX_MAX_PLANES],
                        const ptrdiff_t stride[VQX_MAX_PLANES], char *message, size_t size);

/* A frame of the pool. Without `fill` it has its memory at once and the caller writes it through vqx_frame_data(). With `fill` it
 * is lazy: memory is taken and fill(source, position, …) called only when a worker needs the samples, so that reading runs
 * beside scoring; `source` must live until the frame is gone. The caller owns one reference. -ENOMEM. */
VQX_API int vqx_pool_frame(vqx_pool *pool, vqx_frame **frame, vqx_fill fill, void *source, uint64_t position);

VQX_API vqx_frame *vqx_frame_ref(vqx_frame *frame);
/* Drops the reference and sets *frame to NULL; a NULL is fine. */
VQX_API void vqx_frame_unref(vqx_frame **frame);

VQX_API const vqx_format *vqx_frame_format(const vqx_frame *frame);
/* First sample of a plane and its stride, for writing a frame that nobody reads yet; NULL for a plane that the frame lacks, while a
 * lazy frame is not filled, and for a frame in a device's memory. */
VQX_API uint8_t *vqx_frame_data(vqx_frame *frame, unsigned plane, ptrdiff_t *stride);

/* ---- features ------------------------------------------------------------------------------------------------------ */

/* An option of a built-in metric, for listings. The pointed-to text is static. */
typedef struct vqx_option_info {
    const char *name; /* "enable_chroma" */
    const char *type; /* "bool", "int" or "double" */
    const char *help;
    char fallback[24]; /* its default, as text */
} vqx_option_info;

/* Number of built-in metrics; names and one-line descriptions, 0 <= i < count (NULL outside). */
VQX_API size_t vqx_metric_count(void);
VQX_API const char *vqx_metric_name(size_t i);
VQX_API const char *vqx_metric_help(size_t i);
/* Option o of metric i; 0, -ENOENT when there are no more, -ENOMEM. */
VQX_API int vqx_metric_option(size_t i, size_t o, vqx_option_info *info);

/* ---- scoring ------------------------------------------------------------------------------------------------------- */

/* Bits of vqx_config.cpumask: instruction sets to leave out. On x86-64 the baseline is SSE2; on aarch64 NEON counts as
 * VQX_CPU_BASELINE. */
#define VQX_CPU_BASELINE 1u /* leaves the definition form: plain C in raster order, which everything is compared with */
#define VQX_CPU_SSSE3 2u
#define VQX_CPU_SSE41 4u
#define VQX_CPU_AVX2 8u
#define VQX_CPU_AVX512 16u
#define VQX_CPU_AVX512ICL 32u

typedef enum vqx_log_level { VQX_LOG_ERROR, VQX_LOG_WARNING, VQX_LOG_INFO, VQX_LOG_DEBUG } vqx_log_level;
/* One line without a newline. May be called from any thread. */
typedef void (*vqx_log)(void *cookie, vqx_log_level level, const char *line);

typedef struct vqx_config {
    unsigned threads;   /* worker threads; 0 = one per available processor, on devices not more than feed them */
    uint32_t cpumask;   /* instruction sets to leave out, VQX_CPU_… */
    uint32_t subsample; /* 0, 1 = every frame; N = only frames with index % N == 0 are scored and pooled */
    vqx_log log;        /* NULL = silent */
    void *log_cookie;
    /* Where frames are scored: "cpu" (also NULL), a back end's name (vqx_device_list), or "auto": the best graphics processor that
     * carries all features, else the CPU. Devices of a back end: "0", "0,2" or "all", which share the frames; NULL = "0".
     * Both texts must stay until vqx_start(). */
    const char *backend, *device;
    uint32_t device_flags; /* VQX_DEVICE_… */
    uint32_t audit;        /* N > 0: every N-th frame that a device scored is scored on the CPU, too; a differing bit is an error */
    uint32_t batch;        /* frames that a worker has on a device side by side, at most; 0 = by picture size */
} vqx_config;

/* The most that vqx_config.batch may be. */
#define VQX_MAX_BATCH 8u

/* Bits of vqx_config.device_flags, some also set in the environment. None changes a bit of a score. */
#define VQX_DEVICE_NO_FP64 1u /* kernels do binary64 in integers, as on devices without it; also VQX_NO_FP64=1 */
#define VQX_DEVICE_ORDERED 2u /* sums whose order of additions may show are always made in raster order; also VQX_ORDERED=1 */
#define VQX_DEVICE_PROFILE 4u /* vqx_stage_times() of a device measures its stages */

typedef struct vqx_context vqx_context;

/* A new context. config may be NULL (all zero). -ENOMEM. */
VQX_API int vqx_open(vqx_context **context, const vqx_config *config);
/* Waits for running frames, stops the workers, frees everything, sets *context to NULL. */
VQX_API void vqx_close(vqx_context **context);

/* The line that explains the last failure of this context: "psnr: unknown option 'enable_chrome'". Empty when there was none.
 * Valid until the next call on the context, from any thread. */
VQX_API const char *vqx_message(const vqx_context *context);

/* Requests a metric: "psnr", or "psnr=enable_mse=true:enable_apsnr=true" (doc/usage.md). Asking twice for the same metric with the
 * same options counts once; with other options it is -EEXIST, unless they change the output names (vif). At most 32. -ENOENT
 * unknown metric, -EINVAL unknown option or bad value, -ENOMEM, -EBUSY after vqx_start(). */
VQX_API int vqx_add_feature(vqx_context *context, const char *spec);

/* Fixes the format, sets up every feature for it, opens the devices and starts the workers. -EINVAL (format, no feature,
 * what is no list of devices), -ENOTSUP: a feature refuses this size, chroma or depth, -ENODEV: there is no such back end or
 * device, or it cannot run, -ENOMEM, -EBUSY when started already. */
VQX_API int vqx_start(vqx_context *context, const vqx_format *format);

/* The planes (bit p = plane p) that the features of a started context look at. A frame needs no others. */
VQX_API unsigned vqx_planes(const vqx_context *context);

/* 1 when any feature of a started context looks at the frame with this index (subsampling may skip it), else 0. */
VQX_API int vqx_frame_wanted(const vqx_context *context, uint64_t index);

/* Queues the pair with this index for scoring; takes over both references, also on failure. Any order of indices (below 2^32), each
 * at most once, from any thread; blocks while the queue is full. -EINVAL: before the start or after the end, format or planes do
 * not fit, index out of range; -EEXIST: the index was used; -ENOMEM. Behind a frame that failed, its error with its line; frames
 * before it are still taken. */
VQX_API int vqx_submit(vqx_context *context, uint64_t index, vqx_frame *reference, vqx_frame *distorted);

/* Number of pairs done so far. Any thread, at any time. */
VQX_API uint64_t vqx_finished(const vqx_context *context);

/* Waits for every queued pair, then computes what needs the whole stream. After a failed frame its error is returned and
 * vqx_message() names the frame; the scores of the frames before it stay readable. -ENODEV: a device failed; -EBADMSG: the audit
 * found differing bits, or a device did not write a result, twice. No vqx_submit() afterwards. May be called again, as after
 * -ENOMEM. */
VQX_API int vqx_finish(vqx_context *context);

/* ---- results: of a context after vqx_finish() ---------------------------------------------------------------------- */

/* Number of frames with results: 1 + the highest index scored, or the index of the first failed frame; 0 before vqx_finish(). */
VQX_API uint64_t vqx_frame_count(const vqx_context *context);

/* Per-frame outputs in registration order. */
VQX_API size_t vqx_output_count(const vqx_context *context);
VQX_API const char *vqx_output_name(const vqx_context *context, size_t output);
/* The metric that output belongs to. */
VQX_API const char *vqx_output_metric(const vqx_context *context, size_t output);

/* 1 when `index` takes part in files and pooling (subsampling), else 0. */
VQX_API int vqx_frame_listed(const vqx_context *context, uint64_t index);

/* One score. 0; -ENOENT when this frame has no such score; -EINVAL when `output` is out of range. */
VQX_API int vqx_score(const vqx_context *context, size_t output, uint64_t index, double *score);

/* One value over all listed frames: method "mean", "min", "max", "harmonic_mean", "median", "stdev" or "p0" … "p100"
 * (doc/usage.md). 0; -ENOENT when a listed frame lacks the score or none is listed; -EINVAL unknown method or output; -ENOMEM. */
VQX_API int vqx_pooled(const vqx_context *context, size_t output, const char *method, double *value);
/* 0 when the pooling method exists, else -EINVAL. */
VQX_API int vqx_pooling_check(const char *method);

/* Values of the whole stream (apsnr_y, …), in registration order. -EINVAL: out of range; -ENOENT: not finished, or no frame went
 * in. */
VQX_API size_t vqx_aggregate_count(const vqx_context *context);
VQX_API const char *vqx_aggregate_name(const vqx_context *context, size_t aggregate);
VQX_API int vqx_aggregate(const vqx_context *context, size_t aggregate, double *value);

/* ---- devices ------------------------------------------------------------------------------------------------------- */

#define VQX_NO_DEVICE 0xffffffffu

/* A device of a back end, or, with the number VQX_NO_DEVICE, a back end that has none. */
typedef struct vqx_device_info {
    const char *backend; /* "cpu", "cpu-kernels", "opencl", …; static */
    uint32_t number;
    char name[128];
    int usable;
    char why[256]; /* not usable: the reason */
} vqx_device_info;

/* Every device of every back end of this build, in order; each is opened to see whether its arithmetic is exact. Fills up to `most`
 * entries and returns how many there are. */
VQX_API size_t vqx_device_list(vqx_device_info *info, size_t most);

/* Bytes per second of one device, measured now: uploads from its host memory, copies within its memory (read + written). -ENODEV,
 * -EINVAL, -ENOMEM with a line in message[0..size-1]. */
VQX_API int vqx_device_rates(const char *backend, uint32_t number, double *upload, double *copy, char *message, size_t size);

/* Of a started context: the back end that scores ("cpu", "opencl", …) and its devices as text ("NVIDIA H200"). Valid until
 * vqx_close(). */
VQX_API const char *vqx_backend_used(const vqx_context *context);
VQX_API const char *vqx_device_used(const vqx_context *context);

/* Where the time went, of all frames done: seconds summed over frames, so that stages of several frames overlap. */
typedef struct vqx_stages {
    double upload, kernels, download; /* device time; needs VQX_DEVICE_PROFILE */
    double finish;                    /* host time from sums to scores */
    uint64_t bytes_up, bytes_down;
    uint64_t ordered; /* sums that were made in raster order because the order showed */
} vqx_stages;
/* After vqx_finish(); zeros for the CPU. */
VQX_API void vqx_stage_times(const vqx_context *context, vqx_stages *stages);

/* A pool for frames of a started context: its format, the planes it looks at, in memory that its device moves fast. Frames of any
 * other origin are taken as well, at the cost of a copy. -ENOMEM, -ENODEV. Closed with vqx_pool_close(), before or after the
 * context. */
VQX_API int vqx_pool_open_for(vqx_pool **pool, vqx_context *context);

/* A copy of the frame in the memory of the device of a started context, as vqx_frame_wrap_device() makes it: for pictures that are
 * scored more than once. It may outlive the context. -EINVAL: the context runs on no device or on several, format or planes do not
 * fit; -ENODEV, -ENOMEM, errors of a lazy frame. Any thread. */
VQX_API int vqx_frame_to_device(vqx_frame **frame, vqx_context *context, vqx_frame *from);

/* ---- the machine --------------------------------------------------------------------------------------------------- */

/* The instruction sets (VQX_CPU_…) that this processor has and this build can use. */
VQX_API uint32_t vqx_cpu_flags(void);
/* "avx512icl", "avx512", "avx2", "baseline" or "definition": the form that would run with this mask. Static text. */
VQX_API const char *vqx_cpu_form(uint32_t cpumask);

#ifdef __cplusplus
}
#endif
#endif
