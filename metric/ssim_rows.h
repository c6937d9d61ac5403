/* What the two row units of metric/ssim.h share: vectors of the instruction set that is compiled for, fp32 products on their way
 * into fp64 sums, and rows of samples. */
#ifndef VQX_METRIC_SSIM_ROWS_H
#define VQX_METRIC_SSIM_ROWS_H

#include "dialect/cpu.h"
#include "kernel/ssim.h"
#include "metric/ssim.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* fp64 values in a vector; a vector of the same size has twice as many fp32 lanes, "even" and "odd" ones. */
#if defined(__AVX512F__)
#define LANES 8
#elif defined(__AVX2__)
#define LANES 4
#else
#define LANES 2
#endif

/* fp32 lanes of a vector. */
#define GROUP (2 * LANES)

typedef f64 f64v __attribute__((vector_size(LANES * 8), may_alias));
typedef u64 u64v __attribute__((vector_size(LANES * 8), may_alias));
typedef f32 f32v __attribute__((vector_size(LANES * 8), may_alias));
typedef u32 u32v __attribute__((vector_size(LANES * 8), may_alias));
typedef f32 f32h __attribute__((vector_size(LANES * 4), may_alias));
typedef u32 u32h __attribute__((vector_size(LANES * 4), may_alias));
typedef f32 f32v_at __attribute__((vector_size(LANES * 8), may_alias, aligned(4))); /* anywhere in memory */
typedef f64 f64v_at __attribute__((vector_size(LANES * 8), may_alias, aligned(8)));
typedef f32 f32h_at __attribute__((vector_size(LANES * 4), may_alias, aligned(4)));
typedef u32 u32h_at __attribute__((vector_size(LANES * 4), may_alias, aligned(4)));

/* An fp32 number >= 0 with its bits shifted 29 places up is the fp64 number 2^-896 times as large, exactly: exponents stay what
 * they are, and fp32's subnormals become fp64's. So fp64 sums of such values, with all their roundings, are 2^-896 times the sums
 * of the numbers. The shift is a multiplication because those run beside the additions, which shifts and conversions do not. */
#define VQX_WIDE_UNIT 0x1p896

/* The even lanes of p >= 0, times 2^-896. */
VQX_FN f64v widen_even(f32v p) {
#if defined(__SSE2__)
    u64v shift = (u64v){} + (1u << 29);
    __asm__("" : "+v"(shift)); /* or clang makes it a shift again */
#endif
#if defined(__AVX512F__)
    return (f64v)_mm512_mul_epu32((__m512i)p, (__m512i)shift);
#elif defined(__AVX2__)
    return (f64v)_mm256_mul_epu32((__m256i)p, (__m256i)shift);
#elif defined(__SSE2__)
    return (f64v)_mm_mul_epu32((__m128i)p, (__m128i)shift);
#else
    return (f64v)((u64v)p << 32 >> 3);
#endif
}

/* Odd lanes to even ones; what becomes of the odd ones is open. */
VQX_FN f32v odd_to_even(f32v p) {
#if defined(__AVX512F__)
    return (f32v)_mm512_movehdup_ps((__m512)p);
#else
    return (f32v)((u64v)p >> 32);
#endif
}

/* fp32 numbers to even lanes, with zeros between. */
VQX_FN f32v spread(const f32 *from) {
#if LANES == 4
    return (f32v)_mm256_cvtepu32_epi64(_mm_loadu_si128((const __m128i *)from));
#elif LANES == 2 && defined(__SSE2__)
    return (f32v)_mm_unpacklo_epi32(_mm_loadl_epi64((const __m128i *)from), _mm_setzero_si128());
#else
    return (f32v) __builtin_convertvector(*(const u32h_at *)from, u64v);
#endif
}

/* A sum of widened values, rounded to fp32. */
VQX_FN f32h narrow(f64v sum) {
    return __builtin_convertvector(sum * VQX_WIDE_UNIT, f32h);
}

/* The sign bits of fp32 lanes; the upper half of each is that of an fp64 value. */
#define SIGNS_F32 ((u64v){} + 0x8000000080000000)
#define SIGNS_F64 ((u64v){} + 0x8000000000000000)

/* A value of each lane. Where vectors are few, only even lanes are filled, and half the samples are left to another walk. */
#if LANES == 8
typedef struct wide {
    f64v even, odd;
} wide;
#define WALK GROUP /* samples side by side */
#define LOAD(from) (*(const f32v_at *)(from))
#else
typedef struct wide {
    f64v even;
} wide;
#define WALK LANES
#define LOAD(from) spread(from)
#endif

/* The value is made here and now, in a register: compilers put sums off and keep what they are made of, which is more. */
#if defined(__SSE2__)
#define MADE(v) __asm__("" : "+v"(v))
#elif defined(__aarch64__)
#define MADE(v) __asm__("" : "+w"(v))
#else
#define MADE(v) (void)0
#endif

VQX_FN wide plus(wide a, wide b) {
    a.even += b.even;
    MADE(a.even);
#if LANES == 8
    a.odd += b.odd;
    MADE(a.odd);
#endif
    return a;
}

VQX_FN wide minus(wide a, wide b) {
    a.even -= b.even;
    MADE(a.even);
#if LANES == 8
    a.odd -= b.odd;
    MADE(a.odd);
#endif
    return a;
}

/* |q|, and the signs of its lanes. */
VQX_FN f32v split(f32v q, wide *sign) {
    const u64v bits = (u64v)q & SIGNS_F32;
    sign->even = (f64v)(bits << 32);
#if LANES == 8
    sign->odd = (f64v)(bits & SIGNS_F64);
#endif
    return (f32v)((u64v)q ^ bits);
}

/* q * tap for q >= 0 and tap >= 0, with the signs, where there are any, put before it. */
VQX_FN wide product(f32v q, f32 tap, const wide *sign) {
    const f32v p = q * tap;
    wide w;
    w.even = widen_even(p);
    if (sign)
        w.even = (f64v)((u64v)w.even | (u64v)sign->even);
#if LANES == 8
    w.odd = widen_even(odd_to_even(p));
    if (sign)
        w.odd = (f64v)((u64v)w.odd | (u64v)sign->odd);
#endif
    return w;
}

/* The even lanes, rounded to fp32, then the odd ones. */
VQX_FN void store_apart(f32 *to, wide sum) {
    *(f32h_at *)to = narrow(sum.even);
#if LANES == 8
    *(f32h_at *)(to + LANES) = narrow(sum.odd);
#endif
}

/* The lanes, rounded to fp32. */
VQX_FN void store_lanes(f32 *to, wide sum) {
#if LANES == 8
    *(f32v_at *)to =
        __builtin_shufflevector(narrow(sum.even), narrow(sum.odd), 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
#else
    store_apart(to, sum);
#endif
}

/* GROUP vectors as a matrix, transposed. */
#if LANES == 8
#define UNPACK_LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define UNPACK_HIGH(a, b) __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define PAIR_LOW(a, b) __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define PAIR_HIGH(a, b) __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
#define QUAD_EVEN(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#define QUAD_ODD(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31)
#elif LANES == 4
#define UNPACK_LOW(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define UNPACK_HIGH(a, b) __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define PAIR_LOW(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define PAIR_HIGH(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define QUAD_EVEN(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define QUAD_ODD(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#else
#define UNPACK_LOW(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define UNPACK_HIGH(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define PAIR_LOW(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define PAIR_HIGH(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#endif

VQX_FN void transpose(const f32v in[GROUP], f32v out[GROUP]) {
    f32v quad[LANES / 2][4];
    for (int i = 0; i < LANES / 2; i++) {
        const f32v *a = in + 4 * i;
        const f32v low0 = UNPACK_LOW(a[0], a[1]), low1 = UNPACK_LOW(a[2], a[3]);
        const f32v high0 = UNPACK_HIGH(a[0], a[1]), high1 = UNPACK_HIGH(a[2], a[3]);
        quad[i][0] = PAIR_LOW(low0, low1);
        quad[i][1] = PAIR_HIGH(low0, low1);
        quad[i][2] = PAIR_LOW(high0, high1);
        quad[i][3] = PAIR_HIGH(high0, high1);
    }
    for (int c = 0; c < 4; c++) {
#if LANES == 8
        const f32v even0 = QUAD_EVEN(quad[0][c], quad[1][c]), even1 = QUAD_EVEN(quad[2][c], quad[3][c]);
        const f32v odd0 = QUAD_ODD(quad[0][c], quad[1][c]), odd1 = QUAD_ODD(quad[2][c], quad[3][c]);
        out[c] = QUAD_EVEN(even0, even1);
        out[4 + c] = QUAD_EVEN(odd0, odd1);
        out[8 + c] = QUAD_ODD(even0, even1);
        out[12 + c] = QUAD_ODD(odd0, odd1);
#elif LANES == 4
        out[c] = QUAD_EVEN(quad[0][c], quad[1][c]);
        out[4 + c] = QUAD_ODD(quad[0][c], quad[1][c]);
#else
        out[c] = quad[0][c];
#endif
    }
}

/* Where of a block of GROUP samples the lane `i` of LOAD() comes from. */
VQX_FN u32 lane(u32 i) {
    return WALK == LANES ? i : i / 2 + i % 2 * LANES;
}

/* Bytes of scratch that the smaller pictures need. */
#define DECIMATE_SCRATCH(width) (131072 + 20 * ((size_t)(width) + 128))

/* n samples of row y from column x on; *signs: or of their bits, where they can be negative. */
static void load_row(const vqx_ssim_picture *p, u32 x, u32 y, u32 n, f32 *restrict to, u32 *signs) {
    const u8 *row = p->plane.data + (ptrdiff_t)y * p->plane.stride;
    if (p->bits == 8) {
        const u8 *restrict from = row + x;
        for (u32 i = 0; i < n; i++)
            to[i] = vqx_ssim_sample(from[i], 1);
    } else if (p->bits < 32) {
        const u16 *restrict from = (const u16 *)row + x;
        const f32 unit = 1 / (f32)(1 << (p->bits - 8));
        for (u32 i = 0; i < n; i++)
            to[i] = vqx_ssim_sample(from[i], unit);
    } else {
        const f32 *restrict from = (const f32 *)row + x;
        u32 any = 0;
        for (u32 i = 0; i < n; i++) {
            u32 bits;
            memcpy(&bits, &from[i], sizeof(bits));
            any |= bits;
            to[i] = from[i];
        }
        *signs |= any;
    }
}

#endif
