#include <math.h>

#include "metric/metric.h"
#include "metric/square.h"
#include "metric/square_launch.h"

static const vqx_option options[] = {{0}};

static int setup(vqx_feature *feature, vqx_message_text *message) {
    static const char *const name[] = {"float_moment_ref1st", "float_moment_dis1st", "float_moment_ref2nd", "float_moment_dis2nd"};
    (void)message;
    feature->planes = 1;
    feature->sums = 4; /* of ref: words, squares; of dis: words, squares */
    feature->parts = vqx_square_parts(&feature->format);
    feature->words = vqx_square_always_exact(&feature->format) ? 4 : 6; /* the sums; squares in raster order */
    feature->outputs = 4;
    memcpy(feature->output, name, sizeof(name));
    return 0;
}

static void pass(const vqx_feature *feature, const vqx_pair *pair, uint32_t part, uint32_t parts, void *scratch, uint64_t *sums) {
    const vqx_plane ref = vqx_plane_part(&pair->ref[0], part, parts), dis = vqx_plane_part(&pair->dis[0], part, parts);
    static vqx_moment_sums *const table[VQX_LEVELS] = VQX_LEVEL_TABLE(vqx_moment_sums_definition, vqx_moment_sums);
    (void)scratch;
    table[feature->level](&ref, feature->format.bits, sums);
    table[feature->level](&dis, feature->format.bits, sums + 2);
}

static void join(const vqx_feature *feature, const vqx_pair *pair, uint32_t parts, void *scratch, const uint64_t *part,
                 uint64_t *sums) {
    vqx_join_add(feature, parts, part, sums);
    if (!vqx_square_exact(sums[1]) || !vqx_square_exact(sums[3]))
        pass(feature, pair, 0, 1, scratch, sums);
}

/* Value i: the squares of picture i. */
static void launch(const vqx_feature *feature, vqx_work *work, uint32_t at, uint64_t ordered) {
    vqx_buffer ref = work->plane[0][0], dis = work->plane[1][0];
    vqx_square_moments(work, &feature->format, at);
    if (feature->words > 4 && ordered & 3)
        vqx_square_ordered(work, &feature->format, ordered & 1 ? ref : dis, dis, false, ordered & 1 && ordered & 2 ? 2 : 1,
                           at + (ordered & 1 ? 4 : 5));
}

static uint64_t settle(const vqx_feature *feature, const uint64_t *words, uint64_t ordered, uint64_t *sums) {
    uint64_t open = 0;
    memcpy(sums, words, 4 * sizeof(*sums));
    for (unsigned i = 0; i < 2 && feature->words > 4; i++)
        open |= (uint64_t)vqx_square_settle(&sums[2 * i + 1], words[4 + i], ordered >> i & 1) << i;
    return open;
}

static void finish_frame(const vqx_feature *feature, const uint64_t *sums, double *output) {
    const vqx_format *f = &feature->format;
    const int shift = (int)f->bits - 8;
    const double samples = (double)(f->width * f->height);
    for (int side = 0; side < 2; side++)
        for (int moment = 0; moment < 2; moment++)
            output[2 * moment + side] = ldexp((double)sums[2 * side + moment], -(moment + 1) * shift) / samples;
}

const vqx_metric vqx_metric_float_moment = {
    .name = "float_moment",
    .help = "mean and mean square of the luma of both pictures, of samples scaled to 0..255",
    .options = options,
    .options_size = 0,
    .setup = setup,
    .pass = pass,
    .join = join,
    .programs = VQX_SQUARE_PROGRAMS_ORDERED,
    .launch = launch,
    .settle = settle,
    .finish_frame = finish_frame,
};
