#include <inttypes.h>
#include <string.h>

#include "tools/writer_internal.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"

/* Text between quotes. */
static void escaped(struct writer_job *job, const char *text) {
    while (*text) {
        const size_t plain = strcspn(text, "&<>\"");
        writer_print(job, "%.*s", (int)plain, text);
        text += plain;
        if (*text)
            writer_print(job, "&#%d;", *text++);
    }
}

/* NAME="score" and a blank. What cannot stand in the name of an attribute becomes '_'; a name must also start with a letter or '_'.
 */
static void attribute(struct writer_job *job, const char *name, double value) {
    if (!strspn(name, LETTERS))
        writer_print(job, "_");
    while (*name) {
        const size_t plain = strspn(name, LETTERS "0123456789.-");
        writer_print(job, "%.*s", (int)plain, name);
        name += plain;
        if (*name) {
            writer_print(job, "_");
            name++;
        }
    }
    writer_print(job, "=\"");
    writer_number(job, value);
    writer_print(job, "\" ");
}

static void frames(struct writer_job *job) {
    writer_print(job, "  <frames>\n");
    while (writer_next_frame(job)) {
        writer_print(job, "    <frame frameNum=\"%" PRIu64 "\" ", job->frame);
        for (size_t o = 0; o < job->outputs; o++)
            if (job->present[o])
                attribute(job, vqx_output_name(job->context, o), job->score[o]);
        writer_print(job, "/>\n");
    }
    writer_print(job, "  </frames>\n");
}

static void pooled(struct writer_job *job) {
    writer_print(job, "  <pooled_metrics>\n");
    for (size_t o = 0; o < job->outputs; o++) {
        writer_print(job, "    <metric name=\"");
        escaped(job, vqx_output_name(job->context, o));
        writer_print(job, "\" ");
        for (size_t m = 0; m < job->pool_count; m++) {
            double value;
            if (writer_pooled(job, o, m, &value))
                attribute(job, job->pool[m], value);
        }
        writer_print(job, "/>\n");
    }
    writer_print(job, "  </pooled_metrics>\n");
}

static void aggregates(struct writer_job *job) {
    const size_t count = vqx_aggregate_count(job->context);
    writer_print(job, "  <aggregate_metrics ");
    for (size_t a = 0; a < count; a++) {
        double value;
        if (writer_aggregate(job, a, &value))
            attribute(job, vqx_aggregate_name(job->context, a), value);
    }
    writer_print(job, "/>\n");
}

static void results(struct writer_job *job) {
    const struct writer_info *info = job->info;
    writer_print(job, "<VMAF version=\"");
    escaped(job, vqx_version());
    writer_print(job, "\">\n");
    writer_print(job, "  <params qualityWidth=\"%" PRIu32 "\" qualityHeight=\"%" PRIu32 "\" />\n", info->width, info->height);
    writer_print(job, "  <fyi fps=\"%.2f\" />\n", info->fps);
    frames(job);
    pooled(job);
    aggregates(job);
    writer_print(job, "</VMAF>\n");
}

const struct writer_kind writer_xml = {results, NULL};
