/* For the tests of the writers: the library's result functions over values of choice, and a folder for files. */
#ifndef TEST_WRITER_FIXTURE_H
#define TEST_WRITER_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/vqx.h"
#include "src/pooling.h"
#include "tools/writer.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* ---- the library --------------------------------------------------------------------------------------------------- */

#define OUTPUTS 4
#define FRAMES 8
/* A NaN of its own kind: no such score. */
#define NONE (absent())

static double absent(void) {
    const uint64_t pattern = 0x7ff8dead00000000;
    double value;
    memcpy(&value, &pattern, sizeof value);
    return value;
}

static bool is_absent(double value) {
    const double none = absent();
    return !memcmp(&value, &none, sizeof value);
}

struct vqx_context {
    size_t outputs;
    const char *name[OUTPUTS], *metric[OUTPUTS];
    uint64_t frames;
    double score[FRAMES][OUTPUTS];
    uint64_t subsample, skip; /* frames below `skip` are not listed */
    size_t aggregates;
    const char *aggregate_name[2];
    double aggregate[2];
    void (*on_score)(void); /* called by vqx_score() */
    int score_error, pooled_error, aggregate_error;
};

const char *vqx_version(void) {
    return "1.2.3";
}

uint64_t vqx_frame_count(const vqx_context *context) {
    return context->frames;
}

size_t vqx_output_count(const vqx_context *context) {
    return context->outputs;
}

const char *vqx_output_name(const vqx_context *context, size_t output) {
    return context->name[output];
}

const char *vqx_output_metric(const vqx_context *context, size_t output) {
    return context->metric[output];
}

int vqx_frame_listed(const vqx_context *context, uint64_t index) {
    return index >= context->skip && (context->subsample < 2 || index % context->subsample == 0);
}

int vqx_score(const vqx_context *context, size_t output, uint64_t index, double *score) {
    const double value = context->score[index][output];
    if (context->on_score)
        context->on_score();
    if (context->score_error)
        return context->score_error;
    if (is_absent(value))
        return -ENOENT;
    *score = value;
    return 0;
}

int vqx_pooled(const vqx_context *context, size_t output, const char *method, double *value) {
    struct vqx_pooling pooling;
    double score[FRAMES];
    size_t n = 0;
    if (context->pooled_error)
        return context->pooled_error;
    for (uint64_t i = 0; i < context->frames; i++) {
        if (!vqx_frame_listed(context, i))
            continue;
        const int err = vqx_score(context, output, i, &score[n++]);
        if (err)
            return err;
    }
    const int err = vqx_pooling_parse(method, &pooling);
    return err ? err : vqx_pooling_value(&pooling, score, n, value);
}

size_t vqx_aggregate_count(const vqx_context *context) {
    return context->aggregates;
}

const char *vqx_aggregate_name(const vqx_context *context, size_t aggregate) {
    return context->aggregate_name[aggregate];
}

int vqx_aggregate(const vqx_context *context, size_t aggregate, double *value) {
    if (context->aggregate_error)
        return context->aggregate_error;
    if (is_absent(context->aggregate[aggregate]))
        return -ENOENT;
    *value = context->aggregate[aggregate];
    return 0;
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

static char folder[512];
static char message[256];

static const char *in_folder(const char *name) {
    static char path[sizeof folder + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state) {
    const char *base = getenv("TMPDIR");
    (void)state;
    snprintf(folder, sizeof folder, "%s/vqx-writer-XXXXXX", base && *base ? base : P_tmpdir);
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    char command[sizeof folder + 16];
    (void)state;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

/* Its whole text; the caller frees it. */
static char *get_file(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    if (!file)
        fail_msg("%s: %s", path, strerror(errno));
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = strdup("");
    }
    fclose(file);
    assert_non_null(text);
    return text;
}

static const struct writer_info plain_info = {
    .fps = 12.345, .width = 576, .height = 324, .backend = "cpu", .device = "a processor, avx2"};

/* What the writer makes of a context; the caller frees it. */
static char *text_of(enum writer_format format, const vqx_context *context, const struct writer_info *info) {
    const char *path = in_folder("text");
    struct writer *writer;
    assert_int_equal(writer_open(&writer, path, format, message, sizeof message), 0);
    assert_int_equal(writer_write(writer, context, info, message, sizeof message), 0);
    writer_close(&writer);
    assert_null(writer);
    return get_file(path);
}

/* The example of the reference's documentation: two frames out of three. */
static const vqx_context example = {
    .outputs = 2,
    .name = {"psnr_y", "float_ssim"},
    .metric = {"psnr", "float_ssim"},
    .frames = 3,
    .score = {{34.760778811442201, 0.92502313852310181}, {1.0, 2.0}, {30.99382308994867, 0.87657451629638672}},
    .subsample = 2,
    .aggregates = 2,
    .aggregate_name = {"apsnr_y", "apsnr_cb"},
    .aggregate = {32.272514191596784, 39.009937},
};

#endif
