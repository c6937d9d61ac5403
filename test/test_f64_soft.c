/* Every fp64 word of kernel/f64_soft.h against hardware. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#define VQX_FP64 0
#include "dialect/cpu.h"
#include "test/direct.h"

enum { MILLION = 1000000 };

/* Bits of a number with that biased exponent: any sign; mantissas of all kinds, those near 0 and 1 and of few bits often. */
static u64 number(int exponent, uint64_t *random) {
    const uint64_t r = direct_random(random), sign = r << 63, n = r >> 8 & 63;
    uint64_t m = direct_random(random);
    switch (r >> 1 & 7) {
    case 0:
        m <<= n;
        break;
    case 1:
        m >>= n;
        break;
    case 2:
        m = ~(m >> n);
        break;
    case 3:
        m = (uint64_t)1 << n;
        break;
    case 4:
        m = (uint64_t)-1 << n | (m & 1);
        break;
    default:
        break;
    }
    if ((r >> 20 & 255) == 0)
        return sign; /* zero */
    return sign | (u64)exponent << 52 | (m & 0xfffffffffffffu);
}

static double of(u64 bits) {
    return vqx_f64_of_bits(bits);
}

#define SAME(soft, hardware, a, b)                                                                        \
    do {                                                                                                  \
        const u64 soft_ = (soft), hardware_ = vqx_bits_of_f64(hardware);                                  \
        if (soft_ != hardware_)                                                                           \
            fail_msg("%s of %a and %a: %a instead of %a", #soft, of(a), of(b), of(soft_), of(hardware_)); \
    } while (0)

static void arithmetic(void **state) {
    (void)state;
    uint64_t random = 1;
    for (int i = 0; i < 6 * MILLION; i++) {
        const uint64_t r = direct_random(&random);
        const int e = 550 + (int)(r % 900), near = e - 64 + (int)(r >> 20 & 127), any = 550 + (int)((r >> 30) % 900);
        const u64 a = number(e, &random), b = number(r >> 60 & 1 ? near : r >> 61 & 1 ? e : any, &random);
        SAME(d_add(a, b), of(a) + of(b), a, b);
        SAME(d_sub(a, b), of(a) - of(b), a, b);
        SAME(d_sub(a, a), 0.0, a, a);
        SAME(d_mul(a, b), of(a) * of(b), a, b);
        if (b << 1)
            SAME(d_div(a, b), of(a) / of(b), a, b);
        if ((a << 1) || (b << 1))
            assert_int_equal(d_lt(a, b), of(a) < of(b));
        assert_false(d_lt(a, a));
    }
}

/* Sums and products that lie halfway between two numbers, or almost. */
static void ties(void **state) {
    (void)state;
    uint64_t random = 2;
    for (int i = 0; i < 2 * MILLION; i++) {
        const uint64_t r = direct_random(&random);
        const u64 a = number(1000, &random);
        const double half = ldexp(1, 1000 - 1023 - 53) * (r & 1 ? 1 : -1), off = r & 2 ? 1 : 1 + (r & 4 ? 0x1p-52 : -0x1p-53);
        const u64 b = vqx_bits_of_f64(half * off * (double)(2 * (r >> 8 & 7) + 1));
        SAME(d_add(a, b), of(a) + of(b), a, b);
        SAME(d_sub(b, a), of(b) - of(a), b, a);
        const double x = (double)(r >> 37 | 1), y = (double)(direct_random(&random) >> 37 | 1); /* products of 54 bits */
        SAME(d_mul(vqx_bits_of_f64(x), vqx_bits_of_f64(y)), x * y, vqx_bits_of_f64(x), vqx_bits_of_f64(y));
    }
}

/* Quotients of numbers that divide, and their neighbours. */
static void quotients(void **state) {
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < 3 * MILLION; i++) {
        const uint64_t r = direct_random(&random);
        const u64 b = number(900 + (int)(r & 255), &random), q = number(1000, &random);
        const u64 a = vqx_bits_of_f64(of(b) * of(q)) + (r >> 8) % 3 - 1;
        if ((b << 1) != 0 && (q << 1) != 0)
            SAME(d_div(a, b), of(a) / of(b), a, b);
    }
}

/* All subnormals, and of the other exponents all with few of the mantissas. */
static void from_fp32(void **state) {
    (void)state;
    uint64_t random = 4;
    for (u32 i = 0; i < 0x800000 + 6 * MILLION; i++) {
        const u32 r = (u32)direct_random(&random), bits = i < 0x800000                     ? i | (r & 0x80000000)
                                                          : (r & 0x7f800000) == 0x7f800000 ? 0
                                                                                           : r;
        const f32 x = vqx_f32_bits(bits);
        SAME(d_of_f32(x), (double)x, 0, 0);
        assert_int_equal(vqx_bits_f32(d_to_f32(d_of_f32(x))), bits);
    }
}

static void to_fp32(void **state) {
    (void)state;
    uint64_t random = 5;
    for (int i = 0; i < 6 * MILLION; i++) {
        const uint64_t r = direct_random(&random);
        u64 a = number(860 + (int)(r % 290), &random);
        if (r >> 20 & 1) /* halfway between two, or almost */
            a = vqx_bits_of_f64(of(d_of_f32((f32)of(a))) * (1 + (r >> 21 & 1 ? 0x1p-24 : -0x1p-25))) + (r >> 22) % 3 - 1;
        if (r >> 30 & 1 && fabs(of(a)) < 0x1p-126) /* the same for subnormals */
            a = vqx_bits_of_f64(((double)(r >> 41) + 0.5) * 0x1p-149) + (r >> 31) % 3 - 1;
        if (fabs(of(a)) < 0x1p128 && vqx_bits_f32(d_to_f32(a)) != vqx_bits_f32((f32)of(a)))
            fail_msg("%a is %a instead of %a", of(a), d_to_f32(a), (f32)of(a));
    }
}

static void whole_numbers(void **state) {
    (void)state;
    uint64_t random = 6;
    for (int i = 0; i < 3 * MILLION; i++) {
        const uint64_t r = direct_random(&random);
        const i32 n = i < 100 ? i - 50 : i == 100 ? INT32_MIN : i == 101 ? INT32_MAX : (i32)((i32)(r >> 32) >> (r & 31));
        SAME(d_of_i32(n), (double)n, 0, 0);
        assert_int_equal(d_trunc_i32(d_of_i32(n)), n);
        const u64 a = number(960 + (int)(r % 94), &random);
        assert_int_equal(d_trunc_i32(a), (i32)of(a));
        const double near = (double)(n / 2) + (r & 32 ? 0x1p-20 : -0x1p-20);
        assert_int_equal(d_trunc_i32(vqx_bits_of_f64(near)), (i32)near);
    }
}

static f32 sum11(const f32 *x) {
    double sum = x[0];
    for (int k = 1; k < 11; k++)
        sum += x[k];
    return (f32)sum;
}

static void eleven(void **state) {
    (void)state;
    uint64_t random = 7;
    for (int i = 0; i < 4 * MILLION; i++) {
        const uint64_t kind = direct_random(&random) % 8;
        f32 x[11];
        for (int k = 0; k < 11; k++) {
            const uint64_t r = direct_random(&random);
            const f32 u = (f32)(r >> 40) * 0x1p-24f, sign = r & 1 ? 1.0f : -1.0f;
            switch (kind) {
            case 0: /* as filters have them */
                x[k] = 65025 * u * (f32)(r & 255) * 0x1p-9f;
                break;
            case 1:
                x[k] = sign * u;
                break;
            case 2: /* all exponents of a range, both signs */
                x[k] = sign * ldexpf(1 + u, (int)(r >> 2 & 31) - 16);
                break;
            case 3: /* the first ones cancel */
                x[k] = k < 6 && k & 1 ? -x[k - 1] : sign * ldexpf(1 + u, k < 6 ? 20 : (int)(r >> 2 & 31) - 30);
                break;
            case 4: /* halfway between two fp32 numbers, or almost */
                x[k] = k == 0 ? 1 + u : k == 1 ? sign * 0x1p-24f : sign * ldexpf(1 + u, -30 - (int)(r >> 2 & 63));
                break;
            case 5: /* the same in the order of the fp64 sum's roundings */
                x[k] = k == 0 ? 1 + u : k == 10 ? sign * 0x1p-24f : sign * ldexpf(1 + u, -50 - (int)(r >> 2 & 7));
                break;
            case 6: /* subnormal, or next to it */
                x[k] = sign * vqx_f32_bits((u32)(r >> 38));
                break;
            default: /* mostly zeros */
                x[k] = r >> 2 & 3 ? 0 * sign : sign * u;
                break;
            }
        }
        const f32 soft = d_sum11_f32(x), hardware = sum11(x);
        if (vqx_bits_f32(soft) != vqx_bits_f32(hardware))
            fail_msg("kind %d, %a + %a + … is %a instead of %a", (int)kind, x[0], x[1], soft, hardware);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic), cmocka_unit_test(ties),          cmocka_unit_test(quotients), cmocka_unit_test(from_fp32),
        cmocka_unit_test(to_fp32),    cmocka_unit_test(whole_numbers), cmocka_unit_test(eleven),
    };
    return cmocka_run_group_tests_name("f64_soft", tests, NULL, NULL);
}
