/* The kernels' source, and programs built from it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cache.h"
#include "device/opencl.h"

extern const char vqx_opencl_source[]; /* scripts/embed_kernels */

static char *replaced; /* the source that a test has changed */

int vqx_opencl_replace_source(const char *from, const char *to) {
    int count = 0;
    free(replaced);
    replaced = NULL;
    if (!from)
        return 0;
    for (const char *at = vqx_opencl_source; (at = strstr(at, from)); at++)
        count++;
    if (count != 1)
        return count;
    const size_t size = strlen(vqx_opencl_source) + strlen(to) + 1;
    replaced = malloc(size);
    if (!replaced)
        return -ENOMEM;
    const char *at = strstr(vqx_opencl_source, from);
    snprintf(replaced, size, "%.*s%s%s", (int)(at - vqx_opencl_source), vqx_opencl_source, to, at + strlen(from));
    return count;
}

/* What the compiler says, on one line. */
static int build_failure(vqx_opencl_device *d, cl_program program, const char *name, cl_int status, vqx_message_text *message) {
    char log[16384] = "", line[VQX_MESSAGE_SIZE];
    size_t used = 0;
    vqx_cl.GetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log, NULL);
    for (char *rest = log, *part; used < sizeof(line) && (part = strtok_r(rest, "\r\n", &rest));)
        used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s", used > 0 ? "; " : ": ", part);
    return vqx_fail(message, -ENODEV, "%s: kernels %s cannot be built: %s%s", d->base.name, name, vqx_opencl_error(status),
                    used > 0 ? line : "");
}

/* All that a built program depends on. NULL: no memory, or a test has changed the source. */
static char *cache_key(const vqx_opencl_device *d, const char *options) {
    char platform[2][256] = {"", ""}, device[3][256] = {"", "", ""}, *key;
    vqx_cl.GetPlatformInfo(d->platform, CL_PLATFORM_NAME, sizeof(platform[0]), platform[0], NULL);
    vqx_cl.GetPlatformInfo(d->platform, CL_PLATFORM_VERSION, sizeof(platform[1]), platform[1], NULL);
    vqx_cl.GetDeviceInfo(d->id, CL_DEVICE_NAME, sizeof(device[0]), device[0], NULL);
    vqx_cl.GetDeviceInfo(d->id, CL_DEVICE_VERSION, sizeof(device[1]), device[1], NULL);
    vqx_cl.GetDeviceInfo(d->id, CL_DRIVER_VERSION, sizeof(device[2]), device[2], NULL);
    if (replaced || asprintf(&key, "opencl\n%s\n%s\n%s\n%s\n%s\n%s\n%s", platform[0], platform[1], device[0], device[1], device[2],
                             options, vqx_opencl_source) < 0)
        return NULL;
    return key;
}

static cl_program from_cache(vqx_opencl_device *d, const char *key, const char *options) {
    void *binary;
    size_t bytes;
    cl_int status, loaded;
    if (!key || !vqx_cache_load(key, &binary, &bytes))
        return NULL;
    cl_program program =
        vqx_cl.CreateProgramWithBinary(d->context, 1, &d->id, &bytes, (const unsigned char **)&binary, &loaded, &status);
    free(binary);
    if (program && (loaded != CL_SUCCESS || vqx_cl.BuildProgram(program, 1, &d->id, options, NULL, NULL) != CL_SUCCESS)) {
        vqx_cl.ReleaseProgram(program);
        program = NULL;
    }
    d->from_cache += program != NULL;
    return program;
}

static void to_cache(const char *key, cl_program program) {
    size_t bytes = 0;
    if (!key || vqx_cl.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(bytes), &bytes, NULL) != CL_SUCCESS || bytes == 0)
        return;
    unsigned char *binary = malloc(bytes);
    if (binary && vqx_cl.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL) == CL_SUCCESS)
        vqx_cache_store(key, binary, bytes);
    free(binary);
}

static int from_source(vqx_opencl_device *d, const char *name, const char *options, cl_program *program,
                       vqx_message_text *message) {
    const char *source = replaced ? replaced : vqx_opencl_source;
    cl_int status;
    int err = 0;
    *program = vqx_cl.CreateProgramWithSource(d->context, 1, &source, NULL, &status);
    if (*program)
        status = vqx_cl.BuildProgram(*program, 1, &d->id, options, NULL, NULL);
    if (status != CL_SUCCESS) {
        err = build_failure(d, *program, name, status, message);
        if (*program)
            vqx_cl.ReleaseProgram(*program);
        *program = NULL;
    }
    d->from_source += err == 0;
    return err;
}

static int build(vqx_opencl_device *d, unsigned number, vqx_message_text *message) {
#define NAME(name) #name,
    static const char *const name[] = {VQX_PROGRAMS(NAME)};
    char options[256];
    int err = 0;
    snprintf(options, sizeof(options), "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -DVQX_FP64=%d -DVQX_PROGRAM=%s",
             d->base.fp64, name[number]);
    char *key = cache_key(d, options);
    d->program[number] = from_cache(d, key, options);
    if (!d->program[number] && (err = from_source(d, name[number], options, &d->program[number], message)) == 0)
        to_cache(key, d->program[number]);
    free(key);
    return err;
}

int vqx_opencl_program(vqx_opencl_device *d, unsigned program, cl_program *built, vqx_message_text *message) {
    int err = 0;
    pthread_mutex_lock(&d->lock);
    if (!d->program[program])
        err = build(d, program, message);
    *built = d->program[program];
    pthread_mutex_unlock(&d->lock);
    return err;
}
