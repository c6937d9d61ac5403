/* Every operation that exact scores rest on, on operands that show whether it is done as it must be: device/self_test.c. */
#ifndef VQX_KERNEL_SELF_TEST_H
#define VQX_KERNEL_SELF_TEST_H

typedef struct vqx_local_self_test {
    vqx_red red;
} vqx_local_self_test;

VQX_FN u64 vqx_self_test_two(u32 high, u32 low) {
    return (u64)high << 32 | low;
}

/* Group g, the rows of groups one behind the other: n items from g * n on, each with three words of `wide` and four of `narrow`;
 * the results of an item one behind the other, behind those of the group the sum of its first wide words. */
VQX_BODY(self_test, vqx_local_self_test) {
    const u64 group = (u64)cx.gy * cx.ngx + cx.gx;
    VQX_GLOBAL u64 *to = result + group * ((u64)n * VQX_SELF_TEST_WORDS + 1);
    u64 sum = 0;
    VQX_EACH(cx, i, n) {
        VQX_GLOBAL const u64 *w = wide + (group * n + i) * 3;
        VQX_GLOBAL const u32 *v = narrow + (group * n + i) * 4;
        VQX_GLOBAL u64 *r = to + (u64)i * VQX_SELF_TEST_WORDS;
        const f64 a = d_of_bits(w[0]), b = d_of_bits(w[1]), c = d_of_bits(w[2]);
        const f32 x = vqx_f32_bits(v[0]), y = vqx_f32_bits(v[1]), z = vqx_f32_bits(v[2]);
        const u32 u = v[3] | 1, shift = u >> 26;
        r[0] = vqx_self_test_two(vqx_bits_f32(x + y), vqx_bits_f32(x * y));
        r[1] = vqx_bits_f32(x * y + z); /* in one expression, as compilers may contract it */
        r[2] = vqx_bits_f32(x / y);
        r[3] = vqx_bits_f32(vqx_sqrt_f32(x < 0 ? -x : x));
        r[4] = vqx_self_test_two(vqx_bits_f32((f32)v[3]), vqx_bits_f32((f32)(i32)v[3]));
        r[5] = d_bits(d_add(a, b));
        r[6] = d_bits(d_mul(a, b));
        r[7] = d_bits(d_add(d_mul(a, b), c));
        r[8] = d_bits(d_div(a, b));
        r[9] = vqx_self_test_two(vqx_bits_f32(d_to_f32(a)), vqx_bits_f32(d_to_f32(b)));
        r[10] = d_bits(d_of_f32(x));
        r[11] = vqx_self_test_two((u32)d_trunc_i32(d_mul(d_of_i32((i32)v[3]), d_of_f32(0.7f))), d_lt(a, b));
        r[12] = (w[0] * w[1] ^ w[0] << shift) + (w[1] >> shift) + (u64)((i64)w[2] >> shift) + (u64)u * v[0] +
                (u64)vqx_clz_u32(u >> (shift & 31) | 1) + (u64)vqx_clz_u64(w[1] >> shift | 1) * 64;
        sum += w[0];
    }
    sum = vqx_group_sum_u64(cx, &lm->red, sum);
    VQX_ONE(cx)
    to[(u64)n * VQX_SELF_TEST_WORDS] = sum;
}

#endif
