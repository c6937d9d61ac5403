#include "metric/ssim_twin.h"

#include "dialect/cpu.h"
#include "kernel/ssim_levels.h"
#include "metric/exact_sum.h"

#define MAX_LEVELS 5

/* Beyond the bits of values: whether terms are large; not where all bits are set, as when everything is to be made in order. */
#define LARGE_TERMS ((uint64_t)1 << VQX_SSIM_MEANS * MAX_LEVELS)
static bool large_terms(uint64_t ordered) {
    return (ordered & 3 * LARGE_TERMS) == LARGE_TERMS;
}

/* Scratch buffers: of each side smaller pictures, one behind the other; of tiles the sums; terms. */
enum { SMALLER_REF = VQX_SCRATCH_METRIC, SMALLER_DIS, TILE_SUMS, TILE_SIZES, TERMS };

uint32_t vqx_ssim_twin_words(uint32_t levels) {
    return VQX_SSIM_WORDS * levels;
}

/* The levels, and one behind them. */
static void levels_of(const vqx_ssim_twin *twin, vqx_ssim_level level[MAX_LEVELS + 1]) {
    uint32_t w = twin->format->width, h = twin->format->height;
    if (twin->factor > 1) {
        w = vqx_ssim_box_side(w, twin->factor);
        h = vqx_ssim_box_side(h, twin->factor);
    }
    level[0] = vqx_ssim_level_first(w, h);
    for (uint32_t i = 1; i <= twin->levels; i++)
        level[i] = vqx_ssim_level_next(level[i - 1]);
}

static uint32_t columns_of(const vqx_ssim_level *level) {
    return level->w - 10;
}
static uint32_t rows_of(const vqx_ssim_level *level) {
    return level->h - 10;
}

static uint32_t fraction_of(const vqx_ssim_level *first) {
    return vqx_ssim_fraction(columns_of(first) * rows_of(first));
}

static float unit_of(uint32_t bits) {
    return 1 / (float)(1u << (bits - 8));
}

/* Makes the smaller pictures, the first of which is that level. */
static void make_smaller(vqx_work *work, const vqx_ssim_twin *twin, const vqx_ssim_level *level, uint32_t first) {
    const vqx_format *const f = twin->format;
    const size_t bytes = (size_t)(level[twin->levels].sample - level[first].sample) * sizeof(float);
    const vqx_buffer ref = vqx_work_scratch(work, SMALLER_REF, bytes), dis = vqx_work_scratch(work, SMALLER_DIS, bytes);
    for (uint32_t i = first; i < twin->levels; i++) {
        const vqx_ssim_level *const to = &level[i], *const from = to - 1;
        const uint32_t across = (to->w + VQX_SMALLER_ACROSS - 1) / VQX_SMALLER_ACROSS;
        const uint32_t down = 2 * ((to->h + VQX_SMALLER_DOWN - 1) / VQX_SMALLER_DOWN);
        if (i == 0)
            VQX_RUN_DEPTH(box, f->bits)
        (work, across, down, work->plane[0][0], work->plane[1][0], work->pitch[0], f->width, f->height, unit_of(f->bits),
         twin->factor, ref, dis, to->w, to->h);
        else if (i == first) VQX_RUN_DEPTH(halve, f->bits)(work, across, down, work->plane[0][0], work->plane[1][0], 0,
                                                           work->pitch[0], from->w, from->h, unit_of(f->bits), ref, dis, 0);
        else vqx_run_halve_f32(work, across, down, ref, dis, from->sample - level[first].sample, from->w * (uint32_t)sizeof(float),
                               from->w, from->h, 1, ref, dis, to->sample - level[first].sample);
    }
}

/* The unit for sums in order, as fine as the terms allow: they are below 4, or, of samples up to 2^14 that four halvings make up to
 * 14 times larger, below 2^32. */
static int32_t unit_of_terms(uint32_t n, bool large) {
    const int32_t unit = 32 - vqx_clz_u32(n) + (large ? 32 : 2) - 61;
    return unit > -30 ? unit : -30;
}

void vqx_ssim_twin_launch(vqx_work *work, uint32_t at, const vqx_ssim_twin *twin, uint64_t ordered) {
    vqx_ssim_level level[MAX_LEVELS + 1];
    levels_of(twin, level);
    const uint32_t smaller = twin->factor > 1 ? 0 : 1; /* the first level that is made */
    const uint32_t tiles = level[twin->levels].tile, fraction = fraction_of(level);
    const vqx_buffer sums = vqx_work_scratch(work, TILE_SUMS, (size_t)VQX_SSIM_KINDS * tiles * sizeof(uint64_t));
    const vqx_buffer sizes = vqx_work_scratch(work, TILE_SIZES, (size_t)VQX_SSIM_KINDS * tiles * sizeof(uint32_t));
    if (smaller < twin->levels)
        make_smaller(work, twin, level, smaller);
    for (uint32_t i = 0, end; i < twin->levels; i = end) {
        const vqx_ssim_level *const l = &level[i], *const first = &level[i < smaller ? i : smaller];
        const uint32_t wanted = twin->wanted >> VQX_SSIM_KINDS * (uint32_t)(first - level);
        const uint32_t store = (uint32_t)(ordered & twin->wanted) >> VQX_SSIM_KINDS * i & ((1u << VQX_SSIM_KINDS) - 1);
        const uint32_t kinds = (uint32_t)__builtin_popcount(store);
        vqx_buffer terms = sums; /* left alone */
        if (store)
            terms = vqx_work_scratch(work, TERMS, (size_t)kinds * columns_of(l) * rows_of(l) * sizeof(uint64_t));
        end = i < smaller || ordered ? i + 1 : twin->levels;
        if (i < smaller)
            VQX_RUN_DEPTH(ssim, twin->format->bits)
        (work, level[end].tile, 1, work->plane[0][0], work->plane[1][0], work->pitch[0], l->w, l->h, 0, unit_of(twin->format->bits),
         wanted, store, fraction, sums, sizes, 0, tiles, terms);
        else vqx_run_ssim_f32(work, level[end].tile - l->tile, 1, vqx_work_scratch(work, SMALLER_REF, 0),
                              vqx_work_scratch(work, SMALLER_DIS, 0), 0, first->w, first->h, l->tile - first->tile, 1, wanted,
                              store, fraction, sums, sizes, l->tile, tiles, terms);
        if (store) {
            const int32_t unit = unit_of_terms(columns_of(l) * rows_of(l), large_terms(ordered));
            vqx_ordered_sum(work, &(vqx_ordered){terms, columns_of(l), rows_of(l), kinds, unit},
                            at + VQX_SSIM_WORDS * i + 2 * VQX_SSIM_KINDS);
        }
    }
    vqx_run_ssim_total(work, VQX_SSIM_KINDS, twin->levels, sums, sizes, level->w, level->h, twin->wanted, fraction, tiles,
                       work->result, at);
}

uint64_t vqx_ssim_twin_settle(const vqx_ssim_twin *twin, const uint64_t *words, uint32_t i, uint32_t kind, uint64_t ordered,
                              double *mean) {
    vqx_ssim_level level[MAX_LEVELS + 1];
    levels_of(twin, level);
    const uint32_t n = columns_of(&level[i]) * rows_of(&level[i]);
    const uint64_t bit = (uint64_t)1 << (VQX_SSIM_KINDS * i + kind);
    const uint64_t *const word = words + VQX_SSIM_WORDS * i;
    const bool large = word[2 * kind + 1] == UINT64_MAX;
    if (ordered & bit && (!large || large_terms(ordered))) {
        const uint64_t before = (ordered & twin->wanted & (bit - 1)) >> VQX_SSIM_KINDS * i;
        const uint64_t sum = word[2 * VQX_SSIM_KINDS + (uint32_t)__builtin_popcountll(before)];
        vqx_ssim_mean((vqx_ssim_sum){vqx_f64_of_bits(sum), 0}, n, mean);
        return 0;
    }
    const double sum = ldexp((double)(int64_t)word[2 * kind], -(int)fraction_of(level));
    /* a little more, as conversions and vqx_ssim_mean() round, too */
    const double off = (double)word[2 * kind + 1] * (1.0001 * 0x1p-48) + fabs(sum) * 0x1p-51;
    if (vqx_ssim_mean((vqx_ssim_sum){sum, off}, n, mean) && !large)
        return 0;
    return large ? bit | LARGE_TERMS | (ordered & twin->wanted) : bit;
}
