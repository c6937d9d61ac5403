/* A scoring run from the inside: what it asks of the library, and what becomes of a device that fails or differs, which is made by
 * wrapping functions of the library. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "test/program_run.h"
#include "tools/cli.h"

static struct {
    bool tells;                /* how the context is opened */
    int start, submit, finish; /* what these return */
    uint64_t frames;           /* that are left when vqx_finish() fails */
} fault;

int __real_vqx_open(vqx_context **context, const vqx_config *config);
int __real_vqx_start(vqx_context *context, const vqx_format *format);
int __real_vqx_submit(vqx_context *context, uint64_t index, vqx_frame *reference, vqx_frame *distorted);
int __real_vqx_finish(vqx_context *context);
uint64_t __real_vqx_frame_count(const vqx_context *context);
int __wrap_vqx_open(vqx_context **context, const vqx_config *config);
int __wrap_vqx_start(vqx_context *context, const vqx_format *format);
int __wrap_vqx_submit(vqx_context *context, uint64_t index, vqx_frame *reference, vqx_frame *distorted);
int __wrap_vqx_finish(vqx_context *context);
uint64_t __wrap_vqx_frame_count(const vqx_context *context);

int __wrap_vqx_open(vqx_context **context, const vqx_config *config) {
    if (fault.tells)
        printf("[%s %s audit %u threads %u cpumask %u subsample %u]", config->backend, config->device ? config->device : "-",
               config->audit, config->threads, config->cpumask, config->subsample);
    return __real_vqx_open(context, config);
}

int __wrap_vqx_start(vqx_context *context, const vqx_format *format) {
    return fault.start ? fault.start : __real_vqx_start(context, format);
}

/* Fails at pair 2. */
int __wrap_vqx_submit(vqx_context *context, uint64_t index, vqx_frame *reference, vqx_frame *distorted) {
    if (!fault.submit || index < 2)
        return __real_vqx_submit(context, index, reference, distorted);
    vqx_frame_unref(&reference);
    vqx_frame_unref(&distorted);
    return fault.submit;
}

int __wrap_vqx_finish(vqx_context *context) {
    const int err = __real_vqx_finish(context);
    return fault.finish ? fault.finish : err;
}

uint64_t __wrap_vqx_frame_count(const vqx_context *context) {
    const uint64_t count = __real_vqx_frame_count(context);
    return fault.finish && count > fault.frames ? fault.frames : count;
}

static int no_fault(void **state) {
    (void)state;
    memset(&fault, 0, sizeof(fault));
    return 0;
}

static int score(int argc, char **argv) {
    struct cli_options options;
    int code = cli_options_parse(&options, argc, argv);
    if (code < 0)
        code = cli_score(&options);
    cli_options_free(&options);
    return code;
}

#define RUN "vqx -r r.yuv -d d.yuv -w 8 -h 8 -p 400 -b 8 -n --feature psnr "

static int make_clips(void **state) {
    uint8_t samples[4 * 64];
    if (program_setup(state))
        return -1;
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < sizeof(samples); i++)
            samples[i] = (uint8_t)(i * (5 + side));
        program_put(side ? "d.yuv" : "r.yuv", samples, sizeof(samples));
    }
    return 0;
}

static void test_asks(void **state) {
    (void)state;
    static const struct {
        const char *options, *asks;
    } runs[] = {
        {"--backend cpu", "[cpu - audit 0 threads 0 cpumask 0 subsample 0]"},
        {"-q", "[auto - audit 0 threads 0 cpumask 0 subsample 0]"},
        {"--backend cpu-kernels --device 0 --audit 7 --threads 3 --cpumask 8 --subsample 2",
         "[cpu-kernels 0 audit 7 threads 3 cpumask 8 subsample 2]"},
        {"--backend cpu --device all --audit 4294967295", "[cpu all audit 4294967295 threads 0 cpumask 0 subsample 0]"},
    };
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
        char line[512], *text;
        fault.tells = true;
        snprintf(line, sizeof(line), RUN "%s", runs[i].options);
        assert_int_equal(program_run(score, line, &text), 0);
        program_assert(text, runs[i].asks, true);
        free(text);
    }
}

/* Runs with a fault; the number of frames in the JSON file, which must have an error, or -1 when it has no frames at all. */
static int frames_after(int code, const char *says) {
    char *text;
    assert_int_equal(program_run(score, RUN "--backend cpu -o out.json --json", &text), code);
    program_assert(text, says, true);
    free(text);
    text = program_get("out.json");
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    assert_true(json_is_string(json_object_get(root, "error")));
    const json_t *frames = json_object_get(root, "frames");
    const int count = frames ? (int)json_array_size(frames) : -1;
    if (!frames)
        assert_int_equal(json_integer_value(json_object_get(root, "code")), code);
    json_decref(root);
    free(text);
    return count;
}

/* A device that cannot start, one that fails on the way, and one that an audit finds to differ. What was finished is written. */
static void test_failures(void **state) {
    (void)state;
    fault.start = -ENODEV;
    assert_int_equal(frames_after(100, "vqx: "), -1);
    no_fault(state);
    fault.finish = -ENODEV;
    fault.frames = 3;
    assert_int_equal(frames_after(100, "vqx: "), 3);
    fault.frames = 0;
    assert_int_equal(frames_after(100, "vqx: "), -1);
    fault.finish = -EBADMSG;
    fault.frames = 2;
    assert_int_equal(frames_after(104, "vqx: "), 2);
    fault.finish = -EIO; /* of a reader */
    assert_int_equal(frames_after(102, "vqx: "), 2);
    fault.finish = -ENOMEM;
    assert_int_equal(frames_after(107, "vqx: "), 2);
    no_fault(state);
    fault.submit = -ENODEV;
    assert_int_equal(frames_after(100, "vqx: frame 2: "), 2);
    fault.submit = -EBADMSG;
    assert_int_equal(frames_after(104, "vqx: frame 2: "), 2);
    fault.submit = -ENOMEM;
    assert_int_equal(frames_after(107, "vqx: frame 2: "), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_asks, no_fault),
        cmocka_unit_test_setup(test_failures, no_fault),
    };
    return cmocka_run_group_tests(tests, make_clips, program_cleanup);
}
