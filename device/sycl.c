/* SYCL: the functions come with a plug-in, which is loaded when the back end is first asked for. */
#include "device/sycl.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/self_test.h"

/* Beside the program or library (their run path), then where the system's libraries are. */
const char *vqx_sycl_library = "libvqx-sycl.so";
static const vqx_backend *plugin;

/* What a library exports; NULL, with a line, when that does not fit. */
static const vqx_sycl_plugin_table *table_of(void *library, const char *name, vqx_message_text *message) {
    const vqx_sycl_plugin_table *table = dlsym(library, VQX_SYCL_TEXT(VQX_SYCL_SYMBOL));
    if (!table)
        vqx_fail(message, -ENODEV, "%s is not a plug-in of vqx", name);
    else if (strcmp(table->interface, VQX_SYCL_INTERFACE) == 0 && strcmp(table->kernels, vqx_kernel_digest) == 0 &&
             table->device_bytes == sizeof(vqx_device) && table->backend_bytes == sizeof(vqx_backend))
        return table;
    else
        vqx_fail(message, -ENODEV, "%s was built from other sources than this vqx", name);
    return NULL;
}

static void load_once(vqx_message_text *message) {
    const char *named = getenv("VQX_SYCL_PLUGIN"), *name = named && *named ? named : vqx_sycl_library;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL); /* for good: what it has started cannot be unloaded */
    const vqx_sycl_plugin_table *table = library ? table_of(library, name, message) : NULL;
    if (!library)
        vqx_fail(message, -ENODEV, "no plug-in: %s", dlerror());
    else if (!table)
        dlclose(library);
    if (!table)
        return;
    plugin = table->backend;
    vqx_backend all = *plugin;
    all.name = vqx_backend_sycl.name; /* what other threads may be reading does not change */
    all.list = vqx_backend_sycl.list;
    all.open = vqx_backend_sycl.open;
    vqx_backend_sycl = all;
}

static int load(vqx_message_text *message) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!plugin)
        load_once(message);
    const int err = plugin ? 0 : -ENODEV;
    pthread_mutex_unlock(&lock);
    return err;
}

static unsigned sycl_list(vqx_device_state *state, unsigned most, vqx_message_text *message) {
    return load(message) < 0 ? 0 : plugin->list(state, most, message);
}

static int sycl_open(vqx_device **device, unsigned number, bool fp64, bool profile, vqx_message_text *message) {
    *device = NULL;
    int err = load(message);
    if (err == 0)
        err = plugin->open(device, number, fp64, profile, message);
    if (err < 0)
        return err;
    (*device)->backend = &vqx_backend_sycl;
    err = vqx_device_self_test(*device, message);
    if (err < 0) {
        plugin->close(*device);
        *device = NULL;
    }
    return err;
}

/* No device exists before the other functions are there. */
vqx_backend vqx_backend_sycl = {.name = "sycl", .list = sycl_list, .open = sycl_open};
