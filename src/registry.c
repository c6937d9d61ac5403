#include "src/registry.h"

#include <errno.h>

static const vqx_metric *const metrics[] = {
    &vqx_metric_float_moment, &vqx_metric_psnr,          &vqx_metric_float_psnr,
    &vqx_metric_float_ssim,   &vqx_metric_float_ms_ssim, &vqx_metric_vif,
};

#define METRICS (sizeof(metrics) / sizeof(metrics[0]))

const vqx_metric *vqx_registry_find(const char *name, size_t length) {
    for (size_t i = 0; i < METRICS; i++)
        if (strlen(metrics[i]->name) == length && memcmp(metrics[i]->name, name, length) == 0)
            return metrics[i];
    return NULL;
}

size_t vqx_metric_count(void) {
    return METRICS;
}

const char *vqx_metric_name(size_t i) {
    return i < METRICS ? metrics[i]->name : NULL;
}

const char *vqx_metric_help(size_t i) {
    return i < METRICS ? metrics[i]->help : NULL;
}

int vqx_metric_option(size_t i, size_t o, vqx_option_info *info) {
    if (i >= METRICS)
        return -ENOENT;
    for (const vqx_option *option = metrics[i]->options; option->name; option++)
        if (o-- == 0) {
            *info = (vqx_option_info){.name = option->name, .type = vqx_option_type_name(option->type), .help = option->help};
            return vqx_option_fallback_text(option, info->fallback, sizeof(info->fallback));
        }
    return -ENOENT;
}
