/* What psnr and float_psnr share after their sums. */
#ifndef VQX_METRIC_PSNR_H
#define VQX_METRIC_PSNR_H

#include <stdbool.h>
#include <stdint.h>

/* The a of two unless b is smaller or a is not a number: the reference's MIN. */
static inline double vqx_psnr_min(double a, double b) {
    return a < b ? a : b;
}

/* The score of identical pictures, in dB: 60, 72, 84, 108. */
static inline double vqx_psnr_cap(uint32_t bits) {
    return 6.0 * bits + 12.0;
}

/* 10 log10(peak2 / mse) in dB with mse not below `least`; at most cap or, when uncapped, cap for mse = 0 only. */
double vqx_psnr_decibel(double peak2, double mse, double least, double cap, bool uncapped);

#endif
