/* CSV and SUB: a line for each frame. */
#include <inttypes.h>
#include <string.h>

#include "tools/writer_internal.h"

/* A field of CSV, quoted where it has to be. */
static void field(struct writer_job *job, const char *text) {
    const bool quote = text[strcspn(text, ",\"\r\n")] != '\0';
    if (!quote) {
        writer_print(job, "%s,", text);
        return;
    }
    writer_print(job, "\"");
    for (; *text; text++)
        writer_print(job, *text == '"' ? "\"\"" : "%c", *text);
    writer_print(job, "\",");
}

static void csv(struct writer_job *job) {
    writer_print(job, "Frame,");
    for (size_t o = 0; o < job->outputs; o++)
        field(job, vqx_output_name(job->context, o));
    writer_print(job, "\n");
    while (writer_next_frame(job)) {
        writer_print(job, "%" PRIu64 ",", job->frame);
        for (size_t o = 0; o < job->outputs; o++) {
            if (job->present[o])
                writer_number(job, job->score[o]);
            writer_print(job, ",");
        }
        writer_print(job, "\n");
    }
}

static void sub(struct writer_job *job) {
    while (writer_next_frame(job)) {
        writer_print(job, "{%" PRIu64 "}{%" PRIu64 "}frame: %" PRIu64 "|", job->frame, job->frame + 1, job->frame);
        for (size_t o = 0; o < job->outputs; o++) {
            if (!job->present[o])
                continue;
            writer_print(job, "%s: ", vqx_output_name(job->context, o));
            writer_number(job, job->score[o]);
            writer_print(job, "|");
        }
        writer_print(job, "\n");
    }
}

const struct writer_kind writer_csv = {csv, NULL};
const struct writer_kind writer_sub = {sub, NULL};
