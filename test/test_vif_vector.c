/* The words of metric/vif_vector.h, lane by lane. Built once per instruction set, with its flags; exit code 77 where the machine
 * lacks it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "metric/vif_vector.h"
#include "test/direct.h"

#if defined(__AVX512VNNI__)
#define NEEDS VQX_LEVEL_AVX512ICL
#elif LANES == 16
#define NEEDS VQX_LEVEL_AVX512
#elif LANES == 8
#define NEEDS VQX_LEVEL_AVX2
#else
#define NEEDS VQX_LEVEL_BASELINE
#endif

#define ROUNDS 200000

static u64 random_state = 1;

/* Any words, every fourth one an extreme. */
static v32 any(void) {
    static const u32 extreme[] = {0, 0xffffffffu, 0x80008000u, 0x7fff7fffu, 0x80000000u, 0x7fffffffu, 0x80007fffu, 0x8000u};
    v32 x;
    for (i32 lane = 0; lane < LANES; lane++) {
        const u64 r = direct_random(&random_state);
        x[lane] = r >> 62 ? (u32)r : extreme[r & 7];
    }
    return x;
}

static i32 low(u32 x) {
    return (i32)(x << 16) >> 16;
}

static i32 high(u32 x) {
    return (i32)x >> 16;
}

static void test_products(void **state) {
    (void)state;
    for (u32 i = 0; i < ROUNDS; i++) {
        const v32 a = any(), b = any(), sum = any();
        const v32 dot = add_dot(sum, (v16)a, (v16)b), halves = (v32)high_product((v16)a, (v16)b),
                  rounded = high_product_rounded(a, b);
        for (i32 lane = 0; lane < LANES; lane++) {
            const u32 x = a[lane], y = b[lane];
            assert_int_equal(dot[lane], sum[lane] + (u32)(low(x) * low(y)) + (u32)(high(x) * high(y)));
            assert_int_equal(halves[lane], (u32)(low(x) * low(y)) >> 16 | ((u32)(high(x) * high(y)) & 0xffff0000u));
            assert_int_equal(rounded[lane], ((u64)x * y + 0x80000000u) >> 32);
        }
    }
}

/* Every top 16 bits, at every length, with zeros, ones and anything below them. */
static void test_log2(void **state) {
    (void)state;
    for (u32 k = 1; k < 16; k++)
        for (u32 top = 32768; top < 65536; top += LANES)
            for (u32 kind = 0; kind < 3; kind++) {
                const v32 rest = any();
                const u32 ones = (1u << k) - 1;
                v32 x;
                for (u32 lane = 0; lane < LANES; lane++)
                    x[lane] = (top + lane) << k | (kind == 0 ? 0 : kind == 1 ? ones : rest[lane] & ones);
                const v32 value = log2_of(x);
                for (u32 lane = 0; lane < LANES; lane++)
                    if (value[lane] != vqx_vif_log2(x[lane]))
                        fail_msg("L(%u) is %u instead of %u", x[lane], value[lane], vqx_vif_log2(x[lane]));
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_log2),
    };
    if (vqx_cpu_best(0) < NEEDS)
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
