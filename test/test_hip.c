/* What HIP has of its own, against a runtime without a GPU (test/fake_hip.c). test_cuda is for what it shares with CUDA. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/cudahip.h"
#include "device/hip.h"
#include "test/fake_cuda.h"

int hipGetDevice(vqx_cudahip_ordinal *ordinal);
int hipSetDevice(vqx_cudahip_ordinal ordinal);

static const vqx_backend *const hip = &vqx_backend_hip;
static vqx_message_text message;

static int reset(void **state) {
    (void)state;
    unsetenv("FAKE_CUDA_DEVICES");
    unsetenv("FAKE_CUDA_FAIL");
    unsetenv("FAKE_HIP_ARCHITECTURE");
    unsetenv("VQX_HIP_MEMORY");
    return 0;
}

static int clean(void **state) {
    (void)state;
    unsetenv("FAKE_CUDA_FAIL");
    return (int)fake_cuda_alive();
}

static void nothing_listed(const char *line) {
    message.text[0] = '\0';
    assert_int_equal(hip->list(NULL, 0, &message), 0);
    assert_string_equal(message.text, line);
}

static void refused(unsigned number, const char *line) {
    vqx_device *device;
    message.text[0] = '\0';
    assert_int_equal(hip->open(&device, number, true, false, &message), -ENODEV);
    assert_string_equal(message.text, line);
    assert_null(device);
}

static void no_library(void **state) {
    (void)state;
    const char *const name = vqx_hip_library[0];
    vqx_hip_library[0] = "libamdhip64.so.none";
    vqx_hip_library[1] = "libamdhip64.so.neither";
    vqx_hip_library[2] = NULL;
    nothing_listed("libamdhip64.so.neither: cannot open shared object file: No such file or directory");
    vqx_hip_library[1] = "libc.so.6";
    nothing_listed("libc.so.6 has no hipGetDeviceProperties");
    vqx_hip_library[1] = name;
    setenv("FAKE_CUDA_FAIL", "cuInit:1:100", 1);
    nothing_listed("hipInit: HIP error 100");
}

static void devices(void **state) {
    (void)state;
    vqx_device_state device[2] = {0};
    setenv("FAKE_CUDA_DEVICES", "1,1", 1);
    assert_int_equal(hip->list(device, 2, &message), 2);
    assert_string_equal(device[0].name, "fake 0 (gfx900)");
    assert_string_equal(device[1].name, "fake 1 (gfx900)");
    assert_string_equal(device[1].why, "");
    setenv("FAKE_HIP_ARCHITECTURE", "gfx90", 1);
    hip->list(device, 2, &message);
    assert_string_equal(device[0].name, "fake 0 (gfx90)");
    refused(1, "no kernels for gfx90 in this build: meson's option -Dhip_archs=gfx90 adds them");
    setenv("FAKE_HIP_ARCHITECTURE", "sm_90", 1);
    refused(1, "the runtime does not say its architecture (gfx...)");
    unsetenv("FAKE_HIP_ARCHITECTURE");
    setenv("FAKE_CUDA_FAIL", "hipGetDeviceProperties:1:101", 1);
    refused(0, "its name and kind: hipErrorInvalidDevice");
    setenv("FAKE_CUDA_FAIL", "hipSetDevice:1:101", 1);
    refused(1, "hipSetDevice: hipErrorInvalidDevice");
    setenv("FAKE_CUDA_FAIL", "cuModuleLoadData:1:209", 1);
    refused(1, "hipModuleLoadData: HIP error 209");
}

/* A thread's current device is ours only in between; each form has its own kernels. */
static void current_device(void **state) {
    (void)state;
    vqx_device *device;
    vqx_cudahip_ordinal current;
    setenv("FAKE_CUDA_DEVICES", "1,1,1", 1);
    hipSetDevice(2);
    for (int fp64 = 0; fp64 < 2; fp64++) {
        vqx_buffer buffer;
        assert_int_equal(hip->open(&device, 1, fp64, false, &message), 0); /* the self-test runs kernels */
        assert_string_equal(fake_cuda_image(), fp64 ? "fp64" : "soft");
        assert_int_equal(fake_cuda_image_on(), 1);
        assert_int_equal(hip->alloc(&buffer, device, 100, &message), 0);
        hip->free(device, buffer);
        setenv("VQX_HIP_MEMORY", "50", 1);
        hip->close(device);
        refused(1, "device 1: hipMalloc of 65536 bytes: hipErrorOutOfMemory");
        unsetenv("VQX_HIP_MEMORY");
        hipGetDevice(&current);
        assert_int_equal(current, 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        /* the library is not looked for again once it was found, so this one stands first */
        cmocka_unit_test_setup_teardown(no_library, reset, clean),
        cmocka_unit_test_setup_teardown(devices, reset, clean),
        cmocka_unit_test_setup_teardown(current_device, reset, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
