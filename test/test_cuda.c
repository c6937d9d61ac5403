/* The CUDA back end against a driver without a GPU (test/fake_cuda.h). */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/cuda.h"
#include "device/work.h"
#include "test/direct.h"
#include "test/fake_cuda.h"
#include "test/pairs.h"

/* in place of those that the build made, or did not make */
const vqx_cuda_kernels_built vqx_cuda_kernels = {NULL, {"soft", "fp64"}, 12000, 75};

static const vqx_backend *const cuda = &vqx_backend_cuda;
static vqx_message_text message;

static int reset(void **state) {
    (void)state;
    vqx_cuda_library = "libcuda.so.1";
    unsetenv("FAKE_CUDA_VERSION");
    unsetenv("FAKE_CUDA_DEVICES");
    unsetenv("FAKE_CUDA_FAIL");
    unsetenv("FAKE_CUDA_FLIP");
    unsetenv("VQX_CUDA_MEMORY");
    return 0;
}

/* Nothing may be left, nor may a context stay current. */
static int clean(void **state) {
    (void)state;
    unsetenv("FAKE_CUDA_FAIL");
    return fake_cuda_alive() || fake_cuda_depth();
}

#define check(call) check_(call, #call)
static void check_(int err, const char *call) {
    if (err < 0)
        fail_msg("%s: %d, %s", call, err, message.text);
}

/* The call fails with -ENODEV and this line. */
#define refused(call, line)                      \
    do {                                         \
        message.text[0] = '\0';                  \
        assert_int_equal(call, -ENODEV);         \
        assert_string_equal(message.text, line); \
    } while (0)

/* ---- what list() and open() say ------------------------------------------------------------------------------------------ */

static void nothing_listed(const char *line) {
    vqx_device *device;
    message.text[0] = '\0';
    assert_int_equal(cuda->list(NULL, 0, &message), 0);
    assert_string_equal(message.text, line);
    refused(cuda->open(&device, 0, true, false, &message), line);
    assert_null(device);
}

static void no_driver(void **state) {
    (void)state;
    vqx_cuda_library = "libcuda.so.none";
    nothing_listed("libcuda.so.none: cannot open shared object file: No such file or directory");
    vqx_cuda_library = "libc.so.6";
    nothing_listed("libc.so.6 has no cuInit");
}

static void old_driver(void **state) {
    (void)state;
    setenv("FAKE_CUDA_VERSION", "11040", 1);
    nothing_listed("driver 11.4 is older than 12.0, which the kernels need");
}

static void no_device(void **state) {
    (void)state;
    setenv("FAKE_CUDA_DEVICES", "0", 1);
    nothing_listed("cuInit: CUDA_ERROR_NO_DEVICE");
    unsetenv("FAKE_CUDA_DEVICES");
    setenv("FAKE_CUDA_FAIL", "cuInit:1:803", 1);
    nothing_listed("cuInit: CUDA error 803");
    setenv("FAKE_CUDA_FAIL", "cuDeviceGetCount:1:100", 1);
    nothing_listed("cuDeviceGetCount: CUDA_ERROR_NO_DEVICE");
    unsetenv("FAKE_CUDA_FAIL");
}

static void devices(void **state) {
    (void)state;
    vqx_device_state device[4] = {0};
    vqx_device *opened;
    setenv("FAKE_CUDA_DEVICES", "90,70,75", 1);
    assert_int_equal(cuda->list(device, 2, &message), 3);
    assert_string_equal(device[0].name, "fake 0");
    assert_true(device[0].gpu);
    assert_string_equal(device[0].why, "");
    assert_string_equal(device[1].why, "compute capability 7.0 is below 7.5, which the kernels need");
    assert_string_equal(device[2].name, "");
    cuda->list(device, 4, &message);
    assert_string_equal(device[2].why, "");
    assert_int_equal(fake_cuda_alive(), 0); /* listing makes no context */
    refused(cuda->open(&opened, 1, true, false, &message), "compute capability 7.0 is below 7.5, which the kernels need");
    refused(cuda->open(&opened, 3, true, false, &message), "there is no device 3");
    setenv("FAKE_CUDA_FAIL", "cuDevicePrimaryCtxRetain:1:2", 1);
    refused(cuda->open(&opened, 0, true, false, &message), "cuDevicePrimaryCtxRetain: CUDA_ERROR_OUT_OF_MEMORY");
    setenv("FAKE_CUDA_FAIL", "cuModuleLoadData:1:209", 1);
    refused(cuda->open(&opened, 0, true, false, &message), "cuModuleLoadData: CUDA_ERROR_NO_BINARY_FOR_GPU");
    assert_null(opened);
    unsetenv("FAKE_CUDA_FAIL");
    setenv("FAKE_CUDA_FLIP", "1", 1);
    assert_int_equal(cuda->open(&opened, 0, true, false, &message), -ENODEV);
    assert_non_null(strstr(message.text, "(self-test"));
    assert_null(opened);
    setenv("FAKE_CUDA_FAIL", "cuDeviceGetName:1:101", 1);
    cuda->list(device, 4, &message);
    assert_string_equal(device[2].why, "its name and kind: CUDA_ERROR_INVALID_DEVICE");
}

/* ---- launches ------------------------------------------------------------------------------------------------------------ */

enum { PARTS = 1013, COLUMNS = 3, FIRST = 5 };
static uint64_t part[PARTS][COLUMNS], sum[COLUMNS];

static void make_parts(void) {
    uint64_t seed = 1;
    memset(sum, 0, sizeof(sum));
    for (int i = 0; i < PARTS; i++)
        for (int c = 0; c < COLUMNS; c++) {
            part[i][c] = direct_random(&seed);
            sum[c] += i < FIRST ? 0 : part[i][c];
        }
}

static const vqx_format format = {.width = 16, .height = 16, .bits = 8};

/* A slot that is given the launches of sum_u64; what is to fail then, or NULL. */
static vqx_work *summing(vqx_device *device, const char *fail) {
    vqx_work *work;
    make_parts();
    check(cuda->prepare(device, 1u << VQX_PROGRAM_SUM, &message));
    check(vqx_work_open(&work, device, &format, 1, &message));
    if (fail)
        setenv("FAKE_CUDA_FAIL", fail, 1);
    vqx_buffer parts = vqx_work_table(work, VQX_SCRATCH_TABLE, part, sizeof(part));
    vqx_run_sum_u64(work, COLUMNS, 1, parts, FIRST, PARTS - FIRST, COLUMNS, work->result, 7);
    return work;
}

static void sums(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        vqx_device *device;
        vqx_times times;
        check(cuda->open(&device, 0, way & 1, way & 2, &message));
        assert_string_equal(device->name, "fake 0");
        assert_string_equal(fake_cuda_image(), way & 1 ? "fp64" : "soft");
        vqx_work *work = summing(device, NULL);
        check(vqx_work_wait(work, 7 + COLUMNS));
        assert_memory_equal(work->words + 7, sum, sizeof(sum));
        cuda->times(work->queue, &times);
        assert_int_equal(times.bytes_up - work->before.bytes_up, sizeof(part));
        assert_int_equal(times.bytes_down, (7 + COLUMNS) * sizeof(uint64_t));
        const unsigned measured = way & 2 ? 1 : 0; /* milliseconds: 1 for whatever is moved, 10 for a kernel */
        assert_int_equal(lround(times.upload * 1e3), 2 * measured);
        assert_int_equal(lround(times.kernels * 1e3), 10 * measured);
        assert_int_equal(lround(times.download * 1e3), measured);
        vqx_run_sum_u64(work, 0, 1, NULL, 0, 0, 0, NULL, 0); /* no group: nothing is launched */
        vqx_buffer other = vqx_work_scratch(work, 0, 10 * sizeof(uint64_t));
        check(cuda->copy(work->queue, other, work->result, 10 * sizeof(uint64_t), &message));
        check(vqx_work_wait(work, 0));
        cuda->times(work->queue, &times);
        assert_int_equal(lround(times.kernels * 1e3), 11 * measured);
        assert_int_equal(lround(times.download * 1e3), measured);
        assert_memory_equal((uint64_t *)other + 7, sum, sizeof(sum)); /* the driver's memory is the host's */
        vqx_work_close(&work);
        cuda->close(device);
    }
}

/* A frame in the device's memory, which is the host's here, through a context. */
static void resident(void **state) {
    (void)state;
    static const char *const features[] = {"psnr", "float_moment", NULL};
    static const vqx_format small = {35, 21, VQX_CHROMA_400, 8};
    vqx_context *c = pairs_context(&small, features, &(vqx_config){.backend = "cuda", .threads = 2});
    pairs p;
    assert_int_equal(pairs_open(&p, &small, 1, NULL, NULL), 0);
    for (uint64_t i = 0; i < 4; i++) {
        vqx_frame *frame[2], *there[2];
        for (unsigned s = 0; s < 2; s++) {
            assert_int_equal(pairs_frame(&p, s, i, &frame[s]), 0);
            assert_int_equal(vqx_frame_to_device(&there[s], c, frame[s]), 0);
            vqx_frame_unref(&frame[s]);
        }
        assert_int_equal(vqx_submit(c, i, there[0], there[1]), 0);
    }
    assert_int_equal(vqx_finish(c), 0);
    pairs_check(c, &small, features, 1, 4);
    pairs_close(&p);
    vqx_close(&c);
}

/* ---- errors -------------------------------------------------------------------------------------------------------------- */

static void errors(void **state) {
    (void)state;
    vqx_device *device;
    vqx_queue *queue;
    vqx_buffer buffer;
    void *memory, *handle;
    check(cuda->open(&device, 0, true, false, &message));
    setenv("FAKE_CUDA_FAIL", "cuModuleGetFunction:1:500", 1);
    refused(cuda->prepare(device, ~0u, &message), "device 0: cuModuleGetFunction of vqx_sum_u64: CUDA_ERROR_NOT_FOUND");
    setenv("FAKE_CUDA_FAIL", "cuStreamCreate:1:2", 1);
    refused(cuda->queue_open(&queue, device, &message), "device 0: cuStreamCreate: CUDA_ERROR_OUT_OF_MEMORY");
    assert_null(queue);
    setenv("FAKE_CUDA_FAIL", "cuMemAlloc:2:2", 1);
    check(cuda->alloc(&buffer, device, 100, &message));
    cuda->free(device, buffer);
    refused(cuda->alloc(&buffer, device, 100, &message), "device 0: cuMemAlloc of 100 bytes: CUDA_ERROR_OUT_OF_MEMORY");
    assert_null(buffer);
    setenv("FAKE_CUDA_FAIL", "cuMemHostAlloc:1:201", 1);
    refused(cuda->host_alloc(&memory, &handle, device, 64, &message),
            "device 0: cuMemHostAlloc of 64 bytes: CUDA_ERROR_INVALID_CONTEXT");
    setenv("FAKE_CUDA_FAIL", "cuMemHostAlloc:1:2", 1);
    assert_int_equal(cuda->host_alloc(&memory, &handle, device, 64, &message), -ENOMEM);
    assert_string_equal(message.text, "device 0: cuMemHostAlloc of 64 bytes: CUDA_ERROR_OUT_OF_MEMORY");
    assert_null(memory);
    unsetenv("FAKE_CUDA_FAIL");
    check(cuda->host_alloc(&memory, &handle, device, 64, &message));
    assert_int_equal((uintptr_t)memory % 64, 0);
    cuda->host_free(device, memory, handle);
    cuda->close(device);
}

/* Everything that a queue can be asked, and the line when it fails. */
static void stopping(void **state) {
    (void)state;
    static const char *const expected[][2] = {
        {"cuMemcpyHtoDAsync:1:1", "device 1: cuMemcpyHtoDAsync: CUDA_ERROR_INVALID_VALUE"},
        {"cuLaunchKernel:1:700", "device 1: cuLaunchKernel of vqx_sum_u64: CUDA_ERROR_ILLEGAL_ADDRESS"},
        {"cuMemcpyDtoHAsync:1:719", "device 1: cuMemcpyDtoHAsync: CUDA_ERROR_LAUNCH_FAILED"},
        {"cuStreamSynchronize:1:719", "device 1: cuStreamSynchronize: CUDA_ERROR_LAUNCH_FAILED"},
        {"cuEventElapsedTime:2:719", "device 1: cuStreamSynchronize: CUDA_ERROR_LAUNCH_FAILED"},
    };
    setenv("FAKE_CUDA_DEVICES", "75,90", 1);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        vqx_device *device;
        vqx_queue *other;
        uint64_t word = 0;
        check(cuda->open(&device, 1, true, true, &message));
        check(cuda->queue_open(&other, device, &message));
        vqx_work *work = summing(device, expected[i][0]);
        assert_int_equal(vqx_work_wait(work, 7 + COLUMNS), -ENODEV);
        assert_string_equal(work->message.text, expected[i][1]);
        unsetenv("FAKE_CUDA_FAIL"); /* the driver would go on, the queue does not */
        vqx_buffer result = work->result;
        refused(cuda->upload(work->queue, result, &word, 8, &message), "stopped by an earlier error");
        refused(cuda->download(work->queue, &word, result, 8, &message), "stopped by an earlier error");
        refused(cuda->copy(work->queue, result, result, 8, &message), "stopped by an earlier error");
        refused(cuda->launch(work->queue, VQX_KERNEL_sum_u64, 1, 1, 1, NULL, &message), "stopped by an earlier error");
        refused(cuda->wait(work->queue, &message), "stopped by an earlier error");
        check(cuda->wait(other, &message));
        vqx_work_close(&work);
        cuda->queue_close(other);
        cuda->close(device);
    }
}

/* An error that takes the context with it: all queues of the device stop, each with a line, and all of it can be closed. */
static void sticky(void **state) {
    (void)state;
    vqx_device *device;
    check(cuda->open(&device, 0, true, false, &message));
    vqx_work *first = summing(device, NULL), *second = summing(device, NULL);
    setenv("FAKE_CUDA_FAIL", "cuStreamSynchronize:1:719", 1);
    assert_int_equal(vqx_work_wait(first, 10), -ENODEV);
    assert_int_equal(vqx_work_wait(second, 10), -ENODEV);
    assert_string_equal(second->message.text, "device 0: cuMemcpyDtoHAsync: CUDA_ERROR_LAUNCH_FAILED");
    vqx_work_close(&first);
    vqx_work_close(&second);
    cuda->close(device);
}

static void not_prepared(void **state) {
    (void)state;
    vqx_device *device;
    vqx_work *work;
    check(cuda->open(&device, 0, true, false, &message));
    check(cuda->prepare(device, ~(1u << VQX_PROGRAM_SUM), &message));
    check(vqx_work_open(&work, device, &format, 1, &message));
    vqx_run_sum_u64(work, 1, 1, work->result, 0, 1, 1, work->result, 7);
    assert_int_equal(vqx_work_wait(work, 10), -ENODEV);
    assert_string_equal(work->message.text, "device 0: cuLaunchKernel of vqx_sum_u64: CUDA_ERROR_INVALID_HANDLE");
    vqx_work_close(&work);
    cuda->close(device);
}

static void memory_limit(void **state) {
    (void)state;
    vqx_device *device;
    vqx_buffer buffer[2], none;
    setenv("VQX_CUDA_MEMORY", "1000", 1);
    refused(cuda->open(&device, 0, true, false, &message), "device 0: cuMemAlloc of 65536 bytes: CUDA_ERROR_OUT_OF_MEMORY");
    setenv("VQX_CUDA_MEMORY", "1000000", 1); /* the self-test needs less, and gives it back */
    check(cuda->open(&device, 0, true, false, &message));
    check(cuda->alloc(&buffer[0], device, 600000, &message));
    refused(cuda->alloc(&none, device, 400001, &message), "device 0: cuMemAlloc of 400001 bytes: CUDA_ERROR_OUT_OF_MEMORY");
    check(cuda->alloc(&buffer[1], device, 400000, &message));
    cuda->free(device, buffer[0]);
    check(cuda->alloc(&buffer[0], device, 600000, &message));
    cuda->free(device, buffer[0]);
    cuda->free(device, buffer[1]);
    cuda->close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        /* the driver is not looked for again once it was found, so these three stand first */
        cmocka_unit_test_setup_teardown(no_driver, reset, clean),    cmocka_unit_test_setup_teardown(old_driver, reset, clean),
        cmocka_unit_test_setup_teardown(no_device, reset, clean),    cmocka_unit_test_setup_teardown(devices, reset, clean),
        cmocka_unit_test_setup_teardown(sums, reset, clean),         cmocka_unit_test_setup_teardown(resident, reset, clean),
        cmocka_unit_test_setup_teardown(errors, reset, clean),       cmocka_unit_test_setup_teardown(stopping, reset, clean),
        cmocka_unit_test_setup_teardown(sticky, reset, clean),       cmocka_unit_test_setup_teardown(not_prepared, reset, clean),
        cmocka_unit_test_setup_teardown(memory_limit, reset, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
