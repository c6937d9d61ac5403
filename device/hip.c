/* HIP: what differs from CUDA (device/cudahip.h). Contexts are the runtime's own; a thread has a current device. */
#include "device/hip.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "device/cudahip.h"

const char *vqx_hip_library[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so", NULL};

static const char *(*error_name)(vqx_cudahip_status);
static vqx_cudahip_status (*properties)(void *, vqx_cudahip_ordinal);
static vqx_cudahip_status (*get_device)(vqx_cudahip_ordinal *);
static vqx_cudahip_status (*set_device)(vqx_cudahip_ordinal);

static const vqx_cudahip_symbol own[] = {
    {"hipGetErrorName", &error_name},
    {"hipGetDevice", &get_device},
    {"hipSetDevice", &set_device},
    {NULL, NULL},
};

static const char *error_name_of(vqx_cudahip_status status) {
    return error_name(status);
}

static void *open_library(const char **path, vqx_message_text *message) {
    void *library = NULL;
    for (const char **name = vqx_hip_library; *name && !library; name++) {
        *path = *name;
        library = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
        const char *why = library ? "" : dlerror();
        /* the first that is there and lacks something else, or the last */
        if (!library && (!name[1] || strncmp(why, *name, strlen(*name)) != 0)) {
            vqx_fail(message, -ENODEV, "%s", why);
            return NULL;
        }
    }
    /* under two names: the struct that it fills has changed */
    *(void **)&properties = dlsym(library, "hipGetDevicePropertiesR0600");
    if (!properties)
        *(void **)&properties = dlsym(library, "hipGetDeviceProperties");
    if (!properties)
        vqx_fail(message, -ENODEV, "%s has no hipGetDeviceProperties", *path);
    return properties ? library : NULL;
}

/* A device's architecture, without the features behind it ("gfx90a:sramecc+:xnack-"); empty: not found. Where it stands in the
 * struct depends on the library's version, but nothing else behind the name looks like it. */
static vqx_cudahip_status find_architecture(vqx_cudahip_ordinal ordinal, char name[16]) {
    enum { NAME = 256, MOST = 8192 }; /* bytes of the device's name; more than of any version's struct */
    char bytes[MOST] = "";
    const vqx_cudahip_status status = properties(bytes, ordinal);
    *name = '\0';
    for (size_t i = NAME; i < MOST - 16 && !status && !*name; i++)
        if (memcmp(bytes + i, "gfx", 3) == 0)
            snprintf(name, 16, "%.*s", (int)strcspn(bytes + i, ":"), bytes + i);
    return status;
}

static const vqx_hip_image *find_image(const char *architecture) {
    const vqx_hip_image *i = vqx_hip_kernels.images;
    while (i->architecture && strcmp(i->architecture, architecture) != 0)
        i++;
    return i;
}

static vqx_cudahip_status judge(vqx_cudahip_ordinal ordinal, vqx_device_state *state) {
    char architecture[16];
    const vqx_cudahip_status status = find_architecture(ordinal, architecture);
    const size_t length = strlen(state->name);
    if (!status && !*architecture)
        snprintf(state->why, sizeof(state->why), "the runtime does not say its architecture (gfx...)");
    else if (!status && !find_image(architecture)->architecture)
        snprintf(state->why, sizeof(state->why), "no kernels for %s in this build: meson's option -Dhip_archs=%s adds them",
                 architecture, architecture);
    if (!status && *architecture)
        snprintf(state->name + length, sizeof(state->name) - length, " (%s)", architecture);
    return status;
}

static const void *image(vqx_cudahip_ordinal ordinal, bool fp64) {
    char architecture[16];
    return find_architecture(ordinal, architecture) ? NULL : find_image(architecture)->image[fp64];
}

static _Thread_local vqx_cudahip_ordinal before;

static void enter(vqx_cudahip_context context, vqx_cudahip_ordinal ordinal) {
    (void)context;
    get_device(&before);
    set_device(ordinal);
}

static void leave(void) {
    set_device(before);
}

static vqx_cudahip_status retain(vqx_cudahip_context *context, vqx_cudahip_ordinal ordinal) {
    *context = NULL;
    get_device(&before);
    const vqx_cudahip_status status = set_device(ordinal);
    leave();
    return status;
}

const vqx_cudahip_vendor vqx_hip_vendor = {
    .word = "HIP",
    .memory = "VQX_HIP_MEMORY",
    .missing = &vqx_hip_kernels.missing,
    .names = {VQX_CUDAHIP_FUNCTIONS(VQX_CUDAHIP_HIP)},
    .own = own,
    .open = open_library,
    .error_name = error_name_of,
    .judge = judge,
    .image = image,
    .retaining = "hipSetDevice",
    .retain = retain,
    .enter = enter,
    .leave = leave,
};
