#include <math.h>

#include "metric/metric.h"
#include "metric/psnr.h"
#include "metric/square.h"
#include "metric/square_launch.h"

typedef struct float_psnr_options {
    bool uncapped;
} float_psnr_options;

static const vqx_option options[] = {
    {"uncapped", "the cap is the score of identical pictures only", VQX_OPTION_BOOL, offsetof(float_psnr_options, uncapped), 0, 0,
     0},
    {0},
};

static int setup(vqx_feature *feature, vqx_message_text *message) {
    (void)message;
    feature->planes = 1;
    feature->sums = 1;
    feature->parts = vqx_square_parts(&feature->format);
    feature->words = vqx_square_always_exact(&feature->format) ? 1 : 2; /* the sum; in raster order */
    feature->outputs = 1;
    feature->output[0] = "float_psnr";
    return 0;
}

static void pass(const vqx_feature *feature, const vqx_pair *pair, uint32_t part, uint32_t parts, void *scratch, uint64_t *sums) {
    const vqx_plane ref = vqx_plane_part(&pair->ref[0], part, parts), dis = vqx_plane_part(&pair->dis[0], part, parts);
    static vqx_error_sum *const table[VQX_LEVELS] = VQX_LEVEL_TABLE(vqx_error_sum_f32_definition, vqx_error_sum_f32);
    (void)scratch;
    sums[0] = table[feature->level](&ref, &dis, feature->format.bits);
}

static void join(const vqx_feature *feature, const vqx_pair *pair, uint32_t parts, void *scratch, const uint64_t *part,
                 uint64_t *sums) {
    vqx_join_add(feature, parts, part, sums);
    if (!vqx_square_exact(sums[0]))
        pass(feature, pair, 0, 1, scratch, sums);
}

/* At 8 bits no square rounds: the sum is that of psnr's luma. */
static bool follow(vqx_feature *feature, vqx_feature *leader, size_t *word) {
    *word = 0;
    return feature->format.bits == 8 && leader->metric == &vqx_metric_psnr;
}

static void launch(const vqx_feature *feature, vqx_work *work, uint32_t at, uint64_t ordered) {
    vqx_square_errors(work, &feature->format, 1, true, at);
    if (feature->words > 1 && ordered & 1)
        vqx_square_ordered(work, &feature->format, work->plane[0][0], work->plane[1][0], true, 1, at + 1);
}

static uint64_t settle(const vqx_feature *feature, const uint64_t *words, uint64_t ordered, uint64_t *sums) {
    sums[0] = words[0];
    return feature->words > 1 && vqx_square_settle(sums, words[1], ordered & 1);
}

static void finish_frame(const vqx_feature *feature, const uint64_t *sums, double *output) {
    const float_psnr_options *o = feature->options;
    const vqx_format *f = &feature->format;
    const int shift = (int)f->bits - 8;
    const double peak = ldexp((double)((1u << f->bits) - 1), -shift);
    const double mse = ldexp((double)sums[0], -2 * shift) / (double)(f->width * f->height);
    output[0] = vqx_psnr_decibel(peak * peak, mse, 1e-10, vqx_psnr_cap(f->bits), o->uncapped);
}

const vqx_metric vqx_metric_float_psnr = {
    .name = "float_psnr",
    .help = "peak signal-to-noise ratio of luma, of samples scaled to 0..255, in dB",
    .options = options,
    .options_size = sizeof(float_psnr_options),
    .setup = setup,
    .pass = pass,
    .join = join,
    .follow = follow,
    .programs = VQX_SQUARE_PROGRAMS_ORDERED,
    .launch = launch,
    .settle = settle,
    .finish_frame = finish_frame,
};
