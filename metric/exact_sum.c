#include "metric/exact_sum.h"

#include "dialect/cpu.h"
#include "kernel/exact_sum.h"

void vqx_ordered_sum(vqx_work *work, const vqx_ordered *sum, uint32_t at) {
    const uint32_t terms = sum->rows * sum->columns, segments = (terms - 1) / VQX_ORDERED_SEGMENT + 1, sums = sum->sums;
    const size_t all = (size_t)segments * sums;
    vqx_buffer up = vqx_work_scratch(work, VQX_SCRATCH_ORDERED, all * sizeof(u64));
    vqx_buffer net = vqx_work_scratch(work, VQX_SCRATCH_ORDERED + 1, all * sizeof(u64));
    vqx_buffer before = vqx_work_scratch(work, VQX_SCRATCH_ORDERED + 2, all * sizeof(u64));
    vqx_buffer stops = vqx_work_scratch(work, VQX_SCRATCH_ORDERED + 3, all * sizeof(u32));
    vqx_buffer stop = vqx_work_scratch(work, VQX_SCRATCH_ORDERED + 4, all * VQX_ORDERED_RUNS * 3 * sizeof(i64));
    vqx_buffer tail = vqx_work_scratch(work, VQX_SCRATCH_ORDERED + 5, all * 2 * sizeof(i64));
    vqx_run_ordered_bounds(work, segments, sums, sum->terms, terms, sum->unit, up, net);
    vqx_run_ordered_before(work, sums, 1, net, segments, before);
    vqx_run_ordered_map(work, segments, sums, sum->terms, terms, sum->unit, up, net, before, stops, stop, tail);
    vqx_run_ordered_walk(work, sums, 1, sum->terms, terms, stops, stop, tail, work->result, at);
}
