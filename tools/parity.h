/* vqx parity: whether devices give the same bits as the processor. Built-in pictures and clips, every output of every feature,
 * tolerance 0. Functions that fail return a negative errno and put one line into message[0..size-1], or print it and return an exit
 * code. */
#ifndef TOOLS_PARITY_H
#define TOOLS_PARITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/cli.h"
#include "tools/picture.h"
#include "tools/writer.h"

/* ---- inputs -------------------------------------------------------------------------------------------------------- */

/* Built-in pictures, or a clip. */
struct parity_input {
    const char *name;
    vqx_format format;
    enum picture_kind kind;
    unsigned frames;     /* of pictures */
    bool large;          /* unless inputs are named, only features that take little time are compared */
    const char *path[2]; /* of a clip: reference, distorted; NULL for pictures */
};

extern const struct parity_input parity_inputs[];
extern const size_t parity_input_count;

/* Reads "REF,DIST" or, for raw files, "REF,DIST,WxH,FMT,BITS" into *input; cuts the text, which must stay. Looks at the files,
 * which must be regular ones, for they are read several times. -EINVAL: bad text, anything else is about the files. */
int parity_clip(struct parity_input *input, char *text, char *message, size_t size);

/* The pairs of an input, from the first one. */
struct parity_stream;
int parity_stream_open(struct parity_stream **stream, const struct parity_input *input, char *message, size_t size);
/* Pair number `index`, in order, in frames of the pool. 1: the caller owns both; 0: the end, of the shorter video if their lengths
 * differ. Frames must be gone before the stream is closed. */
int parity_stream_next(struct parity_stream *stream, uint64_t index, vqx_pool *pool, vqx_frame *pair[2], char *message,
                       size_t size);
/* NULL is fine. */
void parity_stream_close(struct parity_stream **stream);

/* ---- comparing ----------------------------------------------------------------------------------------------------- */

/* One output of two runs side by side. */
struct parity_result {
    uint64_t frames, differing; /* values compared, and those that differ; two NaN are equal, 0 and -0 are not */
    uint64_t first;             /* the first frame that differs, */
    double expected, got;       /* its values, NaN for a missing one, */
    double largest;             /* and the largest difference, infinite when it is no number */
};

/* Compares item number `item` of two finished contexts with the same features: the outputs per frame, behind them the values of the
 * whole stream. False when there are no more. */
bool parity_compare(const vqx_context *expected, const vqx_context *got, size_t item, struct parity_result *result);

/* ---- the gate ------------------------------------------------------------------------------------------------------ */

/* A form of a device. */
struct parity_target {
    const vqx_device_info *device;
    const char *form; /* "fp64", … */
    uint32_t flags;   /* VQX_DEVICE_… */
};

/* The features of one run stand one behind the other. */
struct parity_feature {
    const char *spec;
    unsigned run;
};

#define PARITY_MAX_FEATURES 64
#define PARITY_MAX_INPUTS 64

/* What one target did with an output of a feature on an input. The name of the output is NULL when the target took an input that
 * the processor refuses. */
struct parity_record {
    size_t target, feature, input;
    char *output;
    bool stream; /* a value of the whole stream */
    struct parity_result result;
};

/* A target, feature and input. */
enum parity_cell {
    PARITY_NOT_RUN,
    PARITY_EQUAL,
    PARITY_DIFFERS,
    PARITY_REFUSED, /* by both */
};

struct parity {
    vqx_device_info *info; /* of all devices */
    size_t infos;
    struct parity_target *target;
    size_t targets;
    struct parity_feature feature[PARITY_MAX_FEATURES];
    size_t features;
    struct parity_input input[PARITY_MAX_INPUTS];
    size_t inputs;
    bool inputs_named;      /* by the user */
    enum parity_cell *cell; /* [target][feature][input] */
    struct parity_record *record;
    size_t records, room;
    uint64_t values, differing; /* all that were compared */
    bool progress;              /* is shown on a terminal */
    char error[1024];           /* why the gate ended early, or "" */
};

static inline enum parity_cell *parity_cell_of(const struct parity *p, size_t target, size_t feature, size_t input) {
    return &p->cell[(target * p->features + feature) * p->inputs + input];
}

/* Compares everything; -1 or an exit code, then with p->error. */
int parity_run(struct parity *p);

/* Writes the report into the writer. */
int parity_report_markdown(struct writer *writer, const struct parity *p, char *message, size_t size);
int parity_report_json(struct writer *writer, const struct parity *p, char *message, size_t size);

#endif
