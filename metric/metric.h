/* The host half of a metric: what it is called, what it puts out, and how exact sums become scores.
 *
 * A frame pair passes through two steps. The pass (CPU here, a device's kernels elsewhere) turns two pictures into a few 64-bit
 * words, its exact sums; fp64 values among them travel as bit patterns. The finish step turns these words into scores, on the host,
 * once per frame.
 */
#ifndef VQX_METRIC_METRIC_H
#define VQX_METRIC_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/cpu.h"
#include "base/frame.h"
#include "base/message.h"
#include "base/option.h"
#include "device/work.h"
#include "include/vqx.h"

#define VQX_MAX_SUMS 64
#define VQX_MAX_PARTS 64
#define VQX_MAX_OUTPUTS 64
#define VQX_MAX_AGGREGATES 8

typedef struct vqx_metric vqx_metric;

/* A requested metric, set up for one format. */
typedef struct vqx_feature {
    const vqx_metric *metric;
    void *options; /* metric->options_size bytes, filled from its table */
    vqx_format format;
    vqx_cpu_level level;
    void *priv; /* the metric's own, made by setup, freed by teardown */
    /* filled by setup */
    unsigned planes;  /* that the pass reads */
    bool every_frame; /* pass runs on frames that subsampling leaves out, too */
    size_t sums;      /* words per frame, at most VQX_MAX_SUMS */
    size_t scratch;   /* bytes of 64-byte-aligned memory that one pass needs, contents undefined */
    uint32_t parts;   /* at most as many parts a pass can be split in; 0 and 1: it cannot. Needs join */
    uint32_t words;   /* that launch() fills of a device's result buffer */
    size_t outputs;   /* per-frame scores and their names */
    const char *output[VQX_MAX_OUTPUTS];
    size_t aggregates; /* values of the whole stream and their names */
    const char *aggregate[VQX_MAX_AGGREGATES];
} vqx_feature;

/* Two pictures; only the planes that the feature asked for are there. */
typedef struct vqx_pair {
    vqx_plane ref[VQX_MAX_PLANES], dis[VQX_MAX_PLANES];
} vqx_pair;

struct vqx_metric {
    const char *name, *help;
    const vqx_option *options; /* ends with a NULL name */
    size_t options_size;
    /* Whether two sets of options give the same output names; only such two stand for one feature or are in conflict. NULL: always.
     */
    bool (*same_names)(const void *options_a, const void *options_b);
    /* Fills the lower half of the feature for its format, options and level. -ENOTSUP: refuses the format, with a line; -ENOMEM. */
    int (*setup)(vqx_feature *feature, vqx_message_text *message);
    /* Frees what setup made; may be NULL. */
    void (*teardown)(vqx_feature *feature);
    /* The CPU pass, or part number `part` of it in `parts` parts (any number where there is a join): fills sums. Several threads at
     * once, each with its own scratch.
     */
    void (*pass)(const vqx_feature *feature, const vqx_pair *pair, uint32_t part, uint32_t parts, void *scratch, uint64_t *sums);
    /* Makes the sums of the whole frame, the same bits as pass() in one part, from those of the parts, feature->sums words each,
     * one after the other; may look at the pictures again where the order of additions shows. */
    void (*join)(const vqx_feature *feature, const vqx_pair *pair, uint32_t parts, void *scratch, const uint64_t *part,
                 uint64_t *sums);
    /* Called for every two features when all are set up: whether `feature` can take its sums out of the pass of `leader`. If so,
     * prepares the leader, sets *word to where in the leader's sums its own ones will stand, and its pass is not called. NULL:
     * never. */
    bool (*follow)(vqx_feature *feature, vqx_feature *leader, size_t *word);
    /* The pass on a device: programs that it needs (bit i: VQX_PROGRAM i of device/device.h), */
    uint32_t programs;
    /* launches that fill the words at .. at + feature->words - 1 of work->result from the planes of the slot. Bit i of `ordered`:
     * the i-th value whose order of additions may show (as the metric counts them) is also made in raster order. */
    void (*launch)(const vqx_feature *feature, vqx_work *work, uint32_t at, uint64_t ordered);
    /* and from these words to the sums that pass() makes in one part. Returns the bits of the values that must be made in raster
     * order and were not among `ordered`: launch() and settle() are then called again with those. NULL: the words are the sums. */
    uint64_t (*settle)(const vqx_feature *feature, const uint64_t *words, uint64_t ordered, uint64_t *sums);
    /* Sums of one frame to its outputs. */
    void (*finish_frame)(const vqx_feature *feature, const uint64_t *sums, double *output);
    /* Sums of all frames, in frame order, `frames` times feature->sums words, to the aggregates. NULL when there are none. */
    void (*finish_stream)(const vqx_feature *feature, const uint64_t *sums, uint64_t frames, double *aggregate);
};

/* Rows of part number `part` of a plane in `parts` parts. */
static inline vqx_plane vqx_plane_part(const vqx_plane *plane, uint32_t part, uint32_t parts) {
    const uint32_t first = (uint32_t)((uint64_t)plane->height * part / parts);
    const uint32_t end = (uint32_t)((uint64_t)plane->height * (part + 1) / parts);
    vqx_plane rows = *plane;
    rows.data += (ptrdiff_t)first * plane->stride;
    rows.height = end - first;
    return rows;
}

/* A join where all sums are integer: adds those of the parts. */
static inline void vqx_join_add(const vqx_feature *feature, uint32_t parts, const uint64_t *part, uint64_t *sums) {
    memcpy(sums, part, feature->sums * sizeof(*sums));
    for (uint32_t p = 1; p < parts; p++)
        for (size_t i = 0; i < feature->sums; i++)
            sums[i] += part[p * feature->sums + i];
}

/* fp64 values among the sums. */
static inline uint64_t vqx_bits_of_f64(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static inline double vqx_f64_of_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* The metrics that are built in: src/registry.c lists them. */
extern const vqx_metric vqx_metric_float_moment;
extern const vqx_metric vqx_metric_psnr;
extern const vqx_metric vqx_metric_float_psnr;
extern const vqx_metric vqx_metric_float_ssim;
extern const vqx_metric vqx_metric_float_ms_ssim;
extern const vqx_metric vqx_metric_vif;

#endif
