/* The sums of metric/square.h as doc/numerics.md defines them. */
#include <math.h>

#include "metric/square.h"

/* `bytes` is a literal: without the choice in the loop. */
static inline __attribute__((always_inline)) int32_t sample(const vqx_plane *plane, uint32_t x, uint32_t y, size_t bytes) {
    const uint8_t *row = plane->data + y * plane->stride;
    return bytes == 1 ? row[x] : ((const uint16_t *)row)[x];
}

static inline __attribute__((always_inline)) void moment_sums(const vqx_plane *plane, size_t bytes, float divisor, double sums[2]) {
    double first = 0, second = 0;
    for (uint32_t y = 0; y < plane->height; y++)
        for (uint32_t x = 0; x < plane->width; x++) {
            const float v = (float)sample(plane, x, y, bytes) / divisor;
            const float square = v * v;
            first += (double)v;
            second += (double)square;
        }
    sums[0] = first;
    sums[1] = second;
}

void vqx_moment_sums_definition(const vqx_plane *plane, uint32_t bits, uint64_t sums[2]) {
    const int shift = (int)bits - 8;
    double sum[2];
    if (bits == 8)
        moment_sums(plane, 1, 1, sum);
    else
        moment_sums(plane, 2, (float)(1 << shift), sum);
    sums[0] = (uint64_t)ldexp(sum[0], shift);
    sums[1] = (uint64_t)ldexp(sum[1], 2 * shift);
}

static inline __attribute__((always_inline)) uint64_t error_sum(const vqx_plane *ref, const vqx_plane *dis, size_t bytes) {
    uint64_t sum = 0;
    for (uint32_t y = 0; y < ref->height; y++)
        for (uint32_t x = 0; x < ref->width; x++) {
            const int64_t e = sample(ref, x, y, bytes) - sample(dis, x, y, bytes);
            sum += (uint64_t)(e * e);
        }
    return sum;
}

uint64_t vqx_error_sum_definition(const vqx_plane *ref, const vqx_plane *dis, uint32_t bits) {
    return bits == 8 ? error_sum(ref, dis, 1) : error_sum(ref, dis, 2);
}

static inline __attribute__((always_inline)) double error_sum_f32(const vqx_plane *ref, const vqx_plane *dis, size_t bytes,
                                                                  float divisor) {
    double sum = 0;
    for (uint32_t y = 0; y < ref->height; y++)
        for (uint32_t x = 0; x < ref->width; x++) {
            const float e = (float)sample(ref, x, y, bytes) / divisor - (float)sample(dis, x, y, bytes) / divisor;
            const float square = e * e;
            sum += (double)square;
        }
    return sum;
}

uint64_t vqx_error_sum_f32_definition(const vqx_plane *ref, const vqx_plane *dis, uint32_t bits) {
    const int shift = (int)bits - 8;
    const double sum = bits == 8 ? error_sum_f32(ref, dis, 1, 1) : error_sum_f32(ref, dis, 2, (float)(1 << shift));
    return (uint64_t)ldexp(sum, 2 * shift);
}
