#include "device/self_test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "device/work.h"
#include "dialect/entry_cpu.h"

/* Items of a group, and the grid of groups. */
enum { ITEMS = 301, COLUMNS = 2, ROWS = 2, COUNT = ITEMS * COLUMNS * ROWS, WORDS = VQX_SELF_TEST_WORDS, GROUP = ITEMS * WORDS + 1 };

/* What the words of an item say when they differ. */
static const char *const wrong[WORDS] = {
    "adds or multiplies fp32 numbers inexactly, or flushes subnormal ones",
    "contracts a * b + c of fp32 numbers",
    "fp32 division is not correctly rounded",
    "fp32 square root is not correctly rounded",
    "integers become fp32 numbers with a wrong rounding",
    "adds fp64 numbers inexactly",
    "multiplies fp64 numbers inexactly",
    "contracts a * b + c of fp64 numbers",
    "fp64 division is not correctly rounded",
    "fp64 numbers become fp32 numbers with a wrong rounding, or subnormal ones are flushed",
    "fp32 numbers do not become the same fp64 numbers",
    "fp64 numbers are compared or become integers wrongly",
    "64-bit integers are multiplied, shifted or counted wrongly",
};

typedef struct tables {
    uint64_t wide[COUNT][3];
    uint32_t narrow[COUNT][4];
    uint64_t expected[ROWS * COLUMNS][GROUP], result[ROWS * COLUMNS][GROUP];
} tables;

static uint64_t random64(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Of any sign, of size 2^low .. 2^high. */
static double random_number(uint64_t *state, int low, int high) {
    const uint64_t r = random64(state);
    const double size = ldexp((double)(r >> 11 | UINT64_C(1) << 53), (int)(r % (unsigned)(high - low)) + low - 53);
    return r >> 10 & 1 ? size : -size;
}

/* x / y is within 2^-47 of the middle between two fp32 numbers: y odd of 24 bits, q odd of 25, q * y = +-1 modulo 2^25. */
static void hard_quotient(uint64_t *state, float *x, float *y) {
    const uint32_t divisor = (uint32_t)random64(state) >> 8 | 0x800001, near = random64(state) & 1 ? 1 : UINT32_MAX;
    uint32_t inverse = divisor; /* modulo 2^3; each step doubles the bits */
    for (int i = 0; i < 4; i++)
        inverse *= 2 - divisor * inverse;
    const uint32_t q = (inverse * near) & 0x1ffffff;
    *x = (float)(((uint64_t)q * divisor - (uint64_t)(int32_t)near) >> 25);
    *y = (float)divisor;
}

/* Operands whose fp64 results are zero or normal, as kernel/f64_soft.h wants them, and whose fp32 results are finite. */
static void make_item(uint64_t *state, unsigned i, uint64_t wide[3], uint32_t narrow[4]) {
    static const float edge[] = {0x1.fffffep-1f, 0x1.fffffcp-1f, 0x1.000002p0f, 0x1.000004p0f,  0x1.fffffep1f,
                                 1.0f,           0.0f,           3.0f,          0x1.fffffep59f, 0x1.fffffcp-127f,
                                 0x1.0p-126f,    0x1.0p-149f,    0x1.8p-148f,   0x1.99999ap-4f};
    const float half = i % 2 ? 1.5f : 1.0f;
    double a = random_number(state, -160, 126), b = random_number(state, -160, 126), c;
    float x = (float)random_number(state, -149, 60), y = (float)random_number(state, -60, 60), z;
    const uint32_t u = (uint32_t)random64(state);
    switch (i % 5) {
    case 0: /* subnormal operands, subnormal sums; the quotient is normal */
        x = (float)random_number(state, -149, -124);
        y = (float)random_number(state, -149, -124);
        break;
    case 1:
        hard_quotient(state, &x, &y);
        break;
    case 2:
        x = edge[i / 5 % (sizeof(edge) / sizeof(edge[0]))];
        break;
    case 3: /* fp64 numbers in the middle between two fp32 numbers, which may be subnormal, and beside it */
        a = i / 5 % 2 ? ldexp(u >> 9 | 1, -150) : (double)(u >> 7 | 0x1000001);
        b = a * (1 + ldexp(i / 5 % 4 < 2 ? 1 : -1, -50));
        break;
    default:
        break;
    }
    /* what is left of a * b + c is the rounding of the product, or half of it that is added to */
    z = -(x * y) * half;
    c = -(a * b) * half;
    memcpy(wide, (const double[]){a, b, c}, 3 * sizeof(*wide));
    memcpy(narrow, (const float[]){x, y, z}, 3 * sizeof(*narrow));
    narrow[3] = u;
}

static int compare(const tables *t, const char *name, vqx_message_text *message) {
    for (unsigned word = 0; word < WORDS; word++) /* an operation after the other, simple ones first */
        for (unsigned i = 0; i < COUNT; i++) {
            const uint64_t is = t->result[i / ITEMS][i % ITEMS * WORDS + word],
                           must = t->expected[i / ITEMS][i % ITEMS * WORDS + word];
            const uint64_t *w = t->wide[i];
            const uint32_t *v = t->narrow[i];
            if (is != must)
                return vqx_fail(message, -ENODEV,
                                "%s: %s (self-test: %#llx instead of %#llx from %#llx %#llx %#llx, %#x %#x %#x, %#x)", name,
                                wrong[word], (unsigned long long)is, (unsigned long long)must, (unsigned long long)w[0],
                                (unsigned long long)w[1], (unsigned long long)w[2], v[0], v[1], v[2], v[3]);
        }
    for (unsigned g = 0; g < ROWS * COLUMNS; g++)
        if (t->result[g][GROUP - 1] != t->expected[g][GROUP - 1])
            return vqx_fail(message, -ENODEV, "%s: the lanes of a group are added up wrongly (self-test)", name);
    return 0;
}

int vqx_device_self_test(vqx_device *device, vqx_message_text *message) {
    const vqx_backend *b = device->backend;
    uint64_t state = 1;
    vqx_work *work = NULL;
    int err = -ENOMEM;
    tables *t = calloc(1, sizeof(*t));
    if (!t)
        return vqx_fail(message, -ENOMEM, "out of memory");
    for (unsigned i = 0; i < COUNT; i++)
        make_item(&state, i, t->wide[i], t->narrow[i]);
    vqx_cpu_entries_fp64[VQX_KERNEL_self_test](COLUMNS, ROWS, &(vqx_arguments_self_test){t->wide, t->narrow, ITEMS, t->expected});

    if ((err = b->prepare(device, 1u << VQX_PROGRAM_SELF_TEST, message)) < 0 ||
        (err = vqx_work_open(&work, device, &(vqx_format){.width = 1, .height = 1, .bits = 8}, 0, message)) < 0)
        goto fail;
    vqx_buffer result = vqx_work_scratch(work, VQX_SCRATCH_METRIC, sizeof(t->result));
    vqx_run_self_test(work, COLUMNS, ROWS, vqx_work_table(work, VQX_SCRATCH_TABLE, t->wide, sizeof(t->wide)),
                      vqx_work_table(work, VQX_SCRATCH_TABLE + 1, t->narrow, sizeof(t->narrow)), ITEMS, result);
    if (work->err == 0)
        work->err = b->download(work->queue, t->result, result, sizeof(t->result), &work->message);
    err = vqx_work_wait(work, 0);
    if (err < 0)
        *message = work->message;
    else
        err = compare(t, device->name, message);
fail:
    vqx_work_close(&work);
    free(t);
    return err;
}
