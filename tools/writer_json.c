#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tools/writer_internal.h"

/* Length of the well-formed UTF-8 sequence at the start of text, or 0. */
static size_t utf8_length(const unsigned char *text) {
    size_t length;
    uint32_t code, least;
    if (text[0] < 0x80)
        return 1;
    if (text[0] >= 0xc0 && text[0] < 0xe0)
        length = 2, code = text[0] & 0x1f, least = 0x80;
    else if (text[0] >= 0xe0 && text[0] < 0xf0)
        length = 3, code = text[0] & 0x0f, least = 0x800;
    else if (text[0] >= 0xf0 && text[0] < 0xf5)
        length = 4, code = text[0] & 0x07, least = 0x10000;
    else
        return 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3f);
    }
    return code < least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : length;
}

void writer_json_string(struct writer_job *job, const char *value) {
    const unsigned char *text = (const unsigned char *)value, *plain = text;
    writer_print(job, "\"");
    while (*text) {
        const size_t length = utf8_length(text);
        const bool escape = length == 0 || *text < 0x20 || *text == '"' || *text == '\\';
        if (escape)
            writer_print(job, "%.*s\\u%04x", (int)(text - plain), (const char *)plain, length ? *text : 0xfffdu);
        text += length ? length : 1;
        if (escape)
            plain = text;
    }
    writer_print(job, "%s\"", (const char *)plain);
}

/* `separator`, a new line, `indent` spaces and "name": */
static void key(struct writer_job *job, const char *separator, int indent, const char *name) {
    writer_print(job, "%s\n%*s", separator, indent, "");
    writer_json_string(job, name);
    writer_print(job, ": ");
}

static void text_member(struct writer_job *job, const char *separator, int indent, const char *name, const char *value) {
    key(job, separator, indent, name);
    writer_json_string(job, value);
}

void writer_json_number(struct writer_job *job, double value) {
    if (isfinite(value))
        writer_number(job, value);
    else
        writer_print(job, "null");
}

static void number_member(struct writer_job *job, const char *separator, int indent, const char *name, double value) {
    key(job, separator, indent, name);
    writer_json_number(job, value);
}

static void frames(struct writer_job *job) {
    const char *separator = "";
    key(job, ",", 2, "frames");
    writer_print(job, "[");
    while (writer_next_frame(job)) {
        writer_print(job, "%s\n    {\n      \"frameNum\": %" PRIu64 ",\n      \"metrics\": {", separator, job->frame);
        separator = "";
        for (size_t o = 0; o < job->outputs; o++) {
            if (!job->present[o])
                continue;
            number_member(job, separator, 8, vqx_output_name(job->context, o), job->score[o]);
            separator = ",";
        }
        writer_print(job, "\n      }\n    }");
    }
    writer_print(job, "\n  ]");
}

static void pooled(struct writer_job *job) {
    key(job, ",", 2, "pooled_metrics");
    writer_print(job, "{");
    for (size_t o = 0; o < job->outputs; o++) {
        key(job, o ? "," : "", 4, vqx_output_name(job->context, o));
        writer_print(job, "{");
        const char *separator = "";
        for (size_t m = 0; m < job->pool_count; m++) {
            double value;
            if (!writer_pooled(job, o, m, &value))
                continue;
            number_member(job, separator, 6, job->pool[m], value);
            separator = ",";
        }
        writer_print(job, "\n    }");
    }
    writer_print(job, "\n  }");
}

static void aggregates(struct writer_job *job) {
    const size_t count = vqx_aggregate_count(job->context);
    const char *separator = "";
    key(job, ",", 2, "aggregate_metrics");
    writer_print(job, "{");
    for (size_t a = 0; a < count; a++) {
        double value;
        if (!writer_aggregate(job, a, &value))
            continue;
        number_member(job, separator, 4, vqx_aggregate_name(job->context, a), value);
        separator = ",";
    }
    writer_print(job, "\n  }");
}

/* Whether an output before this one is of the same metric. */
static bool metric_seen(const struct writer_job *job, size_t output) {
    const char *metric = vqx_output_metric(job->context, output);
    for (size_t o = 0; o < output; o++)
        if (!strcmp(vqx_output_metric(job->context, o), metric))
            return true;
    return false;
}

static void features(struct writer_job *job) {
    const struct writer_info *info = job->info;
    const char *separator = "";
    key(job, ",", 2, "features");
    writer_print(job, "{");
    for (size_t o = 0; o < job->outputs; o++) {
        if (metric_seen(job, o))
            continue;
        struct writer_place place = {vqx_output_metric(job->context, o), info->backend, info->device};
        for (size_t i = 0; i < info->place_count; i++)
            if (!strcmp(info->place[i].metric, place.metric))
                place = info->place[i];
        key(job, separator, 4, place.metric);
        writer_print(job, "{");
        text_member(job, "", 6, "backend", place.backend);
        text_member(job, ",", 6, "device", place.device);
        writer_print(job, "\n    }");
        separator = ",";
    }
    writer_print(job, "\n  }");
}

static void results(struct writer_job *job) {
    const struct writer_info *info = job->info;
    writer_print(job, "{");
    text_member(job, "", 2, "version", vqx_version());
    key(job, ",", 2, "fps");
    if (isfinite(info->fps))
        writer_print(job, "%.2f", info->fps);
    else
        writer_print(job, "null");
    text_member(job, ",", 2, "backend_used", info->backend);
    text_member(job, ",", 2, "device", info->device);
    frames(job);
    pooled(job);
    aggregates(job);
    features(job);
    if (info->error)
        text_member(job, ",", 2, "error", info->error);
    writer_print(job, "\n}\n");
}

static void error(struct writer_job *job) {
    writer_print(job, "{");
    text_member(job, "", 2, "version", vqx_version());
    text_member(job, ",", 2, "error", job->info->error);
    key(job, ",", 2, "code");
    writer_print(job, "%d\n}\n", job->code);
}

const struct writer_kind writer_json = {results, error};
