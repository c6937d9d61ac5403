/* The self-test of a device: the kernels as plain C pass it; a device that does one operation as some do is refused, and the line
 * names the operation. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "device/self_test.h"

/* Changes the results of one item: three fp64 and three fp32 operands and a u32. */
typedef void spoiler(const double *w, const float *v, uint32_t u, uint64_t *r);

static spoiler *spoils;
static bool spoils_sums;
static int fails_at; /* the n-th alloc, upload, launch or download; 0: none */
static int calls;

static float f32_of(uint64_t bits) {
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof(value));
    return value;
}

static uint64_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static uint64_t bits_of_f64(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float flushed(float x) {
    return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}

/* fp32 towards zero, as a conversion that forgets to round gives */
static float cut(double x) {
    const float near = (float)x;
    return fabs(near) > fabs(x) ? nextafterf(near, 0) : near;
}

/* ties away from zero */
static float away(double x) {
    const float near = (float)x, other = nextafterf(near, x > near ? INFINITY : -INFINITY);
    return x - near == other - x && fabsf(other) > fabsf(near) ? other : near;
}

static void flush_operands(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)w, (void)u;
    r[0] = bits_of(flushed(v[0]) + flushed(v[1])) << 32 | bits_of(flushed(v[0]) * flushed(v[1]));
}
static void flush_sum(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)w, (void)u;
    r[0] = bits_of(flushed(v[0] + v[1])) << 32 | (r[0] & UINT32_MAX);
}
static void flush_product(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)w, (void)u;
    r[0] = (r[0] >> 32 << 32) | bits_of(flushed(v[0] * v[1]));
}
static void contract_f32(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)w, (void)u;
    r[1] = bits_of(fmaf(v[0], v[1], v[2]));
}
static void divide_by_reciprocal(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)w, (void)u;
    r[2] = bits_of(v[0] * (1 / v[1]));
}
static void divide_nearly(const double *w, const float *v, uint32_t u, uint64_t *r) { /* wrong in the hard cases only */
    (void)w, (void)u;
    r[2] = bits_of((float)((double)v[0] / v[1] * (1 + 0x1p-45)));
}
static void flush_quotient(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)w, (void)v, (void)u;
    r[2] = bits_of(flushed(f32_of(r[2])));
}
static void root_nearly(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)w, (void)u;
    r[3] = bits_of((float)(sqrt(fabs(v[0])) * (1 + 0x1p-40)));
}
static void flush_root(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)w, (void)u;
    r[3] = bits_of(sqrtf(fabsf(flushed(v[0]))));
}
static void cut_unsigned(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)w, (void)v;
    r[4] = bits_of(cut(u)) << 32 | (r[4] & UINT32_MAX);
}
static void away_unsigned(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)w, (void)v;
    r[4] = bits_of(away(u)) << 32 | (r[4] & UINT32_MAX);
}
static void away_signed(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)w, (void)v;
    r[4] = (r[4] >> 32 << 32) | bits_of(away((int32_t)u));
}
static void add_f64(const double *w, const float *v, uint32_t u, uint64_t *r) { /* one digit is missing */
    (void)v, (void)u;
    r[5] = bits_of_f64(w[0] + w[1]) & ~UINT64_C(1);
}
static void multiply_f64(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)v, (void)u;
    r[6] = bits_of_f64((double)((float)w[0] * (float)w[1]));
}
static void contract_f64(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)v, (void)u;
    r[7] = bits_of_f64(fma(w[0], w[1], w[2]));
}
static void divide_f64(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)v, (void)u;
    r[8] = bits_of_f64(w[0] * (1 / w[1]));
}
static void flush_narrowed(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)v, (void)u;
    r[9] = bits_of(flushed((float)w[0])) << 32 | (r[9] & UINT32_MAX);
}
static void away_narrowed(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)v, (void)u;
    if (fabs(w[0]) >= 0x1p-126)
        r[9] = bits_of(away(w[0])) << 32 | (r[9] & UINT32_MAX);
}
static void away_subnormal(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)v, (void)u;
    if (fabs(w[0]) < 0x1p-126)
        r[9] = bits_of(away(w[0])) << 32 | (r[9] & UINT32_MAX);
}
static void narrowed_twice(const double *w, const float *v, uint32_t u, uint64_t *r) { /* the last bits are forgotten */
    (void)v, (void)u;
    const uint64_t bits = bits_of_f64(w[1]) >> 8 << 8;
    double shorter;
    memcpy(&shorter, &bits, sizeof(shorter));
    r[9] = (r[9] >> 32 << 32) | bits_of((float)shorter);
}
static void flush_widened(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)w, (void)u;
    r[10] = bits_of_f64(flushed(v[0]));
}
static void integer_of_f64(const double *w, const float *v, uint32_t u, uint64_t *r) { /* to nearest */
    (void)w, (void)v;
    r[11] = (r[11] >> 32 << 32) | (uint32_t)(int32_t)rint((int32_t)u * (double)0.7f);
}
static void compare_f64(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)v, (void)u;
    r[11] = (uint64_t)((float)w[0] < (float)w[1]) << 32 | (r[11] & UINT32_MAX);
}
static void shift_unsigned(const double *w, const float *v, uint32_t u, uint64_t *r) {
    (void)v, (void)u;
    const unsigned shift = (u | 1) >> 26;
    r[12] += (bits_of_f64(w[2]) >> shift) - (uint64_t)((int64_t)bits_of_f64(w[2]) >> shift);
}

/* ---- the device ---------------------------------------------------------------------------------------------------------- */

static vqx_backend fake;

static int fails(vqx_message_text *message) {
    return ++calls == fails_at ? vqx_fail(message, -ENODEV, "FAKE_LOST") : 0;
}

static int fake_alloc(vqx_buffer *buffer, vqx_device *device, size_t bytes, vqx_message_text *message) {
    const int err = fails(message);
    return err ? err : vqx_backend_cpu_kernels.alloc(buffer, device, bytes, message);
}

static int fake_upload(vqx_queue *queue, vqx_buffer to, const void *from, size_t bytes, vqx_message_text *message) {
    const int err = fails(message);
    return err ? err : vqx_backend_cpu_kernels.upload(queue, to, from, bytes, message);
}

static int fake_download(vqx_queue *queue, void *to, vqx_buffer from, size_t bytes, vqx_message_text *message) {
    const int err = fails(message);
    return err ? err : vqx_backend_cpu_kernels.download(queue, to, from, bytes, message);
}

static int fake_launch(vqx_queue *queue, unsigned kernel, uint32_t gx, uint32_t gy, unsigned sets, const void *arguments,
                       vqx_message_text *message) {
    int err = fails(message);
    if (err == 0)
        err = vqx_backend_cpu_kernels.launch(queue, kernel, gx, gy, sets, arguments, message);
    if (err < 0)
        return err;
    assert_int_equal(kernel, VQX_KERNEL_self_test);
    const vqx_arguments_self_test *const a = arguments;
    const double(*wide)[3] = a->wide;
    const float(*narrow)[4] = a->narrow;
    const uint32_t n = a->n;
    uint64_t *r = a->result;
    for (uint32_t group = 0; group < gx * gy; group++) {
        for (uint32_t i = 0; i < n; i++, r += VQX_SELF_TEST_WORDS, wide++, narrow++)
            if (spoils)
                spoils(*wide, *narrow, (uint32_t)bits_of((*narrow)[3]), r);
        *r++ += spoils_sums;
    }
    return 0;
}

static int run(bool fp64, vqx_message_text *message) {
    vqx_device *device;
    message->text[0] = '\0';
    assert_int_equal(vqx_backend_cpu_kernels.open(&device, 0, fp64, false, message), 0);
    device->backend = &fake;
    strcpy(device->name, "fake");
    calls = 0;
    const int err = vqx_device_self_test(device, message);
    vqx_backend_cpu_kernels.close(device);
    return err;
}

static void passes(void **state) {
    (void)state;
    vqx_message_text message;
    spoils = NULL;
    for (int fp64 = 0; fp64 < 2; fp64++)
        if (run(fp64, &message) < 0)
            fail_msg("%s", message.text);
}

static void refuses(void **state) {
    (void)state;
    static const struct {
        spoiler *spoils;
        const char *says;
    } device[] = {
        {flush_operands, "flushes subnormal"},
        {flush_sum, "flushes subnormal"},
        {flush_product, "flushes subnormal"},
        {contract_f32, "contracts a * b + c of fp32"},
        {divide_by_reciprocal, "fp32 division"},
        {divide_nearly, "fp32 division"},
        {flush_quotient, "fp32 division"},
        {root_nearly, "fp32 square root"},
        {flush_root, "fp32 square root"},
        {cut_unsigned, "integers become fp32"},
        {away_unsigned, "integers become fp32"},
        {away_signed, "integers become fp32"},
        {add_f64, "adds fp64"},
        {multiply_f64, "multiplies fp64"},
        {contract_f64, "contracts a * b + c of fp64"},
        {divide_f64, "fp64 division"},
        {flush_narrowed, "fp64 numbers become fp32"},
        {away_narrowed, "fp64 numbers become fp32"},
        {away_subnormal, "fp64 numbers become fp32"},
        {narrowed_twice, "fp64 numbers become fp32"},
        {flush_widened, "fp32 numbers do not become the same fp64"},
        {integer_of_f64, "compared or become integers"},
        {compare_f64, "compared or become integers"},
        {shift_unsigned, "64-bit integers"},
    };
    for (size_t i = 0; i < sizeof(device) / sizeof(device[0]); i++) {
        vqx_message_text message;
        spoils = device[i].spoils;
        assert_int_equal(run(true, &message), -ENODEV);
        if (strncmp(message.text, "fake: ", 6) != 0 || !strstr(message.text, device[i].says))
            fail_msg("device %zu: %s", i, message.text);
    }
    spoils = NULL;
}

static void refuses_sums(void **state) {
    (void)state;
    vqx_message_text message;
    spoils_sums = true;
    assert_int_equal(run(true, &message), -ENODEV);
    assert_string_equal(message.text, "fake: the lanes of a group are added up wrongly (self-test)");
    spoils_sums = false;
}

static void faults(void **state) {
    (void)state;
    vqx_message_text message;
    int err = -1;
    for (fails_at = 1; err < 0; fails_at++)
        if ((err = run(true, &message)) < 0)
            assert_string_equal(message.text, "FAKE_LOST");
    assert_true(fails_at > 7);
    fails_at = 0;
}

int main(void) {
    fake = vqx_backend_cpu_kernels;
    fake.alloc = fake_alloc;
    fake.upload = fake_upload;
    fake.download = fake_download;
    fake.launch = fake_launch;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes),
        cmocka_unit_test(refuses),
        cmocka_unit_test(refuses_sums),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
