/* The fp64 words (d_*) without fp64: IEEE binary64 in integers, round to nearest even, the same bits as hardware, for operands and
 * results that are zero or normal; fp32 numbers may be subnormal. A dialect whose device lacks fp64 includes this, others
 * dialect/f64.h (doc/dialect.md). */
#ifndef VQX_KERNEL_F64_SOFT_H
#define VQX_KERNEL_F64_SOFT_H

typedef u64 f64;

VQX_FN u64 d_bits(f64 a) {
    return a;
}
VQX_FN f64 d_of_bits(u64 bits) {
    return bits;
}
VQX_FN u64 d_mantissa(f64 a) {
    return (a & 0xfffffffffffffUL) | 0x10000000000000UL;
}

/* m has its top bit at 62: ten bits below the last place, the lowest one sticky. e: biased exponent. */
VQX_FN f64 d_pack(u64 sign, i32 e, u64 m) {
    m += 511 + (m >> 10 & 1);
    return sign + ((u64)(e - 1) << 52) + (m >> 10);
}

VQX_FN f64 d_add(f64 a, f64 b) {
    const u64 ua = a & 0x7fffffffffffffffUL, ub = b & 0x7fffffffffffffffUL;
    const f64 big = ua >= ub ? a : b, low = ua >= ub ? b : a;
    i32 e = (i32)(big >> 52 & 2047);
    const i32 d = e - (i32)(low >> 52 & 2047);
    const u64 sign = big & 0x8000000000000000UL;
    u64 m = d_mantissa(big) << 10, n = d_mantissa(low) << 10;
    if ((low << 1) == 0)
        return (big << 1) == 0 ? a & b : big;
    n = d > 62 ? 1 : (n >> d) | ((n & (((u64)1 << d) - 1)) != 0);
    if ((a ^ b) >> 63) {
        m -= n;
        if (m == 0)
            return 0;
        const i32 shift = vqx_clz_u64(m) - 1;
        return d_pack(sign, e - shift, m << shift);
    }
    m += n;
    if (m >> 63) {
        m = (m >> 1) | (m & 1);
        e++;
    }
    return d_pack(sign, e, m);
}

VQX_FN f64 d_sub(f64 a, f64 b) {
    return d_add(a, b ^ 0x8000000000000000UL);
}

VQX_FN f64 d_mul(f64 a, f64 b) {
    const u64 sign = (a ^ b) & 0x8000000000000000UL;
    i32 e = (i32)(a >> 52 & 2047) + (i32)(b >> 52 & 2047) - 1023;
    if ((a << 1) == 0 || (b << 1) == 0)
        return sign;
    /* the high 64 bits of x * y, the low ones as sticky */
    const u64 x = d_mantissa(a) << 11, y = d_mantissa(b) << 10;
    const u64 xl = x & 0xffffffffUL, xh = x >> 32, yl = y & 0xffffffffUL, yh = y >> 32;
    const u64 ll = xl * yl, lh = xl * yh, hl = xh * yl;
    const u64 middle = (ll >> 32) + (lh & 0xffffffffUL) + (hl & 0xffffffffUL);
    u64 m = xh * yh + (lh >> 32) + (hl >> 32) + (middle >> 32);
    m |= ((ll | middle) & 0xffffffffUL) != 0;
    if (m >> 62)
        e++;
    else
        m <<= 1;
    return d_pack(sign, e, m);
}

/* b is not zero */
VQX_FN f64 d_div(f64 a, f64 b) {
    const u64 sign = (a ^ b) & 0x8000000000000000UL, y = d_mantissa(b);
    i32 e = (i32)(a >> 52 & 2047) - (i32)(b >> 52 & 2047) + 1023;
    u64 r = d_mantissa(a), q = 0;
    if ((a << 1) == 0)
        return sign;
    if (r < y) {
        r <<= 1;
        e--;
    }
    /* 18 bits of r * 2^54 / y at a time, each time by an fp32 quotient that is never too large, and too small by less than 2 */
    const f32 inverse = 0x1.fffff8p+17f / (f32)((u32)(y >> 30) + 1);
    for (u32 i = 0; i < 3; i++) {
        const u32 digit = (u32)((f32)(u32)(r >> 30) * inverse);
        r = (r << 18) - digit * y; /* wraps, and is below 2 * y */
        q = (q << 18) + digit;
    }
    if (r >= y) {
        r -= y;
        q++;
    }
    return d_pack(sign, e, q << 8 | (r != 0));
}

/* no zeros of different signs */
VQX_FN u32 d_lt(f64 a, f64 b) {
    const i64 x = (i64)(a >> 63 ? 0x8000000000000000UL - a : a), y = (i64)(b >> 63 ? 0x8000000000000000UL - b : b);
    return x < y;
}

VQX_FN f64 d_of_f32(f32 x) {
    const u32 bits = vqx_bits_f32(x), size = bits & 0x7fffffff;
    const u64 sign = (u64)(bits >> 31) << 63;
    if (size == 0)
        return sign;
    if (size < 0x800000) { /* size * 2^-149 */
        const i32 shift = vqx_clz_u32(size) - 8;
        return sign + ((u64)(896 - shift) << 52) + ((u64)(size << shift) << 29);
    }
    return sign + ((u64)size << 29) + ((u64)896 << 52);
}

/* |a| is below 2^128 */
VQX_FN f32 d_to_f32(f64 a) {
    const u64 size = a & 0x7fffffffffffffffUL;
    const u32 sign = (u32)(a >> 63) << 31;
    const i32 e = (i32)(size >> 52);
    if (e < 872) /* far less than half of the least fp32 */
        return vqx_f32_bits(sign);
    if (e < 897) { /* subnormal: in units of 2^-149 */
        const i32 shift = 926 - e;
        const u64 m = d_mantissa(a);
        return vqx_f32_bits(sign | (u32)((m + (((u64)1 << (shift - 1)) - 1) + (m >> shift & 1)) >> shift));
    }
    const u64 r = size - ((u64)896 << 52);
    return vqx_f32_bits(sign | (u32)((r + 0xfffffff + (r >> 29 & 1)) >> 29));
}

VQX_FN f64 d_of_i32(i32 i) {
    const u64 m = (u64)(i < 0 ? -(i64)i : (i64)i);
    if (m == 0)
        return 0;
    const i32 shift = vqx_clz_u64(m) - 11;
    return (i < 0 ? 0x8000000000000000UL : 0) + ((u64)(1074 - shift) << 52) + (m << shift);
}

/* towards zero; -2^31 <= a < 2^31 */
VQX_FN i32 d_trunc_i32(f64 a) {
    const i32 shift = 1075 - (i32)(a >> 52 & 2047);
    const u32 m = shift > 52 ? 0 : (u32)(d_mantissa(a) >> shift);
    return (i32)(a >> 63 ? 0 - m : m);
}

/* RN32 of the fp64 sum, in order, of eleven fp32 numbers. A pair of fp32 holds the sum to 2^-41 of the sum of the magnitudes
 * (55 * 2^-48 for the pair, 10 * 2^-53 for the roundings of the fp64 sum); where everything that near rounds to one fp32, that is
 * the result. Else the fp64 additions are done in integers. */
VQX_FN f32 d_sum11_f32(VQX_PRIVATE const f32 *x) {
    f32 high = x[0], low = 0.0f, size = x[0] < 0 ? -x[0] : x[0];
    for (u32 k = 1; k < 11; k++) {
        const f32 sum = high + x[k], added = sum - high;
        low += (high - (sum - added)) + (x[k] - added);
        high = sum;
        size += x[k] < 0 ? -x[k] : x[k];
    }
    const f32 h = high + low, l = low - (h - high), off = size * 0x1p-40f;
    /* with less, `off` might underflow */
    if ((size == 0 || size > 0x1p-60f) && h + (l + off) == h && h + (l - off) == h)
        return size == 0 ? high : h; /* a zero of the right sign */
    f64 sum = d_of_f32(x[0]);
    for (u32 k = 1; k < 11; k++)
        sum = d_add(sum, d_of_f32(x[k]));
    return d_to_f32(sum);
}

/* x[k] >= 0 */
#define d_sum11_plus_f32 d_sum11_f32

#endif
