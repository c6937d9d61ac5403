/* The devices of a context: which ones, their slots, and what they did. */
#ifndef VQX_SRC_DEVICES_H
#define VQX_SRC_DEVICES_H

#include <pthread.h>
#include <stdbool.h>

#include "base/frame.h"
#include "device/work.h"

#define VQX_MAX_DEVICES 64

/* A device that is open, shared by contexts and the pools in its memory. */
typedef struct vqx_shared_device {
    struct vqx_shared_device *next;
    unsigned references;
    bool wants_fp64; /* asked for, not what the device has */
    vqx_device *device;
} vqx_shared_device;

/* The pairs that go through a device side by side. */
typedef struct vqx_slot {
    vqx_work *pair[VQX_MAX_SETS];
} vqx_slot;

typedef struct vqx_devices {
    const vqx_backend *backend; /* NULL: the CPU */
    vqx_shared_device *device[VQX_MAX_DEVICES];
    size_t devices;
    bool started; /* lock and slots are there */
    pthread_mutex_t lock;
    vqx_slot *slot;   /* all of them; slot i is of device i % devices */
    vqx_slot **spare; /* those that no frame has, under lock */
    size_t slots, spares;
    vqx_stages stages; /* finish, ordered: under lock; the rest at the end */
    char name[256];    /* of the devices, as text */
} vqx_devices;

/* Chooses and opens what the configuration asks for and prepares `programs`; for the CPU there is nothing to do. `obstacle`: why
 * the features cannot run on a device, so that "auto" is the CPU; NULL: they can. */
int vqx_devices_open(vqx_devices *devices, const vqx_config *config, uint32_t programs, const char *obstacle,
                     vqx_message_text *message);
/* Whether sums are to be made in raster order without need. */
bool vqx_devices_ordered(const vqx_config *config);
/* Opens the slots, each for so many pairs. */
int vqx_devices_start(vqx_devices *devices, size_t slots, size_t pairs, const vqx_format *format, unsigned planes,
                      vqx_message_text *message);
/* Waits for what is running; devices stay open while pools need them. */
void vqx_devices_close(vqx_devices *devices);

/* A slot that no other thread has; there must be one for each that asks. */
vqx_slot *vqx_devices_take(vqx_devices *devices);
void vqx_devices_give(vqx_devices *devices, vqx_slot *slot);

/* The memory of the first device, for pools; take a reference for each. */
vqx_memory vqx_devices_memory(vqx_devices *devices);

#endif
