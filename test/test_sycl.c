/* The SYCL back end: its plug-in, built with a SYCL that knows nothing but test/sycl_stub, and how the library loads it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/sycl.h"
#include "device/work.h"
#include "test/pairs.h"

static const vqx_backend *const sycl = &vqx_backend_sycl;
static const vqx_format format = {35, 21, VQX_CHROMA_420, 10};
static vqx_message_text message;

static int reset(void **state) {
    (void)state;
    unsetenv("VQX_STUB_FAIL");
    unsetenv("VQX_STUB_DEVICES");
    return 0;
}

#define check(call) check_(call, #call)
static void check_(int err, const char *call) {
    if (err < 0)
        fail_msg("%s: %d, %s", call, err, message.text);
}

/* The call fails with this error and this line. */
#define refused(call, err, line)                 \
    do {                                         \
        message.text[0] = '\0';                  \
        assert_int_equal(call, err);             \
        assert_string_equal(message.text, line); \
    } while (0)

#define FAILED(name) name " failed as it was told to"

/* ---- the plug-in --------------------------------------------------------------------------------------------------------- */

static void no_plugin(void **state) {
    (void)state;
    static const char *const lines[][2] = {
        {"/nonexistent/plug-in", "no plug-in: /nonexistent/plug-in: cannot open shared object file: No such file or directory"},
        {"libc.so.6", "libc.so.6 is not a plug-in of vqx"},
        {STALE_INTERFACE, STALE_INTERFACE " was built from other sources than this vqx"},
        {STALE_DEVICE, STALE_DEVICE " was built from other sources than this vqx"},
        {STALE_KERNELS, STALE_KERNELS " was built from other sources than this vqx"},
    };
    vqx_device *device;
    char *named = strdup(getenv("VQX_SYCL_PLUGIN"));
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        setenv("VQX_SYCL_PLUGIN", lines[i][0], 1);
        refused(sycl->list(NULL, 0, &message), 0, lines[i][1]);
        refused(sycl->open(&device, 0, true, false, &message), -ENODEV, lines[i][1]);
        assert_null(device);
    }
    unsetenv("VQX_SYCL_PLUGIN");
    vqx_sycl_library = "/nonexistent/plug-in";
    refused(sycl->list(NULL, 0, &message), 0, lines[0][1]);
    setenv("VQX_SYCL_PLUGIN", named, 1);
    free(named);
    vqx_device_state device_state;
    assert_int_equal(sycl->list(&device_state, 1, &message), 1);
    assert_string_equal(sycl->name, "sycl");
}

/* ---- devices ------------------------------------------------------------------------------------------------------------- */

static void devices(void **state) {
    (void)state;
    static const struct {
        const char *name, *why;
        bool gpu;
    } expected[] = {
        {"device g (stub)", "", true},
        {"device n (stub)", "", true},
        {"device w (stub)", "its groups have less than 256 items", true},
        {"device c (stub)", "", false},
    };
    vqx_device_state listed[4];
    vqx_device *device;
    setenv("VQX_STUB_DEVICES", "cgnw", 1);
    assert_int_equal(sycl->list(listed, 1, &message), 4);
    assert_int_equal(sycl->list(listed, 4, &message), 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_string_equal(listed[i].name, expected[i].name);
        assert_string_equal(listed[i].why, expected[i].why);
        assert_int_equal(listed[i].gpu, expected[i].gpu);
        if (*expected[i].why) {
            refused(sycl->open(&device, i, true, false, &message), -ENODEV, expected[i].why);
            continue;
        }
        check(sycl->open(&device, i, true, false, &message));
        assert_ptr_equal(device->backend, sycl);
        assert_string_equal(device->name, expected[i].name);
        assert_int_equal(device->number, i);
        assert_int_equal(device->gpu, expected[i].gpu);
        assert_int_equal(device->fp64, i != 1);
        sycl->close(device);
    }
    check(sycl->open(&device, 0, false, false, &message));
    assert_false(device->fp64);
    sycl->close(device);
    refused(sycl->open(&device, 4, true, false, &message), -ENODEV, "there is no device 4");
    assert_null(device);
    setenv("VQX_STUB_DEVICES", "", 1);
    refused(sycl->list(listed, 4, &message), 0, "");
}

static void opening(void **state) {
    (void)state;
    vqx_device_state listed[1];
    vqx_device *device;
    setenv("VQX_STUB_FAIL", "get_devices:1", 1);
    refused(sycl->list(listed, 1, &message), 0, FAILED("get_devices"));
    setenv("VQX_STUB_FAIL", "get_info:1", 1);
    assert_int_equal(sycl->list(listed, 1, &message), 1);
    assert_string_equal(listed[0].why, FAILED("get_info"));
    setenv("VQX_STUB_FAIL", "context:1", 1);
    refused(sycl->open(&device, 0, true, false, &message), -ENODEV, FAILED("context"));
    setenv("VQX_STUB_FAIL", "flip:4", 1); /* the self-test's result */
    assert_int_equal(sycl->open(&device, 0, true, false, &message), -ENODEV);
    assert_non_null(strstr(message.text, "(self-test"));
    assert_null(device);
}

/* ---- memory and queues --------------------------------------------------------------------------------------------------- */

static void memory(void **state) {
    (void)state;
    vqx_device *device;
    vqx_queue *queue;
    vqx_buffer buffer;
    void *host, *handle;
    check(sycl->open(&device, 0, true, false, &message));
    setenv("VQX_STUB_FAIL", "no_device_memory:1", 1);
    refused(sycl->alloc(&buffer, device, 100, &message), -ENODEV, "device 0: memory: no room for 100 bytes");
    assert_null(buffer);
    setenv("VQX_STUB_FAIL", "alloc_device:1", 1);
    refused(sycl->alloc(&buffer, device, 100, &message), -ENODEV, "device 0: memory: " FAILED("alloc_device"));
    setenv("VQX_STUB_FAIL", "no_host_memory:1", 1);
    refused(sycl->host_alloc(&host, &handle, device, 100, &message), -ENOMEM, "device 0: host memory: no room for 100 bytes");
    assert_null(host);
    setenv("VQX_STUB_FAIL", "queue:1", 1);
    refused(sycl->queue_open(&queue, device, &message), -ENODEV, "device 0: queue: " FAILED("queue"));
    assert_null(queue);
    unsetenv("VQX_STUB_FAIL");
    check(sycl->host_alloc(&host, &handle, device, 100, &message));
    assert_int_equal((uintptr_t)host % 64, 0);
    sycl->host_free(device, host, handle);
    sycl->close(device);
}

/* Two sums by one launch; `fail` from here on. */
static vqx_work *summing(vqx_device *device, const char *fail) {
    static const uint64_t numbers[] = {1, 2, 3, 40, 50, 60};
    vqx_work *work;
    check(vqx_work_open(&work, device, &format, 1, &message));
    if (fail)
        setenv("VQX_STUB_FAIL", fail, 1);
    vqx_buffer part = vqx_work_table(work, VQX_SCRATCH_TABLE, numbers, sizeof(numbers));
    const vqx_arguments_sum_u64 sets[] = {{part, 0, 3, 1, work->result, 7}, {part, 3, 3, 1, work->result, 8}};
    if (work->err == 0)
        work->err = sycl->launch(work->queue, VQX_KERNEL_sum_u64, 1, 1, 2, sets, &work->message);
    if (work->err == 0)
        work->err = sycl->launch(work->queue, VQX_KERNEL_sum_u64, 0, 1, 1, sets, &work->message);
    return work;
}

static void sums(void **state) {
    (void)state;
    for (int profile = 0; profile < 2; profile++) {
        vqx_device *device;
        vqx_times times;
        check(sycl->open(&device, 0, true, profile, &message));
        vqx_work *work = summing(device, NULL);
        assert_int_equal(vqx_work_wait(work, 9), 0);
        assert_int_equal(work->words[7], 6);
        assert_int_equal(work->words[8], 150);
        sycl->times(work->queue, &times);
        assert_int_equal(times.bytes_up - work->before.bytes_up, 48);
        assert_int_equal(times.bytes_down, 72);
        assert_float_equal(times.upload - work->before.upload, profile * 1e-3, 1e-9);
        assert_float_equal(times.kernels, profile * 2e-3, 1e-9);
        assert_float_equal(times.download, profile * 1e-3, 1e-9);
        vqx_work_close(&work);
        sycl->close(device);
    }
}

/* What is in the queue is done before a scratch buffer is freed for a larger one. */
static void growing(void **state) {
    (void)state;
    for (int fails = 0; fails < 2; fails++) {
        vqx_device *device;
        vqx_work *work;
        uint64_t word = 1;
        check(sycl->open(&device, 0, true, false, &message));
        check(vqx_work_open(&work, device, &format, 1, &message));
        assert_non_null(vqx_work_scratch(work, 0, 64));
        check(sycl->upload(work->queue, work->result, &word, sizeof(word), &message));
        if (fails)
            setenv("VQX_STUB_FAIL", "wait:1", 1);
        assert_int_equal(vqx_work_scratch(work, 0, 128) == NULL, fails);
        word = 2;
        assert_int_equal(vqx_work_wait(work, 1), fails ? -ENODEV : 0);
        assert_int_equal(work->words[0], !fails);
        vqx_work_close(&work);
        sycl->close(device);
    }
}

/* Everything that a queue can be asked, and the line when it fails: it stops, others go on. */
static void stopping(void **state) {
    (void)state;
    static const char *const expected[][2] = {
        {"memcpy:1", "device 1: upload: " FAILED("memcpy")},   {"submit:2", "device 1: sum_u64: " FAILED("submit")},
        {"memcpy:2", "device 1: download: " FAILED("memcpy")}, {"wait:1", "device 1: wait: " FAILED("wait")},
        {"later:1", "device 1: wait: " FAILED("later")},
    };
    setenv("VQX_STUB_DEVICES", "gg", 1);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        vqx_device *device;
        vqx_queue *other;
        uint64_t word = 0;
        unsetenv("VQX_STUB_FAIL");
        check(sycl->open(&device, 1, true, true, &message));
        check(sycl->queue_open(&other, device, &message));
        vqx_work *work = summing(device, expected[i][0]);
        assert_int_equal(vqx_work_wait(work, 9), -ENODEV);
        assert_string_equal(work->message.text, expected[i][1]);
        vqx_buffer result = work->result;
        const vqx_arguments_sum_u64 set = {result, 0, 1, 1, result, 7};
        refused(sycl->upload(work->queue, result, &word, 8, &message), -ENODEV, "device 1: upload: stopped by an earlier error");
        refused(sycl->download(work->queue, &word, result, 8, &message), -ENODEV,
                "device 1: download: stopped by an earlier error");
        refused(sycl->copy(work->queue, result, result, 8, &message), -ENODEV, "device 1: copy: stopped by an earlier error");
        refused(sycl->launch(work->queue, VQX_KERNEL_sum_u64, 1, 1, 1, &set, &message), -ENODEV,
                "device 1: sum_u64: stopped by an earlier error");
        assert_int_equal(sycl->wait(work->queue, &message), -ENODEV);
        check(sycl->wait(other, &message));
        vqx_work_close(&work);
        sycl->queue_close(other);
        sycl->close(device);
    }
}

/* A context takes the back end by its name; an error in the middle leaves the scores before it. */
static void scoring(void **state) {
    (void)state;
    static const char *const features[] = {"psnr=enable_mse=true", "vif", NULL};
    for (int fails = 0; fails < 2; fails++) {
        pairs p;
        setenv("VQX_STUB_DEVICES", "ngc", 1);
        vqx_context *c = pairs_context(&format, features, &(vqx_config){.backend = "sycl", .device = "all", .threads = 1});
        assert_string_equal(vqx_backend_used(c), "sycl");
        assert_string_equal(vqx_device_used(c), "device n (stub) and 2 more");
        assert_int_equal(pairs_open(&p, &format, 7, NULL, NULL), 0);
        for (uint64_t i = 0; i < 6; i++) {
            if (fails && i == 3)
                setenv("VQX_STUB_FAIL", "later:2", 1);
            pairs_submit(&p, c, i);
        }
        assert_int_equal(vqx_finish(c), fails ? -ENODEV : 0);
        if (fails)
            assert_non_null(strstr(vqx_message(c), FAILED("later")));
        else
            pairs_check(c, &format, features, 1, 6);
        pairs_close(&p);
        vqx_close(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(no_plugin, reset), /* first: what is loaded stays */
        cmocka_unit_test_setup(devices, reset),   cmocka_unit_test_setup(opening, reset),  cmocka_unit_test_setup(memory, reset),
        cmocka_unit_test_setup(sums, reset),      cmocka_unit_test_setup(stopping, reset), cmocka_unit_test_setup(growing, reset),
        cmocka_unit_test_setup(scoring, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
