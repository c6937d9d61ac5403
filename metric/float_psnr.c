#include <math.h>

#include "metric/metric.h"
#include "metric/psnr.h"
#include "metric/square.h"

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
    feature->outputs = 1;
    feature->output[0] = "float_psnr";
    return 0;
}

static void pass(const vqx_feature *feature, const vqx_pair *pair, void *scratch, uint64_t *sums) {
    static vqx_error_sum *const table[VQX_LEVELS] = VQX_LEVEL_TABLE(vqx_error_sum_f32_definition, vqx_error_sum_f32);
    (void)scratch;
    sums[0] = table[feature->level](&pair->ref[0], &pair->dis[0], feature->format.bits);
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
    .finish_frame = finish_frame,
};
