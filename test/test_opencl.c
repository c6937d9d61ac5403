#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/opencl.h"
#include "device/work.h"
#include "test/direct.h"

static const vqx_backend *const cl = &vqx_backend_opencl;
static vqx_message_text message;

#define check(call) check_(call, #call)
static void check_(int err, const char *call) {
    if (err < 0)
        fail_msg("%s: %d, %s", call, err, message.text);
}

static void sums(void **state) {
    (void)state;
    vqx_device *device;
    vqx_work *work;
    check(cl->open(&device, 0, true, true, &message));
    printf("%s gpu %d fp64 %d\n", device->name, device->gpu, device->fp64);
    check(cl->prepare(device, (1u << VQX_PROGRAM_COUNT) - 1, &message));
    check(vqx_work_open(&work, device, &(vqx_format){.width = 16, .height = 16, .bits = 8}, 1, &message));
    uint64_t seed = 1, expected[3] = {0};
    enum { N = 1013 };
    static uint64_t part[N][3];
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3; c++) {
            part[i][c] = direct_random(&seed);
            if (i >= 5)
                expected[c] += part[i][c];
        }
    vqx_buffer parts = vqx_work_table(work, VQX_SCRATCH_TABLE, part, sizeof(part));
    vqx_run_sum_u64(work, 3, 1, parts, 5, N - 5, 3, work->result, 7);
    check(vqx_work_wait(work, 10));
    assert_memory_equal(work->words + 7, expected, sizeof(expected));
    vqx_times t;
    cl->times(work->queue, &t);
    printf("%g %g %g %zu %zu\n", t.upload, t.kernels, t.download, (size_t)t.bytes_up, (size_t)t.bytes_down);
    vqx_work_close(&work);
    cl->close(device);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
