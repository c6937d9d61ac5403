#include "metric/vif.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/vif.h"
#include "metric/metric.h"

typedef struct vif_options {
    bool debug, vif_skip_scale0;
    double vif_enhn_gain_limit;
} vif_options;

#define GAIN_LIMIT 100.0

static const vqx_option options[] = {
    {"debug", "also integer_vif and the numerators and denominators of all scales", VQX_OPTION_BOOL, offsetof(vif_options, debug),
     0, 0, 0},
    {"vif_enhn_gain_limit", "largest gain by which a distorted picture may surpass its reference", VQX_OPTION_DOUBLE,
     offsetof(vif_options, vif_enhn_gain_limit), GAIN_LIMIT, 1.0, GAIN_LIMIT},
    {"vif_skip_scale0", "leave out the statistics of the full-size scale", VQX_OPTION_BOOL, offsetof(vif_options, vif_skip_scale0),
     0, 0, 0},
    {0},
};

static const char *const output_name[] = {"integer_vif_scale0", "integer_vif_scale1", "integer_vif_scale2", "integer_vif_scale3",
                                          /* with debug */
                                          "integer_vif", "integer_vif_num", "integer_vif_den", "integer_vif_num_scale0",
                                          "integer_vif_den_scale0", "integer_vif_num_scale1", "integer_vif_den_scale1",
                                          "integer_vif_num_scale2", "integer_vif_den_scale2", "integer_vif_num_scale3",
                                          "integer_vif_den_scale3"};
#define DEBUG_OUTPUTS (sizeof(output_name) / sizeof(output_name[0]))

/* Names with the values of options that are not at their default. */
typedef struct names {
    char name[DEBUG_OUTPUTS][64];
} names;

/* "_egl_1.25": an option value has six significant digits, so that five decimals tell all of it; printf would ask the locale for
 * the point. */
static void append_limit(char *text, size_t size, double limit) {
    const unsigned n = (unsigned)lround(limit * 1e5);
    int end = snprintf(text, size, "_egl_%u.%05u", n / 100000, n % 100000);
    while (text[end - 1] == '0')
        end--;
    if (text[end - 1] == '.')
        end--;
    text[end] = '\0';
}

static bool has_rows(const vqx_format *format) {
    return format->width >= VQX_VIF_ROWS_LEAST && format->height >= VQX_VIF_ROWS_LEAST;
}

/* The form that passes of this feature have. */
static vqx_cpu_level level_of(const vqx_feature *feature) {
    return has_rows(&feature->format) ? feature->level : VQX_LEVEL_DEFINITION;
}

static bool same_names(const void *options_a, const void *options_b) {
    const vif_options *a = options_a, *b = options_b;
    return a->vif_enhn_gain_limit == b->vif_enhn_gain_limit && a->vif_skip_scale0 == b->vif_skip_scale0;
}

static int setup(vqx_feature *feature, vqx_message_text *message) {
    static vqx_vif_scratch *const scratch[VQX_LEVELS] = VQX_LEVEL_TABLE_ICL(vqx_vif_scratch_definition, vqx_vif_scratch_rows);
    const vif_options *o = feature->options;
    const vqx_format *f = &feature->format;
    if (f->width < VQX_VIF_LEAST || f->height < VQX_VIF_LEAST)
        return vqx_fail(message, -ENOTSUP, "vif: %ux%u is too small: both sides must be at least %d", f->width, f->height,
                        VQX_VIF_LEAST);
    char suffix[32] = "";
    if (o->vif_enhn_gain_limit != GAIN_LIMIT)
        append_limit(suffix, sizeof(suffix), o->vif_enhn_gain_limit);
    if (o->vif_skip_scale0)
        strcat(suffix, "_ssclz");
    names *n = malloc(sizeof(*n));
    if (!n)
        return vqx_fail(message, -ENOMEM, "vif: out of memory");
    feature->priv = n;
    feature->outputs = o->debug ? DEBUG_OUTPUTS : VQX_VIF_SCALES;
    for (size_t i = 0; i < feature->outputs; i++) {
        snprintf(n->name[i], sizeof(n->name[i]), "%s%s", output_name[i], suffix);
        feature->output[i] = n->name[i];
    }
    feature->planes = 1;
    feature->sums = VQX_VIF_SUMS;
    feature->words = VQX_VIF_SUMS;
    feature->scratch = scratch[level_of(feature)](f);
    if (level_of(feature) != VQX_LEVEL_DEFINITION) {
        /* a part takes in 40 rows above and below its own */
        const uint32_t by_size = f->width * f->height >> 18, by_height = f->height / 128;
        const uint32_t parts = by_size < by_height ? by_size : by_height;
        feature->parts = parts > 1 ? parts : 1;
    }
    return 0;
}

static void teardown(vqx_feature *feature) {
    free(feature->priv);
}

static void pass(const vqx_feature *feature, const vqx_pair *pair, uint32_t part, uint32_t parts, void *scratch, uint64_t *sums) {
    static vqx_vif_pass *const table[VQX_LEVELS] = VQX_LEVEL_TABLE_ICL(vqx_vif_definition, vqx_vif_rows);
    const vif_options *o = feature->options;
    const vqx_vif_frame frame = {pair->ref[0], pair->dis[0], feature->format.bits, o->vif_enhn_gain_limit, o->vif_skip_scale0,
                                 part,         parts};
    table[level_of(feature)](&frame, scratch, sums);
}

static void join(const vqx_feature *feature, const vqx_pair *pair, uint32_t parts, void *scratch, const uint64_t *part,
                 uint64_t *sums) {
    (void)pair, (void)scratch;
    vqx_join_add(feature, parts, part, sums);
}

/* One launch per scale, which also makes the next one (kernel/vif_group.h), and one for the sums. */
static void launch(const vqx_feature *feature, vqx_work *work, uint32_t at, uint64_t ordered) {
    const vif_options *o = feature->options;
    const uint32_t w = feature->format.width, h = feature->format.height, bits = feature->format.bits;
    static __typeof__(vqx_run_vif_1) *const run[VQX_VIF_SCALES] = {NULL, vqx_run_vif_1, vqx_run_vif_2, vqx_run_vif_3};
    const uint64_t limit = vqx_bits_of_f64(o->vif_enhn_gain_limit);
    uint32_t words[VQX_VIF_SCALES + 1] = {0, VQX_VIF_MOMENTS}; /* where the scales begin, and their end */
    uint32_t tiles[VQX_VIF_SCALES + 1] = {0};
    (void)ordered;
    for (uint32_t s = 0; s < VQX_VIF_SCALES; s++) {
        tiles[s + 1] = tiles[s] + VQX_VIF_TILES(w >> s, h >> s);
        if (s > 0)
            words[s + 1] = words[s] + (w >> s) * (h >> s);
    }
    vqx_buffer pairs = vqx_work_scratch(work, VQX_SCRATCH_METRIC, words[VQX_VIF_SCALES] * sizeof(uint32_t));
    vqx_buffer part = vqx_work_scratch(work, VQX_SCRATCH_METRIC + 1, 2 * (size_t)tiles[VQX_VIF_SCALES] * sizeof(uint64_t));
    VQX_RUN_DEPTH(vif_0, bits)
    (work, VQX_VIF_TILES_X(w), VQX_VIF_TILES_Y(h), work->plane[0][0], work->plane[1][0], w, h, bits, limit, !o->vif_skip_scale0,
     words[1], pairs, part);
    for (uint32_t s = 1; s < VQX_VIF_SCALES; s++)
        run[s](work, VQX_VIF_TILES_X(w >> s), VQX_VIF_TILES_Y(h >> s), pairs, words[s], words[s - 1] + (w >> (s - 1)), w >> s,
               h >> s, limit, tiles[s], words[s + 1], pairs, part);
    vqx_run_vif_sum(work, 4 * VQX_VIF_SCALES, 1, part, w, h, work->result, at);
}

static void finish_frame(const vqx_feature *feature, const uint64_t *sums, double *output) {
    const vif_options *o = feature->options;
    double sum_num = 0, sum_den = 0;
    for (unsigned s = 0; s < VQX_VIF_SCALES; s++) {
        const double nl = (double)sums[4 * s], dl = (double)sums[4 * s + 1], nn = (double)sums[4 * s + 2],
                     dn = (double)sums[4 * s + 3];
        float num = (float)(nl / 2048.0 + (dn - (nn / 16384.0) / 65025.0));
        float den = (float)(dl / 2048.0 + dn);
        if (s == 0 && o->vif_skip_scale0) {
            num = 0;
            den = -1;
        } else {
            sum_num += (double)num;
            sum_den += (double)den;
        }
        output[s] = (double)(num / den);
        if (o->debug) {
            output[7 + 2 * s] = (double)num;
            output[8 + 2 * s] = (double)den;
        }
    }
    if (o->vif_skip_scale0)
        output[0] = 0;
    if (o->debug) {
        output[4] = sum_den == 0 ? 1.0 : sum_num / sum_den;
        output[5] = sum_num;
        output[6] = sum_den;
    }
}

const vqx_metric vqx_metric_vif = {
    .name = "vif",
    .help = "visual information fidelity at four scales, of luma, in fixed point",
    .options = options,
    .options_size = sizeof(vif_options),
    .same_names = same_names,
    .setup = setup,
    .teardown = teardown,
    .pass = pass,
    .join = join,
    .programs = 1u << VQX_PROGRAM_VIF,
    .launch = launch,
    .finish_frame = finish_frame,
};
