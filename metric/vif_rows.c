/* vif in one walk over the rows of all scales.
 *
 * Columns stand in lanes: lane l of vector k of a row is column l K + k, so that a neighbour column is the next vector and a halved
 * row has the same layout with K / 2. Rows and columns are filtered two at a time: a 32-bit lane holds rows (or columns) 2a and
 * 2a + 1 as halves, and one set of pairs serves both results, with taps moved by one. Products are of signed halves: there, u
 * stands for the unsigned value u + 2^15.
 */
#include "metric/vif.h"

#include "kernel/vif.h"
#include "metric/vif_vector.h"

/* Flips the top bits of both halves. Added to a sum over flipped halves, whose taps sum to 2^16, it gives the sum over the
 * unflipped ones and the 2^15 that rounds it. */
#define FLIP 0x80008000u
#define MAX_REACH 4
#define RING 16  /* row pairs; at least 2 reach + 2 */
#define CHUNK 32 /* vectors between the horizontal pass and the statistics; even */
/* Words of a column pair after the vertical pass: low and high halves of (m1, m2), p11, p22, p12. */
#define MOMENTS 8

/* Pairs left and right (or above and below) of a pair that its two results look at. */
static const i32 reach[VQX_VIF_SCALES] = {4, 2, 1, 1};

/* Taps for the pairs -reach … reach of the first result, and of the second; `rest` is what the middle tap of scale 3 has beyond 16
 * bits. */
typedef struct tap_pairs {
    v16 tap[2][2 * MAX_REACH + 1];
    v16 rest[2];
} tap_pairs;

/* Row pairs, or rows, from first on, before end. */
typedef struct range {
    i32 first, end;
} range;

typedef struct scale {
    i32 width, height;
    i32 columns; /* K */
    i32 pairs;   /* of columns in a lane, an odd last one with a partner that does not count */
    v32 *ring;   /* row pairs, 2 pairs vectors of each side in turn; half as wide for 8-bit samples */
    size_t ring_vectors;
    v32 *valid;    /* all ones where a column is one */
    range counted; /* row pairs whose statistics are made */
    range halved;  /* row pairs whose low-pass is made: rows of the next scale */
    range done;    /* both */
    i32 rows;      /* one past the last row that is there */
    i32 built;     /* one past the last row pair that is in the ring */
    i32 next;      /* row pair to do */
} scale;

/* Pixels between the horizontal pass and the statistics: variances, then the logarithms' arguments. */
typedef struct chunk {
    i32 s1[CHUNK * LANES], s2[CHUNK * LANES], s12[CHUNK * LANES];
    u32 reference[CHUNK * LANES], noise[CHUNK * LANES], distorted[CHUNK * LANES];
} chunk;

typedef struct walk {
    const vqx_vif_frame *frame;
    tap_pairs *taps; /* of the scales */
    scale scale[VQX_VIF_SCALES];
    v32 *moments[2]; /* of a row pair; MAX_REACH column pairs may be written before and after */
    v32 *low;        /* the low-pass of a row, likewise */
    chunk *chunk;
    u16 *line[2];
    uint64_t *sums;
} walk;

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

static i32 columns_of(uint32_t width) {
    return (i32)((width + 8 * LANES - 1) / (8 * LANES)) * 8;
}

/* The next `vectors` of the scratch, or their size only when there is none yet. */
static v32 *take(v32 *scratch, size_t *used, size_t vectors) {
    v32 *at = scratch ? scratch + *used : NULL;
    *used += vectors;
    return at;
}

/* Cuts the scratch up; returns the vectors used. */
static size_t lay_out(walk *w, v32 *scratch, uint32_t width, uint32_t height, uint32_t bits) {
    size_t used = 0;
    const i32 pairs = columns_of(width) / 2;
    w->taps = (tap_pairs *)take(scratch, &used, VQX_VIF_SCALES * sizeof(tap_pairs) / sizeof(v32));
    for (u32 s = 0; s < VQX_VIF_SCALES; s++) {
        scale *sc = &w->scale[s];
        *sc = (scale){.width = (i32)(width >> s), .height = (i32)(height >> s), .columns = columns_of(width) >> s};
        sc->pairs = (sc->columns + 1) / 2;
        sc->ring_vectors = (size_t)sc->pairs * (s == 0 && bits == 8 ? 2 : 4);
        sc->ring = take(scratch, &used, RING * sc->ring_vectors);
        sc->valid = take(scratch, &used, 2 * (size_t)sc->pairs);
    }
    for (u32 o = 0; o < 2; o++)
        w->moments[o] = take(scratch, &used, MOMENTS * (size_t)(pairs + 2 * MAX_REACH));
    w->low = take(scratch, &used, 2 * (size_t)(pairs + 2 * MAX_REACH));
    w->chunk = (chunk *)take(scratch, &used, sizeof(chunk) / sizeof(v32));
    for (u32 o = 0; o < 2; o++)
        w->line[o] = (u16 *)take(scratch, &used, (size_t)pairs);
    return used;
}

size_t VQX_ROWS(vqx_vif_scratch_rows)(const vqx_format *format) {
    walk w;
    return lay_out(&w, NULL, format->width, format->height, format->bits) * sizeof(v32);
}

static bool holds(range r, i32 at) {
    return at >= r.first && at < r.end;
}

/* The least range over two, of which one may be empty. */
static range hull(range a, range b) {
    if (a.first >= a.end)
        return b;
    if (b.first >= b.end)
        return a;
    return (range){a.first < b.first ? a.first : b.first, a.end > b.end ? a.end : b.end};
}

/* Deals the row pairs of every scale out to the parts, and finds what else a part must halve: the rows around its own ones. */
static void deal(walk *w) {
    range rows = {0, 0}; /* of the scale after s */
    for (i32 s = VQX_VIF_SCALES - 1; s >= 0; s--) {
        scale *sc = &w->scale[s];
        const u64 pairs = (u64)(sc->height + 1) / 2;
        sc->counted =
            (range){(i32)(pairs * w->frame->part / w->frame->parts), (i32)(pairs * (w->frame->part + 1) / w->frame->parts)};
        sc->halved = rows;
        sc->done = hull(sc->counted, sc->halved);
        sc->next = sc->done.first;
        sc->built = sc->done.first - reach[s];
        rows = (range){2 * sc->built, 2 * (sc->done.end + reach[s])};
        if (rows.first < 0)
            rows.first = 0;
        if (rows.end > sc->height)
            rows.end = sc->height;
        if (sc->done.first >= sc->done.end)
            rows.end = rows.first;
        sc->rows = rows.first;
    }
    w->scale[0].rows = w->scale[0].height;
}

static void prepare(walk *w) {
    for (i32 s = 0; s < VQX_VIF_SCALES; s++) {
        tap_pairs *t = &w->taps[s];
        const i32 n = (i32)vqx_vif_taps[s];
        for (i32 o = 0; o < 2; o++)
            for (i32 i = 0; i < n; i++) {
                const i32 at = 2 * reach[s] - n / 2 + o + i;
                const u32 f = vqx_vif_tap[s][i], rest = f > 32767 ? f / 2 : 0;
                for (i32 lane = 0; lane < LANES; lane++) {
                    t->tap[o][at / 2][2 * lane + at % 2] = (u16)(f - rest);
                    if (rest)
                        t->rest[o][2 * lane + at % 2] = (u16)rest;
                }
            }
        scale *sc = &w->scale[s];
        for (i32 k = 0; k < 2 * sc->pairs; k++)
            for (i32 lane = 0; lane < LANES; lane++)
                sc->valid[k][lane] = k < sc->columns && lane * sc->columns + k < sc->width ? 0xffffffffu : 0;
    }
    for (u32 o = 0; o < 2; o++)
        w->moments[o] += MOMENTS * MAX_REACH;
    w->low += 2 * MAX_REACH;
}

static v32 *ring_at(const scale *sc, i32 pair) {
    return sc->ring + (size_t)(pair & (RING - 1)) * sc->ring_vectors;
}

/* ---- the picture into lanes ------------------------------------------------------------------------------------------ */

/* Four lanes of two rows of bytes: `step` bytes between vectors of the result. */
static void transpose_bytes(const u8 *row0, const u8 *row1, i32 columns, u8 *out, size_t step) {
    for (i32 k = 0; k < columns; k += 8) {
        q32 v[4], r[4];
        for (i32 l = 0; l < 4; l++)
            v[l] = zip_low_bytes(load_eight(row0 + l * columns + k), load_eight(row1 + l * columns + k));
        const q32 a = zip_low_halves(v[0], v[1]), b = zip_low_halves(v[2], v[3]);
        const q32 c = zip_high_halves(v[0], v[1]), d = zip_high_halves(v[2], v[3]);
        r[0] = zip_low_lanes(a, b);
        r[1] = zip_high_lanes(a, b);
        r[2] = zip_low_lanes(c, d);
        r[3] = zip_high_lanes(c, d);
        for (i32 i = 0; i < 4; i++, out += 2 * step) {
            store_eight(out, ((q64)r[i])[0]);
            store_eight(out + step, ((q64)r[i])[1]);
        }
    }
}

/* The same for words. */
static void transpose_words(const u16 *row0, const u16 *row1, i32 columns, u8 *out, size_t step) {
    for (i32 k = 0; k < columns; k += 4) {
        q32 v[4], r[4];
        for (i32 l = 0; l < 4; l++)
            v[l] = zip_low_halves(load_eight(row0 + l * columns + k), load_eight(row1 + l * columns + k));
        const q32 a = zip_low_lanes(v[0], v[1]), b = zip_low_lanes(v[2], v[3]);
        const q32 c = zip_high_lanes(v[0], v[1]), d = zip_high_lanes(v[2], v[3]);
        r[0] = join_low(a, b);
        r[1] = join_high(a, b);
        r[2] = join_low(c, d);
        r[3] = join_high(c, d);
        for (i32 i = 0; i < 4; i++, out += step)
            memcpy(out, &r[i], sizeof(r[i]));
    }
}

/* A row of words as signed 16-bit fractions. */
static void load_line(const u16 *row, i32 width, u32 bits, u16 *line) {
    for (i32 j = 0; j < width; j++)
        line[j] = (u16)((u32)row[j] << (16 - bits) ^ 0x8000u);
}

static void load_pair(const walk *w, i32 pair) {
    const scale *sc = &w->scale[0];
    const i32 columns = sc->columns;
    const u32 bits = w->frame->bits;
    for (i32 side = 0; side < 2; side++) {
        const vqx_plane *plane = side ? &w->frame->dis : &w->frame->ref;
        for (i32 i = 0; i < 2; i++) {
            const u8 *row = plane->data + (ptrdiff_t)vqx_vif_reflect(2 * pair + i, sc->height) * plane->stride;
            if (bits > 8)
                load_line((const u16 *)row, sc->width, bits, w->line[i]);
            else /* lanes may end beyond the row; and reading it in order is faster */
                memcpy(w->line[i], row, (size_t)sc->width);
        }
        u8 *out = (u8 *)ring_at(sc, pair);
        for (i32 lane = 0; lane < LANES; lane += 4) {
            const i32 at = lane * columns;
            if (bits == 8)
                transpose_bytes((const u8 *)w->line[0] + at, (const u8 *)w->line[1] + at, columns,
                                out + side * (i32)sizeof(v8) + lane * 2, 2 * sizeof(v8));
            else
                transpose_words(w->line[0] + at, w->line[1] + at, columns, out + side * (i32)sizeof(v16) + lane * 4,
                                2 * sizeof(v16));
        }
    }
}

/* A row pair that reaches over the border, from the rows that are its reflections. */
static void reflect_pair(const scale *sc, i32 pair) {
    const i32 row0 = (i32)vqx_vif_reflect(2 * pair, sc->height), row1 = (i32)vqx_vif_reflect(2 * pair + 1, sc->height);
    const v32 *from0 = ring_at(sc, row0 / 2), *from1 = ring_at(sc, row1 / 2);
    const u32 shift0 = row0 % 2 * 16, shift1 = row1 % 2 * 16;
    v32 *out = ring_at(sc, pair);
    for (size_t i = 0; i < sc->ring_vectors; i++)
        out[i] = (from0[i] >> shift0 & 0xffffu) | from1[i] >> shift1 << 16;
}

/* ---- vertical passes ------------------------------------------------------------------------------------------------- */

/* The row pairs around one. In the functions below the scale s and the bytes of a sample are literals. */
typedef struct window {
    const v32 *row[2 * MAX_REACH + 1];
} window;

static window window_at(const scale *sc, i32 pair, i32 around) {
    window win;
    for (i32 j = 0; j <= 2 * around; j++)
        win.row[j] = ring_at(sc, pair + j - around);
    return win;
}

/* Column k of a row pair, of the reference or the distorted picture. */
VQX_FN v16 load(const window *win, i32 j, i32 k, i32 side, i32 bytes) {
    const i32 at = 2 * k + side;
    return bytes == 1 ? __builtin_convertvector(((const v8 *)win->row[j])[at], v16) : ((const v16 *)win->row[j])[at];
}

/* Adds the products of the pairs p, number j of the window, for both results. */
VQX_FN void add_products(v32 sum[2], v16 p, const tap_pairs *t, i32 s, i32 j) {
    for (i32 o = 0; o < 2; o++) {
        sum[o] = add_dot(sum[o], p, t->tap[o][j]);
        if (s == 3 && j == reach[s])
            sum[o] = add_dot(sum[o], p, t->rest[o]);
    }
}

/* Bytes: all sums are exact in 32 bits. Products are flipped to signed halves, which flips the top bit of their sums. */
VQX_FN void moments_of_bytes(const window *win, const tap_pairs *t, i32 k, v32 word[2][4]) {
    v32 sum[5][2] = {{{0}}};
#pragma GCC unroll 1
    for (i32 j = 0; j <= 2 * reach[0]; j++) {
        const v16 x = load(win, j, k, 0, 1), y = load(win, j, k, 1, 1);
        add_products(sum[0], x, t, 0, j);
        add_products(sum[1], y, t, 0, j);
        add_products(sum[2], x * x ^ 0x8000, t, 0, j);
        add_products(sum[3], y * y ^ 0x8000, t, 0, j);
        add_products(sum[4], x * y ^ 0x8000, t, 0, j);
    }
    for (i32 o = 0; o < 2; o++) {
        word[o][0] = ((sum[0][o] + 128) >> 8 | (sum[1][o] + 128) >> 8 << 16) ^ FLIP;
        for (i32 q = 1; q < 4; q++)
            word[o][q] = sum[q + 1][o] ^ 0x8000u;
    }
}

/* Sums over the high halves of products, and over their flipped low halves, to the sum over the products / 2^16, rounded. */
VQX_FN v32 join_halves(v32 high, v32 low) {
    return high + ((low + FLIP) >> 16);
}

/* Words, x = u + 2^15: x x = u u + 2^16 u + 2^30, x y = u v + 2^15 (u + v) + 2^30. */
VQX_FN void moments_of_words(const window *win, const tap_pairs *t, i32 s, i32 k, v32 word[2][4]) {
    v32 mean[2][2] = {{{0}}}, high[3][2] = {{{0}}}, low[3][2] = {{{0}}};
#pragma GCC unroll 1
    for (i32 j = 0; j <= 2 * reach[s]; j++) {
        const v16 u = load(win, j, k, 0, 2), v = load(win, j, k, 1, 2);
        add_products(mean[0], u, t, s, j);
        add_products(mean[1], v, t, s, j);
        add_products(high[0], high_product(u, u), t, s, j);
        add_products(low[0], u * u ^ 0x8000, t, s, j);
        add_products(high[1], high_product(v, v), t, s, j);
        add_products(low[1], v * v ^ 0x8000, t, s, j);
        add_products(high[2], high_product(u, v), t, s, j);
        add_products(low[2], u * v ^ 0x8000, t, s, j);
    }
    for (i32 o = 0; o < 2; o++) {
        const v32 a = mean[0][o], b = mean[1][o];
        const v32 half_sum = (v32)((s32)a >> 1) + (v32)((s32)b >> 1) + (a & b & 1), odd = (a ^ b) & 1;
        word[o][0] = ((a + FLIP) >> 16 | ((b + FLIP) & 0xffff0000u)) ^ FLIP;
        word[o][1] = (join_halves(high[0][o], low[0][o]) + a + 0x40000000u) ^ FLIP;
        word[o][2] = (join_halves(high[1][o], low[1][o]) + b + 0x40000000u) ^ FLIP;
        word[o][3] = (join_halves(high[2][o], low[2][o] + (odd << 15)) + half_sum + 0x40000000u) ^ FLIP;
    }
}

/* The moments of a row pair, both rows, as column pairs. */
VQX_FN void moments_of_pair(const walk *w, i32 s, i32 pair, i32 bytes) {
    const scale *sc = &w->scale[s];
    const window win = window_at(sc, pair, reach[s]);
    for (i32 a = 0; a < sc->pairs; a++) {
        v32 word[2][2][4];
        for (i32 i = 0; i < 2; i++)
            if (bytes == 1)
                moments_of_bytes(&win, &w->taps[s], 2 * a + i, word[i]);
            else
                moments_of_words(&win, &w->taps[s], s, 2 * a + i, word[i]);
        for (i32 o = 0; o < 2; o++)
            for (i32 q = 0; q < 4; q++) {
                w->moments[o][a * MOMENTS + 2 * q] = low_halves(word[0][o][q], word[1][o][q]);
                w->moments[o][a * MOMENTS + 2 * q + 1] = high_halves(word[0][o][q], word[1][o][q]);
            }
    }
}

/* The low-pass of the first row of a pair, with the taps of the next scale: column pairs of the reference and of the distorted
 * picture. */
VQX_FN void low_of_row(const walk *w, i32 s, i32 pair, i32 bytes) {
    const scale *sc = &w->scale[s];
    const tap_pairs *t = &w->taps[s + 1];
    const window win = window_at(sc, pair, reach[s + 1]);
    for (i32 a = 0; a < sc->pairs; a++)
        for (i32 side = 0; side < 2; side++) {
            v32 mean[2];
            for (i32 i = 0; i < 2; i++) {
                v32 sum[2] = {{0}};
                for (i32 j = 0; j <= 2 * reach[s + 1]; j++)
                    add_products(sum, load(&win, j, 2 * a + i, side, bytes), t, s + 1, j);
                mean[i] = bytes == 1 ? (sum[0] + 128) >> 8 : (sum[0] + FLIP) >> 16;
            }
            w->low[2 * a + side] = low_halves(mean[0], mean[1]) ^ FLIP;
        }
}

/* ---- horizontal passes ----------------------------------------------------------------------------------------------- */

/* The half word of column `column` of lane `lane`, which may lie before or after the lane's own; `words` per column pair. */
static u16 *half_at(v32 *row, i32 words, i32 word, i32 lane, i32 column) {
    return (u16 *)&row[(column >> 1) * words + word] + 2 * lane + (column & 1);
}

/* Puts picture column c where lane `lane` sees its column `column`. */
static void place(v32 *row, i32 words, const scale *sc, i32 lane, i32 column, i32 c) {
    const i32 from = (i32)vqx_vif_reflect(c, sc->width);
    for (i32 q = 0; q < words; q++)
        *half_at(row, words, q, lane, column) = *half_at(row, words, q, from / sc->columns, from % sc->columns);
}

/* Fills the columns left and right of each lane's own, as far as `around` column pairs: from the neighbour lanes, at the borders by
 * reflection. */
static void extend(v32 *row, i32 words, const scale *sc, i32 around) {
    const i32 columns = sc->columns, own = columns * LANES, last = sc->width + 2 * around;
    for (i32 c = sc->width; c < last && c < own; c++)
        place(row, words, sc, c / columns, c % columns, c);
    if (columns & 1) { /* only at scale 3, where one column is enough */
        for (i32 lane = 0; lane < LANES; lane++) {
            place(row, words, sc, lane, -1, lane * columns - 1);
            place(row, words, sc, lane, columns, (lane + 1) * columns);
        }
        return;
    }
    v32 *after = row + sc->pairs * words;
    for (i32 i = 0; i < around * words; i++) { /* one lane on, or back; the outermost lane gets nothing useful */
        row[i - around * words] = *(const v32_unaligned *)((const u32 *)&after[i - around * words] - 1);
        after[i] = *(const v32_unaligned *)((const u32 *)&row[i] + 1);
    }
    for (i32 i = 1; i <= 2 * around; i++)
        place(row, words, sc, 0, -i, -i);
    for (i32 c = own; c < last; c++)
        place(row, words, sc, LANES - 1, columns + c - own, c);
}

/* Words of a column pair that are filtered together: as many as there are registers for. */
#define TOGETHER (LANES == 16 ? 4 : 2)

/* The horizontal pass for `count` column pairs, and the variances of their pixels. */
VQX_FN void variances_of_chunk(const walk *w, i32 s, const v32 *row, i32 first, i32 count) {
    const tap_pairs *t = &w->taps[s];
    v32 *const variance[3] = {(v32 *)w->chunk->s1, (v32 *)w->chunk->s2, (v32 *)w->chunk->s12};
    for (i32 i = 0; i < count; i++) {
        v32 mean[2][2];
        for (i32 q = 0; q < 4; q += TOGETHER) {
            v32 low[TOGETHER][2] = {{{0}}}, high[TOGETHER][2] = {{{0}}};
            const v32 *pair = row + (first + i - reach[s]) * MOMENTS + 2 * q;
#pragma GCC unroll 1
            for (i32 j = 0; j <= 2 * reach[s]; j++, pair += MOMENTS)
                for (i32 r = 0; r < TOGETHER; r++) {
                    add_products(low[r], (v16)pair[2 * r], t, s, j);
                    add_products(high[r], (v16)pair[2 * r + 1], t, s, j);
                }
            for (i32 r = 0; r < TOGETHER; r++)
                for (i32 o = 0; o < 2; o++) {
                    if (q + r == 0) {
                        mean[o][0] = low[r][o] ^ 0x80000000u;
                        mean[o][1] = high[r][o] ^ 0x80000000u;
                        continue;
                    }
                    const v32 product = join_halves(high[r][o], low[r][o]) ^ 0x80000000u;
                    variance[q + r - 1][2 * i + o] = product - high_product_rounded(mean[o][q + r == 2], mean[o][q + r != 1]);
                }
        }
    }
}

/* Adds the statistics of n vectors; a chunk's sums fit in 32 bits but for the noise, which is kept in two parts. */
static void add_pixels(const walk *w, const v32 *valid, i32 n, uint64_t *sums) {
    chunk *c = w->chunk;
    const u32 *is_pixel = (const u32 *)valid;
    const f64 limit = w->frame->limit;
    u32 nn_low = 0, nn_high = 0, dn = 0;
    for (i32 i = 0; i < n * LANES; i++) {
        const i32 s1 = c->s1[i] & (i32)is_pixel[i], s2 = c->s2[i] & (i32)is_pixel[i];
        vqx_vif_terms terms;
        vqx_vif_pixel(s1, s2 > 0 ? s2 : 0, c->s12[i], limit, &terms);
        c->reference[i] = terms.reference;
        c->noise[i] = terms.noise;
        c->distorted[i] = terms.distorted;
        nn_low += terms.nn & 0xffff;
        nn_high += terms.nn >> 16;
        dn += terms.dn & is_pixel[i];
    }
    v32 nl = {0}, dl = {0};
    for (i32 i = 0; i < n; i++) {
        dl += log2_of(((v32 *)c->reference)[i]) - VQX_VIF_LOG2_NOISE;
        nl += log2_of(((v32 *)c->distorted)[i]) - log2_of(((v32 *)c->noise)[i]);
    }
    for (i32 lane = 0; lane < LANES; lane++) {
        sums[0] += nl[lane];
        sums[1] += dl[lane];
    }
    sums[2] += nn_low + ((u64)nn_high << 16);
    sums[3] += dn;
}

VQX_FN void statistics_of_row(const walk *w, i32 s, const v32 *row) {
    const scale *sc = &w->scale[s];
    for (i32 a = 0; a < sc->pairs; a += CHUNK / 2) {
        const i32 count = sc->pairs - a < CHUNK / 2 ? sc->pairs - a : CHUNK / 2;
        variances_of_chunk(w, s, row, a, count);
        add_pixels(w, sc->valid + 2 * a, 2 * count, w->sums + 4 * s);
    }
}

/* Every second column of the low-pass: a row of the next scale. */
VQX_FN void halve_row(walk *w, i32 s) {
    const scale *sc = &w->scale[s];
    scale *next = &w->scale[s + 1];
    const i32 odd = next->rows & 1, around = reach[s + 1];
    v32 *out = ring_at(next, next->rows++ / 2);
    for (i32 a = 0; a < sc->pairs; a++)
        for (i32 side = 0; side < 2; side++, out++) {
            v32 sum[2] = {{0}};
            for (i32 j = 0; j <= 2 * around; j++)
                add_products(sum, (v16)w->low[2 * (a + j - around) + side], &w->taps[s + 1], s + 1, j);
            const v32 sample = (sum[0] + FLIP) >> 16 ^ 0x8000u;
            if (odd)
                *out |= sample << 16;
            else
                *out = sample;
        }
}

/* ---- the walk -------------------------------------------------------------------------------------------------------- */

/* Everything about row pair `pair` of scale s. */
VQX_FN void do_pair(walk *w, i32 s, i32 pair, i32 bytes) {
    const scale *sc = &w->scale[s];
    if (holds(sc->counted, pair) && (s > 0 || !w->frame->skip_scale0)) {
        moments_of_pair(w, s, pair, bytes);
        for (i32 o = 0; o < 2 && 2 * pair + o < sc->height; o++) {
            extend(w->moments[o], MOMENTS, sc, reach[s]);
            statistics_of_row(w, s, w->moments[o]);
        }
    }
    if (s + 1 < VQX_VIF_SCALES && holds(sc->halved, pair)) {
        low_of_row(w, s, pair, bytes);
        extend(w->low, 2, sc, reach[s + 1]);
        halve_row(w, s);
    }
}

/* Does the row pairs of a scale whose surroundings are there. */
static void advance(walk *w, i32 s) {
    scale *sc = &w->scale[s];
    for (; sc->next < sc->done.end; sc->next++) {
        const i32 last = sc->next + reach[s];
        if (sc->rows < sc->height && sc->rows < 2 * last + 2)
            return;
        for (; sc->built <= last; sc->built++)
            if (s == 0)
                load_pair(w, sc->built);
            else if (sc->built < 0 || 2 * sc->built + 1 >= sc->height)
                reflect_pair(sc, sc->built);
        if (s == 0 && w->frame->bits == 8)
            do_pair(w, 0, sc->next, 1);
        else if (s == 0)
            do_pair(w, 0, sc->next, 2);
        else if (s == 1)
            do_pair(w, 1, sc->next, 2);
        else if (s == 2)
            do_pair(w, 2, sc->next, 2);
        else
            do_pair(w, 3, sc->next, 2);
        if (s + 1 < VQX_VIF_SCALES)
            advance(w, s + 1);
    }
}

void VQX_ROWS(vqx_vif_rows)(const vqx_vif_frame *frame, void *scratch, uint64_t *sums) {
    walk w = {.frame = frame, .sums = sums};
    memset(sums, 0, VQX_VIF_SUMS * sizeof(*sums));
    /* zeros, so that lanes beyond the picture hold something defined, too */
    memset(scratch, 0, lay_out(&w, scratch, frame->ref.width, frame->ref.height, frame->bits) * sizeof(v32));
    prepare(&w);
    deal(&w);
    advance(&w, 0);
}
