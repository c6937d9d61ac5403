/* vqx bench on a device: time per pair in the steady state, several pairs in flight, from host memory; its stages; what raster
 * order costs. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/bench.h"

#define BATCH_SECONDS 0.2
#define MOST_PAIRS 4096u        /* in a batch */
#define RING_BYTES (208u << 20) /* more than a last-level cache holds */
#define LEAST_PAIRS 4u
#define FULL_PAIRS 128u       /* when so many are done, as many are in flight as will be */
#define MOST_RING 256u        /* pairs of it: a driver may pin each one on its own */
#define PROFILE_PAIRS 100u    /* of which the stages are measured, at most */
#define PATIENCE_SECONDS 60.0 /* without a finished pair, before a device is given up */

/* A context with frames of its own that is fed again and again. */
struct lane {
    const char *name;
    vqx_context *context;
    vqx_pool *pool;
    struct bench_ring ring;
    uint64_t submitted;
    size_t pair_bytes;
    uint64_t pairs; /* of a batch */
    double seconds[BENCH_MAX_ROUNDS];
};

/* What the device does at best, bytes per second. */
struct rates {
    double upload, copy;
};

static int fail(const struct lane *lane, int err) {
    const char *why = lane->context ? vqx_message(lane->context) : "";
    cli_error("bench: %s: %s", lane->name, *why ? why : vqx_strerror(err));
    return err;
}

/* Puts a frame into the device's memory instead of the host's. */
static int move_to_device(const struct lane *lane, vqx_frame **frame) {
    vqx_frame *there;
    const int err = vqx_frame_to_device(&there, lane->context, *frame);
    if (err < 0)
        return err;
    vqx_frame_unref(frame);
    *frame = there;
    return 0;
}

/* Opens a lane over `features` features, those of them that do not go with the ones before left out, and about as many bytes of
 * frames. A negative errno after its line; the lane is to be closed in any case. */
static int lane_open(struct lane *lane, const struct bench *b, const char *name, const char *const *feature, size_t features,
                     uint32_t flags, unsigned threads, size_t bytes) {
    const vqx_config config = {.threads = threads,
                               .batch = flags & VQX_DEVICE_PROFILE ? 1 : b->batch, /* stages are of one pair at a time */
                               .backend = b->backend,
                               .device = b->device,
                               .device_flags = flags};
    *lane = (struct lane){.name = name};
    int err = vqx_open(&lane->context, &config);
    for (size_t i = 0; i < features && err == 0; i++) {
        err = vqx_add_feature(lane->context, feature[i]);
        if (err == -EEXIST && i > 0)
            err = 0;
    }
    if (err == 0)
        err = vqx_start(lane->context, &b->format);
    if (err == 0)
        err = vqx_pool_open_for(&lane->pool, lane->context);
    if (err < 0)
        return fail(lane, err);
    size_t pair_bytes = 0;
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
        uint32_t w, h;
        vqx_format_plane_size(&b->format, p, &w, &h);
        if (vqx_planes(lane->context) >> p & 1)
            pair_bytes += 2 * (size_t)w * h * vqx_format_sample_bytes(&b->format);
    }
    lane->pair_bytes = pair_bytes;
    const size_t pairs = bench_frames_of(bytes, pair_bytes);
    err = bench_ring_open(&lane->ring, lane->pool, pairs < MOST_RING ? pairs : MOST_RING);
    for (size_t i = 0; b->resident && err == 0 && i < 2 * lane->ring.pairs; i++)
        err = move_to_device(lane, &lane->ring.frame[i % 2][i / 2]);
    return err < 0 ? fail(lane, err) : 0;
}

static void lane_close(struct lane *lane) {
    vqx_close(&lane->context);
    bench_ring_close(&lane->ring);
    vqx_pool_close(&lane->pool);
}

/* Waits for what was submitted, so that the device is idle. */
static int lane_drain(struct lane *lane) {
    const struct timespec moment = {0, 100000};
    uint64_t done = vqx_finished(lane->context);
    double since = cli_seconds();
    while (done < lane->submitted) {
        nanosleep(&moment, NULL);
        const uint64_t now = vqx_finished(lane->context);
        if (now != done) {
            done = now;
            since = cli_seconds();
        } else if (cli_seconds() - since > PATIENCE_SECONDS) {
            const int err = vqx_finish(lane->context);
            return fail(lane, err < 0 ? err : -ENODEV);
        }
    }
    return 0;
}

/* Seconds for each of `pairs` pairs while more come before and after them; a negative errno. */
static double lane_time(struct lane *lane, uint64_t pairs) {
    const uint64_t base = lane->submitted, before = pairs < FULL_PAIRS ? pairs : FULL_PAIRS;
    uint64_t first = 0, done = 0;
    double start = 0;
    while (!first || done < first + pairs) {
        const int err = bench_ring_submit(&lane->ring, lane->context, lane->submitted++);
        if (err < 0)
            return fail(lane, err);
        done = vqx_finished(lane->context) - base;
        if (!first && done >= before) {
            first = done;
            start = cli_seconds();
        }
    }
    const double seconds = (cli_seconds() - start) / (double)(done - first);
    const int err = lane_drain(lane);
    return err < 0 ? err : seconds;
}

/* Pairs that fill about that many seconds, and not more than `most`. */
static uint64_t pairs_of(double seconds, double seconds_per_pair, uint64_t most) {
    const double n = seconds / seconds_per_pair;
    return n < LEAST_PAIRS ? LEAST_PAIRS : n > (double)most ? most : (uint64_t)n;
}

/* Times all lanes in turn, round by round. */
static int time_lanes(struct lane *lane, size_t lanes, unsigned rounds) {
    for (size_t i = 0; i < lanes; i++) {
        double once = lane_time(&lane[i], LEAST_PAIRS);
        if (once > 0) /* the first batch has built and warmed what it needed; this one is like all others */
            once = lane_time(&lane[i], pairs_of(BATCH_SECONDS / 4, once, MOST_PAIRS));
        if (once < 0)
            return (int)once;
        lane[i].pairs = pairs_of(BATCH_SECONDS, once, MOST_PAIRS);
    }
    for (unsigned r = 0; r < rounds; r++)
        for (size_t i = 0; i < lanes; i++)
            if ((lane[i].seconds[r] = lane_time(&lane[i], lane[i].pairs)) < 0)
                return (int)lane[i].seconds[r];
    return 0;
}

/* Measures the stages of the lane's features, one pair at a time, and prints the lane's row. */
static int print_lane(const struct bench *b, const struct lane *lane, const char *const *feature, size_t features,
                      const struct rates *rates) {
    struct lane profile;
    vqx_stages s;
    const double seconds = bench_median(lane->seconds, b->rounds);
    const uint64_t pairs = pairs_of(BATCH_SECONDS, seconds, PROFILE_PAIRS);
    int err = lane_open(&profile, b, lane->name, feature, features, VQX_DEVICE_PROFILE, 1, 0);
    for (; profile.submitted < pairs && err == 0; profile.submitted++)
        if ((err = bench_ring_submit(&profile.ring, profile.context, profile.submitted)) < 0)
            fail(&profile, err);
    if (err == 0 && (err = vqx_finish(profile.context)) < 0)
        fail(&profile, err);
    if (err < 0)
        goto end;
    vqx_stage_times(profile.context, &s);
    const double n = (double)pairs, up = (double)s.bytes_up / n;
    printf("| %-26s | %8.3f | %8.3f | %8.3f | %8.3f | %8.3f | %8.4f | %8.0f | %7.2f | %5.0f %% | %5.0f %% | %7.3g |\n", lane->name,
           seconds * 1e3, s.upload / n * 1e3, s.kernels / n * 1e3, s.download / n * 1e3, s.finish / n * 1e3, up * 1e-6,
           (double)s.bytes_down / n, up / seconds * 1e-9, up / seconds / rates->upload * 100,
           s.kernels > 0 ? (double)s.bytes_up / s.kernels / rates->copy * 100 : 0, (double)s.ordered / n);
end:
    lane_close(&profile);
    return err;
}

/* The MB of the smallest ring: small pictures do not fill RING_BYTES. */
static size_t ring_megabytes(const struct lane *lane, size_t lanes) {
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < lanes; i++)
        least = lane[i].ring.pairs * lane[i].pair_bytes < least ? lane[i].ring.pairs * lane[i].pair_bytes : least;
    return least / 1000000;
}

/* Prints the rows of lanes over frames in the device's memory. */
static void print_resident(const struct bench *b, const struct lane *lane, size_t lanes, const struct rates *rates) {
    printf(
        "\nEvery pair from the device's memory (%zu MB or more), several in flight: ms per pair, GB/s, and the share of its copy "
        "rate.\n\n| %-26s | ms/pair  | GB/s    | copy    |\n|---|---|---|---|\n",
        ring_megabytes(lane, lanes), "feature");
    for (size_t i = 0; i < lanes; i++) {
        const double seconds = bench_median(lane[i].seconds, b->rounds), rate = (double)lane[i].pair_bytes / seconds;
        printf("| %-26s | %8.4f | %7.1f | %5.0f %% |\n", lane[i].name, seconds * 1e3, rate * 1e-9, rate / rates->copy * 100);
    }
}

/* Every feature alone, and all of them together. */
static int bench_features(const struct bench *b, const struct rates *rates) {
    struct lane lane[CLI_MAX_FEATURES + 1];
    size_t lanes = 0;
    int err = 0;
    for (; lanes < b->features && err == 0; lanes++)
        err = lane_open(&lane[lanes], b, b->feature[lanes], &b->feature[lanes], 1, 0, b->threads, RING_BYTES);
    if (b->features > 1 && err == 0)
        err = lane_open(&lane[lanes++], b, "all together", b->feature, b->features, 0, b->threads, RING_BYTES);
    if (err == 0)
        err = time_lanes(lane, lanes, b->rounds);
    if (err == 0 && b->resident)
        print_resident(b, lane, lanes, rates);
    if (err < 0 || b->resident)
        goto end;
    printf("\nEvery pair from host memory (%zu MB or more), several in flight: ms per pair; MB to the device and bytes back, GB/s, "
           "and "
           "the share of\nits upload rate. Stages of one pair at a time: ms; the share that the pictures' bytes over the kernels' "
           "time "
           "have of its copy rate; sums\nthat were made again in raster order.\n\n"
           "| %-26s | ms/pair  | upload   | kernels  | download | finish   | MB up    | bytes    | GB/s    | upload  | copy    | "
           "again   |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
           ring_megabytes(lane, lanes), "feature");
    for (size_t i = 0; i < lanes && err == 0; i++)
        err = i < b->features ? print_lane(b, &lane[i], &b->feature[i], 1, rates)
                              : print_lane(b, &lane[i], b->feature, b->features, rates);
end:
    for (size_t i = 0; i < lanes; i++)
        lane_close(&lane[i]);
    return err;
}

/* A feature as it is, against all of its sums forced into raster order. */
static int bench_ordered(const struct bench *b, const char *feature) {
    struct lane lane[2];
    unsigned lanes = 0;
    int err = 0;
    for (; lanes < 2 && err == 0; lanes++)
        err = lane_open(&lane[lanes], b, feature, &feature, 1, lanes ? VQX_DEVICE_ORDERED : 0, b->threads, RING_BYTES);
    if (err == 0)
        err = time_lanes(lane, 2, b->rounds);
    if (err == 0)
        printf("| %-26s | %8.3f | %8.3f | %6.2fx |\n", feature, bench_median(lane[0].seconds, b->rounds) * 1e3,
               bench_median(lane[1].seconds, b->rounds) * 1e3, bench_median_ratio(lane[1].seconds, lane[0].seconds, b->rounds));
    for (unsigned i = 0; i < lanes; i++)
        lane_close(&lane[i]);
    return err;
}

/* The first device's name, when it can be used; else NULL after a line. */
static const char *device_name(const struct bench *b, uint32_t device, const vqx_device_info *info, size_t count) {
    const vqx_device_info *absent = NULL;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(info[i].backend, b->backend) != 0)
            continue;
        absent = &info[i];
        if (info[i].number == device && info[i].usable)
            return info[i].name;
        if (info[i].number == device || info[i].number == VQX_NO_DEVICE) {
            cli_error("bench: %s: %s", b->backend, info[i].why);
            return NULL;
        }
    }
    if (absent)
        cli_error("bench: %s has no device %" PRIu32 " (see vqx devices)", b->backend, device);
    else
        cli_error("bench: back end '%s' is not part of this build", b->backend);
    return NULL;
}

int bench_device(struct bench *b) {
    static const char *const usual[] = {"float_moment", "float_psnr", "psnr=enable_chroma=false", "psnr",
                                        "vif",          "float_ssim", "float_ssim=scale=1",       "float_ms_ssim"};
    static const char *const usual_ordered[] = {"float_ssim=scale=1", "float_ms_ssim"};
    const bool named = b->features > 0;
    const char *const *ordered = named ? b->feature : usual_ordered;
    const size_t ordered_count = named ? b->features : 2;
    struct rates rates;
    char message[512];
    size_t count = 0;
    vqx_device_info *info = cli_device_list(&count);
    const uint32_t device = (uint32_t)strtoul(b->device, NULL, 10); /* a wrong list is refused when it is opened */
    const char *name = info ? device_name(b, device, info, count) : NULL;
    int err = name ? 0 : -ENODEV;
    if (!info) {
        cli_error("bench: out of memory");
        err = -ENOMEM;
    }
    for (; !named && b->features < sizeof(usual) / sizeof(usual[0]); b->features++)
        b->feature[b->features] = usual[b->features];
    if (err == 0 && (err = vqx_device_rates(b->backend, device, &rates.upload, &rates.copy, message, sizeof(message))) < 0)
        cli_error("bench: %s", message);
    if (err == 0) {
        printf("%s %s: %s\nuploads %.1f GB/s, copies %.1f GB/s (read + written)\n%" PRIu32 "x%" PRIu32 ", 4:2:0, %" PRIu32
               " bits, %u rounds, medians\n",
               b->backend, b->device, name, rates.upload * 1e-9, rates.copy * 1e-9, b->format.width, b->format.height,
               b->format.bits, b->rounds);
        err = bench_features(b, &rates);
    }
    if (err == 0 && !b->resident)
        printf("\nSums whose order may show, all of them made in raster order, ms per pair:\n\n"
               "| %-26s | ordinary | ordered  | ratio   |\n|---|---|---|---|\n",
               "feature");
    for (size_t i = 0; i < ordered_count && err == 0 && !b->resident; i++)
        err = bench_ordered(b, ordered[i]);
    free(info);
    return err < 0 ? cli_exit_of(err) : CLI_OK;
}
