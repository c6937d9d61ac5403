/* The OpenCL back end when the library fails: each call in turn, with one line for each and nothing left behind. Exit code 77 when
 * there is no device. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/work.h"
#include "test/opencl_device.h"

static const vqx_format small = {.width = 16, .height = 16, .bits = 8};

static int calls, fail_at; /* of the functions below, the one that fails from 1 on */
static int objects;        /* created and not released */

static bool fails(void) {
    return ++calls == fail_at;
}

static cl_mem fail_buffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *status) {
    if (fails()) {
        *status = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        return NULL;
    }
    objects++;
    return real.CreateBuffer(context, flags, size, host, status);
}
static cl_int count_release(cl_mem buffer) {
    objects--;
    return real.ReleaseMemObject(buffer);
}
static cl_command_queue fail_queue(cl_context context, cl_device_id id, cl_command_queue_properties properties, cl_int *status) {
    if (fails()) {
        *status = CL_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    objects++;
    return real.CreateCommandQueue(context, id, properties, status);
}
static cl_int count_release_queue(cl_command_queue queue) {
    objects--;
    return real.ReleaseCommandQueue(queue);
}
static cl_context fail_context(const cl_context_properties *properties, cl_uint devices, const cl_device_id *device,
                               void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *cookie,
                               cl_int *status) {
    if (fails()) {
        *status = CL_DEVICE_NOT_AVAILABLE;
        return NULL;
    }
    objects++;
    return real.CreateContext(properties, devices, device, notify, cookie, status);
}
static cl_int count_release_context(cl_context context) {
    objects--;
    return real.ReleaseContext(context);
}
static cl_kernel fail_kernel(cl_program program, const char *name, cl_int *status) {
    if (fails()) {
        *status = CL_INVALID_KERNEL_NAME;
        return NULL;
    }
    objects++;
    return real.CreateKernel(program, name, status);
}
static cl_int count_release_kernel(cl_kernel kernel) {
    objects--;
    return real.ReleaseKernel(kernel);
}
static cl_program fail_program(cl_context context, cl_uint texts, const char **text, const size_t *length, cl_int *status) {
    if (fails()) {
        *status = CL_INVALID_CONTEXT;
        return NULL;
    }
    objects++;
    return real.CreateProgramWithSource(context, texts, text, length, status);
}
static cl_program count_binary(cl_context context, cl_uint devices, const cl_device_id *device, const size_t *length,
                               const unsigned char **binary, cl_int *loaded, cl_int *status) {
    objects++;
    return real.CreateProgramWithBinary(context, devices, device, length, binary, loaded, status);
}
static cl_int count_release_program(cl_program program) {
    objects--;
    return real.ReleaseProgram(program);
}
static cl_int fail_build(cl_program program, cl_uint devices, const cl_device_id *device, const char *options,
                         void(CL_CALLBACK *done)(cl_program, void *), void *cookie) {
    return fails() ? CL_BUILD_PROGRAM_FAILURE : real.BuildProgram(program, devices, device, options, done, cookie);
}
static void *fail_map(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset, size_t size,
                      cl_uint waits, const cl_event *wait, cl_event *event, cl_int *status) {
    if (fails()) {
        *status = CL_MAP_FAILURE;
        return NULL;
    }
    return real.EnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, waits, wait, event, status);
}
static cl_int counted(cl_int status, cl_event *event) {
    objects += event != NULL;
    return status;
}
static cl_int count_release_event(cl_event event) {
    assert_non_null(event);
    objects--;
    return real.ReleaseEvent(event);
}
static cl_int fail_write(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, const void *from,
                         cl_uint waits, const cl_event *wait, cl_event *event) {
    return fails() ? CL_OUT_OF_RESOURCES
                   : counted(real.EnqueueWriteBuffer(queue, buffer, blocking, offset, size, from, waits, wait, event), event);
}
static cl_int fail_read(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t size, void *to,
                        cl_uint waits, const cl_event *wait, cl_event *event) {
    return fails() ? CL_OUT_OF_RESOURCES
                   : counted(real.EnqueueReadBuffer(queue, buffer, blocking, offset, size, to, waits, wait, event), event);
}
static cl_int fail_copy(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t size,
                        cl_uint waits, const cl_event *wait, cl_event *event) {
    return fails() ? CL_OUT_OF_RESOURCES
                   : counted(real.EnqueueCopyBuffer(queue, from, to, from_offset, to_offset, size, waits, wait, event), event);
}
static cl_int fail_launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
                          const size_t *local, cl_uint waits, const cl_event *wait, cl_event *event) {
    return fails()
               ? CL_OUT_OF_RESOURCES
               : counted(real.EnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, waits, wait, event), event);
}
static cl_int fail_argument(cl_kernel kernel, cl_uint number, size_t size, const void *value) {
    return fails() ? CL_INVALID_ARG_SIZE : real.SetKernelArg(kernel, number, size, value);
}
static cl_int fail_flush(cl_command_queue queue) {
    return fails() ? CL_INVALID_COMMAND_QUEUE : real.Flush(queue);
}
static cl_int fail_finish(cl_command_queue queue) {
    return fails() ? CL_OUT_OF_RESOURCES : real.Finish(queue);
}

static void plant_failures(void) {
    vqx_cl.CreateBuffer = fail_buffer;
    vqx_cl.ReleaseMemObject = count_release;
    vqx_cl.CreateCommandQueue = fail_queue;
    vqx_cl.ReleaseCommandQueue = count_release_queue;
    vqx_cl.CreateContext = fail_context;
    vqx_cl.ReleaseContext = count_release_context;
    vqx_cl.CreateKernel = fail_kernel;
    vqx_cl.ReleaseKernel = count_release_kernel;
    vqx_cl.CreateProgramWithSource = fail_program;
    vqx_cl.CreateProgramWithBinary = count_binary;
    vqx_cl.ReleaseProgram = count_release_program;
    vqx_cl.BuildProgram = fail_build;
    vqx_cl.ReleaseEvent = count_release_event;
    vqx_cl.EnqueueMapBuffer = fail_map;
    vqx_cl.EnqueueWriteBuffer = fail_write;
    vqx_cl.EnqueueReadBuffer = fail_read;
    vqx_cl.EnqueueCopyBuffer = fail_copy;
    vqx_cl.EnqueueNDRangeKernel = fail_launch;
    vqx_cl.SetKernelArg = fail_argument;
    vqx_cl.Flush = fail_flush;
    vqx_cl.Finish = fail_finish;
    calls = objects = 0;
}

/* Everything that a slot does, profiled, on a device opened for it. 0, or the first error. */
static int everything(void) {
    vqx_device *device;
    vqx_work *work = NULL;
    uint64_t part[3] = {1, 2, 3}, copied[3] = {0};
    int err = cl->open(&device, 0, true, true, &message);
    if (err < 0) {
        assert_null(device);
        return err;
    }
    err = vqx_work_open(&work, device, &small, 3, &message);
    if (err == 0) {
        vqx_buffer parts = vqx_work_table(work, VQX_SCRATCH_TABLE, part, sizeof(part)),
                   copy = vqx_work_scratch(work, 1, sizeof(part));
        if (work->err == 0)
            work->err = cl->copy(work->queue, copy, parts, sizeof(part), &work->message);
        vqx_run_sum_u64(work, 1, 1, copy, 0, 3, 1, work->result, 0);
        if (work->err == 0)
            work->err = cl->download(work->queue, copied, copy, sizeof(copied), &work->message);
        const int before = calls;
        const bool broken = work->err < 0;
        err = vqx_work_wait(work, 1);
        assert_true(!broken || calls <= before + 1); /* it only waits, for what may still read our memory */
        message = work->message;
        if (err == 0) {
            assert_int_equal(work->words[0], 6);
            assert_memory_equal(copied, part, sizeof(part));
        } else if (!strstr(message.text, "memory")) { /* the queue does nothing more */
            vqx_message_text more;
            const int then = calls;
            assert_int_equal(cl->upload(work->queue, parts, part, sizeof(part), &more), -ENODEV);
            assert_int_equal(cl->download(work->queue, part, parts, sizeof(part), &more), -ENODEV);
            assert_int_equal(cl->copy(work->queue, parts, parts, 8, &more), -ENODEV);
            assert_int_equal(cl->launch(work->queue, VQX_KERNEL_sum_u64, 1, 1, 1, NULL, &more), -ENODEV);
            assert_int_equal(cl->wait(work->queue, &more), -ENODEV);
            assert_string_equal(more.text, "stopped by an earlier error");
            assert_true(calls <= then + 1);
        }
        vqx_work_close(&work);
    }
    cl->close(device);
    return err;
}

static void every_failure(void **state) {
    (void)state;
    int err = -1;
    char name[sizeof(shared->name)];
    strcpy(name, shared->name);
    cl->close(shared); /* its context would be everybody's */
    plant_failures();
    for (fail_at = 1; err < 0 || calls >= fail_at; fail_at++) {
        calls = 0;
        message.text[0] = '\0';
        err = everything();
        if (err < 0) {
            assert_int_equal(err, -ENODEV);
            says("CL_");
            says(name);
        }
        assert_int_equal(objects, 0);
    }
    assert_true(fail_at > 30);
    opencl_restore(state);
    check(cl->open(&shared, 0, true, false, &message));
}

/* Programs that are not stored. */
static void every_failure_of_a_build(void **state) {
    (void)state;
    static const char *const line[] = {
        "kernels SELF_TEST cannot be built: CL_INVALID_CONTEXT",
        "kernels SELF_TEST cannot be built: CL_BUILD_PROGRAM_FAILURE",
        "kernels SUM cannot be built: CL_INVALID_CONTEXT",
        "kernels SUM cannot be built: CL_BUILD_PROGRAM_FAILURE",
    };
    setenv("VQX_CACHE_DIR", "", 1);
    vqx_cl.CreateProgramWithSource = fail_program;
    vqx_cl.BuildProgram = fail_build;
    vqx_cl.ReleaseProgram = count_release_program;
    objects = 0;
    for (fail_at = 1; fail_at <= 4; fail_at++) {
        calls = 0;
        assert_int_equal(everything(), -ENODEV);
        says(line[fail_at - 1]);
        assert_int_equal(objects, 0);
    }
}

static void lines(void **state) {
    (void)state;
    vqx_buffer buffer;
    vqx_work *work;
    void *memory, *handle;
    char line[512];
    plant_failures();
    calls = 0, fail_at = 1;
    assert_int_equal(cl->alloc(&buffer, shared, 12345, &message), -ENODEV);
    assert_null(buffer);
    snprintf(line, sizeof(line), "%s: 12345 bytes of its memory: CL_MEM_OBJECT_ALLOCATION_FAILURE", shared->name);
    assert_string_equal(message.text, line);
    calls = 0, fail_at = 2;
    assert_int_equal(cl->host_alloc(&memory, &handle, shared, 1000, &message), -ENODEV);
    assert_null(memory);
    snprintf(line, sizeof(line), "%s: 1000 bytes of host memory: CL_MAP_FAILURE", shared->name);
    assert_string_equal(message.text, line);

    fail_at = 0;
    check(vqx_work_open(&work, shared, &small, 1, &message));
    vqx_buffer parts = vqx_work_scratch(work, 0, 8);
    vqx_run_sum_u64(work, 1, 1, parts, 0, 1, 1, work->result, 0);
    calls = 0, fail_at = 7; /* behind six arguments */
    vqx_run_sum_u64(work, 1, 1, parts, 0, 1, 1, work->result, 0);
    assert_int_equal(vqx_work_wait(work, 0), -ENODEV);
    snprintf(line, sizeof(line), "%s: kernel vqx_sum_u64, 1 x 1 groups: CL_OUT_OF_RESOURCES", shared->name);
    assert_string_equal(work->message.text, line);
    vqx_work_close(&work);
    check(vqx_work_open(&work, shared, &small, 1, &message));
    calls = 0, fail_at = 1;
    const uint8_t picture[256] = {0};
    vqx_work_upload(work, 0, 1, &(vqx_plane){.data = picture, .stride = 16}, true);
    assert_int_equal(vqx_work_wait(work, 0), -ENODEV);
    snprintf(line, sizeof(line), "%s: upload of 256 bytes: CL_OUT_OF_RESOURCES", shared->name);
    assert_string_equal(work->message.text, line);
    vqx_work_close(&work);
    assert_string_equal(vqx_opencl_error(CL_INVALID_KERNEL_ARGS), "CL_INVALID_KERNEL_ARGS");
    assert_string_equal(vqx_opencl_error(-12345), "an error that OpenCL 1.2 does not name");
}

/* More than there is. */
static void too_large(void **state) {
    (void)state;
    vqx_buffer buffer;
    assert_int_equal(cl->alloc(&buffer, shared, (size_t)1 << 50, &message), -ENODEV);
    says("1125899906842624 bytes of its memory: CL_");
}

int main(void) {
    if (!opencl_is_there())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_failure, opencl_restore),
        cmocka_unit_test_teardown(every_failure_of_a_build, opencl_restore),
        cmocka_unit_test_teardown(lines, opencl_restore),
        cmocka_unit_test_teardown(too_large, opencl_restore),
    };
    return cmocka_run_group_tests(tests, opencl_setup, opencl_cleanup);
}
