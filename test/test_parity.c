/* vqx parity from the inside: the comparison, its pictures, and what becomes of a device that differs, fails, or takes what the
 * processor refuses. Such a device is made of one that is right, by wrapping three functions of the library. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "test/pairs.h"
#include "test/program_run.h"
#include "tools/parity.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define ALL_METRICS "float_moment", "psnr=enable_apsnr=true", "float_psnr", "float_ssim", NULL

/* ---- a device with faults ------------------------------------------------------------------------------------------ */

static struct {
    bool swaps;        /* pair 1 reaches the device with its sides exchanged: psnr is the same, ref1st is not */
    bool lost;         /* vqx_finish() of the device fails */
    unsigned refusing; /* the n-th context from now on refuses the format */
    bool tells;        /* how devices are opened */
} fault;

int __real_vqx_open(vqx_context **context, const vqx_config *config);
int __real_vqx_submit(vqx_context *context, uint64_t index, vqx_frame *reference, vqx_frame *distorted);
int __real_vqx_finish(vqx_context *context);
int __real_vqx_start(vqx_context *context, const vqx_format *format);
int __wrap_vqx_open(vqx_context **context, const vqx_config *config);
int __real_vqx_score(const vqx_context *context, size_t output, uint64_t index, double *score);
int __wrap_vqx_submit(vqx_context *context, uint64_t index, vqx_frame *reference, vqx_frame *distorted);
int __wrap_vqx_score(const vqx_context *context, size_t output, uint64_t index, double *score);
int __wrap_vqx_finish(vqx_context *context);
int __wrap_vqx_start(vqx_context *context, const vqx_format *format);

static bool is_device(const vqx_context *context) {
    return strcmp(vqx_backend_used(context), "cpu") != 0;
}

int __wrap_vqx_open(vqx_context **context, const vqx_config *config) {
    if (fault.tells && config && config->backend)
        printf("[%s %s flags %u threads %u audit %u]", config->backend, config->device, config->device_flags, config->threads,
               config->audit);
    return __real_vqx_open(context, config);
}

int __wrap_vqx_submit(vqx_context *context, uint64_t index, vqx_frame *reference, vqx_frame *distorted) {
    const bool swap = fault.swaps && index == 1 && is_device(context);
    return __real_vqx_submit(context, index, swap ? distorted : reference, swap ? reference : distorted);
}

int __wrap_vqx_finish(vqx_context *context) {
    const int err = __real_vqx_finish(context);
    return fault.lost && is_device(context) ? -ENODEV : err;
}

int __wrap_vqx_start(vqx_context *context, const vqx_format *format) {
    const bool refuse = fault.refusing == 1;
    fault.refusing -= fault.refusing > 0;
    return refuse ? -ENOTSUP : __real_vqx_start(context, format);
}

/* Every other NaN has another sign. */
int __wrap_vqx_score(const vqx_context *context, size_t output, uint64_t index, double *score) {
    static bool other;
    const int err = __real_vqx_score(context, output, index, score);
    if (err == 0 && isnan(*score) && (other = !other))
        *score = -*score;
    return err;
}

static int no_fault(void **state) {
    (void)state;
    memset(&fault, 0, sizeof(fault));
    return 0;
}

/* ---- comparing ----------------------------------------------------------------------------------------------------- */

/* A finished context over `count` noisy pairs; `odd` is the index of a pair that is another one. */
static vqx_context *scored(const char *const *features, uint32_t width, uint32_t height, uint64_t count, uint64_t odd) {
    const vqx_format format = {width, height, VQX_CHROMA_420, 8};
    vqx_context *context = pairs_context(&format, features, &(vqx_config){.threads = 2});
    for (uint64_t i = 0; i < count; i++) {
        vqx_frame *pair[2];
        for (unsigned side = 0; side < 2; side++) {
            assert_int_equal(vqx_frame_alloc(&pair[side], &format, 7), 0);
            picture_paint(pair[side], PICTURE_NOISE, side, i == odd ? 100 : i);
        }
        assert_int_equal(vqx_submit(context, i, pair[0], pair[1]), 0);
    }
    assert_int_equal(vqx_finish(context), 0);
    return context;
}

#define NONE UINT64_MAX

static void test_equal(void **state) {
    (void)state;
    static const char *const features[] = {ALL_METRICS};
    vqx_context *a = scored(features, 40, 30, 5, NONE), *b = scored(features, 40, 30, 5, NONE);
    struct parity_result r;
    size_t items = 0;
    for (; parity_compare(a, b, items, &r); items++) {
        assert_int_equal(r.frames, items < 9 ? 5 : 1);
        assert_int_equal(r.differing, 0);
        assert_true(r.largest == 0);
    }
    assert_int_equal(items, vqx_output_count(a) + vqx_aggregate_count(a));
    assert_int_equal(items, 9 + 3);
    vqx_close(&a);
    vqx_close(&b);
}

static void test_different(void **state) {
    (void)state;
    static const char *const features[] = {ALL_METRICS};
    vqx_context *a = scored(features, 40, 30, 5, NONE), *b = scored(features, 40, 30, 5, 3);
    struct parity_result r;
    for (size_t item = 0; item < 12; item++) {
        double x, y;
        assert_true(parity_compare(a, b, item, &r));
        assert_int_equal(r.frames, item < 9 ? 5 : 1);
        assert_int_equal(r.differing, 1);
        assert_int_equal(r.first, item < 9 ? 3 : 0);
        assert_int_equal(item < 9 ? vqx_score(a, item, 3, &x) : vqx_aggregate(a, item - 9, &x), 0);
        assert_int_equal(item < 9 ? vqx_score(b, item, 3, &y) : vqx_aggregate(b, item - 9, &y), 0);
        assert_true(r.expected == x && r.got == y && r.largest == fabs(x - y) && r.largest > 0);
    }
    vqx_close(&a);
    vqx_close(&b);
}

/* Scores that are on one side only; of all that differ the first is named, and the largest difference kept. */
static void test_missing(void **state) {
    (void)state;
    static const char *const features[] = {"float_moment", NULL};
    vqx_context *a = scored(features, 40, 30, 6, NONE), *b = scored(features, 40, 30, 4, 1), *c = scored(features, 40, 31, 6, 4);
    struct parity_result r;
    for (int swapped = 0; swapped < 2; swapped++) {
        assert_true(parity_compare(swapped ? b : a, swapped ? a : b, 0, &r));
        assert_int_equal(r.frames, 6);
        assert_int_equal(r.differing, 3);
        assert_int_equal(r.first, 1);
        assert_true(isinf(r.largest));
        assert_false(isnan(r.expected) || isnan(r.got));
    }
    assert_true(parity_compare(a, c, 0, &r));
    assert_int_equal(r.differing, 6);
    assert_int_equal(r.first, 0);
    double largest = 0;
    for (uint64_t f = 0; f < 6; f++) {
        double x, y;
        assert_int_equal(vqx_score(a, 0, f, &x) | vqx_score(c, 0, f, &y), 0);
        largest = fmax(largest, fabs(x - y));
    }
    assert_true(r.largest == largest);
    vqx_close(&a);
    vqx_close(&b);
    vqx_close(&c);
}

/* float_ssim of pictures without a window: 0, -0 and NaN by their size. */
static void test_special_values(void **state) {
    (void)state;
    static const char *const features[] = {"float_ssim", NULL};
    vqx_context *zero = scored(features, 9, 9, 1, NONE), *minus = scored(features, 9, 12, 1, NONE),
                *nan = scored(features, 10, 10, 1, NONE), *one = scored(features, 11, 11, 1, NONE);
    struct parity_result r;
    assert_true(parity_compare(nan, nan, 0, &r));
    assert_int_equal(r.frames, 1);
    assert_int_equal(r.differing, 0);
    assert_true(parity_compare(zero, minus, 0, &r));
    assert_int_equal(r.differing, 1);
    assert_true(r.largest == 0 && signbit(r.got) && !signbit(r.expected));
    assert_true(parity_compare(one, nan, 0, &r));
    assert_int_equal(r.differing, 1);
    assert_true(isinf(r.largest) && isnan(r.got));
    vqx_close(&zero);
    vqx_close(&minus);
    vqx_close(&nan);
    vqx_close(&one);
}

/* ---- pictures ------------------------------------------------------------------------------------------------------ */

static uint32_t word(vqx_frame *frame, uint32_t x, uint32_t y) {
    ptrdiff_t stride;
    const uint8_t *data = vqx_frame_data(frame, 0, &stride) + (ptrdiff_t)y * stride;
    return vqx_frame_format(frame)->bits > 8 ? ((const uint16_t *)(const void *)data)[x] : data[x];
}

static vqx_frame *painted(const vqx_format *format, enum picture_kind kind, unsigned side, uint64_t index) {
    vqx_frame *frame;
    assert_int_equal(vqx_frame_alloc(&frame, format, (1u << vqx_format_planes(format)) - 1), 0);
    picture_paint(frame, kind, side, index);
    return frame;
}

/* Values stay in the depth; pictures that follow each other differ; the two sides are what the kind says. */
static void test_pictures(void **state) {
    (void)state;
    for (size_t i = 0; i < parity_input_count; i++) {
        const struct parity_input *in = &parity_inputs[i];
        const vqx_format *format = &in->format;
        const uint32_t most = (1u << format->bits) - 1;
        if ((uint64_t)format->width * format->height > 300000)
            continue;
        assert_int_equal(vqx_format_check(format), 0);
        vqx_frame *f[2][2];
        for (unsigned side = 0; side < 2; side++)
            for (unsigned n = 0; n < 2; n++)
                f[side][n] = painted(format, in->kind, side, n);
        uint64_t sides = 0, next = 0, above = 0, samples = (uint64_t)format->width * format->height;
        for (uint32_t y = 0; y < format->height; y++)
            for (uint32_t x = 0; x < format->width; x++) {
                const int64_t r = word(f[0][0], x, y), d = word(f[1][0], x, y);
                sides += r != d;
                next += r != word(f[0][1], x, y);
                above += r > most || d > most;
                if (in->kind == PICTURE_COPY)
                    assert_true(llabs(r - d) <= 2);
                if (in->kind == PICTURE_INVERSE)
                    assert_true(llabs(r + d - (int64_t)most) <= 2);
            }
        assert_true(in->kind == PICTURE_WORDS ? above > samples / 2 : above == 0);
        assert_true(samples < 10 || (sides > 0 && next > 0));
        if (in->kind == PICTURE_NOISE && samples > 1000)
            assert_true(sides > samples * 9 / 10 && next > samples * 9 / 10);
        for (unsigned k = 0; k < 4; k++)
            vqx_frame_unref(&f[k / 2][k % 2]);
    }
}

/* The pictures that were searched for have the scores that they were found with. Where the sum is not made in raster order, or ties
 * not rounded to even, the last bit is another one. */
static void test_found_pictures(void **state) {
    (void)state;
    static const double luminance[PICTURE_STRIPES_COUNT] = {
        0x1.d09c64p-1, 0x1.6951bp-1,  0x1.f9b8c8p-1, 0x1.fc5dbcp-1, 0x1.fcebfap-1, 0x1.0848b2p-1, 0x1.e0836ap-1, 0x1.fb227p-1,
        0x1.77c072p-2, 0x1.213a12p-1, 0x1.5e5234p-2, 0x1.8f03dep-3, 0x1.912974p-1, 0x1.739b2p-2,  0x1.e34b7ep-1, 0x1.4acc58p-1};
    static const double crossing[PICTURE_CROSSING_COUNT] = {-0x1.f400e4p-13, 0x1.93ffc4p-15, 0x1.a1f0b6p-17,
                                                            0x1.a803fp-12,   0x1.549804p-9,  -0x1.11922cp-8};
    static const char *const features[] = {"float_ssim=enable_lcs=true:scale=1", NULL};
    for (int stripes = 0; stripes < 2; stripes++) {
        const vqx_format format = stripes ? (vqx_format){177, 176, VQX_CHROMA_400, 16} : (vqx_format){97, 61, VQX_CHROMA_420, 8};
        const enum picture_kind kind = stripes ? PICTURE_STRIPES : PICTURE_CROSSING;
        const unsigned count = stripes ? PICTURE_STRIPES_COUNT : PICTURE_CROSSING_COUNT;
        vqx_context *context = pairs_context(&format, features, NULL);
        for (unsigned i = 0; i < count; i++)
            assert_int_equal(vqx_submit(context, i, painted(&format, kind, 0, i), painted(&format, kind, 1, i)), 0);
        assert_int_equal(vqx_finish(context), 0);
        for (unsigned i = 0; i < count; i++) {
            double score;
            assert_int_equal(vqx_score(context, stripes ? 1 : 0, i, &score), 0);
            assert_true(score == (stripes ? luminance : crossing)[i]);
        }
        vqx_close(&context);
    }
}

/* A stream gives the pictures of its input, in order, in frames of the pool. */
static void test_stream(void **state) {
    (void)state;
    const struct parity_input *in = &parity_inputs[parity_input_count - 1];
    while (strcmp(in->name, "9x15") != 0)
        in--;
    struct parity_stream *stream;
    vqx_pool *pool;
    vqx_frame *pair[2];
    char message[256];
    assert_int_equal(vqx_pool_open(&pool, &in->format, 1), 0);
    assert_int_equal(parity_stream_open(&stream, in, message, sizeof(message)), 0);
    for (unsigned i = 0; i < in->frames; i++) {
        assert_int_equal(parity_stream_next(stream, i, pool, pair, message, sizeof(message)), 1);
        for (unsigned side = 0; side < 2; side++) {
            vqx_frame *expected = painted(&in->format, in->kind, side, i);
            for (uint32_t y = 0; y < in->format.height; y++)
                for (uint32_t x = 0; x < in->format.width; x++)
                    assert_int_equal(word(pair[side], x, y), word(expected, x, y));
            vqx_frame_unref(&expected);
            vqx_frame_unref(&pair[side]);
        }
    }
    assert_int_equal(parity_stream_next(stream, in->frames, pool, pair, message, sizeof(message)), 0);
    assert_true(!pair[0] && !pair[1]);
    parity_stream_close(&stream);
    vqx_pool_close(&pool);
}

/* ---- the gate ------------------------------------------------------------------------------------------------------ */

static int gate(char **text, const char *line) {
    return program_run(cli_parity, line, text);
}

#define GATE "parity --backend cpu-kernels --form fp64,ordered "

static void test_gate_equal(void **state) {
    (void)state;
    char *text;
    assert_int_equal(gate(&text, GATE "--feature float_moment,psnr=enable_apsnr=true --feature float_ms_ssim --input 2x3,8x8"), 0);
    program_assert(text, "2. 8x8: 8x8, 4:2:0, 8 bits, 3 frames", true);
    program_assert(text, "one lane, fp64\n\n48 values, 0 differ", true);
    program_assert(text, "one lane, ordered\n", true);
    program_assert(text, "| float_moment           | = | = |\n", true);
    program_assert(text, "| psnr=enable_apsnr=true | = | = |\n", true);
    program_assert(text, "| float_ms_ssim          | - | - |\n", true); /* refused by both */
    program_assert(text, "≠ |", false);
    free(text);
}

/* Each form opens its device as it should, with fewer frames at a time than inputs have. */
static void test_gate_forms(void **state) {
    (void)state;
    char *text;
    fault.tells = true;
    assert_int_equal(gate(&text, "parity --backend cpu-kernels --device 0 --feature psnr --input 8x8"), 0);
    program_assert(
        text, "[cpu-kernels 0 flags 0 threads 1 audit 0][cpu-kernels 0 flags 1 threads 1 audit 0][cpu-kernels 0 flags 2 ", true);
    program_assert(text, ", fp64\n", true);
    program_assert(text, ", no-fp64\n", true);
    program_assert(text, ", ordered\n", true);
    free(text);
    assert_int_equal(gate(&text, "parity --backend cpu,cpu-kernels --form ordered --feature psnr --input 8x8"), 0);
    program_assert(text, "[cpu 0 flags 2 threads 1 audit 0][cpu-kernels 0 flags 2 threads 1 audit 0]# vqx parity", true);
    free(text);
}

/* The number of results with this output and input, and the last one of them. */
static size_t find(const json_t *report, const char *output, const char *input, const json_t **found) {
    size_t i, n = 0;
    json_t *r;
    json_array_foreach(json_object_get(report, "results"), i, r) {
        if (strcmp(json_string_value(json_object_get(r, "output")), output) == 0 &&
            strcmp(json_string_value(json_object_get(r, "input")), input) == 0) {
            n++;
            *found = r;
        }
    }
    return n;
}

static long long integer(const json_t *object, const char *name) {
    assert_true(json_is_integer(json_object_get(object, name)));
    return json_integer_value(json_object_get(object, name));
}

static void test_gate_different(void **state) {
    (void)state;
    char *text;
    const json_t *r;
    fault.swaps = true;
    assert_int_equal(
        gate(&text, GATE "--feature float_moment,psnr=enable_apsnr=true --input 2x3,8x8 --report a.json --report b.md"), 104);
    program_assert(text, "48 values, 8 differ", true);
    program_assert(text, "| float_moment           | ≠ | ≠ |\n|   float_moment_ref1st  | ≠ | ≠ |\n", true);
    program_assert(text, "| psnr=enable_apsnr=true | = | = |\n", true);
    program_assert(text, "* float_moment on 8x8, float_moment_dis2nd: 1 of 3 frames differ, by at most ", true);
    program_assert(text, "; frame 1 is ", true);
    program_assert(text, "psnr_y", false);

    char *markdown = program_get("b.md"), *json = program_get("a.json");
    assert_string_equal(markdown, text);
    json_t *report = json_loads(json, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(report);
    assert_int_equal(integer(report, "values"), 96);
    assert_int_equal(integer(report, "differing"), 16);
    assert_null(json_object_get(report, "error"));
    assert_int_equal(json_array_size(json_object_get(report, "results")), 2 * 2 * (4 + 3 + 3));
    assert_int_equal(find(report, "float_moment_ref1st", "8x8", &r), 2); /* one for each form */
    assert_string_equal(json_string_value(json_object_get(r, "feature")), "float_moment");
    assert_string_equal(json_string_value(json_object_get(r, "backend")), "cpu-kernels");
    assert_string_equal(json_string_value(json_object_get(r, "form")), "ordered");
    assert_int_equal(integer(r, "device"), 0);
    assert_int_equal(integer(r, "frames"), 3);
    assert_int_equal(integer(r, "differing"), 1);
    assert_int_equal(integer(r, "first_differing_frame"), 1);
    const double difference = json_number_value(json_object_get(r, "expected")) - json_number_value(json_object_get(r, "got"));
    assert_true(difference != 0);
    assert_true(json_number_value(json_object_get(r, "largest_difference")) == fabs(difference));
    assert_int_equal(find(report, "apsnr_cr", "2x3", &r), 2);
    assert_int_equal(integer(r, "frames"), 1);
    assert_int_equal(integer(r, "differing"), 0);
    assert_true(json_is_null(json_object_get(r, "first_differing_frame")));
    assert_null(json_object_get(r, "expected"));
    json_decref(report);
    free(json);
    free(markdown);
    free(text);
}

/* A device that is lost ends the gate; what was compared before stands in the report. */
static void test_gate_lost(void **state) {
    (void)state;
    char *text;
    fault.lost = true;
    assert_int_equal(gate(&text, GATE "--feature psnr --feature float_moment --input 8x8"), 100);
    program_assert(text, "vqx: parity: 8x8: ", true);
    program_assert(text, "\nEnded early: 8x8: ", true);
    program_assert(text, "| psnr         |   |\n", true);
    free(text);
}

/* A device that takes what the processor refuses differs. */
static void test_gate_takes(void **state) {
    (void)state;
    char *text;
    fault.refusing = 3; /* behind those that hold the device's two forms */
    assert_int_equal(gate(&text, GATE "--feature psnr --input 8x8"), 104);
    program_assert(text, "| psnr    | ≠ |\n", true);
    program_assert(text, "* psnr on 8x8: taken, though the CPU refuses it\n", true);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_different),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_pictures),
        cmocka_unit_test(test_found_pictures),
        cmocka_unit_test(test_stream),
        cmocka_unit_test_setup(test_gate_equal, no_fault),
        cmocka_unit_test_setup(test_gate_forms, no_fault),
        cmocka_unit_test_setup(test_gate_different, no_fault),
        cmocka_unit_test_setup(test_gate_lost, no_fault),
        cmocka_unit_test_setup(test_gate_takes, no_fault),
    };
    return cmocka_run_group_tests(tests, program_setup, program_cleanup);
}
