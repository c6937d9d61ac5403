/* vqx bench: how fast every metric is on this machine. All comparisons are interleaved in one run; figures are medians. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/cli.h"
#include "tools/reader.h"

#define MAX_FORMS 5
#define MAX_ROUNDS 101
#define BATCH_SECONDS 0.04      /* one timed batch of frames */
#define COLD_BYTES (256u << 20) /* more than the last-level cache holds */
#define FILE_BYTES (128u << 20) /* of each input file */
#define MAX_FRAMES 65536u       /* of either; only tiny pictures would need more */

struct bench {
    vqx_format format;
    unsigned rounds;
    const char *feature[CLI_MAX_FEATURES];
    size_t bytes[CLI_MAX_FEATURES];    /* of one pair that the feature reads */
    unsigned planes[CLI_MAX_FEATURES]; /* that it reads */
    size_t features;
};

struct form {
    const char *name;
    uint32_t mask;
};

/* Frames to be scored again and again: pair i is frame[0][i % pairs], frame[1][i % pairs]. */
struct ring {
    vqx_frame **frame[2];
    size_t pairs;
};

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(const double *value, size_t n) {
    double sorted[MAX_ROUNDS];
    memcpy(sorted, value, n * sizeof(*value));
    qsort(sorted, n, sizeof(*sorted), compare);
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static double median_ratio(const double *a, const double *b, size_t n) {
    double ratio[MAX_ROUNDS];
    for (size_t i = 0; i < n; i++)
        ratio[i] = a[i] / b[i];
    return median(ratio, n);
}

/* ---- content ------------------------------------------------------------------------------------------------------- */

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* A smooth scene with grain; the distorted picture is it with some noise on top. */
static void paint(const vqx_format *format, vqx_frame *frame, unsigned plane, unsigned side, uint32_t seed) {
    uint32_t w, h, state = seed * 2 + side;
    ptrdiff_t stride;
    vqx_format_plane_size(format, plane, &w, &h);
    uint8_t *data = vqx_frame_data(frame, plane, &stride);
    if (!data)
        return;
    for (uint32_t y = 0; y < h; y++)
        for (uint32_t x = 0; x < w; x++) {
            const uint32_t scene = ((3 * x + 5 * y + 11 * seed) >> 2 & 127) + 64 + (x * y >> 6 & 7);
            const uint32_t value = (scene << (format->bits - 8)) + next_random(&state) % (8u << (format->bits - 8));
            if (format->bits > 8)
                ((uint16_t *)(void *)(data + (ptrdiff_t)y * stride))[x] = (uint16_t)value;
            else
                data[(ptrdiff_t)y * stride + x] = (uint8_t)value;
        }
}

static void ring_close(struct ring *ring) {
    for (int s = 0; s < 2; s++) {
        for (size_t i = 0; ring->frame[s] && i < ring->pairs; i++)
            vqx_frame_unref(&ring->frame[s][i]);
        free(ring->frame[s]);
    }
}

static int ring_open(struct ring *ring, const vqx_format *format, size_t pairs) {
    *ring = (struct ring){.pairs = pairs};
    const unsigned planes = (1u << vqx_format_planes(format)) - 1;
    for (unsigned s = 0; s < 2; s++) {
        ring->frame[s] = calloc(pairs, sizeof(*ring->frame[s]));
        if (!ring->frame[s])
            return -ENOMEM;
        for (size_t i = 0; i < pairs; i++) {
            const int err = vqx_frame_alloc(&ring->frame[s][i], format, planes);
            if (err < 0)
                return err;
            for (unsigned p = 0; p < vqx_format_planes(format); p++)
                paint(format, ring->frame[s][i], p, s, (uint32_t)i);
        }
    }
    return 0;
}

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

/* As many frames as fill that many bytes. */
static size_t frames_of(size_t bytes, size_t frame_bytes) {
    const size_t n = 2 + bytes / frame_bytes;
    return n < MAX_FRAMES ? n : MAX_FRAMES;
}

/* Seconds per frame of `frames` pairs on one thread; negative errno as a negative number. */
static double time_batch(const char *feature, uint32_t mask, const vqx_format *format, const struct ring *ring, size_t frames) {
    vqx_context *context;
    int err = vqx_open(&context, &(vqx_config){.threads = 1, .cpumask = mask});
    if (err < 0)
        return err;
    err = vqx_add_feature(context, feature);
    if (err == 0)
        err = vqx_start(context, format);
    const double start = cli_seconds();
    for (size_t i = 0; i < frames && err == 0; i++)
        err =
            vqx_submit(context, i, vqx_frame_ref(ring->frame[0][i % ring->pairs]), vqx_frame_ref(ring->frame[1][i % ring->pairs]));
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

static int bench_forms(const struct bench *b, const char *feature, const struct form *form, size_t forms, const struct ring *ring) {
    double seconds[MAX_FORMS][MAX_ROUNDS];
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
        printf(" %9.3f", median(seconds[f], b->rounds) * 1e3);
        if (f > 0)
            printf(" (%6.1fx)", median_ratio(seconds[0], seconds[f], b->rounds));
        printf(" |");
    }
    printf("\n");
    return 0;
}

/* Reads every byte of the planes once: what the memory gives to one thread. */
static uint64_t read_pair(const struct ring *ring, size_t i, unsigned planes) {
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

static int bench_cold(const struct bench *b, size_t feature, const struct ring *ring) {
    double reading[MAX_ROUNDS], scoring[MAX_ROUNDS];
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
    printf("| %-22s | %9.3f | %9.2f | %9.2f | %7.0f %% |\n", b->feature[feature], median(scoring, b->rounds) * 1e3,
           bytes / median(scoring, b->rounds) * 1e-9, bytes / median(reading, b->rounds) * 1e-9,
           median_ratio(reading, scoring, b->rounds) * 100);
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
static int write_clip(const vqx_format *format, const struct ring *ring, int side, size_t frames) {
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
    double reading[MAX_ROUNDS], scoring[MAX_ROUNDS];
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
        printf("| %-22s | %9.3f | %9.3f | %8.2fx |\n", b->feature[feature], median(scoring, b->rounds) * 1e3,
               median(reading, b->rounds) * 1e3, median_ratio(scoring, reading, b->rounds));
    return err;
}

/* ---- the command --------------------------------------------------------------------------------------------------- */

static int run(struct bench *b) {
    static const uint32_t masks[MAX_FORMS] = {UINT32_MAX, ~VQX_CPU_BASELINE, VQX_CPU_AVX512 | VQX_CPU_AVX512ICL, VQX_CPU_AVX512ICL,
                                              0};
    struct form form[MAX_FORMS];
    struct ring warm = {0}, cold = {0};
    size_t forms = 0, frame_bytes = 0, frames;
    int fd[2] = {-1, -1}, err;
    char machine[256];
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

    if ((err = ring_open(&warm, &b->format, 1)) < 0)
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

    if ((err = ring_open(&cold, &b->format, frames_of(COLD_BYTES, 2 * frame_bytes))) < 0)
        goto fail;
    printf("\nEvery pair from memory (%zu pairs):\n\n| %-22s | ms/frame  | GB/s      | reading   | share     "
           "|\n|---|---|---|---|---|\n",
           cold.pairs, "feature");
    for (size_t i = 0; i < b->features; i++)
        if ((err = bench_cold(b, i, &cold)) < 0)
            goto fail;

    frames = frames_of(FILE_BYTES, frame_bytes);
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
    ring_close(&warm);
    ring_close(&cold);
    if (err < 0 && fd[0] < 0 && cold.pairs)
        cli_error("bench: a clip in $TMPDIR: %s", strerror(-err));
    else if (err < 0)
        cli_error("bench: %s", vqx_strerror(err));
    return err < 0 ? cli_exit_of(err) : CLI_OK;
}

static void help(void) {
    printf("vqx bench: how fast each metric is here, on one thread\n\n"
           "  --feature NAME[=KEY=VALUE...]  what to time; repeatable (default: every metric)\n"
           "  --size WxH                     picture size (default 1920x1080)\n"
           "  --bits N                       8 (default), 10, 12 or 16\n"
           "  --rounds N                     interleaved rounds, 1 to %d (default 7)\n"
           "  --backend cpu                  the only one in this build\n",
           MAX_ROUNDS);
}

int cli_bench(int argc, char **argv) {
    static const struct option options[] = {
        {"feature", required_argument, NULL, 'f'},
        {"size", required_argument, NULL, 's'},
        {"bits", required_argument, NULL, 'b'},
        {"rounds", required_argument, NULL, 'r'},
        {"backend", required_argument, NULL, 'k'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct bench b = {.format = {1920, 1080, VQX_CHROMA_420, 8}, .rounds = 7};
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
            good = cli_number(optarg, MAX_ROUNDS, &number) == 0 && number > 0;
            b.rounds = (unsigned)number;
            break;
        case 'k':
            if (strcmp(optarg, "cpu") != 0) {
                cli_error("bench: backend '%s' is not part of this build", optarg);
                return CLI_BACKEND;
            }
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
    if (!b.features)
        for (; b.features < vqx_metric_count() && b.features < CLI_MAX_FEATURES; b.features++)
            b.feature[b.features] = vqx_metric_name(b.features);
    return run(&b);
}
