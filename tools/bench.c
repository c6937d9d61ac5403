/* vqx bench: how fast every metric is on this machine. All comparisons are interleaved in one run; figures are medians. */
#include "tools/bench.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/picture.h"

#define MAX_FRAMES 65536u /* only tiny pictures would need more */

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double bench_median(const double *value, size_t n) {
    double sorted[BENCH_MAX_ROUNDS];
    memcpy(sorted, value, n * sizeof(*value));
    qsort(sorted, n, sizeof(*sorted), compare);
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

double bench_median_ratio(const double *a, const double *b, size_t n) {
    double ratio[BENCH_MAX_ROUNDS];
    for (size_t i = 0; i < n; i++)
        ratio[i] = a[i] / b[i];
    return bench_median(ratio, n);
}

size_t bench_frames_of(size_t bytes, size_t frame_bytes) {
    const size_t n = 2 + bytes / frame_bytes;
    return n < MAX_FRAMES ? n : MAX_FRAMES;
}

int bench_ring_open(struct bench_ring *ring, vqx_pool *pool, size_t pairs) {
    *ring = (struct bench_ring){.pairs = pairs};
    for (unsigned s = 0; s < 2; s++) {
        ring->frame[s] = calloc(pairs, sizeof(*ring->frame[s]));
        if (!ring->frame[s])
            return -ENOMEM;
        for (size_t i = 0; i < pairs; i++) {
            const int err = vqx_pool_frame(pool, &ring->frame[s][i], NULL, NULL, 0);
            if (err < 0)
                return err;
            picture_paint(ring->frame[s][i], PICTURE_GRAIN, s, i);
        }
    }
    return 0;
}

void bench_ring_close(struct bench_ring *ring) {
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; ring->frame[s] && i < ring->pairs; i++)
            vqx_frame_unref(&ring->frame[s][i]);
        free(ring->frame[s]);
        ring->frame[s] = NULL;
    }
}

int bench_ring_submit(const struct bench_ring *ring, vqx_context *context, uint64_t index) {
    return vqx_submit(context, index, vqx_frame_ref(ring->frame[0][index % ring->pairs]),
                      vqx_frame_ref(ring->frame[1][index % ring->pairs]));
}

static void help(void) {
    printf("vqx bench: how fast each metric is here, on one thread of the processor, or on a device\n\n"
           "  --feature NAME[=KEY=VALUE...]  what to time; repeatable (default: every metric)\n"
           "  --size WxH                     picture size (default 1920x1080)\n"
           "  --bits N                       8 (default), 10, 12 or 16\n"
           "  --rounds N                     interleaved rounds, 1 to %d (default 7)\n"
           "  --backend NAME                 cpu (default), or the back end of a device (see vqx devices)\n"
           "  --device LIST                  its device, or several that share the frames: 0 (default), 0,2 or all\n"
           "  --threads N                    threads that feed it (default: as in a scoring run)\n"
           "  --batch N                      pairs of a thread that share launches, up to %u (default: as in a scoring run)\n"
           "  --resident                     frames that are in the device's memory already\n",
           BENCH_MAX_ROUNDS, VQX_MAX_BATCH);
}

int cli_bench(int argc, char **argv) {
    static const struct option options[] = {
        {"feature", required_argument, NULL, 'f'},
        {"size", required_argument, NULL, 's'},
        {"bits", required_argument, NULL, 'b'},
        {"rounds", required_argument, NULL, 'r'},
        {"backend", required_argument, NULL, 'k'},
        {"device", required_argument, NULL, 'd'},
        {"threads", required_argument, NULL, 't'},
        {"batch", required_argument, NULL, 'n'},
        {"resident", no_argument, NULL, 'm'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct bench b = {.format = {1920, 1080, VQX_CHROMA_420, 8}, .rounds = 7, .backend = "cpu", .device = "0"};
    const char *for_devices = NULL; /* an option that only they have */
    int key;
    opterr = 0;
    while ((key = getopt_long(argc, argv, ":", options, NULL)) != -1) {
        uint64_t number = 0;
        bool good = true;
        switch (key) {
        case 'f':
            good = b.features < CLI_MAX_FEATURES;
            if (good)
                b.feature[b.features++] = optarg;
            break;
        case 's':
            good = cli_size(optarg, &b.format) == 0 && vqx_format_check(&b.format) == 0;
            break;
        case 'b':
            good = cli_number(optarg, 16, &number) == 0;
            b.format.bits = (uint32_t)number;
            good = good && vqx_format_check(&b.format) == 0;
            break;
        case 'r':
            good = cli_number(optarg, BENCH_MAX_ROUNDS, &number) == 0 && number > 0;
            b.rounds = (unsigned)number;
            break;
        case 'k':
            good = strcmp(optarg, "auto") != 0;
            b.backend = optarg;
            break;
        case 'd':
            b.device = optarg;
            for_devices = "device";
            break;
        case 't':
            good = cli_number(optarg, 1024, &number) == 0;
            b.threads = (unsigned)number;
            for_devices = "threads";
            break;
        case 'n':
            good = cli_number(optarg, VQX_MAX_BATCH, &number) == 0;
            b.batch = (uint32_t)number;
            for_devices = "batch";
            break;
        case 'm':
            b.resident = true;
            for_devices = "resident";
            break;
        case 'h':
            help();
            return CLI_OK;
        default:
            cli_error("bench: wrong option '%s' (see vqx bench --help)", argv[optind - 1]);
            return CLI_USAGE;
        }
        if (!good) {
            cli_error("bench: wrong value '%s' (see vqx bench --help)", optarg);
            return CLI_USAGE;
        }
    }
    if (optind < argc) {
        cli_error("bench: unexpected argument '%s'", argv[optind]);
        return CLI_USAGE;
    }
    if (strcmp(b.backend, "cpu") != 0)
        return bench_device(&b);
    if (for_devices) {
        cli_error("bench: --%s needs the --backend of a device", for_devices);
        return CLI_USAGE;
    }
    return bench_cpu(&b);
}
