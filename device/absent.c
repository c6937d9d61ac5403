/* Back ends that this build leaves out: a list that says so. */
#include <errno.h>

#include "device/device.h"

#define ABSENT(word, reason)                                                                                           \
    static unsigned word##_list(vqx_device_state *state, unsigned most, vqx_message_text *message) {                   \
        (void)state, (void)most;                                                                                       \
        vqx_fail(message, -ENODEV, reason);                                                                            \
        return 0;                                                                                                      \
    }                                                                                                                  \
    static int word##_open(vqx_device **device, unsigned number, bool fp64, bool profile, vqx_message_text *message) { \
        (void)number, (void)fp64, (void)profile;                                                                       \
        *device = NULL;                                                                                                \
        return vqx_fail(message, -ENODEV, reason);                                                                     \
    }                                                                                                                  \
    const vqx_backend vqx_backend_##word = {.name = #word, .list = word##_list, .open = word##_open};

#ifndef VQX_WITH_OPENCL
ABSENT(opencl, "not part of this build, which found no CL/cl.h")
#endif
