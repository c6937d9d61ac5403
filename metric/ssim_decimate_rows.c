/* The smaller pictures of metric/ssim.h, compiled once per instruction set. */
#include "dialect/cpu.h"
#include "kernel/decimate.h"
#include "metric/ssim_rows.h"

/* n samples of the row that stands for row y, from the column that stands for column x on. */
static void load_mirrored(const vqx_ssim_picture *p, i32 x, i32 y, u32 n, f32 *to, u32 *signs) {
    const i32 w = (i32)p->plane.width, end = x + (i32)n;
    const i32 first = x < 0 ? 0 : x, last = end > w ? w : end;
    load_row(p, (u32)first, (u32)vqx_mirror(y, (i32)p->plane.height), (u32)(last - first), to + (first - x), signs);
    for (i32 i = x; i < first; i++)
        to[i - x] = to[vqx_mirror(i, w) - x];
    for (i32 i = last; i < end; i++)
        to[i - x] = to[vqx_mirror(i, w) - x];
}

/* ---- a box of f x f equal taps ---- */

/* Sums of f neighbours, of n * f values to n: while f is even those of pairs, which the compiler vectorises (by indices that cannot
 * wrap). Returns where they are, in v or spare. */
#define DEFINE_ADD_NEIGHBOURS(name, type)                                           \
    VQX_FN void name##_pairs(const type *restrict v, type *restrict to, size_t n) { \
        for (size_t i = 0; i < n; i++)                                              \
            to[i] = v[2 * i] + v[2 * i + 1];                                        \
    }                                                                               \
    static const type *name(type *v, type *spare, u32 n, u32 f) {                   \
        for (; f % 2 == 0; f /= 2) {                                                \
            name##_pairs(v, spare, (size_t)n *(f / 2));                             \
            type *const swap = v;                                                   \
            v = spare;                                                              \
            spare = swap;                                                           \
        }                                                                           \
        for (u32 i = 0; i < n && f > 1; i++) {                                      \
            type sum = v[i * f];                                                    \
            for (u32 u = 1; u < f; u++)                                             \
                sum += v[i * f + u];                                                \
            v[i] = sum;                                                             \
        }                                                                           \
        return v;                                                                   \
    }
DEFINE_ADD_NEIGHBOURS(add_neighbours_f32, f32)
DEFINE_ADD_NEIGHBOURS(add_neighbours_f64, f64)

/* Samples are whole multiples of 2^-8 below 2^8. Up to f = 16 their sums are exact in fp32, and where f is a power of 2 the tap is
 * one, too: the tap may come last. Up to f = 128 the rounded products, multiples of 2^-45, have exact fp64 sums. So any order will
 * do. */
void VQX_ROWS(vqx_ssim_box)(const vqx_ssim_picture *from, uint32_t f, vqx_ssim_rows rows, float *to, void *scratch) {
    if (f > 128) { /* of pictures above 32895 x 32895 only */
        vqx_ssim_box_definition(from, f, rows, to, scratch);
        return;
    }
    const u32 ow = vqx_ssim_box_side(from->plane.width, f), n = ow * f;
    const f32 tap = vqx_box_tap((i32)f);
    const bool simple = f <= 16 && (f & (f - 1)) == 0;
    f64 *const restrict sum = scratch, *const spare = sum + n;
    f32 *const restrict line = (f32 *)(spare + n), *const restrict sum_f32 = scratch;
    to += (size_t)rows.first * ow;
    for (u32 y = rows.first; y < rows.end; y++, to += ow) {
        for (u32 v = 0; v < f; v++) {
            u32 signs = 0;
            const bool first = v == 0;
            load_mirrored(from, -(i32)(f / 2), (i32)(y * f + v) - (i32)(f / 2), n, first && simple ? sum_f32 : line, &signs);
            for (u32 i = 0; !simple && i < n; i++)
                sum[i] = vqx_ssim_add(first ? 0 : sum[i], line[i], tap);
            for (u32 i = 0; simple && !first && i < n; i++)
                sum_f32[i] += line[i];
        }
        if (simple) {
            const f32 *total = add_neighbours_f32(sum_f32, (f32 *)spare, ow, f);
            for (u32 x = 0; x < ow; x++)
                to[x] = total[x] * tap;
        } else {
            const f64 *total = add_neighbours_f64(sum, spare, ow, f);
            for (u32 x = 0; x < ow; x++)
                to[x] = (f32)total[x];
        }
    }
}

/* ---- halving ---- */

enum {
    REACH = VQX_HALVE_TAPS / 2,
    TILE = 128,           /* columns of the smaller picture, a multiple of GROUP */
    PHASE = TILE + GROUP, /* every other sample that a row of them reaches, and a few more */
    PAIRS = 8,            /* of rows, in a band */
};

/* fp64 values in the order of lanes: the even ones, then the odd ones, where WALK has both. */
enum { ORDERS = WALK / LANES };
typedef f64 lanes_row[ORDERS][PHASE / ORDERS];

/* Scratch of one picture. */
typedef struct work {
    /* under way at the lower edge of the band */
    union {
        wide sum[TILE / WALK][REACH];
        wide down_sum[REACH + 1][PHASE / WALK][REACH];
    };
    _Alignas(64) lanes_row down[REACH + 1][PAIRS]; /* sums down the columns, by distance of the column from the centre */
    _Alignas(64) f32 phase[PAIRS][2][2][PHASE];    /* the rows of a pair: their even samples, their odd ones */
    f32 line[2 * PHASE];
    f32 done[PAIRS][TILE];
} work;
_Static_assert(sizeof(work) <= DECIMATE_SCRATCH(0), "");

/* A row of the filter, `distance` rows from its centre, on its samples, the even ones first: for sum a, which has it below the
 * centre, and sum b, which has it above. Either may be NULL; begins: there is no b yet. */
VQX_FN void add_row(wide *a, wide *b, bool begins, const f32 *even, int distance, bool negative) {
#pragma GCC unroll 9
    for (int u = 0; u < VQX_HALVE_TAPS; u++) {
        const f32 tap = vqx_halve_tap[distance][u < REACH ? REACH - u : u - REACH];
        f32v q = LOAD(even + u % 2 * PHASE + u / 2);
        wide sign;
        if (negative)
            q = split(q, &sign);
        const wide p = product(q, tap < 0 ? -tap : tap, negative ? &sign : NULL);
        if (begins && u == 0)
            *b = p;
        else
            *b = tap < 0 ? minus(*b, p) : plus(*b, p);
        if (a)
            *a = tap < 0 ? minus(*a, p) : plus(*a, p);
    }
}

/* WALK columns of a band. done: the rows that its pairs complete. state: sums of the rows that the next pairs complete. */
VQX_FN void halve_lanes(wide state[REACH], const work *w, u32 x, u32 pairs, f32 *done, bool negative) {
    wide s0 = state[0], s1 = state[1], s2 = state[2], s3 = state[3], s4;
    for (u32 i = 0; i < pairs; i++, done += TILE) {
        const f32 *upper = &w->phase[i][0][0][x], *lower = &w->phase[i][1][0][x];
        add_row(&s0, &s4, true, upper, 4, negative);
        add_row(&s1, &s3, false, upper, 2, negative);
        add_row(NULL, &s2, false, upper, 0, negative);
        store_lanes(done, s0);
        add_row(&s1, &s4, false, lower, 3, negative);
        add_row(&s2, &s3, false, lower, 1, negative);
        s0 = s1, s1 = s2, s2 = s3, s3 = s4;
    }
    state[0] = s0, state[1] = s1, state[2] = s2, state[3] = s3;
}

static __attribute__((noinline)) void halve_plain(wide *state, const work *w, u32 x, u32 pairs, f32 *done) {
    halve_lanes(state, w, x, pairs, done, false);
}
static __attribute__((noinline)) void halve_signed(wide *state, const work *w, u32 x, u32 pairs, f32 *done) {
    halve_lanes(state, w, x, pairs, done, true);
}

/* ---- where samples are no fp32 pictures the sums are integer: down the columns first, then along the row ---- */

/* *a += p * tap's sign. */
VQX_FN void add_signed(wide *a, wide p, f32 tap) {
    *a = tap < 0 ? minus(*a, p) : plus(*a, p);
}

/* WALK columns of samples from x on, which are u columns from the centre: the sums of the rows that the pairs complete. */
VQX_FN void down_lanes(work *w, int u, u32 x, u32 pairs) {
    wide *const state = w->down_sum[u][x / WALK];
    wide s0 = state[0], s1 = state[1], s2 = state[2], s3 = state[3], s4;
    f32 tap[5], size[5];
    for (int v = 0; v < 5; v++) {
        tap[v] = vqx_halve_tap[v][u];
        size[v] = tap[v] < 0 ? -tap[v] : tap[v];
    }
    for (u32 i = 0; i < pairs; i++) {
        f32v q = LOAD(&w->phase[i][0][u % 2][x]);
        wide p = product(q, size[4], NULL);
        add_signed(&s0, p, tap[4]);
        *(f64v *)&w->down[u][i][0][x / ORDERS] = s0.even;
        s4.even = tap[4] < 0 ? -p.even : p.even;
#if LANES == 8
        *(f64v *)&w->down[u][i][1][x / ORDERS] = s0.odd;
        s4.odd = tap[4] < 0 ? -p.odd : p.odd;
#endif
        p = product(q, size[2], NULL);
        add_signed(&s1, p, tap[2]);
        add_signed(&s3, p, tap[2]);
        add_signed(&s2, product(q, size[0], NULL), tap[0]);
        q = LOAD(&w->phase[i][1][u % 2][x]);
        p = product(q, size[3], NULL);
        add_signed(&s1, p, tap[3]);
        add_signed(&s4, p, tap[3]);
        p = product(q, size[1], NULL);
        add_signed(&s2, p, tap[1]);
        add_signed(&s3, p, tap[1]);
        s0 = s1, s1 = s2, s2 = s3, s3 = s4;
    }
    state[0] = s0, state[1] = s1, state[2] = s2, state[3] = s3;
}

/* WALK values of a row from x + k on. */
VQX_FN wide along(const lanes_row *row, u32 x, int k) {
    wide v;
#if LANES == 8
    v.even = *(const f64v_at *)&(*row)[k % 2][x / 2 + k / 2];
    v.odd = *(const f64v_at *)&(*row)[1 - k % 2][x / 2 + (k + 1) / 2];
#else
    v.even = *(const f64v_at *)&(*row)[0][x + k];
#endif
    return v;
}

/* WALK samples of row i that the band completes. */
VQX_FN void add_along(const work *w, u32 i, u32 x, f32 *done) {
    static const u8 from[VQX_HALVE_TAPS][2] = {{0, 2}, {1, 1}, {1, 2}, {2, 1}, {2, 3}, {3, 0}, {3, 3}, {4, 0}, {4, 4}};
    wide sum = along(&w->down[0][i], x, 2);
#pragma GCC unroll 8
    for (int n = 1; n < VQX_HALVE_TAPS; n++)
        sum = plus(sum, along(&w->down[from[n][0]][i], x, from[n][1]));
    store_lanes(done, sum);
}

static __attribute__((noinline)) void halve_exact(work *w, u32 columns, u32 pairs) {
#pragma GCC unroll 5
    for (int u = 0; u <= REACH; u++)
        for (u32 x = 0; x < columns + REACH; x += WALK)
            down_lanes(w, u, x, pairs);
    for (u32 i = 0; i < pairs; i++)
        for (u32 x = 0; x < columns; x += WALK)
            add_along(w, i, x, &w->done[i][x]);
}

/* ---- all ---- */

static void split_phases(const f32 *restrict line, f32 *restrict even, f32 *restrict odd, size_t n) {
    for (size_t i = 0; i < n; i++) {
        even[i] = line[2 * i];
        odd[i] = line[2 * i + 1];
    }
}

void VQX_ROWS(vqx_ssim_halve)(const vqx_ssim_picture *from, vqx_ssim_rows rows, float *to, void *scratch) {
    work *const w = scratch;
    const u32 ow = (from->plane.width + 1) / 2;
    const i32 first = (i32)rows.first, end = (i32)rows.end;
    for (u32 x = 0; x < ow && first < end; x += TILE) {
        const u32 columns = ow - x < TILE ? ow - x : TILE;
        memset(w, 0, sizeof(*w));
        /* The pair p are the rows 2 p and 2 p + 1; it completes the row p - 2 of the smaller picture. */
        for (i32 p = first - 2; p < end + 2; p += PAIRS) {
            const u32 pairs = (u32)(end + 2 - p < PAIRS ? end + 2 - p : PAIRS);
            u32 signs = 0;
            for (u32 i = 0; i < 2 * pairs; i++) {
                load_mirrored(from, 2 * (i32)x - REACH, 2 * p + (i32)i, 2 * (columns + REACH), w->line, &signs);
                split_phases(w->line, w->phase[i / 2][i % 2][0], w->phase[i / 2][i % 2][1], columns + REACH);
            }
            if (from->bits < 32)
                halve_exact(w, columns, pairs);
            for (u32 c = 0; c < columns && from->bits == 32; c += WALK)
                (signs >> 31 ? halve_signed : halve_plain)(w->sum[c / WALK], w, c, pairs, &w->done[0][c]);
            for (i32 i = 0; i < (i32)pairs; i++)
                if (p + i - 2 >= first)
                    memcpy(to + (size_t)(p + i - 2) * ow + x, w->done[i], columns * sizeof(f32));
        }
    }
}
