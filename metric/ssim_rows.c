/* The windows of metric/ssim.h, compiled once per instruction set.
 *
 * The picture is walked in tiles of columns, and down each tile in bands of rows. The filter along the rows runs on transposed
 * rows, so that both filters are the same code: lanes side by side, 11 sums under way that stay in registers, and each sample
 * multiplied by the 6 distinct taps only once. A band of the five filtered pictures lies in the L2 cache.
 *
 * Sums of terms go in any order, unless raster order is asked for. */
#include "metric/ssim_rows.h"

/* The pictures R, T, R * R, T * T, R * T. */
enum { PICTURES = 5 };

enum {
    REACH = VQX_SSIM_TAPS - 1,
    BAND = VQX_SSIM_TAPS * GROUP,                       /* rows */
    TILE = 144,                                         /* columns of windows, a multiple of GROUP */
    INPUT = (TILE + REACH + GROUP - 1) / GROUP * GROUP, /* columns of samples */
};

/* ---- the filter ---- */

/* One more sample for the sums under way: s0 begins (0 + p is p, but for the sign of a zero, which no term shows), s10 is done.
 * Each product is used up before the next is made, to spare registers. */
#define STEP(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10)                    \
    do {                                                                     \
        f32v q = LOAD(a);                                                    \
        if (b)                                                               \
            q *= LOAD(b);                                                    \
        wide p, sign;                                                        \
        if (negative)                                                        \
            q = split(q, &sign);                                             \
        s0 = product(q, vqx_ssim_tap[5], negative ? &sign : NULL);           \
        s10 = plus(s10, s0);                                                 \
        store_apart(out, s10);                                               \
        p = product(q, vqx_ssim_tap[4], negative ? &sign : NULL);            \
        s1 = plus(s1, p);                                                    \
        s9 = plus(s9, p);                                                    \
        p = product(q, vqx_ssim_tap[3], negative ? &sign : NULL);            \
        s2 = plus(s2, p);                                                    \
        s8 = plus(s8, p);                                                    \
        p = product(q, vqx_ssim_tap[2], negative ? &sign : NULL);            \
        s3 = plus(s3, p);                                                    \
        s7 = plus(s7, p);                                                    \
        p = product(q, vqx_ssim_tap[1], negative ? &sign : NULL);            \
        s4 = plus(s4, p);                                                    \
        s6 = plus(s6, p);                                                    \
        s5 = plus(s5, product(q, vqx_ssim_tap[0], negative ? &sign : NULL)); \
        a += step;                                                           \
        b = b ? b + step : NULL;                                             \
        out += step;                                                         \
    } while (0)

/* 11 * n steps over samples `step` floats apart, WALK lanes side by side: of a, or of a * b where there is a b. Output i is the sum
 * that sample i completes; it may lie on the sample. state: sums under way before and after. */
VQX_FN void filter_lanes(wide state[VQX_SSIM_TAPS], const f32 *a, const f32 *b, ptrdiff_t step, u32 n, f32 *out, bool negative) {
    wide s0, s1 = state[1], s2 = state[2], s3 = state[3], s4 = state[4], s5 = state[5];
    wide s6 = state[6], s7 = state[7], s8 = state[8], s9 = state[9], s10 = state[10];
    for (; n > 0; n--) {
        STEP(s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10);
        STEP(s10, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9);
        STEP(s9, s10, s0, s1, s2, s3, s4, s5, s6, s7, s8);
        STEP(s8, s9, s10, s0, s1, s2, s3, s4, s5, s6, s7);
        STEP(s7, s8, s9, s10, s0, s1, s2, s3, s4, s5, s6);
        STEP(s6, s7, s8, s9, s10, s0, s1, s2, s3, s4, s5);
        STEP(s5, s6, s7, s8, s9, s10, s0, s1, s2, s3, s4);
        STEP(s4, s5, s6, s7, s8, s9, s10, s0, s1, s2, s3);
        STEP(s3, s4, s5, s6, s7, s8, s9, s10, s0, s1, s2);
        STEP(s2, s3, s4, s5, s6, s7, s8, s9, s10, s0, s1);
        STEP(s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s0);
    }
    state[1] = s1, state[2] = s2, state[3] = s3, state[4] = s4, state[5] = s5;
    state[6] = s6, state[7] = s7, state[8] = s8, state[9] = s9, state[10] = s10;
}

static __attribute__((noinline)) void filter_plain(wide *state, const f32 *a, ptrdiff_t step, u32 n, f32 *out) {
    filter_lanes(state, a, NULL, step, n, out, false);
}
static __attribute__((noinline)) void filter_product(wide *state, const f32 *a, const f32 *b, ptrdiff_t step, u32 n, f32 *out) {
    filter_lanes(state, a, b, step, n, out, false);
}
static __attribute__((noinline)) void filter_signed(wide *state, const f32 *a, ptrdiff_t step, u32 n, f32 *out) {
    filter_lanes(state, a, NULL, step, n, out, true);
}
static __attribute__((noinline)) void filter_product_signed(wide *state, const f32 *a, const f32 *b, ptrdiff_t step, u32 n,
                                                            f32 *out) {
    filter_lanes(state, a, b, step, n, out, true);
}

/* GROUP lanes side by side. negative: a sample below 0 may be among them. */
static void filter(wide state[GROUP / WALK][VQX_SSIM_TAPS], const f32 *a, const f32 *b, ptrdiff_t step, u32 n, f32 *out,
                   bool negative) {
    for (int i = 0; i < GROUP / WALK; i++, a += WALK, b = b ? b + WALK : NULL, out += WALK) {
        if (b && negative)
            filter_product_signed(state[i], a, b, step, n, out);
        else if (b)
            filter_product(state[i], a, b, step, n, out);
        else if (negative)
            filter_signed(state[i], a, step, n, out);
        else
            filter_plain(state[i], a, step, n, out);
    }
}

/* ---- a band of a tile ---- */

/* Scratch of one walk. */
typedef struct work {
    const vqx_ssim_task *task;
    u32 ow, first, end;                          /* windows of a row; the rows */
    _Alignas(64) f32 line[GROUP][INPUT];         /* samples, as they lie in the picture */
    f32 column[2][INPUT + VQX_SSIM_TAPS][GROUP]; /* of R and T, transposed */
    f32 filtered[INPUT + VQX_SSIM_TAPS][GROUP];  /* along the rows, transposed */
    f32 picture[PICTURES][BAND][TILE];           /* filtered along the rows, then along the columns, too */
    f64 term[VQX_SSIM_MEANS][TILE];              /* of one row */
} work;

/* The sums under way at the lower edge of a band, of all tiles. */
typedef struct edge {
    wide sum[PICTURES][TILE / GROUP][GROUP / WALK][VQX_SSIM_TAPS];
} edge;

/* GROUP rows from y on, the last that a window reaches repeated below it, of n samples from column x on, to lanes; true: a sample
 * may be negative. */
static bool load_columns(work *w, int side, u32 x, u32 y, u32 n) {
    const vqx_ssim_picture *p = side == 0 ? &w->task->ref : &w->task->dis;
    const u32 last = w->end + REACH - 1, rest = p->plane.width - x, whole = (n + GROUP - 1) / GROUP * GROUP;
    u32 signs = 0;
    for (u32 i = 0; i < GROUP; i++)
        load_row(p, x, y + i < last ? y + i : last, whole < rest ? whole : rest, w->line[i], &signs);
    for (u32 c = 0; c < n; c += GROUP) {
        f32v in[GROUP], out[GROUP];
        for (u32 i = 0; i < GROUP; i++)
            in[i] = *(const f32v *)&w->line[lane(i)][c];
        transpose(in, out);
        for (u32 i = 0; i < GROUP; i++)
            *(f32v *)w->column[side][c + i] = out[i];
    }
    return signs >> 31;
}

/* Rows of filtered columns, back to rows, with their columns in lane order. */
static void store_rows(const work *w, u32 columns, f32 *to) {
    for (u32 c = 0; c < columns; c += GROUP) {
        f32v in[GROUP], out[GROUP];
        for (u32 i = 0; i < GROUP; i++)
            in[i] = *(const f32v *)w->filtered[REACH + c + lane(i)];
        transpose(in, out);
        for (u32 i = 0; i < GROUP; i++)
            *(f32v *)(to + i * TILE + c) = out[i];
    }
}

/* The five filtered pictures of `columns` windows per row from column x on, in w->picture: row i is the window that ends in row y +
 * i. */
static void filter_band(work *w, edge *e, u32 x, u32 columns, u32 y, u32 rows) {
    static const u8 factor[PICTURES][2] = {{0, 2}, {1, 2}, {0, 0}, {1, 1}, {0, 1}}; /* 0 R, 1 T, 2 none */
    bool below[3] = {false};
    for (u32 r = 0; r < rows; r += GROUP) {
        bool negative[3] = {load_columns(w, 0, x, y + r, columns + REACH), load_columns(w, 1, x, y + r, columns + REACH), false};
        for (int i = 0; i < PICTURES; i++) {
            const u8 a = factor[i][0], b = factor[i][1];
            wide state[GROUP / WALK][VQX_SSIM_TAPS] = {0};
            filter(state, w->column[a][0], b < 2 ? w->column[b][0] : NULL, GROUP,
                   (columns + REACH + VQX_SSIM_TAPS - 1) / VQX_SSIM_TAPS, w->filtered[0], a != b && (negative[a] || negative[b]));
            store_rows(w, columns, w->picture[i][r]);
        }
        below[0] |= negative[0];
        below[1] |= negative[1];
    }
    for (int i = 0; i < PICTURES; i++) {
        const u8 a = factor[i][0], b = factor[i][1];
        for (u32 c = 0; c < columns; c += GROUP) {
            f32 *at = &w->picture[i][0][c];
            filter(e->sum[i][c / GROUP], at, NULL, TILE, (rows + VQX_SSIM_TAPS - 1) / VQX_SSIM_TAPS, at,
                   a != b && (below[a] || below[b]));
        }
    }
}

/* ---- terms and sums ---- */

/* The terms of n windows of row i of the band; near: with the one-division form of l * c * s. */
VQX_FN void terms_of(work *w, u32 i, u32 n, unsigned kinds, bool near) {
    const f32 *restrict r = w->picture[0][i], *restrict t = w->picture[1][i], *restrict rr = w->picture[2][i];
    const f32 *restrict tt = w->picture[3][i], *restrict rt = w->picture[4][i];
    f64 *restrict lcs = w->term[VQX_SSIM_LCS], *restrict l = w->term[VQX_SSIM_L], *restrict c = w->term[VQX_SSIM_C];
    f64 *restrict s = w->term[VQX_SSIM_S];
    for (u32 x = 0; x < n; x++) {
        const vqx_ssim_terms terms = vqx_ssim_window(r[x], t[x], rr[x], tt[x], rt[x]);
        if (kinds >> VQX_SSIM_LCS & 1)
            lcs[x] = near ? vqx_ssim_lcs_near(terms) : vqx_ssim_lcs(terms);
        if (kinds >> VQX_SSIM_L & 1)
            l[x] = vqx_ssim_l(terms);
        if (kinds >> VQX_SSIM_C & 1)
            c[x] = vqx_ssim_c(terms);
        if (kinds >> VQX_SSIM_S & 1)
            s[x] = (f64)terms.s;
    }
}

#define LCS (1u << VQX_SSIM_LCS)
#define L (1u << VQX_SSIM_L)
#define C (1u << VQX_SSIM_C)
#define S (1u << VQX_SSIM_S)

/* A sum in any order: of the terms and of their absolute values, in lanes of `adds` pairs of terms each. */
typedef struct loose {
    f64v sum, size;
    u32 adds;
} loose;

/* Two vectors at a time: chains of additions are half as long. */
static void add_loose(loose *sum, f64 *term, u32 n) {
    for (u32 x = n; x % GROUP; x++)
        term[x] = 0;
    loose s = *sum;
    for (u32 x = 0; x < n; x += GROUP) {
        const f64v a = *(const f64v *)(term + x), b = *(const f64v *)(term + x + LANES);
        s.sum += a + b;
        s.size += (f64v)((u64v)a & ~SIGNS_F64) + (f64v)((u64v)b & ~SIGNS_F64);
    }
    s.adds += (n + GROUP - 1) / GROUP;
    *sum = s;
}

static f64 total(f64v v) {
    f64 sum = 0;
    for (int i = 0; i < LANES; i++)
        sum += v[i];
    return sum;
}

/* The sum of all lanes. */
static vqx_ssim_sum tight(const vqx_ssim_task *task, const loose *sum) {
    const u32 n = (task->ref.plane.width - REACH) * (task->ref.plane.height - REACH);
    return (vqx_ssim_sum){total(sum->sum), vqx_ssim_off(total(sum->size), n, sum->adds + 1 + LANES)};
}

/* Rows of the band from y on whose windows begin above the first. */
static u32 incomplete(const work *w, u32 y) {
    const u32 complete = w->first + REACH;
    return y < complete ? complete - y : 0;
}

/* The sums of the kinds wanted. */
static void walk_any_order(work *w, edge *e, unsigned kinds, vqx_ssim_sum result[VQX_SSIM_MEANS]) {
    loose sum[VQX_SSIM_MEANS] = {0};
    for (u32 x = 0; x < w->ow; x += TILE) {
        const u32 columns = w->ow - x < TILE ? w->ow - x : TILE;
        memset(e, 0, sizeof(*e));
        for (u32 y = w->first; y < w->end + REACH; y += BAND) {
            const u32 rows = w->end + REACH - y < BAND ? w->end + REACH - y : BAND;
            filter_band(w, e, x, columns, y, rows);
            for (u32 i = incomplete(w, y); i < rows; i++) {
                switch (kinds) {
                case LCS:
                    terms_of(w, i, columns, LCS, true);
                    break;
                case C | S:
                    terms_of(w, i, columns, C | S, true);
                    break;
                case L | C | S:
                    terms_of(w, i, columns, L | C | S, true);
                    break;
                case LCS | C | S:
                    terms_of(w, i, columns, LCS | C | S, true);
                    break;
                default:
                    terms_of(w, i, columns, LCS | L | C | S, true);
                }
                for (int k = 0; k < VQX_SSIM_MEANS; k++)
                    if (kinds >> k & 1)
                        add_loose(&sum[k], w->term[k], columns);
            }
        }
    }
    for (int k = 0; k < VQX_SSIM_MEANS; k++)
        if (kinds >> k & 1)
            result[k] = tight(w->task, &sum[k]);
}

static u32 tiles(u32 ow) {
    return (ow + TILE - 1) / TILE;
}

/* What lies behind the work in the scratch: the edges of all tiles, then room for terms. */
static edge *edges_of(work *w) {
    return (edge *)((u8 *)w + (sizeof(work) + 63) / 64 * 64);
}

/* The sum of terms of a kind in raster order. terms: room for those of a band of whole rows. */
static f64 walk_in_order(work *w, edge *e, f64 *terms, int kind) {
    const size_t step = (size_t)tiles(w->ow) * TILE;
    f64 sum = 0;
    memset(e, 0, sizeof(*e) * tiles(w->ow));
    for (u32 y = 0; y < w->end + REACH; y += BAND) {
        const u32 rows = w->end + REACH - y < BAND ? w->end + REACH - y : BAND;
        const u32 first = incomplete(w, y);
        for (u32 x = 0; x < w->ow; x += TILE) {
            const u32 columns = w->ow - x < TILE ? w->ow - x : TILE;
            filter_band(w, &e[x / TILE], x, columns, y, rows);
            for (u32 i = first; i < rows; i++) {
                terms_of(w, i, columns, LCS | L | C | S, false);
                memcpy(terms + i * step + x, w->term[kind], columns * sizeof(f64));
            }
        }
        for (u32 i = first; i < rows; i++)
            for (u32 x = 0; x < w->ow; x++)
                sum += terms[i * step + x];
    }
    return sum;
}

size_t VQX_ROWS(vqx_ssim_scratch)(uint32_t width, uint32_t height) {
    (void)height;
    const size_t windows = (sizeof(work) + 63) / 64 * 64 + tiles(width) * (sizeof(edge) + sizeof(f64) * BAND * TILE);
    const size_t smaller = (DECIMATE_SCRATCH(width) + 63) / 64 * 64;
    return windows > smaller ? windows : smaller;
}

void VQX_ROWS(vqx_ssim_windows)(const vqx_ssim_task *task, void *scratch, vqx_ssim_sum sum[VQX_SSIM_MEANS]) {
    work *const w = scratch;
    edge *const e = edges_of(w);
    memset(w, 0, sizeof(*w)); /* lanes beside the picture are computed, too, and must not be subnormal, which is slow */
    memset(sum, 0, VQX_SSIM_MEANS * sizeof(*sum));
    w->task = task;
    w->ow = task->ref.plane.width - REACH;
    w->first = task->rows.first;
    w->end = task->rows.end;
    if (w->first == w->end)
        return;
    if (!task->ordered) {
        walk_any_order(w, e, task->wanted, sum);
        return;
    }
    for (int k = 0; k < VQX_SSIM_MEANS; k++)
        if (task->wanted >> k & 1)
            sum[k].sum = walk_in_order(w, e, (f64 *)(e + tiles(w->ow)), k);
}
