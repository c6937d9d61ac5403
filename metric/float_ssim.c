#include <math.h>

#include "metric/metric.h"
#include "metric/ssim.h"
#include "metric/ssim_twin.h"

typedef struct float_ssim_options {
    bool enable_lcs, enable_db, clip_db;
    int scale;
} float_ssim_options;

static const vqx_option options[] = {
    {"enable_lcs", "also the means of luminance, contrast and structure: float_ssim_l, _c, _s", VQX_OPTION_BOOL,
     offsetof(float_ssim_options, enable_lcs), 0, 0, 0},
    {"enable_db", "float_ssim in dB", VQX_OPTION_BOOL, offsetof(float_ssim_options, enable_db), 0, 0, 0},
    {"clip_db", "bounds the dB value", VQX_OPTION_BOOL, offsetof(float_ssim_options, clip_db), 0, 0, 0},
    {"scale", "pictures are made this many times smaller first; 0: by their shorter side", VQX_OPTION_INT,
     offsetof(float_ssim_options, scale), 0, 0, 10},
    {0},
};

/* How many times smaller: shorter side / 256, halves rounded up, at least 1. */
static uint32_t factor_of(const vqx_feature *feature) {
    const float_ssim_options *o = feature->options;
    const vqx_format *f = &feature->format;
    const uint32_t shorter = f->width < f->height ? f->width : f->height;
    const uint32_t automatic = (shorter + 128) / 256;
    return o->scale > 0 ? (uint32_t)o->scale : automatic > 1 ? automatic : 1;
}

/* The picture that the windows lie on. */
typedef struct shape {
    uint32_t factor, width, height;
    size_t bytes; /* of one smaller picture, 64-byte multiple; 0 where the planes are taken as they are */
    bool empty;   /* too small for a window */
} shape;

static shape shape_of(const vqx_feature *feature) {
    shape s = {.factor = factor_of(feature), .width = feature->format.width, .height = feature->format.height};
    if (s.factor > 1) {
        s.width = vqx_ssim_box_side(s.width, s.factor);
        s.height = vqx_ssim_box_side(s.height, s.factor);
        s.bytes = ((size_t)s.width * s.height * sizeof(float) + 63) / 64 * 64;
    }
    s.empty = s.width < 11 || s.height < 11;
    return s;
}

/* Parts of about half a millisecond: a window costs as much as 30 samples that are made fewer. */
static uint32_t parts_of(const vqx_feature *feature, const shape *s) {
    const uint64_t samples = s->factor > 1 ? (uint64_t)feature->format.width * feature->format.height : 0;
    const uint64_t parts = ((uint64_t)s->width * s->height * 30 + samples) / 2400000;
    return parts < VQX_MAX_PARTS ? (uint32_t)parts : VQX_MAX_PARTS;
}

static int setup(vqx_feature *feature, vqx_message_text *message) {
    static const char *const name[VQX_SSIM_MEANS] = {"float_ssim", "float_ssim_l", "float_ssim_c", "float_ssim_s"};
    (void)message;
    const float_ssim_options *o = feature->options;
    const shape s = shape_of(feature);
    feature->planes = 1;
    feature->outputs = o->enable_lcs ? VQX_SSIM_MEANS : 1;
    feature->sums = 2 * feature->outputs;
    feature->parts = parts_of(feature, &s);
    feature->words = vqx_ssim_twin_words(1);
    for (size_t i = 0; i < feature->outputs; i++)
        feature->output[i] = name[i];
    if (!s.empty)
        feature->scratch = 2 * s.bytes + vqx_ssim_forms_of(feature->level).scratch(feature->format.width, feature->format.height);
    return 0;
}

/* A sum of no terms, divided by the number of windows that the sides lead to: 0, -0 or no number. */
static double mean_of_none(const shape *s) {
    const int windows = ((int)s->width - 10) * ((int)s->height - 10);
    return windows == 0 ? NAN : 0.0 / windows;
}

/* The sums of these rows of windows. */
static void sums_of(const vqx_feature *feature, const vqx_pair *pair, vqx_ssim_rows rows, unsigned wanted, bool ordered,
                    void *scratch, vqx_ssim_sum sum[VQX_SSIM_MEANS]) {
    const vqx_ssim_forms forms = vqx_ssim_forms_of(feature->level);
    const shape s = shape_of(feature);
    vqx_ssim_picture picture[2] = {{pair->ref[0], feature->format.bits}, {pair->dis[0], feature->format.bits}};
    uint8_t *const rest = (uint8_t *)scratch + 2 * s.bytes;
    for (int i = 0; i < 2 && s.factor > 1 && rows.first < rows.end; i++) {
        float *smaller = (float *)((uint8_t *)scratch + (size_t)i * s.bytes);
        forms.box(&picture[i], s.factor, (vqx_ssim_rows){rows.first, rows.end + 10}, smaller, rest);
        picture[i] = (vqx_ssim_picture){{(const uint8_t *)smaller, (ptrdiff_t)(s.width * sizeof(float)), s.width, s.height}, 32};
    }
    const vqx_ssim_task task = {.ref = picture[0], .dis = picture[1], .rows = rows, .wanted = wanted, .ordered = ordered};
    forms.windows(&task, rest, sum);
}

static void join(const vqx_feature *feature, const vqx_pair *pair, uint32_t parts, void *scratch, const uint64_t *part,
                 uint64_t *sums) {
    const shape s = shape_of(feature);
    for (size_t i = 0; i < feature->sums / 2; i++) {
        double mean = 0;
        if (s.empty) {
            mean = mean_of_none(&s);
        } else if (!vqx_ssim_mean(vqx_ssim_joined(feature, parts, part, i), (s.width - 10) * (s.height - 10), &mean)) {
            vqx_ssim_sum sum[VQX_SSIM_MEANS];
            sums_of(feature, pair, (vqx_ssim_rows){0, s.height - 10}, 1u << i, true, scratch, sum);
            vqx_ssim_mean(sum[i], (s.width - 10) * (s.height - 10), &mean);
        }
        vqx_ssim_put(feature, i, (vqx_ssim_sum){mean, 0}, sums);
    }
}

static void pass(const vqx_feature *feature, const vqx_pair *pair, uint32_t part, uint32_t parts, void *scratch, uint64_t *sums) {
    const shape s = shape_of(feature);
    vqx_ssim_sum sum[VQX_SSIM_MEANS] = {{0, 0}};
    if (!s.empty)
        sums_of(feature, pair, vqx_ssim_part(s.height - 10, part, parts), (1u << feature->sums / 2) - 1, false, scratch, sum);
    for (size_t i = 0; i < feature->sums / 2; i++)
        vqx_ssim_put(feature, i, sum[i], sums);
    if (parts == 1)
        join(feature, pair, 1, scratch, sums, sums);
}

static vqx_ssim_twin twin_of(const vqx_feature *feature, const shape *s) {
    return (vqx_ssim_twin){&feature->format, s->factor, 1, (1u << feature->sums / 2) - 1};
}

static void launch(const vqx_feature *feature, vqx_work *work, uint32_t at, uint64_t ordered) {
    const shape s = shape_of(feature);
    const vqx_ssim_twin twin = twin_of(feature, &s);
    if (!s.empty)
        vqx_ssim_twin_launch(work, at, &twin, ordered);
}

static uint64_t settle(const vqx_feature *feature, const uint64_t *words, uint64_t ordered, uint64_t *sums) {
    const shape s = shape_of(feature);
    const vqx_ssim_twin twin = twin_of(feature, &s);
    uint64_t open = 0;
    for (uint32_t i = 0; i < feature->sums / 2; i++) {
        double mean = 0;
        if (s.empty)
            mean = mean_of_none(&s);
        else
            open |= vqx_ssim_twin_settle(&twin, words, 0, i, ordered, &mean);
        vqx_ssim_put(feature, i, (vqx_ssim_sum){mean, 0}, sums);
    }
    return open;
}

/* The windows on pictures as they are are those of float_ms_ssim's scale 0: it appends our means to its own. */
static bool follow(vqx_feature *feature, vqx_feature *leader, size_t *word) {
    if (leader->metric != &vqx_metric_float_ms_ssim || shape_of(feature).factor > 1)
        return false;
    *word = leader->sums / 2;
    leader->sums += feature->sums;
    return true;
}

static void finish_frame(const vqx_feature *feature, const uint64_t *sums, double *output) {
    const float_ssim_options *o = feature->options;
    for (size_t i = 0; i < feature->outputs; i++)
        output[i] = vqx_f64_of_bits(sums[i]);
    if (o->enable_db)
        output[0] = vqx_ssim_decibel(output[0], &feature->format, o->clip_db);
}

const vqx_metric vqx_metric_float_ssim = {
    .name = "float_ssim",
    .help = "structural similarity of luma, windows of 11x11",
    .options = options,
    .options_size = sizeof(float_ssim_options),
    .setup = setup,
    .pass = pass,
    .join = join,
    .follow = follow,
    .programs = VQX_SSIM_PROGRAMS,
    .launch = launch,
    .settle = settle,
    .finish_frame = finish_frame,
};
