/* The sums of metric/square.h in integers, a row at a time; compiled once per instruction set. */
#include "metric/square.h"

#include <string.h>

#include "dialect/cpu.h"
#include "kernel/square.h"

/* Rows have at most 65535 samples, and 65535 * 255^2 < 65535 * 65535 < 2^32: sums of bytes and their squares, of words, and of the
 * halves of 32-bit terms over a row fit 32 bits. */

/* Sum of up to 65536 terms below 2^32, from the sum of the terms mod 2^32 and the sum of their upper halves. */
static inline u64 join(u32 wrapped, u32 upper) {
    return ((u64)upper << 16) + (u32)(wrapped - (upper << 16));
}

#if defined(__x86_64__)
/* psadbw and pmaddwd by hand: left to themselves, compilers take 1.4 to 3 times as long. */
#include <immintrin.h>
#if defined(__AVX512BW__)
typedef __m512i vec;
#define V(name) _mm512_##name
#define VI(name) _mm512_##name##_si512
#elif defined(__AVX2__)
typedef __m256i vec;
#define V(name) _mm256_##name
#define VI(name) _mm256_##name##_si256
#else
typedef __m128i vec;
#define V(name) _mm_##name
#define VI(name) _mm_##name##_si128
#endif

/* Adds the sums of the first samples, whole vectors of them, and returns how many these are. */
static u32 moment_row_vectors(const u8 *v, u32 n, uint64_t sums[2]) {
    const vec zero = VI(setzero)();
    vec first = zero, even = zero, odd = zero;
    u64 part[sizeof(vec) / sizeof(u64)];
    u32 x = 0;
    for (; x + sizeof(vec) <= n; x += sizeof(vec)) {
        const vec bytes = VI(loadu)((const vec *)(const void *)(v + x));
        const vec low = V(unpacklo_epi8)(bytes, zero), high = V(unpackhi_epi8)(bytes, zero);
        first = V(add_epi64)(first, V(sad_epu8)(bytes, zero));
        even = V(add_epi32)(even, V(madd_epi16)(low, low));
        odd = V(add_epi32)(odd, V(madd_epi16)(high, high));
    }
    memcpy(part, &first, sizeof(part));
    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
        sums[0] += part[i];
    even = V(add_epi32)(even, odd); /* 32-bit lanes hold a row's sum */
    memcpy(part, &even, sizeof(part));
    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
        sums[1] += (u32)part[i] + (part[i] >> 32);
    return x;
}
#else
static u32 moment_row_vectors(const u8 *v, u32 n, uint64_t sums[2]) {
    (void)v, (void)n, (void)sums;
    return 0;
}
#endif

static void moment_row_bytes(const u8 *restrict v, u32 n, uint64_t sums[2]) {
    u32 first = 0, second = 0;
    for (u32 x = moment_row_vectors(v, n, sums); x < n; x++) {
        first += v[x];
        second += vqx_square(v[x]);
    }
    sums[0] += first;
    sums[1] += second;
}

static u64 error_row_bytes(const u8 *restrict a, const u8 *restrict b, u32 n) {
    u32 sum = 0;
    for (u32 x = 0; x < n; x++) {
        const i16 e = (i16)(a[x] - b[x]);
        sum += (u32)(e * e);
    }
    return sum;
}

static u64 error_row_words(const u16 *restrict a, const u16 *restrict b, u32 n) {
    u32 wrapped = 0, upper = 0;
    for (u32 x = 0; x < n; x++) {
        const u32 square = vqx_square(a[x] - b[x]);
        wrapped += square;
        upper += square >> 16;
    }
    return join(wrapped, upper);
}

/* The words themselves where b is the literal NULL. */
VQX_FN i32 difference(const u16 *a, const u16 *b, u32 x) {
    return b ? a[x] - b[x] : a[x];
}

/* Sum of the rounded squares of a row; *first: sum of a. */
VQX_FN u64 row_words_f32(const u16 *restrict a, const u16 *restrict b, u32 n, u32 *first) {
    u32 wrapped = 0, upper = 0, words = 0;
    for (u32 x = 0; x < n; x++) {
        const u32 square = vqx_square_f32(difference(a, b, x));
        wrapped += square;
        upper += square >> 16;
        words += a[x];
    }
    *first = words;
    return join(wrapped, upper);
}

/* The fp64 sum `sum` after the n rounded squares of a row, added one by one, when their exact sum is `row`. */
VQX_FN u64 add_in_order(u64 sum, u64 row, const u16 *restrict a, const u16 *restrict b, u32 n) {
    const u64 end = sum + row;
    const u64 exact = (u64)1 << 53;
    if (end <= exact)
        return end;
    /* No sum on the way rounds if all that is added is a multiple of fp64's step just below the power of 2 above `end`. */
    const u64 step = (u64)1 << (64 - __builtin_clzll(end) - 53);
    u32 any = 0;
    for (u32 x = 0; x < n; x++)
        any |= vqx_square_f32(difference(a, b, x));
    if (((sum | any) & (step - 1)) == 0)
        return end;
    f64 rounded = (f64)sum;
    for (u32 x = 0; x < n; x++)
        rounded += (f64)vqx_square_f32(difference(a, b, x));
    return (u64)rounded;
}

static const u8 *row_bytes(const vqx_plane *plane, u32 y) {
    return plane->data + y * plane->stride;
}
static const u16 *row_words(const vqx_plane *plane, u32 y) {
    return (const u16 *)row_bytes(plane, y);
}

void VQX_ROWS(vqx_moment_sums)(const vqx_plane *plane, uint32_t bits, uint64_t sums[2]) {
    const u32 n = plane->width;
    sums[0] = sums[1] = 0;
    for (u32 y = 0; y < plane->height; y++) {
        if (bits == 8) {
            moment_row_bytes(row_bytes(plane, y), n, sums);
            continue;
        }
        const u16 *v = row_words(plane, y);
        u32 first;
        const u64 second = row_words_f32(v, NULL, n, &first);
        sums[0] += first;
        sums[1] = add_in_order(sums[1], second, v, NULL, n);
    }
}

uint64_t VQX_ROWS(vqx_error_sum)(const vqx_plane *ref, const vqx_plane *dis, uint32_t bits) {
    u64 sum = 0;
    for (u32 y = 0; y < ref->height; y++)
        sum += bits == 8 ? error_row_bytes(row_bytes(ref, y), row_bytes(dis, y), ref->width)
                         : error_row_words(row_words(ref, y), row_words(dis, y), ref->width);
    return sum;
}

uint64_t VQX_ROWS(vqx_error_sum_f32)(const vqx_plane *ref, const vqx_plane *dis, uint32_t bits) {
    if (bits == 8) /* squares below 2^24: nothing rounds */
        return VQX_ROWS(vqx_error_sum)(ref, dis, bits);
    u64 sum = 0;
    for (u32 y = 0; y < ref->height; y++) {
        const u16 *a = row_words(ref, y), *b = row_words(dis, y);
        u32 first;
        const u64 row = row_words_f32(a, b, ref->width, &first);
        sum = add_in_order(sum, row, a, b, ref->width);
    }
    return sum;
}
