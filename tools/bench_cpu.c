/* vqx bench on the processor, one thread: all forms, every pair from memory, whole runs over files. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/bench.h"
#include "tools/reader.h"

#define MAX_FORMS 5
#define BATCH_SECONDS 0.04      /* one timed batch of frames */
#define COLD_BYTES (256u << 20) /* more than the last-level cache holds */
#define FILE_BYTES (128u << 20) /* of each input file */

struct form {
    const char *name;
    uint32_t mask;
};

/* ---- timing -------------------------------------------------------------------------------------------------------- */

/* Finds what feature i reads; says what is wrong with it otherwise. */
static int look_at_feature(struct bench *b, size_t i) {
    vqx_context *context = NULL;
    int err = vqx_open(&context, &(vqx_config){.threads = 1});
    if (err == 0)
        err = vqx_add_feature(context, b->feature[i]);
    if (err == 0)
        err = vqx_start(context, &b->format);
    if (err < 0) {
        cli_error("bench: %s", context ? vqx_message(context) : vqx_strerror(err));
        goto fail;
    }
    b->planes[i] = vqx_planes(context);
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
        uint32_t w, h;
        vqx_format_plane_size(&b->format, p, &w, &h);
        if (b->planes[i] >> p & 1)
            b->bytes[i] += 2 * (size_t)w * h * vqx_format_sample_bytes(&b->format);
    }
fail:
    vqx_close(&context);
    return err;
}

/* Seconds per frame of `frames` pairs on one thread; negative errno as a negative number. */
static double time_batch(const char *feature, uint32_t mask, const vqx_format *format, const struct bench_ring *ring,
                         size_t frames) {
    vqx_context *context;
    int err = vqx_open(&context, &(vqx_config){.threads = 1, .cpumask = mask});
    if (err < 0)
        return err;
    err = vqx_add_feature(context, feature);
    if (err == 0)
        err = vqx_start(context, format);
    const double start = cli_seconds();
    for (size_t i = 0; i < frames && err == 0; i++)
        err = bench_ring_submit(ring, context, i);
    if (err == 0)
        err = vqx_finish(context);
    const double seconds = cli_seconds() - start;
    vqx_close(&context);
    return err < 0 ? err : seconds / (double)frames;
}

/* Frames that fill a batch. */
static size_t batch_frames(double seconds_per_frame) {
    const double n = BATCH_SECONDS / seconds_per_frame;
    return n < 1 ? 1 : n > 4096 ? 4096 : (size_t)n;
}

static int bench_forms(const struct bench *b, const char *feature, const struct form *form, size_t forms,
                       const struct bench_ring *ring) {
    double seconds[MAX_FORMS][BENCH_MAX_ROUNDS];
    size_t frames[MAX_FORMS];
    for (size_t f = 0; f < forms; f++) {
        const double once = time_batch(feature, form[f].mask, &b->format, ring, 2);
        if (once < 0)
            return (int)once;
        frames[f] = batch_frames(once);
    }
    for (unsigned r = 0; r < b->rounds; r++)
        for (size_t f = 0; f < forms; f++)
            if ((seconds[f][r] = time_batch(feature, form[f].mask, &b->format, ring, frames[f])) < 0)
                return (int)seconds[f][r];
    printf("| %-22s |", feature);
    for (size_t f = 0; f < forms; f++) {
        printf(" %9.3f", bench_median(seconds[f], b->rounds) * 1e3);
        if (f > 0)
            printf(" (%6.1fx)", bench_median_ratio(seconds[0], seconds[f], b->rounds));
        printf(" |");
    }
    printf("\n");
    return 0;
}

/* Reads every byte of the planes once: what the memory gives to one thread. */
static uint64_t read_pair(const struct bench_ring *ring, size_t i, unsigned planes) {
    uint64_t sum[8] = {0};
    for (int s = 0; s < 2; s++)
        for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
            uint32_t w, h;
            const vqx_format *format = vqx_frame_format(ring->frame[s][i]);
            vqx_format_plane_size(format, p, &w, &h);
            if (!(planes >> p & 1))
                continue;
            const uint64_t *data = (const uint64_t *)(const void *)vqx_frame_data(ring->frame[s][i], p, NULL);
            const size_t words = (size_t)w * h * vqx_format_sample_bytes(format) / 8;
            for (size_t k = 0; k + 8 <= words; k += 8)
                for (int j = 0; j < 8; j++)
                    sum[j] += data[k + j];
        }
    for (int j = 1; j < 8; j++)
        sum[0] += sum[j];
    return sum[0];
}

static volatile uint64_t sink; /* keeps the reading loop alive */

static int bench_cold(const struct bench *b, size_t feature, const struct bench_ring *ring) {
    double reading[BENCH_MAX_ROUNDS], scoring[BENCH_MAX_ROUNDS];
    for (unsigned r = 0; r < b->rounds; r++) {
        const double start = cli_seconds();
        for (size_t i = 0; i < ring->pairs; i++)
            sink += read_pair(ring, i, b->planes[feature]);
        reading[r] = (cli_seconds() - start) / (double)ring->pairs;
        scoring[r] = time_batch(b->feature[feature], 0, &b->format, ring, ring->pairs);
        if (scoring[r] < 0)
            return (int)scoring[r];
    }
    const double bytes = (double)b->bytes[feature];
    printf("| %-22s | %9.3f | %9.2f | %9.2f | %7.0f %% |\n", b->feature[feature], bench_median(scoring, b->rounds) * 1e3,
           bytes / bench_median(scoring, b->rounds) * 1e-9, bytes / bench_median(reading, b->rounds) * 1e-9,
           bench_median_ratio(reading, scoring, b->rounds) * 100);
    return 0;
}

/* ---- from files ---------------------------------------------------------------------------------------------------- */

static int write_all(int fd, const uint8_t *data, size_t bytes) {
    while (bytes) {
        const ssize_t n = write(fd, data, bytes);
        if (n < 0)
            return -errno;
        data += n;
        bytes -= (size_t)n;
    }
    return 0;
}

/* A raw file without a name to remove: its descriptor. */
static int write_clip(const vqx_format *format, const struct bench_ring *ring, int side, size_t frames) {
    const char *folder = getenv("TMPDIR");
    char path[512];
    snprintf(path, sizeof(path), "%s/vqx-bench-XXXXXX", folder && *folder ? folder : "/tmp");
    const int fd = mkstemp(path);
    if (fd < 0)
        return -errno;
    unlink(path);
    for (size_t i = 0; i < frames; i++)
        for (unsigned p = 0; p < vqx_format_planes(format); p++) {
            uint32_t w, h;
            vqx_format_plane_size(format, p, &w, &h);
            const int err = write_all(fd, vqx_frame_data(ring->frame[side][i % ring->pairs], p, NULL),
                                      (size_t)w * h * vqx_format_sample_bytes(format));
            if (err < 0) {
                close(fd);
                return err;
            }
        }
    return fd;
}

/* Seconds per frame to read the needed planes of both files once into one reused frame. */
static double time_reading(const vqx_format *format, const int fd[2], unsigned planes, size_t frames, vqx_frame *frame) {
    off_t at = 0;
    const double start = cli_seconds();
    for (size_t i = 0; i < frames; i++)
        for (unsigned p = 0; p < vqx_format_planes(format); p++) {
            uint32_t w, h;
            vqx_format_plane_size(format, p, &w, &h);
            const size_t bytes = (size_t)w * h * vqx_format_sample_bytes(format);
            for (int s = 0; s < 2 && planes >> p & 1; s++)
                if (pread(fd[s], vqx_frame_data(frame, p, NULL), bytes, at) != (ssize_t)bytes)
                    return -EIO;
            at += (off_t)bytes;
        }
    return (cli_seconds() - start) / (double)frames;
}

/* Seconds per frame of a whole run over both files, opening included. */
static double time_files(const char *feature, const vqx_format *format, const int fd[2], size_t frames) {
    vqx_context *context = NULL;
    struct reader *reader[2] = {NULL, NULL};
    vqx_pool *pool[2] = {NULL, NULL};
    char path[64], message[512];
    const double start = cli_seconds();
    int err = vqx_open(&context, &(vqx_config){.threads = 1});
    if (err == 0)
        err = vqx_add_feature(context, feature);
    if (err == 0)
        err = vqx_start(context, format);
    for (int s = 0; s < 2 && err == 0; s++) {
        snprintf(path, sizeof(path), "/dev/fd/%d", fd[s]);
        err = reader_open(&reader[s], path, message, sizeof(message));
        if (err == 0)
            err = reader_start(reader[s], format, message, sizeof(message));
        if (err == 0)
            err = vqx_pool_open(&pool[s], format, vqx_planes(context));
    }
    for (size_t i = 0; i < frames && err == 0; i++) {
        vqx_frame *frame[2] = {NULL, NULL};
        for (int s = 0; s < 2 && err >= 0; s++)
            err = reader_next(reader[s], pool[s], &frame[s], message, sizeof(message));
        if (err == 1)
            err = vqx_submit(context, i, frame[0], frame[1]);
        else if (err >= 0)
            err = -EIO;
    }
    if (err == 0)
        err = vqx_finish(context);
    const double seconds = cli_seconds() - start;
    vqx_close(&context);
    for (int s = 0; s < 2; s++) {
        vqx_pool_close(&pool[s]);
        reader_close(&reader[s]);
    }
    return err < 0 ? err : seconds / (double)frames;
}

static int bench_file(const struct bench *b, size_t feature, const int fd[2], size_t frames) {
    double reading[BENCH_MAX_ROUNDS], scoring[BENCH_MAX_ROUNDS];
    vqx_frame *frame = NULL;
    int err = vqx_frame_alloc(&frame, &b->format, b->planes[feature]);
    for (unsigned r = 0; r < b->rounds && err == 0; r++) {
        reading[r] = time_reading(&b->format, fd, b->planes[feature], frames, frame);
        scoring[r] = time_files(b->feature[feature], &b->format, fd, frames);
        if (reading[r] < 0 || scoring[r] < 0)
            err = -EIO;
    }
    vqx_frame_unref(&frame);
    if (err == 0)
        printf("| %-22s | %9.3f | %9.3f | %8.2fx |\n", b->feature[feature], bench_median(scoring, b->rounds) * 1e3,
               bench_median(reading, b->rounds) * 1e3, bench_median_ratio(scoring, reading, b->rounds));
    return err;
}

/* ---- all of it ----------------------------------------------------------------------------------------------------- */

int bench_cpu(struct bench *b) {
    static const uint32_t masks[MAX_FORMS] = {UINT32_MAX, ~VQX_CPU_BASELINE, VQX_CPU_AVX512 | VQX_CPU_AVX512ICL, VQX_CPU_AVX512ICL,
                                              0};
    struct form form[MAX_FORMS];
    struct bench_ring warm = {0}, cold = {0};
    vqx_pool *pool = NULL;
    size_t forms = 0, frame_bytes = 0, frames;
    int fd[2] = {-1, -1}, err;
    char machine[256];
    if (!b->features)
        for (; b->features < vqx_metric_count() && b->features < CLI_MAX_FEATURES; b->features++)
            b->feature[b->features] = vqx_metric_name(b->features);
    for (size_t i = 0; i < b->features; i++)
        if ((err = look_at_feature(b, i)) < 0)
            return cli_exit_of(err);
    for (size_t f = 0; f < MAX_FORMS; f++) {
        const char *name = vqx_cpu_form(masks[f]);
        if (!forms || strcmp(form[forms - 1].name, name) != 0)
            form[forms++] = (struct form){name, masks[f]};
    }
    for (unsigned p = 0; p < vqx_format_planes(&b->format); p++) {
        uint32_t w, h;
        vqx_format_plane_size(&b->format, p, &w, &h);
        frame_bytes += (size_t)w * h * vqx_format_sample_bytes(&b->format);
    }
    cli_cpu_text(0, machine, sizeof(machine));
    printf("%s\n%" PRIu32 "x%" PRIu32 ", %" PRIu32 " bits, one thread, %u rounds, medians\n", machine, b->format.width,
           b->format.height, b->format.bits, b->rounds);

    if ((err = vqx_pool_open(&pool, &b->format, (1u << vqx_format_planes(&b->format)) - 1)) < 0 ||
        (err = bench_ring_open(&warm, pool, 1)) < 0)
        goto fail;
    printf("\nOne pair again and again, ms per frame (times faster than the definition):\n\n| %-22s |", "feature");
    for (size_t f = 0; f < forms; f++)
        printf(f ? " %19s |" : " %9s |", form[f].name);
    printf("\n|---|");
    for (size_t f = 0; f < forms; f++)
        printf("---|");
    printf("\n");
    for (size_t i = 0; i < b->features; i++)
        if ((err = bench_forms(b, b->feature[i], form, forms, &warm)) < 0)
            goto fail;

    if ((err = bench_ring_open(&cold, pool, bench_frames_of(COLD_BYTES, 2 * frame_bytes))) < 0)
        goto fail;
    printf("\nEvery pair from memory (%zu pairs):\n\n| %-22s | ms/frame  | GB/s      | reading   | share     "
           "|\n|---|---|---|---|---|\n",
           cold.pairs, "feature");
    for (size_t i = 0; i < b->features; i++)
        if ((err = bench_cold(b, i, &cold)) < 0)
            goto fail;

    frames = bench_frames_of(FILE_BYTES, frame_bytes);
    for (int s = 0; s < 2; s++)
        if ((fd[s] = write_clip(&b->format, &cold, s, frames)) < 0) {
            err = fd[s];
            goto fail;
        }
    printf("\nWhole runs over raw files in the page cache (%zu frames), against reading the needed planes once, ms per frame:\n\n"
           "| %-22s | run       | reading   | ratio     |\n|---|---|---|---|\n",
           frames, "feature");
    for (size_t i = 0; i < b->features; i++)
        if ((err = bench_file(b, i, fd, frames)) < 0)
            goto fail;
fail:
    for (int s = 0; s < 2; s++)
        if (fd[s] >= 0)
            close(fd[s]);
    bench_ring_close(&warm);
    bench_ring_close(&cold);
    vqx_pool_close(&pool);
    if (err < 0 && fd[0] < 0 && cold.pairs)
        cli_error("bench: a clip in $TMPDIR: %s", strerror(-err));
    else if (err < 0)
        cli_error("bench: %s", vqx_strerror(err));
    return err < 0 ? cli_exit_of(err) : CLI_OK;
}
