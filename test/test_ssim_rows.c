/* The shortcuts of metric/ssim_rows.c against slow references. Built once per instruction set, with its flags. VQX_LONG=1: ten
 * times as many points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#define VQX_ROWS_LEVEL test
#include "metric/ssim_rows.c"
#include "test/direct.h"

#if LANES == 8
#define NEEDS VQX_LEVEL_AVX512
#elif LANES == 4
#define NEEDS VQX_LEVEL_AVX2
#else
#define NEEDS VQX_LEVEL_BASELINE
#endif

static u64 random_state = 1;
static u64 next(void) {
    return direct_random(&random_state);
}

static u32 times(void) {
    return getenv("VQX_LONG") ? 10 : 1;
}

/* ---- filter sums ---- */

static f32 of_bits(u32 bits) {
    f32 x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* Samples of a kind: as pictures have them, as filters leave them, any exponent, few bits (whose sums are ties), signed. */
static f32 point(int kind) {
    const u64 r = next();
    switch (kind) {
    case 0:
        return (f32)(r >> 56);
    case 1:
        return (f32)(r >> 40) * 0x1p-16f;
    case 2:
        return of_bits((u32)(r >> 33) % 0x58000000);
    case 3:
        return (f32)(r >> 62) * (r & 1 ? 1 : 0x1p-24f);
    default:
        return of_bits((u32)(r >> 33) % 0x58000000 | (u32)(r & 1) << 31);
    }
}

static void filter_sums(void **state) {
    (void)state;
    enum { STEPS = 11 * 31, KINDS = 5 };
    static _Alignas(64) f32 a[STEPS][GROUP], b[STEPS][GROUP], out[STEPS][GROUP];
    const u32 rounds = times() * 10000000 / (KINDS * STEPS * GROUP);
    for (u32 i = 0; i < rounds * KINDS; i++) {
        const int kind = (int)(i % KINDS);
        const bool twice = i / KINDS % 2;
        for (u32 y = 0; y < STEPS; y++)
            for (u32 x = 0; x < GROUP; x++) {
                a[y][x] = point(kind);
                b[y][x] = twice ? point(kind) * 0x1p-40f : 1;
            }
        wide sums[GROUP / WALK][VQX_SSIM_TAPS] = {0};
        filter(sums, a[0], twice ? b[0] : NULL, GROUP, STEPS / VQX_SSIM_TAPS, out[0], kind == 4);
        for (u32 y = REACH; y < STEPS; y++)
            for (u32 x = 0; x < GROUP; x++) {
                f64 sum = 0;
                for (u32 k = 0; k < VQX_SSIM_TAPS; k++)
                    sum = vqx_ssim_add(sum, a[y - REACH + k][x] * b[y - REACH + k][x], vqx_ssim_tap[k < 5 ? 5 - k : k - 5]);
                const u32 place = WALK == LANES ? x : x / 2 + x % 2 * LANES; /* even lanes come first */
                if (out[y][place] != (f32)sum)
                    fail_msg("kind %d, step %u, lane %u: %a instead of %a", kind, y, x, out[y][place], (f32)sum);
            }
    }
}

/* ---- terms ---- */

static void near_terms(void **state) {
    (void)state;
    for (u32 i = 0; i < times() * 10000000; i++) {
        const f32 r = point(1), t = point(1), v = point(1), w = point(1), cross = point(1) - 128;
        const vqx_ssim_terms terms = vqx_ssim_window(r, t, r * r + v, t * t + w, r * t + cross);
        const f64 exact = vqx_ssim_lcs(terms), near = vqx_ssim_lcs_near(terms);
        if (fabs(exact - near) > 8 * 0x1p-53 * fabs(exact))
            fail_msg("%a %a %a %a %a: %a and %a", r, t, v, w, cross, near, exact);
    }
}

/* ---- means ---- */

enum { TERMS = TILE * 40 };

/* The mean in any order. Rows of different lengths, as tiles have them. */
static bool any_order(const f64 *term, u32 n, f64 *mean) {
    _Alignas(64) f64 row[TILE];
    loose sum = {0};
    for (u32 done = 0, part; done < n; done += part) {
        part = 1 + (u32)(next() >> 40) % TILE;
        part = part < n - done ? part : n - done;
        memcpy(row, term + done, part * sizeof(f64));
        add_loose(&sum, row, part);
    }
    const vqx_ssim_task task = {.ref.plane = {.width = n + REACH, .height = 1 + REACH}};
    return vqx_ssim_mean(tight(&task, &sum), n, mean);
}

static f64 in_order(const f64 *term, u32 n) {
    f64 sum = 0;
    for (u32 i = 0; i < n; i++)
        sum += term[i];
    return sum;
}

static void shuffle(f64 *term, u32 n) {
    for (u32 i = n; i > 1; i--) {
        const u32 k = (u32)(next() >> 32) % i;
        const f64 swap = term[k];
        term[k] = term[i - 1];
        term[i - 1] = swap;
    }
}

/* Terms like those of a picture; their order must not show in a mean that is said to be settled, and near a boundary of fp32 none
 * is. */
static void means(void **state) {
    (void)state;
    static f64 term[TERMS];
    u32 settled = 0, open = 0;
    for (u32 i = 0; i < 3000 * times(); i++) {
        const u32 n = i % 10 ? 1 + (u32)(next() >> 40) % 300 : TERMS;
        const int kind = (int)(next() % 3);
        for (u32 k = 0; k < n; k++) {
            const f64 x = (f64)(next() >> 11) * 0x1p-53;
            term[k] = kind == 0 ? 1 - x * 0x1p-6 : kind == 1 ? x : x - 0.5;
        }
        f64 mean;
        if (i % 2) { /* to a boundary, and off it by a few times what a sum can be off */
            const f64 s = in_order(term, n);
            const f32 m = (f32)(s / n);
            const f64 between = ((f64)m + (f64)nextafterf(m, 2)) / 2;
            const f64 size = kind == 2 ? n / 4.0 : fabs(s);
            term[n - 1] += between * n - s + size * n * 0x1p-53 * ((f64)(next() % 9) - 4);
        }
        const bool said = any_order(term, n, &mean);
        settled += said;
        open += !said;
        for (int p = 0; p < 3 && said; p++) {
            assert_true(mean == (f32)(in_order(term, n) / n));
            shuffle(term, n);
        }
    }
    assert_true(settled > 1000);
    assert_true(open > 300);
}

/* Half a unit of the sum is lost with every addition in raster order, and a boundary lies between that sum and the true one: in the
 * middle, or so far from the true one that only raster order reaches it. */
static void lost_terms(void **state) {
    (void)state;
    static f64 term[TERMS];
    for (u32 share = 4; share <= 16; share *= 4)
        for (u32 n = 64; n <= TERMS; n += n / 3) {
            f64 mean;
            const f64 boundary = n * (0x1p-8 + 0x1p-32); /* of means, times n */
            term[0] = boundary * (1 - (n / share) * 0x1p-53);
            for (u32 i = 1; i < n; i++)
                term[i] = term[0] * 0x1p-54;
            assert_true((f32)(in_order(term, n) / n) == 0x1p-8f);
            assert_false(any_order(term, n, &mean));
        }
}

/* A mean on a boundary between fp32 numbers is left to raster order, one that is far from any is not. */
static void boundary(void **state) {
    (void)state;
    static f64 term[TERMS];
    for (u32 n = 1; n <= TERMS; n += 1 + n / 2)
        for (int far = 0; far < 2; far++) {
            for (u32 i = 0; i < n; i++)
                term[i] = 1 - 0x1p-25 - (far ? 0x1p-27 : 0);
            f64 mean;
            assert_true(any_order(term, n, &mean) == (far == 1));
            if (far)
                assert_true(mean == 1 - 0x1p-24);
        }
}

/* Sums in raster order, all 53 bits of them. */
static void ordered_sums(void **state) {
    (void)state;
    enum { W = 2 * TILE + 27, H = BAND + 31 };
    static f32 row[PICTURES][H][W];
    static u8 sample[2][H][W];
    for (u32 i = 0; i < 2 * H; i++)
        for (u32 x = 0; x < W; x++)
            sample[i / H][i % H][x] = (u8)(next() >> 56);
    for (u32 y = 0; y < H; y++)
        for (u32 x = 0; x < W - REACH; x++)
            for (int i = 0; i < PICTURES; i++) {
                f64 sum = 0;
                for (u32 k = 0; k < VQX_SSIM_TAPS; k++) {
                    const f32 r = sample[0][y][x + k], t = sample[1][y][x + k];
                    const f32 q = i == 0 ? r : i == 1 ? t : i == 2 ? r * r : i == 3 ? t * t : r * t;
                    sum = vqx_ssim_add(sum, q, vqx_ssim_tap[abs((int)k - 5)]);
                }
                row[i][y][x] = (f32)sum;
            }
    f64 expected[VQX_SSIM_MEANS] = {0};
    for (u32 y = 0; y < H - REACH; y++)
        for (u32 x = 0; x < W - REACH; x++) {
            f32 f[PICTURES];
            for (int i = 0; i < PICTURES; i++) {
                f64 sum = 0;
                for (u32 k = 0; k < VQX_SSIM_TAPS; k++)
                    sum = vqx_ssim_add(sum, row[i][y + k][x], vqx_ssim_tap[abs((int)k - 5)]);
                f[i] = (f32)sum;
            }
            const vqx_ssim_terms terms = vqx_ssim_window(f[0], f[1], f[2], f[3], f[4]);
            expected[VQX_SSIM_LCS] += vqx_ssim_lcs(terms);
            expected[VQX_SSIM_L] += vqx_ssim_l(terms);
            expected[VQX_SSIM_C] += vqx_ssim_c(terms);
            expected[VQX_SSIM_S] += (f64)terms.s;
        }
    work *const w = aligned_alloc(64, vqx_ssim_scratch_test(W, H));
    assert_non_null(w);
    const vqx_ssim_task task = {.ref = {{sample[0][0], W, W, H}, 8}, .dis = {{sample[1][0], W, W, H}, 8}};
    w->task = &task;
    w->first = 0;
    w->ow = W - REACH;
    w->end = H - REACH;
    edge *const e = edges_of(w);
    for (int k = 0; k < VQX_SSIM_MEANS; k++) {
        const f64 sum = walk_in_order(w, e, (f64 *)(e + tiles(w->ow)), k);
        if (sum != expected[k])
            fail_msg("kind %d: %a instead of %a", k, sum, expected[k]);
    }
    free(w);
}

int main(void) {
    if (vqx_cpu_best(0) < NEEDS)
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter_sums), cmocka_unit_test(near_terms), cmocka_unit_test(means),
        cmocka_unit_test(lost_terms),  cmocka_unit_test(boundary),   cmocka_unit_test(ordered_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
