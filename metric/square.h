/* The sums that float_moment, psnr and float_psnr are made of, in every CPU form. All are whole numbers: of sample words, or of
 * their squares. */
#ifndef VQX_METRIC_SQUARE_H
#define VQX_METRIC_SQUARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/frame.h"
#include "metric/rows.h"

/* Parts of a picture that are worth another thread's time. */
static inline uint32_t vqx_square_parts(const vqx_format *format) {
    return format->width * format->height / (1u << 19) + 1;
}

/* Whether sums of squares from the rows of one picture can be added: then no sum on the way rounds. Else the picture must be passed
 * in one part. */
static inline bool vqx_square_exact(uint64_t sum) {
    return sum <= (uint64_t)1 << 53;
}

/* sums[0]: sum of v over the plane; sums[1]: fp64 sum in raster order of RN32(v * v), which is a whole number below 2^64 also where
 * it rounds. */
typedef void vqx_moment_sums(const vqx_plane *plane, uint32_t bits, uint64_t sums[2]);
/* Sum over two planes of one size: of (r - d)^2, or in raster order in fp64 of RN32((r - d)^2). */
typedef uint64_t vqx_error_sum(const vqx_plane *ref, const vqx_plane *dis, uint32_t bits);

vqx_moment_sums vqx_moment_sums_definition;
vqx_error_sum vqx_error_sum_definition, vqx_error_sum_f32_definition;

VQX_ROWS_DECLARE(void, vqx_moment_sums, (const vqx_plane *plane, uint32_t bits, uint64_t sums[2]));
VQX_ROWS_DECLARE(uint64_t, vqx_error_sum, (const vqx_plane *ref, const vqx_plane *dis, uint32_t bits));
VQX_ROWS_DECLARE(uint64_t, vqx_error_sum_f32, (const vqx_plane *ref, const vqx_plane *dis, uint32_t bits));

#endif
