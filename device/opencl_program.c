/* The kernels' source, and programs built from it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int build(vqx_opencl_device *d, unsigned number, vqx_message_text *message) {
#define NAME(name) #name,
    static const char *const name[] = {VQX_PROGRAMS(NAME)};
    const char *source = replaced ? replaced : vqx_opencl_source;
    char options[256];
    cl_int status;
    snprintf(options, sizeof(options), "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt -DVQX_FP64=%d -DVQX_PROGRAM=%s",
             d->base.fp64, name[number]);
    cl_program program = vqx_cl.CreateProgramWithSource(d->context, 1, &source, NULL, &status);
    if (program)
        status = vqx_cl.BuildProgram(program, 1, &d->id, options, NULL, NULL);
    if (status != CL_SUCCESS) {
        const int err = build_failure(d, program, name[number], status, message);
        if (program)
            vqx_cl.ReleaseProgram(program);
        return err;
    }
    d->from_source++;
    d->program[number] = program;
    return 0;
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
