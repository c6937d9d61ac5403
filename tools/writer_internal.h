/* What the formats (writer_json.c, writer_xml.c, writer_text.c) share with writer.c. */
#ifndef TOOLS_WRITER_INTERNAL_H
#define TOOLS_WRITER_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/writer.h"

/* The writing of one file. */
struct writer_job {
    FILE *file;
    int err; /* the first failure; the rest is then of no use */
    const vqx_context *context;
    const struct writer_info *info;
    int code;          /* of writer_error() */
    size_t outputs;    /* vqx_output_count() */
    double *score;     /* of the frame that writer_next_frame() found, one for each output, */
    bool *present;     /* where the frame has it */
    uint64_t frame;    /* its index */
    uint64_t next;     /* where the search goes on */
    const char **pool; /* all pooling methods, each once */
    size_t pool_count;
    const void *cookie; /* of writer_body() */
};

/* A format of files. */
struct writer_kind {
    void (*results)(struct writer_job *job);
    void (*error)(struct writer_job *job); /* NULL when the format cannot tell an error */
};

extern const struct writer_kind writer_json;
extern const struct writer_kind writer_xml;
extern const struct writer_kind writer_csv;
extern const struct writer_kind writer_sub;

__attribute__((format(printf, 2, 3))) void writer_print(struct writer_job *job, const char *text, ...);

/* Prints a score in the precision of the job. */
void writer_number(struct writer_job *job, double value);

/* A JSON string; a byte that is not UTF-8 (of a path, say) becomes U+FFFD, without which no parser would take the file. A score, or
 * null when it is not finite. */
void writer_json_string(struct writer_job *job, const char *value);
void writer_json_number(struct writer_job *job, double value);

/* Replaces the file's content by what `body` prints, as writer_write() does by the results of a context; numbers have all digits.
 * The job has the cookie, and no context. */
int writer_body(struct writer *writer, void (*body)(struct writer_job *job), const void *cookie, char *message, size_t size);

/* Finds the next listed frame that has a score and fills job->score, job->present and job->frame. False when there are no more. */
bool writer_next_frame(struct writer_job *job);

/* A pooled value, 0 <= method < job->pool_count, or a value of the whole stream. False when there is none. */
bool writer_pooled(struct writer_job *job, size_t output, size_t method, double *value);
bool writer_aggregate(struct writer_job *job, size_t aggregate, double *value);

#endif
