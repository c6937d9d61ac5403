#include <errno.h>
#include <math.h>

#include "metric/metric.h"
#include "metric/ssim.h"
#include "metric/ssim_twin.h"

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

enum {
    SCALES = 5,
    /* Each part makes the rows of smaller pictures that it needs: 132 rows of scale 0 more on either side, for the smallest. */
    ROWS_OF_PART = 128,
};

/* Only the last scale's l counts in the score. The first scale whose l is computed: */
static int first_l(const vqx_feature *feature) {
    const float_ms_ssim_options *o = feature->options;
    return o->enable_lcs ? 0 : SCALES - 1;
}

typedef struct mean {
    int scale, kind;
} mean;

/* Mean number i of the sums: of l, then c, then s, each of the scales from first_l() on; then those of float_ssim, where it
 * follows. */
static mean mean_at(const vqx_feature *feature, size_t i) {
    const int at = first_l(feature) + (int)i;
    return at < 3 * SCALES ? (mean){at % SCALES, VQX_SSIM_L + at / SCALES} : (mean){0, VQX_SSIM_LCS + at - 3 * SCALES};
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
    feature->sums = 2 * (size_t)(3 * SCALES - first_l(feature));
    feature->parts = f->height / ROWS_OF_PART;
    feature->words = vqx_ssim_twin_words(SCALES);
    feature->outputs = o->enable_lcs ? sizeof(name) / sizeof(*name) : 1;
    for (size_t i = 0; i < feature->outputs; i++)
        feature->output[i] = name[i];
    feature->scratch = vqx_ssim_forms_of(feature->level).scratch(f->width, f->height);
    for (int scale = 1; scale < SCALES; scale++)
        feature->scratch += 2 * picture_bytes(feature, scale);
    return 0;
}

/* The pictures of the scales 0 .. last, of the smaller ones only these rows, which are in the scratch. */
static void make_pictures(const vqx_feature *feature, const vqx_pair *pair, const vqx_ssim_rows *rows, int last, void *scratch,
                          vqx_ssim_picture picture[SCALES][2]) {
    const vqx_ssim_forms forms = vqx_ssim_forms_of(feature->level);
    const vqx_format *f = &feature->format;
    uint8_t *rest = (uint8_t *)scratch + forms.scratch(f->width, f->height);
    picture[0][0] = (vqx_ssim_picture){pair->ref[0], f->bits};
    picture[0][1] = (vqx_ssim_picture){pair->dis[0], f->bits};
    for (int scale = 1; scale <= last; scale++)
        for (int i = 0; i < 2; i++) {
            const uint32_t w = side_at(f->width, scale), h = side_at(f->height, scale);
            forms.halve(&picture[scale - 1][i], rows[scale], (float *)rest, scratch);
            picture[scale][i] = (vqx_ssim_picture){{rest, (ptrdiff_t)(w * sizeof(float)), w, h}, 32};
            rest += picture_bytes(feature, scale);
        }
}

/* Rows of windows at a scale, the windows of a row. */
static uint32_t windows_down(const vqx_feature *feature, int scale) {
    return side_at(feature->format.height, scale) - 10;
}
static uint32_t windows_across(const vqx_feature *feature, int scale) {
    return side_at(feature->format.width, scale) - 10;
}

/* Rows of the pictures 0 .. last that are needed for these rows of windows of theirs. */
static void needed_rows(const vqx_feature *feature, const vqx_ssim_rows *windows, int last, vqx_ssim_rows *rows) {
    vqx_ssim_rows below = {0, 0};
    for (int scale = last; scale >= 0; scale--) {
        vqx_ssim_rows r = windows[scale];
        if (r.first < r.end)
            r.end += 10;
        else
            r = below;
        if (below.first < below.end) {
            r.first = below.first < r.first ? below.first : r.first;
            r.end = below.end > r.end ? below.end : r.end;
        }
        rows[scale] = r;
        below = vqx_ssim_halved(r, scale > 0 ? side_at(feature->format.height, scale - 1) : 0);
    }
}

/* The mean in raster order. */
static double mean_in_order(const vqx_feature *feature, const vqx_pair *pair, mean m, void *scratch) {
    vqx_ssim_rows windows[SCALES] = {{0, 0}}, rows[SCALES];
    vqx_ssim_picture picture[SCALES][2];
    vqx_ssim_sum sum[VQX_SSIM_MEANS];
    double value;
    windows[m.scale].end = windows_down(feature, m.scale);
    needed_rows(feature, windows, m.scale, rows);
    make_pictures(feature, pair, rows, m.scale, scratch, picture);
    const vqx_ssim_task task = {picture[m.scale][0], picture[m.scale][1], windows[m.scale], 1u << m.kind, true};
    vqx_ssim_forms_of(feature->level).windows(&task, scratch, sum);
    vqx_ssim_mean(sum[m.kind], windows_down(feature, m.scale) * windows_across(feature, m.scale), &value);
    return value;
}

static void join(const vqx_feature *feature, const vqx_pair *pair, uint32_t parts, void *scratch, const uint64_t *part,
                 uint64_t *sums) {
    for (size_t i = 0; i < feature->sums / 2; i++) {
        const mean m = mean_at(feature, i);
        const uint32_t n = windows_down(feature, m.scale) * windows_across(feature, m.scale);
        double value;
        if (!vqx_ssim_mean(vqx_ssim_joined(feature, parts, part, i), n, &value))
            value = mean_in_order(feature, pair, m, scratch);
        vqx_ssim_put(feature, i, (vqx_ssim_sum){value, 0}, sums);
    }
}

static void pass(const vqx_feature *feature, const vqx_pair *pair, uint32_t part, uint32_t parts, void *scratch, uint64_t *sums) {
    vqx_ssim_rows windows[SCALES], rows[SCALES];
    vqx_ssim_picture picture[SCALES][2];
    vqx_ssim_sum sum[SCALES][VQX_SSIM_MEANS];
    unsigned wanted[SCALES] = {0};
    for (size_t i = 0; i < feature->sums / 2; i++)
        wanted[mean_at(feature, i).scale] |= 1u << mean_at(feature, i).kind;
    for (int scale = 0; scale < SCALES; scale++)
        windows[scale] = vqx_ssim_part(windows_down(feature, scale), part, parts);
    needed_rows(feature, windows, SCALES - 1, rows);
    make_pictures(feature, pair, rows, SCALES - 1, scratch, picture);
    for (int scale = 0; scale < SCALES; scale++) {
        const vqx_ssim_task task = {picture[scale][0], picture[scale][1], windows[scale], wanted[scale], false};
        vqx_ssim_forms_of(feature->level).windows(&task, scratch, sum[scale]);
    }
    for (size_t i = 0; i < feature->sums / 2; i++)
        vqx_ssim_put(feature, i, sum[mean_at(feature, i).scale][mean_at(feature, i).kind], sums);
    if (parts == 1)
        join(feature, pair, 1, scratch, sums, sums);
}

static vqx_ssim_twin twin_of(const vqx_feature *feature) {
    vqx_ssim_twin twin = {&feature->format, 1, SCALES, 0};
    for (size_t i = 0; i < feature->sums / 2; i++)
        twin.wanted |= 1u << (VQX_SSIM_MEANS * mean_at(feature, i).scale + mean_at(feature, i).kind);
    return twin;
}

static void launch(const vqx_feature *feature, vqx_work *work, uint32_t at, uint64_t ordered) {
    const vqx_ssim_twin twin = twin_of(feature);
    vqx_ssim_twin_launch(work, at, &twin, ordered);
}

static uint64_t settle(const vqx_feature *feature, const uint64_t *words, uint64_t ordered, uint64_t *sums) {
    const vqx_ssim_twin twin = twin_of(feature);
    uint64_t open = 0;
    for (size_t i = 0; i < feature->sums / 2; i++) {
        const mean m = mean_at(feature, i);
        double value;
        open |= vqx_ssim_twin_settle(&twin, words, (uint32_t)m.scale, (uint32_t)m.kind, ordered, &value);
        vqx_ssim_put(feature, i, (vqx_ssim_sum){value, 0}, sums);
    }
    return open;
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
    .join = join,
    .programs = VQX_SSIM_PROGRAMS,
    .launch = launch,
    .settle = settle,
    .finish_frame = finish_frame,
};
