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

vqx_ssim_rows vqx_ssim_halved(vqx_ssim_rows rows, uint32_t height) {
    if (rows.first >= rows.end)
        return rows;
    const uint32_t end = 2 * rows.end + 4; /* the filter reaches 4 rows, the last is for whole pairs; mirrored ones lie within */
    return (vqx_ssim_rows){rows.first < 2 ? 0 : 2 * rows.first - 4, end < height ? end : height};
}

vqx_ssim_rows vqx_ssim_part(uint32_t n, uint32_t part, uint32_t parts) {
    return (vqx_ssim_rows){(uint32_t)((uint64_t)n * part / parts), (uint32_t)((uint64_t)n * (part + 1) / parts)};
}

bool vqx_ssim_mean(vqx_ssim_sum sum, uint32_t n, double *mean) {
    const float least = (float)((sum.sum - sum.off) / n), most = (float)((sum.sum + sum.off) / n);
    *mean = least;
    return least == most;
}

vqx_ssim_sum vqx_ssim_joined(const vqx_feature *feature, uint32_t parts, const uint64_t *part, size_t i) {
    vqx_ssim_sum sum = {0, 0};
    for (uint32_t p = 0; p < parts; p++, part += feature->sums) {
        sum.sum += vqx_f64_of_bits(part[i]);
        sum.off += vqx_f64_of_bits(part[feature->sums / 2 + i]);
    }
    return sum;
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
