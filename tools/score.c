/* A scoring run: open, feed the library pair by pair, write. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/cli.h"
#include "tools/reader.h"

#define MESSAGE_SIZE (2 * PATH_MAX + 512) /* two paths and what is wrong with them */

enum side { REFERENCE, DISTORTED, SIDES };

struct run {
    const struct cli_options *options;
    vqx_context *context;
    struct writer *writer;
    struct reader *reader[SIDES];
    vqx_pool *pool[SIDES];
    double start;
    double shown; /* when progress was printed last */
    bool progress;
    bool to_stdout;             /* the result file is standard output */
    uint64_t expected;          /* frames to score, 0 = unknown */
    const char *backend;        /* that scores, */
    char device[256];           /* and its devices */
    char message[MESSAGE_SIZE]; /* why the run ended early, for the output file */
};

/* Prints the line and keeps it for the output file. Returns `code`. */
__attribute__((format(printf, 3, 4))) static int stop(struct run *run, int code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(run->message, sizeof(run->message), format, args);
    va_end(args);
    cli_error("%s", run->message);
    return code;
}

int cli_exit_of(int err) {
    switch (err) {
    case -ENODEV:
        return CLI_BACKEND;
    case -EBADMSG:
        return CLI_DIFFERS;
    case -ENOMEM:
        return CLI_MEMORY;
    case -ENOTSUP:
        return CLI_REFUSED;
    default:
        return CLI_USAGE;
    }
}

/* The exit code of a failed reader or writer. */
static int exit_of(int err, int code) {
    return err == -ENOMEM ? CLI_MEMORY : code;
}

int cli_exit_of_frame(int err) {
    return err == -ENODEV || err == -EBADMSG ? cli_exit_of(err) : exit_of(err, CLI_INPUT);
}

static bool is_standard(const char *path) {
    return strcmp(path, "-") == 0;
}

static bool same_file(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Opens the result file, if there is to be one. -1, or an exit code. */
static int open_output(struct run *run) {
    const struct cli_options *o = run->options;
    const char *const input[SIDES] = {o->reference, o->distorted};
    char message[MESSAGE_SIZE];
    struct stat file, other;
    if (!o->output)
        return -1;
    run->to_stdout = is_standard(o->output);
    if (!run->to_stdout && stat(o->output, &file) == 0) {
        for (int s = 0; s < SIDES && S_ISREG(file.st_mode); s++)
            if ((is_standard(input[s]) ? fstat(STDIN_FILENO, &other) : stat(input[s], &other)) == 0 && same_file(&file, &other))
                return stop(run, CLI_USAGE, "--output %s: this is the %s video", o->output,
                            s == REFERENCE ? "reference" : "distorted");
        /* "/dev/stdout": opened a second time, it would write over what else goes there */
        run->to_stdout = fstat(STDOUT_FILENO, &other) == 0 && same_file(&file, &other);
    }
    const int err = writer_open(&run->writer, run->to_stdout ? "-" : o->output, o->format, message, sizeof(message));
    return err < 0 ? stop(run, exit_of(err, CLI_OUTPUT), "%s", message) : -1;
}

/* What else the library logs is an error that is printed where it ends the run. */
static void print_warning(void *cookie, vqx_log_level level, const char *line) {
    (void)cookie;
    if (level == VQX_LOG_WARNING)
        cli_error("%s", line);
}

static int open_context(struct run *run) {
    const struct cli_options *o = run->options;
    const vqx_config config = {.threads = o->threads,
                               .cpumask = o->cpumask,
                               .subsample = o->subsample,
                               .log = print_warning,
                               .backend = o->backend,
                               .device = o->device,
                               .audit = o->audit};
    if (vqx_open(&run->context, &config) < 0)
        return stop(run, CLI_MEMORY, "out of memory");
    for (size_t i = 0; i < o->features; i++) {
        const int err = vqx_add_feature(run->context, o->feature[i]);
        if (err < 0)
            return stop(run, cli_exit_of(err), "--feature: %s", vqx_message(run->context));
    }
    return -1;
}

static const char *chroma_name(vqx_chroma chroma) {
    static const char *const name[] = {"4:0:0", "4:2:0", "4:2:2", "4:4:4"};
    return name[chroma];
}

/* Names what the started context runs on, and says it when the choice was not the user's. -1, or an exit code: a device that was
 * named must not become the processor. */
static int set_device(struct run *run) {
    const struct cli_options *o = run->options;
    const bool automatic = strcmp(o->backend, "auto") == 0;
    run->backend = vqx_backend_used(run->context);
    if (strcmp(run->backend, "cpu") == 0)
        cli_cpu_text(o->cpumask, run->device, sizeof(run->device));
    else
        snprintf(run->device, sizeof(run->device), "%s", vqx_device_used(run->context));
    if (strcmp(run->backend, "cpu") == 0 && automatic && o->device && strcmp(o->device, "0") != 0 && strcmp(o->device, "all") != 0)
        return stop(run, CLI_BACKEND, "--backend auto finds no graphics processor that carries all features as device '%s'",
                    o->device);
    if (automatic && !o->quiet)
        cli_error("--backend auto takes %s: %s", run->backend, run->device);
    return -1;
}

static int open_inputs(struct run *run) {
    const struct cli_options *o = run->options;
    const char *const path[SIDES] = {o->reference, o->distorted};
    char message[MESSAGE_SIZE];
    int err;
    for (int s = 0; s < SIDES; s++)
        if ((err = reader_open(&run->reader[s], path[s], message, sizeof(message))) < 0)
            return stop(run, exit_of(err, CLI_INPUT), "%s", message);
    for (int s = 0; s < SIDES; s++)
        if ((err = reader_start(run->reader[s], o->raw ? &o->geometry : NULL, message, sizeof(message))) < 0)
            return stop(run, err == -EINVAL ? CLI_USAGE : exit_of(err, CLI_INPUT), "%s", message);
    if (o->raw && reader_is_y4m(run->reader[REFERENCE]) && reader_is_y4m(run->reader[DISTORTED]))
        return stop(run, CLI_USAGE, "both inputs are y4m: --width, --height, --pixel_format and --bitdepth are for raw input");
    const vqx_format *const r = reader_format(run->reader[REFERENCE]), *const d = reader_format(run->reader[DISTORTED]);
    if (r->width != d->width || r->height != d->height || r->chroma != d->chroma || r->bits != d->bits)
        return stop(run, CLI_INPUT,
                    "the inputs do not match: %s is %" PRIu32 "x%" PRIu32 " %s %" PRIu32 " bits, %s is %" PRIu32 "x%" PRIu32
                    " %s %" PRIu32 " bits",
                    reader_name(run->reader[REFERENCE]), r->width, r->height, chroma_name(r->chroma), r->bits,
                    reader_name(run->reader[DISTORTED]), d->width, d->height, chroma_name(d->chroma), d->bits);
    const uint64_t skip[SIDES] = {o->skip_reference, o->skip_distorted};
    for (int s = 0; s < SIDES; s++) {
        if ((err = reader_skip(run->reader[s], skip[s], message, sizeof(message))) < 0)
            return stop(run, exit_of(err, CLI_INPUT), "%s", message);
        uint64_t hint = reader_frames_hint(run->reader[s]);
        hint = hint > skip[s] ? hint - skip[s] : 0;
        if (hint && (!run->expected || hint < run->expected))
            run->expected = hint;
    }
    if (o->frame_count && (!run->expected || o->frame_count < run->expected))
        run->expected = o->frame_count;
    if ((err = vqx_start(run->context, r)) < 0)
        return stop(run, cli_exit_of(err), "%s", vqx_message(run->context));
    const int code = set_device(run);
    if (code >= 0)
        return code;
    if (run->expected && !vqx_frame_wanted(run->context, 1))
        run->expected = (run->expected - 1) / o->subsample + 1;
    for (int s = 0; s < SIDES; s++)
        if ((err = vqx_pool_open_for(&run->pool[s], run->context)) < 0)
            return stop(run, cli_exit_of(err), "%s: %s", run->device, vqx_strerror(err));
    return -1;
}

static void show_progress(struct run *run, bool last) {
    const double now = cli_seconds();
    if (!run->progress || (!last && now - run->shown < 0.2))
        return;
    run->shown = now;
    if (last) {
        fprintf(stderr, "\r\033[K");
        return;
    }
    const uint64_t done = vqx_finished(run->context);
    const double fps = (double)done / (now - run->start);
    fprintf(stderr, "\r\033[K%" PRIu64, done);
    if (run->expected)
        fprintf(stderr, "/%" PRIu64, run->expected);
    fprintf(stderr, " frames, %.1f fps", fps);
    if (run->expected > done && done)
        fprintf(stderr, ", %.0f s left", (double)(run->expected - done) / fps);
}

/* Reads one frame of each input, or passes over them when they are not wanted. 1: a pair; 0: the end; a negative errno with its
 * line in run->message. */
static int next_pair(struct run *run, bool wanted, vqx_frame *frame[SIDES]) {
    int got[SIDES];
    frame[REFERENCE] = frame[DISTORTED] = NULL;
    for (int s = 0; s < SIDES; s++) {
        got[s] = reader_next(run->reader[s], wanted ? run->pool[s] : NULL, &frame[s], run->message, sizeof(run->message));
        if (got[s] < 0) {
            vqx_frame_unref(&frame[REFERENCE]);
            return got[s];
        }
    }
    if (got[REFERENCE] && got[DISTORTED])
        return 1;
    if (got[REFERENCE] != got[DISTORTED]) {
        const int shorter = got[REFERENCE] ? DISTORTED : REFERENCE;
        show_progress(run, true);
        cli_error("warning: %s has fewer frames than %s: only the common frames are scored", reader_name(run->reader[shorter]),
                  reader_name(run->reader[!shorter]));
        vqx_frame_unref(&frame[!shorter]);
    }
    return 0;
}

/* Feeds all pairs and waits. -1 or an exit code; what was scored can be written in either case. */
static int score_frames(struct run *run) {
    const struct cli_options *o = run->options;
    uint64_t index = 0;
    int more = 1, submitted = 0;
    for (; !o->frame_count || index < o->frame_count; index++) {
        vqx_frame *frame[SIDES];
        const bool wanted = vqx_frame_wanted(run->context, index);
        if ((more = next_pair(run, wanted, frame)) <= 0)
            break;
        if (wanted && (submitted = vqx_submit(run->context, index, frame[REFERENCE], frame[DISTORTED])) < 0)
            break;
        show_progress(run, false);
    }
    const int err = vqx_finish(run->context);
    show_progress(run, true);
    /* the first frame that failed decides what there is to write, and is the one to name */
    if (err < 0)
        return stop(run, cli_exit_of_frame(err), "%s", vqx_message(run->context));
    if (submitted < 0)
        return stop(run, cli_exit_of_frame(submitted), "frame %" PRIu64 ": %s", index, vqx_strerror(submitted));
    if (more < 0) {
        cli_error("%s", run->message);
        return cli_exit_of_frame(more);
    }
    if (vqx_frame_count(run->context) == 0)
        return stop(run, CLI_NO_FRAMES, "no frames to score");
    return -1;
}

static void print_value(const char *name, const double *value, const int *err, size_t count, unsigned precision) {
    printf("%-24s", name);
    for (size_t i = 0; i < count; i++) {
        char text[64] = "-";
        if (err[i] == 0)
            writer_number_text(value[i], precision, text, sizeof(text));
        printf(" %16s", text);
    }
    printf("\n");
}

/* The pooled scores as a table on stdout. */
static void print_summary(const struct run *run, const struct writer_info *info) {
    static const char *const usual[] = {"mean", "harmonic_mean", "min", "max"};
    const char *method[4 + CLI_MAX_POOLS];
    size_t methods = 0;
    for (; methods < 4; methods++)
        method[methods] = usual[methods];
    for (size_t i = 0; i < info->pool_count; i++) {
        size_t m = 0;
        while (m < methods && strcmp(method[m], info->pool[i]) != 0)
            m++;
        method[m] = info->pool[i];
        methods += m == methods;
    }
    const uint32_t step = run->options->subsample ? run->options->subsample : 1;
    printf("%" PRIu64 " frames, %" PRIu32 "x%" PRIu32 ", %s (%s), %.1f fps\n%-24s",
           (vqx_frame_count(run->context) + step - 1) / step, info->width, info->height, info->backend, info->device, info->fps,
           "");
    for (size_t m = 0; m < methods; m++)
        printf(" %16s", method[m]);
    printf("\n");
    for (size_t i = 0; i < vqx_output_count(run->context); i++) {
        double value[4 + CLI_MAX_POOLS];
        int err[4 + CLI_MAX_POOLS];
        for (size_t m = 0; m < methods; m++)
            err[m] = vqx_pooled(run->context, i, method[m], &value[m]);
        print_value(vqx_output_name(run->context, i), value, err, methods, info->precision);
    }
    for (size_t i = 0; i < vqx_aggregate_count(run->context); i++) {
        double value;
        const int err = vqx_aggregate(run->context, i, &value);
        print_value(vqx_aggregate_name(run->context, i), &value, &err, 1, info->precision);
    }
}

/* Writes the file and the summary. `code` is the run's so far; returns the one to exit with. */
static int write_results(struct run *run, int code) {
    const struct cli_options *o = run->options;
    const vqx_format *format = reader_format(run->reader[REFERENCE]);
    char message[MESSAGE_SIZE];
    const struct writer_info info = {
        .fps = (double)vqx_finished(run->context) / (cli_seconds() - run->start),
        .width = format->width,
        .height = format->height,
        .precision = o->precision,
        .pool = o->pool,
        .pool_count = o->pools,
        .backend = run->backend,
        .device = run->device,
        .error = code > 0 ? run->message : NULL,
    };
    const int err = run->writer ? writer_write(run->writer, run->context, &info, message, sizeof(message)) : 0;
    if (err < 0) {
        cli_error("%s", message);
        return code > 0 ? code : exit_of(err, CLI_OUTPUT);
    }
    if (!o->quiet && !run->to_stdout)
        print_summary(run, &info);
    return code;
}

int cli_score(const struct cli_options *options) {
    struct run run = {.options = options, .progress = !options->quiet && isatty(STDERR_FILENO)};
    char message[MESSAGE_SIZE];
    int code = open_output(&run);
    if (code < 0 && (options->model || !options->no_prediction))
        code = stop(&run, CLI_MODEL, "this build has no VMAF models: leave out --model and give --no_prediction");
    if (code < 0)
        code = open_context(&run);
    if (code < 0)
        code = open_inputs(&run);
    if (code < 0) {
        run.start = cli_seconds();
        code = score_frames(&run);
        if (vqx_frame_count(run.context) > 0) {
            code = write_results(&run, code);
            writer_close(&run.writer);
        }
    }
    if (code == CLI_BACKEND && run.writer)
        writer_error(run.writer, run.message, code, message, sizeof(message));
    vqx_close(&run.context); /* before the readers, which running frames read from */
    for (int s = 0; s < SIDES; s++) {
        vqx_pool_close(&run.pool[s]);
        reader_close(&run.reader[s]);
    }
    writer_close(&run.writer);
    return code < 0 ? CLI_OK : code;
}
