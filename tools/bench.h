/* The parts of vqx bench. */
#ifndef TOOLS_BENCH_H
#define TOOLS_BENCH_H

#include "tools/cli.h"

#define BENCH_MAX_ROUNDS 101

struct bench {
    vqx_format format;
    unsigned rounds;
    const char *feature[CLI_MAX_FEATURES];
    size_t bytes[CLI_MAX_FEATURES];    /* of one pair that the feature reads */
    unsigned planes[CLI_MAX_FEATURES]; /* that it reads */
    size_t features;
    const char *backend; /* and, unless it is the CPU, */
    const char *device;  /* its devices, as in vqx_config */
    unsigned threads;    /* that feed them, and pairs that share launches; 0 = as the library chooses */
    uint32_t batch;
    bool resident; /* frames are in the device's memory */
};

/* Frames to be scored again and again: pair i is frame[0][i % pairs], frame[1][i % pairs]. */
struct bench_ring {
    vqx_frame **frame[2];
    size_t pairs;
};

/* `pairs` pairs in memory of the pool. A negative errno; the ring is to be closed in any case. */
int bench_ring_open(struct bench_ring *ring, vqx_pool *pool, size_t pairs);
void bench_ring_close(struct bench_ring *ring);
/* Queues pair `index`. As vqx_submit(). */
int bench_ring_submit(const struct bench_ring *ring, vqx_context *context, uint64_t index);

/* As many frames of that many bytes as fill `bytes`, within reason. */
size_t bench_frames_of(size_t bytes, size_t frame_bytes);

/* The median of n values, and of n ratios a[i] / b[i]; n up to BENCH_MAX_ROUNDS. */
double bench_median(const double *value, size_t n);
double bench_median_ratio(const double *a, const double *b, size_t n);

/* The measurements on the processor, and on a device. Return the exit code. */
int bench_cpu(struct bench *b);
int bench_device(struct bench *b);

#endif
