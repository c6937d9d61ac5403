/* What a back end fills in: devices, queues, buffers, launches. Nothing in here knows a metric; kernels are those of
 * kernel/kernels.def, by number. A back end loads its vendor's library at run time.
 *
 * Functions return 0 or a negative errno with one line in the message: -ENODEV what the device or its driver refuses, -ENOMEM
 * memory of the host. A queue belongs to one thread at a time; after an error it does nothing any more but wait and be closed.
 */
#ifndef VQX_DEVICE_DEVICE_H
#define VQX_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/message.h"
#include "kernel/kernels.def"

/* Kernels and programs (sets of kernels that are built together) by number. */
#define VQX_KERNEL_NUMBER(name, lanes, local) VQX_KERNEL_##name,
#define VQX_PROGRAM_NUMBER(name) VQX_PROGRAM_##name,
enum { VQX_KERNELS(VQX_KERNEL_NUMBER) VQX_KERNEL_COUNT };
enum { VQX_PROGRAMS(VQX_PROGRAM_NUMBER) VQX_PROGRAM_COUNT };

/* The types of values among arguments. */
typedef uint32_t vqx_host_u32;
typedef uint64_t vqx_host_u64;
typedef int32_t vqx_host_i32;
typedef int64_t vqx_host_i64;
typedef float vqx_host_f32;

typedef struct vqx_backend vqx_backend;

/* A back end embeds this as the first member of its own structs. */
typedef struct vqx_device {
    const vqx_backend *backend;
    unsigned number; /* among the back end's devices */
    char name[128];
    bool gpu;     /* worth more than the processor that the program runs on */
    bool fp64;    /* kernels use the device's own; else binary64 in integers */
    bool profile; /* queues measure (vqx_times) */
} vqx_device;

typedef struct vqx_queue {
    vqx_device *device;
} vqx_queue;

/* Device memory, opaque. */
typedef void *vqx_buffer;

/* A set of arguments, vqx_arguments_NAME: laid out as languages with pointers in structs do. */
#define VQX_HOST_BUFFER_MEMBER(type, name) vqx_buffer name
#define VQX_HOST_VALUE_MEMBER(type, name) vqx_host_##type name
#define VQX_HOST_SEMICOLON ;
#define VQX_HOST_ARGUMENTS(name, lanes, local)                                                                      \
    typedef struct vqx_arguments_##name {                                                                           \
        VQX_ARGS_##name(VQX_HOST_BUFFER_MEMBER, VQX_HOST_BUFFER_MEMBER, VQX_HOST_VALUE_MEMBER, VQX_HOST_SEMICOLON); \
    } vqx_arguments_##name;
VQX_KERNELS(VQX_HOST_ARGUMENTS)

/* Kernels and programs by number: device/kernels.c. */
#define VQX_MAX_ARGUMENTS 24
typedef struct vqx_kernel {
    const char *name; /* of its entry */
    unsigned lanes;   /* of a group */
    size_t bytes;     /* of a set of arguments */
    /* of each argument, 0 behind the last; each lies at the next multiple of its size */
    uint8_t size[VQX_MAX_ARGUMENTS + 1];
} vqx_kernel;
extern const vqx_kernel vqx_kernels[VQX_KERNEL_COUNT];
extern const uint64_t vqx_program_kernels[VQX_PROGRAM_COUNT]; /* bit k: kernel k is in the program */

/* What a device is before it is opened. */
typedef struct vqx_device_state {
    char name[128];
    bool gpu;
    char why[256]; /* it cannot be used; empty: it can, as far as is known without opening it */
} vqx_device_state;

/* Seconds of device time and bytes moved, of everything a queue did since it was opened. */
typedef struct vqx_times {
    double upload, kernels, download;
    uint64_t bytes_up, bytes_down;
} vqx_times;

struct vqx_backend {
    const char *name; /* "opencl" */
    bool opaque;      /* a vqx_buffer is a handle, not an address */
    bool loses;       /* launches were seen to get lost without an error: result words are poisoned (vqx_work_poison()) */
    /* Number of devices; state[0 .. most-1] are filled. Without a driver 0, and why it is so in the message. */
    unsigned (*list)(vqx_device_state *state, unsigned most, vqx_message_text *message);
    /* Opens device `number` and lets it prove that its arithmetic is exact. fp64: whether kernels may use the device's own. */
    int (*open)(vqx_device **device, unsigned number, bool fp64, bool profile, vqx_message_text *message);
    void (*close)(vqx_device *device);
    /* Builds the programs whose bits are set. */
    int (*prepare)(vqx_device *device, uint32_t programs, vqx_message_text *message);
    int (*queue_open)(vqx_queue **queue, vqx_device *device, vqx_message_text *message);
    /* Waits for what is running. */
    void (*queue_close)(vqx_queue *queue);
    int (*alloc)(vqx_buffer *buffer, vqx_device *device, size_t bytes, vqx_message_text *message);
    /* Nothing that is in a queue may use it. */
    void (*free)(vqx_device *device, vqx_buffer buffer);
    /* Host memory that the device moves fast from and to, 64-byte aligned; *handle is for host_free. Any thread. */
    int (*host_alloc)(void **memory, void **handle, vqx_device *device, size_t bytes, vqx_message_text *message);
    void (*host_free)(vqx_device *device, void *memory, void *handle);
    /* These may return before they are done; the host memory must stay until wait(). Any host memory will do, but only that of
     * host_alloc is fast. */
    int (*upload)(vqx_queue *queue, vqx_buffer to, const void *from, size_t bytes, vqx_message_text *message);
    int (*download)(vqx_queue *queue, void *to, vqx_buffer from, size_t bytes, vqx_message_text *message);
    int (*copy)(vqx_queue *queue, vqx_buffer to, vqx_buffer from, size_t bytes, vqx_message_text *message);
    /* gx * gy groups for each of `sets` (1 .. VQX_MAX_SETS) vqx_arguments_NAME behind each other, in no order. */
    int (*launch)(vqx_queue *queue, unsigned kernel, uint32_t gx, uint32_t gy, unsigned sets, const void *arguments,
                  vqx_message_text *message);
    /* Until everything in the queue is done, after an error, too, which it then returns. */
    int (*wait)(vqx_queue *queue, vqx_message_text *message);
    /* What was measured up to the last wait(). */
    void (*times)(const vqx_queue *queue, vqx_times *times);
};

/* The back ends of this build, NULL behind the last: device/list.c. */
extern const vqx_backend *const vqx_backends[];
extern const vqx_backend vqx_backend_cpu_kernels, vqx_backend_cuda, vqx_backend_hip, vqx_backend_opencl;
extern vqx_backend vqx_backend_sycl; /* filled in when its plug-in is loaded */

#endif
