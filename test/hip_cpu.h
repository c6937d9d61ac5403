/* The kernels of HIP on the processor: lanes are fibers, each runs until it waits for others. Waves have 32 lanes, or 64 with
 * FAKE_HIP_WAVE=64, which also turns the order of lanes around. */
#ifndef VQX_TEST_HIP_CPU_H
#define VQX_TEST_HIP_CPU_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
#define HIP_CPU extern "C" __attribute__((visibility("default")))
#else
#define HIP_CPU extern __attribute__((visibility("default")))
#endif

typedef struct hip_cpu_index {
    unsigned x, y, z;
} hip_cpu_index;
typedef struct hip_cpu_kernel {
    void (*lane)(const void *sets); /* what a lane does */
    unsigned lanes;
} hip_cpu_kernel;

/* Runs gx * gy * gz groups. One thread at a time. */
HIP_CPU void hip_cpu_run(const hip_cpu_kernel *kernel, uint32_t gx, uint32_t gy, uint32_t gz, const void *sets);

/* For lanes: where they are, a barrier, and the value of the lane `step` further on among `width` of the wave. */
HIP_CPU hip_cpu_index hip_cpu_thread, hip_cpu_block, hip_cpu_grid;
HIP_CPU void hip_cpu_barrier(void);
HIP_CPU uint64_t hip_cpu_shuffle_down(uint64_t value, unsigned step, unsigned width);

/* Those of dialect/entry.hip, by number: test/hip_cpu_entry.cpp. */
HIP_CPU const hip_cpu_kernel hip_cpu_kernels_soft[], hip_cpu_kernels_fp64[];

#endif
