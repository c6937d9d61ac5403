/* Pictures for the tests of float_ssim and float_ms_ssim. */
#ifndef VQX_TEST_SSIM_INPUT_H
#define VQX_TEST_SSIM_INPUT_H

#include "metric/metric.h"
#include "metric/ssim.h"

/* A frame of noise, luma with an odd stride; words up to 65535 at any depth above 8. NULL when out of memory. */
vqx_frame *ssim_noise(const vqx_format *format, uint64_t *random);

/* Fails the running test unless any number of parts gives the sums of the whole, and join, of the sums of two parts, takes a mean
 * that they settle from them and makes one that they leave open in raster order, each mean of noise in each form. */
void ssim_check_join(const vqx_metric *metric, const char *options, const vqx_format *format, uint64_t *random);

typedef enum ssim_kind {
    SSIM_SMOOTH, /* 0 … 255 */
    SSIM_NOISE,  /* 0 … 255 */
    SSIM_SIGNED, /* around 0, as halving can leave */
    SSIM_TINY,   /* both signs, magnitudes of 2^-80 … 1, zeros among them */
    SSIM_CANCEL, /* large samples that cancel in every halving filter, after rounding what is added between them */
    SSIM_KINDS,
} ssim_kind;

/* A picture of 8, 10, 12, 16 (kind: SSIM_NOISE) or 32 bits; its memory is *memory, for the caller to free. Fails the running test
 * when out of memory. */
vqx_ssim_picture ssim_picture(uint32_t width, uint32_t height, uint32_t bits, ssim_kind kind, uint64_t *random, void **memory);

#endif
