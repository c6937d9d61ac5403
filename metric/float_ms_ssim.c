#include <errno.h>
#include <math.h>

#include "metric/metric.h"
#include "metric/ssim.h"

typedef struct float_ms_ssim_options {
    bool enable_lcs, enable_db, clip_db;
} float_ms_ssim_options;

static const vqx_option options[] = {
    {"enable_lcs", "also the means of luminance, contrast and structure of each scale: float_ms_ssim_l_scale0, …", VQX_OPTION_BOOL,
     offsetof(float_ms_ssim_options, enable_lcs), 0, 0, 0},
    {"enable_db", "float_ms_ssim in dB", VQX_OPTION_BOOL, offsetof(float_ms_ssim_options, enable_db), 0, 0, 0},
    {"clip_db", "bounds the dB value", VQX_OPTION_BOOL, offsetof(float_ms_ssim_options, clip_db), 0, 0, 0},
    {0},
};

enum { SCALES = 5 };

/* Sums are means of l, then c, then s, each of the scales from `first` on; only the last scale's l counts in the score. */
static int first_l(const vqx_feature *feature) {
    const float_ms_ssim_options *o = feature->options;
    return o->enable_lcs ? 0 : SCALES - 1;
}

static uint32_t side_at(uint32_t side, int scale) {
    return (side + (1u << scale) - 1) >> scale;
}

/* Bytes of one picture of a scale, a multiple of 64. */
static size_t picture_bytes(const vqx_feature *feature, int scale) {
    const size_t samples = (size_t)side_at(feature->format.width, scale) * side_at(feature->format.height, scale);
    return (samples * sizeof(float) + 63) / 64 * 64;
}

static int setup(vqx_feature *feature, vqx_message_text *message) {
    static const char *const name[] = {
        "float_ms_ssim",          "float_ms_ssim_l_scale0", "float_ms_ssim_l_scale1", "float_ms_ssim_l_scale2",
        "float_ms_ssim_l_scale3", "float_ms_ssim_l_scale4", "float_ms_ssim_c_scale0", "float_ms_ssim_c_scale1",
        "float_ms_ssim_c_scale2", "float_ms_ssim_c_scale3", "float_ms_ssim_c_scale4", "float_ms_ssim_s_scale0",
        "float_ms_ssim_s_scale1", "float_ms_ssim_s_scale2", "float_ms_ssim_s_scale3", "float_ms_ssim_s_scale4",
    };
    const float_ms_ssim_options *o = feature->options;
    const vqx_format *f = &feature->format;
    if (f->width < 176 || f->height < 176)
        return vqx_fail(message, -ENOTSUP, "float_ms_ssim: pictures of %ux%u are too small, both sides must be at least 176",
                        f->width, f->height);
    feature->planes = 1;
    feature->sums = (size_t)(3 * SCALES - first_l(feature));
    feature->outputs = o->enable_lcs ? sizeof(name) / sizeof(*name) : 1;
    for (size_t i = 0; i < feature->outputs; i++)
        feature->output[i] = name[i];
    feature->scratch = vqx_ssim_forms_of(feature->level).scratch(f->width, f->height);
    for (int scale = 1; scale < SCALES; scale++)
        feature->scratch += 2 * picture_bytes(feature, scale);
    return 0;
}

static void pass(const vqx_feature *feature, const vqx_pair *pair, uint32_t part, uint32_t parts, void *scratch, uint64_t *sums) {
    (void)part, (void)parts;
    const vqx_ssim_forms forms = vqx_ssim_forms_of(feature->level);
    const vqx_format *f = &feature->format;
    const int first = first_l(feature);
    uint8_t *rest = (uint8_t *)scratch + forms.scratch(f->width, f->height);
    vqx_ssim_picture picture[2] = {{pair->ref[0], f->bits}, {pair->dis[0], f->bits}};
    uint64_t *const l = sums - first, *const c = sums + SCALES - first, *const s = c + SCALES;
    for (int scale = 0; scale < SCALES; scale++) {
        for (int i = 0; i < 2 && scale > 0; i++) {
            const uint32_t w = side_at(f->width, scale), h = side_at(f->height, scale);
            forms.halve(&picture[i], (float *)rest, scratch);
            picture[i] = (vqx_ssim_picture){{rest, (ptrdiff_t)(w * sizeof(float)), w, h}, 32};
            rest += picture_bytes(feature, scale);
        }
        const unsigned wanted = 1u << VQX_SSIM_C | 1u << VQX_SSIM_S | (scale >= first ? 1u << VQX_SSIM_L : 0);
        const vqx_ssim_task task = {.ref = picture[0], .dis = picture[1], .wanted = wanted};
        double mean[VQX_SSIM_MEANS];
        forms.windows(&task, scratch, mean);
        if (scale >= first)
            l[scale] = vqx_bits_of_f64(mean[VQX_SSIM_L]);
        c[scale] = vqx_bits_of_f64(mean[VQX_SSIM_C]);
        s[scale] = vqx_bits_of_f64(mean[VQX_SSIM_S]);
    }
}

static void finish_frame(const vqx_feature *feature, const uint64_t *sums, double *output) {
    static const float exponent[SCALES] = {0x1.6f0068p-5f, 0x1.247454p-2f, 0x1.334d6ap-2f, 0x1.e3f142p-3f, 0x1.10ff98p-3f};
    const float_ms_ssim_options *o = feature->options;
    const uint64_t *const c = sums + SCALES - first_l(feature), *const s = c + SCALES;
    double score = 1;
    for (int scale = 0; scale < SCALES; scale++) {
        const double e = exponent[scale];
        /* the luminance of the other scales has the exponent 0 */
        const double l = scale < SCALES - 1 ? 1 : pow(vqx_f64_of_bits(c[-1]), e);
        score *= l * pow(vqx_f64_of_bits(c[scale]), e) * pow(vqx_f64_of_bits(s[scale]), e);
    }
    output[0] = o->enable_db ? vqx_ssim_decibel(score, &feature->format, o->clip_db) : score;
    for (size_t i = 1; i < feature->outputs; i++)
        output[i] = vqx_f64_of_bits(sums[i - 1]);
}

const vqx_metric vqx_metric_float_ms_ssim = {
    .name = "float_ms_ssim",
    .help = "structural similarity of luma at five scales",
    .options = options,
    .options_size = sizeof(float_ms_ssim_options),
    .setup = setup,
    .pass = pass,
    .finish_frame = finish_frame,
};
