#include "metric/psnr.h"

#include <float.h>
#include <math.h>

#include "metric/metric.h"
#include "metric/square.h"
#include "metric/square_launch.h"

typedef struct psnr_options {
    bool enable_chroma, enable_mse, enable_apsnr, reduced_hbd_peak, uncapped;
    double min_sse;
} psnr_options;

static const vqx_option options[] = {
    {"enable_chroma", "score the chroma planes, too", VQX_OPTION_BOOL, offsetof(psnr_options, enable_chroma), 1, 0, 0},
    {"enable_mse", "also the mean squared errors mse_y, mse_cb, mse_cr", VQX_OPTION_BOOL, offsetof(psnr_options, enable_mse), 0, 0,
     0},
    {"enable_apsnr", "also the PSNR of the whole stream: apsnr_y, apsnr_cb, apsnr_cr", VQX_OPTION_BOOL,
     offsetof(psnr_options, enable_apsnr), 0, 0, 0},
    {"reduced_hbd_peak", "above 8 bits the peak is 255 * 2^(bits-8)", VQX_OPTION_BOOL, offsetof(psnr_options, reduced_hbd_peak), 0,
     0, 0},
    {"uncapped", "the cap is the score of identical planes only", VQX_OPTION_BOOL, offsetof(psnr_options, uncapped), 0, 0, 0},
    {"min_sse", "squared error of a plane whose PSNR is the cap; 0: 60, 72, 84, 108 dB by depth", VQX_OPTION_DOUBLE,
     offsetof(psnr_options, min_sse), 0, 0, DBL_MAX},
    {0},
};

static const char *const psnr_name[VQX_MAX_PLANES] = {"psnr_y", "psnr_cb", "psnr_cr"};
static const char *const mse_name[VQX_MAX_PLANES] = {"mse_y", "mse_cb", "mse_cr"};
static const char *const apsnr_name[VQX_MAX_PLANES] = {"apsnr_y", "apsnr_cb", "apsnr_cr"};

double vqx_psnr_decibel(double peak2, double mse, double least, double cap, bool uncapped) {
    if (uncapped && mse <= 0)
        return cap;
    const double decibel = 10.0 * log10(peak2 / (mse > least ? mse : least));
    return uncapped ? decibel : vqx_psnr_min(decibel, cap);
}

/* The samples of a plane. */
static uint32_t plane_samples(const vqx_feature *feature, unsigned plane) {
    uint32_t w, h;
    vqx_format_plane_size(&feature->format, plane, &w, &h);
    return w * h;
}

static uint32_t squared_peak(const vqx_feature *feature) {
    const psnr_options *o = feature->options;
    const uint32_t bits = feature->format.bits;
    const uint32_t peak = o->reduced_hbd_peak ? 255u << (bits - 8) : (1u << bits) - 1;
    return peak * peak;
}

static double cap_of(const vqx_feature *feature, uint32_t samples) {
    const psnr_options *o = feature->options;
    if (o->min_sse == 0)
        return vqx_psnr_cap(feature->format.bits);
    const double mse = o->min_sse / (double)samples;
    return ceil(10.0 * log10((double)squared_peak(feature) / mse));
}

static int setup(vqx_feature *feature, vqx_message_text *message) {
    (void)message;
    const psnr_options *o = feature->options;
    feature->sums = o->enable_chroma ? vqx_format_planes(&feature->format) : 1;
    feature->planes = (1u << feature->sums) - 1;
    feature->parts = vqx_square_parts(&feature->format);
    feature->words = (uint32_t)feature->sums;
    feature->every_frame = o->enable_apsnr; /* which is of all frames */
    for (size_t p = 0; p < feature->sums; p++) {
        feature->output[feature->outputs++] = psnr_name[p];
        if (o->enable_mse)
            feature->output[feature->outputs++] = mse_name[p];
    }
    if (o->enable_apsnr)
        for (size_t p = 0; p < VQX_MAX_PLANES; p++)
            feature->aggregate[feature->aggregates++] = apsnr_name[p];
    return 0;
}

static void pass(const vqx_feature *feature, const vqx_pair *pair, uint32_t part, uint32_t parts, void *scratch, uint64_t *sums) {
    static vqx_error_sum *const table[VQX_LEVELS] = VQX_LEVEL_TABLE(vqx_error_sum_definition, vqx_error_sum);
    (void)scratch;
    for (size_t p = 0; p < feature->sums; p++) {
        const vqx_plane ref = vqx_plane_part(&pair->ref[p], part, parts), dis = vqx_plane_part(&pair->dis[p], part, parts);
        sums[p] = table[feature->level](&ref, &dis, feature->format.bits);
    }
}

static void join(const vqx_feature *feature, const vqx_pair *pair, uint32_t parts, void *scratch, const uint64_t *part,
                 uint64_t *sums) {
    (void)pair, (void)scratch;
    vqx_join_add(feature, parts, part, sums);
}

static void launch(const vqx_feature *feature, vqx_work *work, uint32_t at, uint64_t ordered) {
    (void)ordered;
    vqx_square_errors(work, &feature->format, feature->words, false, at);
}

static void finish_frame(const vqx_feature *feature, const uint64_t *sums, double *output) {
    const psnr_options *o = feature->options;
    for (unsigned p = 0; p < feature->sums; p++) {
        const uint32_t samples = plane_samples(feature, p);
        const double mse = (double)sums[p] / (double)samples;
        *output++ = vqx_psnr_decibel((double)squared_peak(feature), mse, 1e-16, cap_of(feature, samples), o->uncapped);
        if (o->enable_mse)
            *output++ = mse;
    }
}

static void finish_stream(const vqx_feature *feature, const uint64_t *sums, uint64_t frames, double *aggregate) {
    const uint64_t peak2 = squared_peak(feature);
    for (unsigned p = 0; p < feature->aggregates; p++) {
        uint64_t error = 0, samples = 0; /* stay 0 for a plane that is not scored: -inf */
        if (p < feature->sums) {
            samples = frames * plane_samples(feature, p);
            for (uint64_t f = 0; f < frames; f++)
                error += sums[f * feature->sums + p];
        }
        const double decibel = 10.0 * ((log10((double)peak2) + log10((double)samples)) - log10((double)error));
        const uint64_t twice = peak2 * samples * 2; /* wraps, as the reference's does */
        aggregate[p] = vqx_psnr_min(decibel, ceil(10.0 * log10((double)twice)));
    }
}

const vqx_metric vqx_metric_psnr = {
    .name = "psnr",
    .help = "peak signal-to-noise ratio of each plane, from exact integer sums, in dB",
    .options = options,
    .options_size = sizeof(psnr_options),
    .setup = setup,
    .pass = pass,
    .join = join,
    .programs = VQX_SQUARE_PROGRAMS,
    .launch = launch,
    .finish_frame = finish_frame,
    .finish_stream = finish_stream,
};
