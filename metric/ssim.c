#include "metric/ssim.h"

#include <math.h>

vqx_ssim_forms vqx_ssim_forms_of(vqx_cpu_level level) {
    static vqx_ssim_scratch *const scratch[VQX_LEVELS] = VQX_LEVEL_TABLE(vqx_ssim_scratch_definition, vqx_ssim_scratch);
    static vqx_ssim_windows *const windows[VQX_LEVELS] = VQX_LEVEL_TABLE(vqx_ssim_windows_definition, vqx_ssim_windows);
    static vqx_ssim_box *const box[VQX_LEVELS] = VQX_LEVEL_TABLE(vqx_ssim_box_definition, vqx_ssim_box);
    static vqx_ssim_halve *const halve[VQX_LEVELS] = VQX_LEVEL_TABLE(vqx_ssim_halve_definition, vqx_ssim_halve);
    return (vqx_ssim_forms){scratch[level], windows[level], box[level], halve[level]};
}

uint32_t vqx_ssim_box_side(uint32_t side, uint32_t f) {
    return side / f + (side & 1);
}

double vqx_ssim_decibel(double score, const vqx_format *format, bool clip) {
    const double decibel = -10.0 * log10(1.0 - score);
    double most = INFINITY;
    if (clip) {
        const uint32_t peak = (1u << format->bits) - 1;
        most = ceil(10.0 * log10((double)(peak * peak) / (0.5 / (double)(format->width * format->height))));
    }
    return decibel < most ? decibel : most; /* also for a score that is no number */
}
