#include "tools/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/writer_internal.h"

static const struct writer_kind *const kinds[] = {
    [WRITER_JSON] = &writer_json,
    [WRITER_XML] = &writer_xml,
    [WRITER_CSV] = &writer_csv,
    [WRITER_SUB] = &writer_sub,
};

static const char *const vmaf_pool[] = {"min", "max", "mean", "harmonic_mean"};
#define VMAF_POOL_COUNT (sizeof vmaf_pool / sizeof vmaf_pool[0])

struct writer {
    const struct writer_kind *kind;
    const char *name; /* the path, or "standard output" */
    FILE *file;       /* NULL once it is written */
    bool replace;     /* a regular file opened by us: the old content goes */
    bool created;     /* and it was not there before */
    bool complete;
    char path[];
};

static int fail(const char *name, int err, char *message, size_t size) {
    snprintf(message, size, "%s: %s", name, strerror(-err));
    return err;
}

/* ---- numbers ------------------------------------------------------------------------------------------------------- */

int writer_parse_precision(const char *text, unsigned *precision) {
    if (!strcmp(text, "legacy")) {
        *precision = WRITER_LEGACY;
        return 0;
    }
    if (!strcmp(text, "max")) {
        *precision = WRITER_MAX_DIGITS;
        return 0;
    }
    for (unsigned digits = 1; digits <= WRITER_MAX_DIGITS; digits++) {
        char name[8];
        snprintf(name, sizeof name, "%u", digits);
        if (!strcmp(text, name)) {
            *precision = digits;
            return 0;
        }
    }
    return -EINVAL;
}

/* vmaf's rule for tiny values: the steps by which the part behind the point reaches 1 when multiplied by ten. */
static int legacy_decimals(double value) {
    const double size = fabs(value);
    if (!(size < 2147483648.0))
        return 6;
    int steps = 0;
    for (double part = size - (int)size; part > 0.0 && part < 1.0 && steps <= 6; part *= 10.0)
        steps++;
    return steps > 6 ? 16 : 6;
}

void writer_print(struct writer_job *job, const char *text, ...) {
    va_list arguments;
    va_start(arguments, text);
    if (vfprintf(job->file, text, arguments) < 0 && !job->err)
        job->err = -errno;
    va_end(arguments);
}

void writer_number_text(double value, unsigned precision, char *text, size_t size) {
    if (precision == WRITER_LEGACY)
        snprintf(text, size, "%.*f", legacy_decimals(value), value);
    else
        snprintf(text, size, "%.*g", (int)precision, value);
}

void writer_number(struct writer_job *job, double value) {
    if (job->info->precision == WRITER_LEGACY)
        writer_print(job, "%.*f", legacy_decimals(value), value);
    else
        writer_print(job, "%.*g", (int)job->info->precision, value);
}

/* ---- values -------------------------------------------------------------------------------------------------------- */

/* Whether the library has given a value. All its errors but "no such score" end the writing. */
static bool have(struct writer_job *job, int err) {
    if (err && err != -ENOENT && !job->err)
        job->err = err;
    return err == 0;
}

bool writer_next_frame(struct writer_job *job) {
    const uint64_t count = vqx_frame_count(job->context);
    while (!job->err && job->next < count) {
        job->frame = job->next++;
        if (!vqx_frame_listed(job->context, job->frame))
            continue;
        bool any = false;
        for (size_t o = 0; o < job->outputs; o++) {
            job->present[o] = have(job, vqx_score(job->context, o, job->frame, &job->score[o]));
            any |= job->present[o];
        }
        if (any)
            return true;
    }
    return false;
}

bool writer_pooled(struct writer_job *job, size_t output, size_t method, double *value) {
    return have(job, vqx_pooled(job->context, output, job->pool[method], value));
}

bool writer_aggregate(struct writer_job *job, size_t aggregate, double *value) {
    return have(job, vqx_aggregate(job->context, aggregate, value));
}

static void add_pool(struct writer_job *job, const char *method) {
    for (size_t i = 0; i < job->pool_count; i++)
        if (!strcmp(job->pool[i], method))
            return;
    job->pool[job->pool_count++] = method;
}

static int job_open(struct writer_job *job) {
    job->outputs = vqx_output_count(job->context);
    job->score = calloc(job->outputs + 1, sizeof *job->score);
    job->present = calloc(job->outputs + 1, sizeof *job->present);
    job->pool = calloc(VMAF_POOL_COUNT + job->info->pool_count, sizeof *job->pool);
    if (!job->score || !job->present || !job->pool)
        return -ENOMEM;
    for (size_t i = 0; i < VMAF_POOL_COUNT; i++)
        add_pool(job, vmaf_pool[i]);
    for (size_t i = 0; i < job->info->pool_count; i++)
        add_pool(job, job->info->pool[i]);
    return 0;
}

static void job_close(struct writer_job *job) {
    free(job->score);
    free(job->present);
    free(job->pool);
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

/* A new file is told from an old one, which is not ours to remove. O_CREAT stays away from old ones: Linux can refuse it for other
 * users' files in folders that all may write to. */
static int open_path(const char *path, bool *created) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        *created = fd >= 0;
    }
    return fd < 0 ? -errno : fd;
}

int writer_open(struct writer **writer, const char *path, enum writer_format format, char *message, size_t size) {
    const bool standard = !strcmp(path, "-");
    const char *name = standard ? "standard output" : path;
    const size_t path_size = strlen(path) + 1;
    int fd = -1, err;
    *writer = NULL;
    struct writer *w = calloc(1, sizeof *w + path_size);
    if (!w)
        return fail(name, -ENOMEM, message, size);
    memcpy(w->path, path, path_size);
    w->name = standard ? name : w->path;
    w->kind = kinds[format];

    if (standard) {
        fflush(stdout);
        fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
        err = fd < 0 ? -errno : 0;
    } else {
        fd = open_path(path, &w->created);
        err = fd < 0 ? fd : 0;
    }
    if (err)
        goto fail;
    struct stat status;
    if (fstat(fd, &status) < 0) {
        err = -errno;
        goto fail;
    }
    w->replace = !standard && S_ISREG(status.st_mode);
    w->file = fdopen(fd, "w");
    if (!w->file) {
        err = -errno;
        goto fail;
    }
    *writer = w;
    return 0;

fail:
    fail(name, err, message, size);
    if (fd >= 0)
        close(fd);
    writer_close(&w);
    return err;
}

/* Runs `body` with a point in numbers, and sees the bytes all the way into the file. */
static int produce(struct writer *writer, struct writer_job *job, void (*body)(struct writer_job *), char *message, size_t size) {
    job->file = writer->file;
    if (!job->file)
        return fail(writer->name, -EINVAL, message, size);
    const locale_t point = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!point)
        return fail(writer->name, -ENOMEM, message, size);
    const locale_t before = uselocale(point);
    if (writer->replace && ftruncate(fileno(job->file), 0) < 0)
        job->err = -errno;
    else
        body(job);
    uselocale(before);
    freelocale(point);

    writer->file = NULL;
    if (fclose(job->file) && !job->err)
        job->err = -errno;
    if (job->err)
        return fail(writer->name, job->err, message, size);
    writer->complete = true;
    return 0;
}

int writer_write(struct writer *writer, const vqx_context *context, const struct writer_info *info, char *message, size_t size) {
    struct writer_job job = {.context = context, .info = info};
    int err = job_open(&job);
    if (err)
        fail(writer->name, err, message, size);
    else
        err = produce(writer, &job, writer->kind->results, message, size);
    job_close(&job);
    return err;
}

int writer_error(struct writer *writer, const char *text, int code, char *message, size_t size) {
    if (!writer->kind->error)
        return 0;
    const struct writer_info info = {.error = text};
    struct writer_job job = {.info = &info, .code = code};
    return produce(writer, &job, writer->kind->error, message, size);
}

int writer_body(struct writer *writer, void (*body)(struct writer_job *job), const void *cookie, char *message, size_t size) {
    const struct writer_info info = {.precision = WRITER_MAX_DIGITS};
    struct writer_job job = {.info = &info, .cookie = cookie};
    return produce(writer, &job, body, message, size);
}

void writer_close(struct writer **writer) {
    struct writer *w = *writer;
    *writer = NULL;
    if (!w)
        return;
    if (w->file)
        fclose(w->file);
    if (w->created && !w->complete)
        unlink(w->path);
    free(w);
}
