/* vqx_ordered_sum() on the kernels as plain C and, where there is a device, as OpenCL, with fp64 and without, against adding one
 * term after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/cpu.h"
#include "kernel/exact_sum.h"
#include "metric/exact_sum.h"
#include "metric/metric.h"
#include "test/direct.h"

/* Arrays by how the next term follows from the state of the sum and a number in [0, 1) from a random source. */
typedef enum kind {
    UNIFORM,
    PRODUCTS, /* of two fp32 numbers */
    NEAR_ONE,
    NEGATIVE,
    DRIFT,     /* both signs, on the whole upwards */
    FALL,      /* and downwards */
    NOISE,     /* around zero */
    CANCEL,    /* large terms that take each other back */
    TIES,      /* half a last place over and over, through all powers of two, and back */
    TIES_BACK, /* the same, with terms of both signs, in a negative sum */
    BORDER,    /* on, below and above powers of two */
    CROSSING,  /* of zero, also by landing on it */
    SPARSE,    /* zeros of both signs, but for a few */
    HUGE_THEN_TINY,
    TINY, /* far below the unit */
    ZEROS,
    SMALL_KINDS, /* from here on whole numbers past 2^53 */
    INTEGERS = SMALL_KINDS,
    SQUARES, /* of words, rounded to 24 bits */
    KINDS,
} kind;

static const char *const kind_name[KINDS] = {
    "uniform",   "products", "near one", "negative", "drift",          "fall", "noise", "cancel",   "ties",
    "ties back", "border",   "crossing", "sparse",   "huge then tiny", "tiny", "zeros", "integers", "squares",
};

static double last_place(double x) {
    return x == 0 ? 0x1p-40 : nextafter(fabs(x), INFINITY) - fabs(x);
}

static double next_term(kind k, uint32_t i, double state, uint64_t *random) {
    const uint64_t r = direct_random(random);
    const double u = (double)(r >> 11) * 0x1p-53, ulp = last_place(state);
    const unsigned dice = r & 7; /* of u's bits, but far below what matters */
    switch (k) {
    case UNIFORM:
        return u;
    case PRODUCTS:
        return (float)u * (float)((double)(uint32_t)r * 0x1p-32);
    case NEAR_ONE:
        return 1 - u * 1e-6;
    case NEGATIVE:
        return -u;
    case DRIFT:
        return 2 * u - 0.9;
    case FALL:
        return 2 * u - 1.1;
    case NOISE:
        return 2 * u - 1;
    case CANCEL:
        return (i & 1 ? -1 : 1) * (10 + u) + 0.25;
    case TIES:
        return i == 0 || state > 0x1p26 ? 0.7 - state : ulp * (floor(u * 0x1p40) + 0.5 * (dice < 7));
    case TIES_BACK:
        return i == 0 || state < -0x1p26 ? -0.7 - state : ulp * (floor((u - 0.75) * 0x1p40) + 0.5 * (dice < 7));
    case BORDER: {
        const double border = ldexp(dice & 1 ? 1 : -1, (int)(i / 64 % 16) - 5), near = dice & 2 ? 0.5 : 1.5;
        return (dice & 4 ? border : border * (1 + near * (u < 0.5 ? 0x1p-52 : -0x1p-53))) - state;
    }
    case CROSSING:
        return dice == 0 ? -state : dice < 4 ? -state * (1 + u * 0x1p-20) : state == 0 ? u : u * 0x1p-45 * (dice & 1 ? 1 : -1);
    case SPARSE:
        return r % 97 ? (dice & 1 ? 0.0 : -0.0) : u * 3;
    case HUGE_THEN_TINY:
        return i == 0 ? (u < 0.5 ? 0x1p30 : 0x1.3p30) : dice < 3 ? 0x1p-23 : dice < 5 ? -0x1p-24 : u * 0x1p-22;
    case TINY:
        return u * 0x1p-80;
    case INTEGERS:
        return i < 2 ? 0x1p52 - 5 : (double)(r >> 32);
    case SQUARES: {
        const float v = (float)(r >> 48 >> (dice < 4 ? 4 : 0));
        return i == 0 ? 0x1p53 - 0x1p33 : (double)(v * v);
    }
    default: /* ZEROS */
        return dice & 1 ? 0.0 : -0.0;
    }
}

enum { FORMS = 4 };

typedef struct bench {
    vqx_device *device;
    vqx_work *work;
} bench;

/* Form number `form`: of the kernels as plain C or OpenCL, with fp64 or without. False: no device for it. */
static bool bench_open(bench *b, int form) {
    const vqx_backend *backend = form < 2 ? &vqx_backend_cpu_kernels : &vqx_backend_opencl;
    vqx_message_text message = {""};
    vqx_device_state device;
    if (backend->list(&device, 1, &message) == 0 || device.why[0]) {
        print_message("%s skipped: %s\n", backend->name, device.why[0] ? device.why : message.text);
        return false;
    }
    if (backend->open(&b->device, 0, form % 2 == 0, false, &message) < 0 ||
        backend->prepare(b->device, 1u << VQX_PROGRAM_ORDERED, &message) < 0 ||
        vqx_work_open(&b->work, b->device, &(vqx_format){1, 1, VQX_CHROMA_400, 8}, 0, &message) < 0)
        fail_msg("%s: %s", backend->name, message.text);
    return true;
}

static void bench_close(bench *b) {
    vqx_work_close(&b->work);
    b->device->backend->close(b->device);
}

/* Terms that were added one by one, in all sums of the last call. */
static uint64_t walked(const bench *b, uint32_t terms, uint32_t sums) {
    const size_t segments = (size_t)((terms - 1) / VQX_ORDERED_SEGMENT + 1) * sums;
    uint32_t *stops = malloc(segments * sizeof(*stops));
    uint64_t count = 0;
    assert_non_null(stops);
    assert_int_equal(b->device->backend->download(b->work->queue, stops, b->work->scratch[VQX_SCRATCH_ORDERED + 3].buffer,
                                                  segments * sizeof(*stops), &b->work->message),
                     0);
    assert_int_equal(vqx_work_wait(b->work, 0), 0);
    for (size_t s = 0; s < segments; s++)
        count += stops[s] * VQX_ORDERED_RUN;
    free(stops);
    return count;
}

/* The sums of arrays of the kinds first .. end - 1, in one call; returns the terms added one by one. */
static uint64_t check(bench *b, kind first, kind end, uint32_t columns, uint32_t rows, uint64_t seed) {
    const uint32_t terms = columns * rows, sums = end - first, at = 3;
    uint64_t *term = malloc((size_t)terms * sums * sizeof(*term)), expected[KINDS + 6];
    assert_non_null(term);
    memset(expected, 0x5a, sizeof(expected));
    const int32_t unit = first < SMALL_KINDS ? -30 : 2;
    for (kind k = first; k < end; k++) {
        double state = 0, size = 0;
        for (uint32_t i = 0; i < terms; i++) {
            const double t = next_term(k, i, state, &seed);
            state += t;
            size += fabs(t);
            term[(size_t)(k - first) * terms + i] = vqx_bits_of_f64(t);
        }
        assert_true(size < ldexp(1, unit + 61));
        expected[at + k - first] = vqx_bits_of_f64(state);
    }
    vqx_work *w = b->work;
    const size_t bytes = (size_t)terms * sums * sizeof(*term), words = at + sums + 3;
    vqx_buffer buffer = vqx_work_scratch(w, VQX_SCRATCH_METRIC, bytes);
    assert_int_equal(b->device->backend->upload(w->queue, buffer, term, bytes, &w->message), 0);
    memset(w->words, 0x5a, words * sizeof(*w->words));
    assert_int_equal(b->device->backend->upload(w->queue, w->result, w->words, words * sizeof(*w->words), &w->message), 0);
    vqx_ordered_sum(w, &(vqx_ordered){buffer, columns, rows, sums, unit}, at);
    assert_int_equal(vqx_work_wait(w, words), 0);
    for (size_t i = 0; i < words; i++)
        if (w->words[i] != expected[i])
            fail_msg("%s, %s, %u x %u terms, %s: %a instead of %a", b->device->backend->name, b->device->fp64 ? "fp64" : "no fp64",
                     columns, rows, i < at || i >= at + sums ? "a word that is none of its sums" : kind_name[first + i - at],
                     vqx_f64_of_bits(w->words[i]), vqx_f64_of_bits(expected[i]));
    free(term);
    return walked(b, terms, sums);
}

static void sizes(void **state) {
    static const uint32_t size[] = {1, 2, 7, 31, 32, 33, 2047, 2048, 2049, 4096, 9000, 70001};
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        bench b;
        if (!bench_open(&b, form))
            break;
        for (size_t i = 0; i < sizeof(size) / sizeof(size[0]); i++)
            for (uint64_t seed = 0; seed < (size[i] < 10000 ? 20 : 2); seed++) {
                check(&b, 0, SMALL_KINDS, size[i], 1, 100 * i + seed);
                check(&b, SMALL_KINDS, KINDS, size[i], 1, 100 * i + seed);
            }
        bench_close(&b);
    }
}

/* Sums of one kind: what is not near a power of two or zero is not walked. */
static void most_are_placed(void **state) {
    static const uint64_t most[KINDS] = {
        [UNIFORM] = 700,  [PRODUCTS] = 700, [NEAR_ONE] = 700, [NEGATIVE] = 700,      [DRIFT] = 3000,   [FALL] = 3000,
        [NOISE] = 120000, [CANCEL] = 12000, [SPARSE] = 1200,  [HUGE_THEN_TINY] = 32, [INTEGERS] = 100, [SQUARES] = 400,
    };
    (void)state;
    bench b;
    assert_true(bench_open(&b, 0));
    for (kind k = 0; k < KINDS; k++)
        if (most[k] || k == ZEROS) {
            const uint64_t terms = check(&b, k, k + 1, 500, 400, 4711);
            assert_in_range(terms, 0, most[k]);
        }
    bench_close(&b);
}

static void shapes(void **state) {
    static const uint32_t shape[][2] = {{65535, 1}, {1, 65535}, {65535, 3}, {3, 4099}, {2048, 5}, {33, 1000}};
    (void)state;
    bench b;
    assert_true(bench_open(&b, 0));
    for (size_t i = 0; i < sizeof(shape) / sizeof(shape[0]); i++)
        check(&b, 0, SMALL_KINDS, shape[i][0], shape[i][1], i);
    bench_close(&b);
}

/* More segments than chunks. */
static void long_arrays(void **state) {
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        bench b;
        if (!bench_open(&b, form))
            break;
        for (kind k = 0; k < KINDS; k++)
            if (k != TINY && k != BORDER && k != CROSSING)
                check(&b, k, k + 1, 1201, 1000, 99 + k);
        check(&b, BORDER, BORDER + 1, VQX_ORDERED_SEGMENT, VQX_ORDERED_CHUNKS, 5);
        check(&b, CROSSING, CROSSING + 1, VQX_ORDERED_SEGMENT, VQX_ORDERED_CHUNKS - 1, 6);
        bench_close(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(most_are_placed),
        cmocka_unit_test(shapes),
        cmocka_unit_test(long_arrays),
    };
    return cmocka_run_group_tests_name("exact_sum", tests, NULL, NULL);
}
