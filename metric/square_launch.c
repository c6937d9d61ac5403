#include "metric/square_launch.h"

#include "dialect/cpu.h"
#include "kernel/square.h"
#include "metric/exact_sum.h"
#include "metric/metric.h"

/* Groups that share the bytes of a plane. */
static uint32_t groups_of(size_t bytes) {
    const size_t groups = bytes / (1u << 14) + 1;
    return groups < 1024 ? (uint32_t)groups : 1024;
}

static vqx_buffer parts(vqx_work *work, uint32_t groups) {
    return vqx_work_scratch(work, VQX_SCRATCH_METRIC, groups * VQX_SQUARE_COLUMNS * sizeof(u64));
}

void vqx_square_moments(vqx_work *work, const vqx_format *format, uint32_t at) {
    const size_t bytes = work->plane_bytes[0];
    const uint32_t groups = groups_of(bytes);
    vqx_buffer part = parts(work, groups);
    VQX_RUN_DEPTH(moment, format->bits)(work, groups, 1, work->plane[0][0], work->plane[1][0], bytes, part);
    vqx_run_sum_u64(work, 4, 1, part, 0, groups, VQX_SQUARE_COLUMNS, work->result, at);
}

void vqx_square_errors(vqx_work *work, const vqx_format *format, uint32_t planes, bool rounded, uint32_t at) {
    const unsigned b = planes > 1 ? 1 : 0, c = planes > 1 ? 2 : 0; /* luma stands for planes that are not there */
    const size_t *bytes = work->plane_bytes;
    const uint32_t groups = groups_of(bytes[0]);
    vqx_buffer part = parts(work, groups), *const ref = work->plane[0], *const dis = work->plane[1];
    VQX_RUN_DEPTH(error, format->bits)
    (work, groups, planes, ref[0], dis[0], ref[b], dis[b], ref[c], dis[c], bytes[0], bytes[b], rounded, part);
    vqx_run_sum_u64(work, planes, 1, part, 0, groups, VQX_SQUARE_COLUMNS, work->result, at);
}

void vqx_square_ordered(vqx_work *work, const vqx_format *format, vqx_buffer a, vqx_buffer b, bool difference, uint32_t sums,
                        uint32_t at) {
    const uint32_t samples = format->width * format->height;
    vqx_buffer terms = vqx_work_scratch(work, VQX_SCRATCH_METRIC + 1, (size_t)samples * sums * sizeof(u64));
    vqx_run_square_terms(work, groups_of(work->plane_bytes[0]), sums, a, b, samples, difference, terms);
    vqx_ordered_sum(work, &(vqx_ordered){terms, format->width, format->height, sums, 2}, at);
}

bool vqx_square_settle(uint64_t *sum, uint64_t word, bool ordered) {
    if (ordered)
        *sum = (uint64_t)vqx_f64_of_bits(word);
    return !ordered && !vqx_square_exact(*sum);
}
