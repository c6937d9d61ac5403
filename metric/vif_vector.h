/* Vectors of the row passes of vif: LANES 32-bit lanes, in the vector language of gcc and clang. That language has no word for the
 * multiplications, and for the look-ups, below. */
#ifndef VQX_METRIC_VIF_VECTOR_H
#define VQX_METRIC_VIF_VECTOR_H

#include "dialect/cpu.h"

#include "kernel/vif_log2.h"
#include "metric/vif_log2_table.h"

#if defined(__AVX512BW__)
#define LANES 16
#elif defined(__AVX2__)
#define LANES 8
#else
#define LANES 4
#endif

#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef u32 v32 __attribute__((vector_size(4 * LANES), may_alias));
typedef u16 v16 __attribute__((vector_size(4 * LANES), may_alias)); /* a lane holds two, the first one in its low half */
typedef i32 s32 __attribute__((vector_size(4 * LANES), may_alias));
typedef f32 float32 __attribute__((vector_size(4 * LANES), may_alias));
typedef u64 v64 __attribute__((vector_size(4 * LANES), may_alias));
typedef u8 v8 __attribute__((vector_size(2 * LANES), may_alias)); /* half a vector */
typedef u32 v32_unaligned __attribute__((vector_size(4 * LANES), may_alias, aligned(4)));

/* Four lanes, for transposing. */
typedef u64 q64 __attribute__((vector_size(16), may_alias));
typedef u32 q32 __attribute__((vector_size(16), may_alias));
typedef u16 q16 __attribute__((vector_size(16), may_alias));
typedef u8 q8 __attribute__((vector_size(16), may_alias));

/* Per lane: sum + the two products of signed halves. */
VQX_FN v32 add_dot(v32 sum, v16 a, v16 b) {
#if defined(__AVX512VNNI__)
    return (v32)_mm512_dpwssd_epi32((__m512i)sum, (__m512i)a, (__m512i)b);
#elif defined(__AVX512BW__)
    return sum + (v32)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return sum + (v32)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__x86_64__)
    return sum + (v32)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    return sum + (v32)((((s32)a << 16) >> 16) * (((s32)b << 16) >> 16) + ((s32)a >> 16) * ((s32)b >> 16));
#endif
}

/* Upper 16 bits of the products of signed halves. */
VQX_FN v16 high_product(v16 a, v16 b) {
#if defined(__AVX512BW__)
    return (v16)_mm512_mulhi_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (v16)_mm256_mulhi_epi16((__m256i)a, (__m256i)b);
#elif defined(__x86_64__)
    return (v16)_mm_mulhi_epi16((__m128i)a, (__m128i)b);
#else
    const v32 low = (v32)((((s32)a << 16) >> 16) * (((s32)b << 16) >> 16)), high = (v32)(((s32)a >> 16) * ((s32)b >> 16));
    return (v16)(low >> 16 | (high & 0xffff0000u));
#endif
}

/* 64-bit products of every second lane, from lane 0 on. */
VQX_FN v64 wide_product(v32 a, v32 b) {
#if defined(__AVX512BW__)
    return (v64)_mm512_mul_epu32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (v64)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__x86_64__)
    return (v64)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
    return (v64){(u64)a[0] * b[0], (u64)a[2] * b[2]};
#endif
}

/* Per lane: a b / 2^32, rounded. */
VQX_FN v32 high_product_rounded(v32 a, v32 b) {
    const v64 even = wide_product(a, b) + 0x80000000u, odd = wide_product((v32)((v64)a >> 32), (v32)((v64)b >> 32)) + 0x80000000u;
#if defined(__AVX512BW__)
    return (v32)_mm512_mask_blend_epi32(0xaaaa, (__m512i)(even >> 32), (__m512i)odd);
#elif defined(__AVX2__)
    return (v32)_mm256_blend_epi32((__m256i)(even >> 32), (__m256i)odd, 0xaa);
#else
    return (v32)(even >> 32 | odd >> 32 << 32);
#endif
}

/* The low, or the high, halves of two vectors side by side: a's first. */
VQX_FN v32 low_halves(v32 a, v32 b) {
    return (a & 0xffffu) | b << 16;
}

VQX_FN v32 high_halves(v32 a, v32 b) {
    return a >> 16 | (b & 0xffff0000u);
}

/* vqx_vif_log2 */
#if defined(__AVX512BW__)
VQX_FN __m512 log2_coefficient(u32 power, v32 piece) {
    return _mm512_permutex2var_ps(_mm512_loadu_ps(vqx_vif_log2_piece[power]), (__m512i)piece,
                                  _mm512_loadu_ps(vqx_vif_log2_piece[power] + 16));
}

VQX_FN v32 log2_of(v32 x) {
    const v32 zeros = (v32)_mm512_lzcnt_epi32((__m512i)x), top = (v32)_mm512_sllv_epi32((__m512i)x, (__m512i)zeros);
    const v32 piece = top >> 26; /* the leading one above it does not count */
    const __m512 t = (__m512)((top >> 3 & 0x7fe000u) | 0x3f800000u);
    const __m512 slope = log2_coefficient(2, piece) * t + log2_coefficient(1, piece);
    return (v32)_mm512_cvttps_epi32(slope * t + log2_coefficient(0, piece)) + (31 - zeros) * 2048;
}
#else
/* Words of a table by index. */
VQX_FN v32 look_up(const u32 *table, v32 index) {
#if defined(__AVX2__)
    return (v32)_mm256_i32gather_epi32((const int *)table, (__m256i)index, 4);
#else
    return (v32){table[index[0]], table[index[1]], table[index[2]], table[index[3]]};
#endif
}

VQX_FN v32 log2_of(v32 x) {
    const v32 top = (v32) __builtin_convertvector((s32)(x & ~(x >> 16)), float32) >> 8;
    return ((look_up(vqx_log2_table, top >> 3 & 4095) + (top & 7)) >> 3) + ((top >> 15) - 127) * 2048;
}
#endif

/* Eight bytes, zeros above them. */
VQX_FN q32 load_eight(const void *from) {
    u64 bytes;
    memcpy(&bytes, from, sizeof(bytes));
    return (q32)(q64){bytes, 0};
}

VQX_FN void store_eight(void *to, u64 bytes) {
    memcpy(to, &bytes, sizeof(bytes));
}

VQX_FN q32 zip_low_bytes(q32 a, q32 b) {
    return (q32)__builtin_shufflevector((q8)a, (q8)b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

VQX_FN q32 zip_low_halves(q32 a, q32 b) {
    return (q32)__builtin_shufflevector((q16)a, (q16)b, 0, 8, 1, 9, 2, 10, 3, 11);
}

VQX_FN q32 zip_high_halves(q32 a, q32 b) {
    return (q32)__builtin_shufflevector((q16)a, (q16)b, 4, 12, 5, 13, 6, 14, 7, 15);
}

VQX_FN q32 zip_low_lanes(q32 a, q32 b) {
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}

VQX_FN q32 zip_high_lanes(q32 a, q32 b) {
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}

/* The first, or the last, two lanes of both. */
VQX_FN q32 join_low(q32 a, q32 b) {
    return __builtin_shufflevector(a, b, 0, 1, 4, 5);
}

VQX_FN q32 join_high(q32 a, q32 b) {
    return __builtin_shufflevector(a, b, 2, 3, 6, 7);
}

#endif
