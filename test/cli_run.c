#include "test/cli_run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PATIENCE_SECONDS 60
#define MAX_WORDS 128

static char program[PATH_MAX];

int cli_find_program(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : getenv("VQX_PROGRAM");
    if (path && realpath(path, program) && access(program, X_OK) == 0)
        return 0;
    fprintf(stderr, "no program to test: give its path as the first argument or in VQX_PROGRAM\n");
    return 1;
}

int cli_cleanup(void **state) {
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        unlinkat(dirfd(dir), entry->d_name, 0);
    if (dir)
        closedir(dir);
    return reader_input_cleanup(state);
}

/* ---- files in the folder ------------------------------------------------------------------------------------------- */

static const char *path_of(const char *name) {
    static char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s%s%s", *name == '/' ? "" : folder, *name == '/' ? "" : "/", name);
    return path;
}

void put(const char *name, const void *data, size_t size) {
    char path[PATH_MAX];
    make_file(path, sizeof(path), name, data, size);
}

void put_text(const char *name, const char *text) {
    put(name, text, strlen(text));
}

bool exists(const char *name) {
    return access(path_of(name), F_OK) == 0;
}

void erase(const char *name) {
    assert_int_equal(unlink(path_of(name)), 0);
}

bool link_to(const char *name, const char *target) {
    assert_int_equal(symlink(target, path_of(name)), 0);
    return access(path_of(name), W_OK) == 0;
}

struct bytes get(const char *name) {
    struct bytes b = {0};
    char block[65536];
    size_t n;
    FILE *file = fopen(path_of(name), "rb");
    if (!file)
        fail_msg("%s: %s", name, strerror(errno));
    append(&b, "", 0);
    while ((n = fread(block, 1, sizeof(block), file)) > 0)
        append(&b, block, n);
    fclose(file);
    b.data[b.size] = '\0';
    return b;
}

void assert_file(const char *name, const char *text) {
    struct bytes b = get(name);
    assert_string_equal((char *)b.data, text);
    free(b.data);
}

/* ---- clips --------------------------------------------------------------------------------------------------------- */

static const char *const chroma_digits[] = {"400", "420", "422", "444"};

struct bytes plain_y4m(const struct clip *c) {
    const vqx_format *f = &c->format;
    const bool mono = f->chroma == VQX_CHROMA_400;
    char depth[16] = "", header[128];
    if (f->bits > 8)
        snprintf(depth, sizeof(depth), mono ? "%u" : "p%u", f->bits);
    snprintf(header, sizeof(header), "YUV4MPEG2 W%u H%u F25:1 Ip C%s%s\n", f->width, f->height,
             mono ? "mono" : chroma_digits[f->chroma], depth);
    return as_y4m(c, header, "FRAME\n");
}

const char *geometry(const vqx_format *format) {
    static char text[64];
    snprintf(text, sizeof(text), "-w %u -h %u -p %s -b %u", format->width, format->height, chroma_digits[format->chroma],
             format->bits);
    return text;
}

static void put_clip(const struct clip *c, const char *raw, const char *y4m) {
    struct bytes b = plain_y4m(c);
    put(raw, c->samples.data, c->samples.size);
    put(y4m, b.data, b.size);
    free(b.data);
}

struct pair make_pair(uint32_t width, uint32_t height, vqx_chroma chroma, uint32_t bits, unsigned ref_frames, unsigned dis_frames) {
    struct pair p = {.ref = make_clip(width, height, chroma, bits, ref_frames, false),
                     .dis = make_clip(width, height, chroma, bits, dis_frames, false)};
    put_clip(&p.ref, "ref.yuv", "ref.y4m");
    put_clip(&p.dis, "dis.yuv", "dis.y4m");
    return p;
}

void free_pair(struct pair *p) {
    free(p->ref.samples.data);
    free(p->dis.samples.data);
}

/* ---- runs ---------------------------------------------------------------------------------------------------------- */

/* Between fork and exec: nothing that could need a lock. */
static void become_program(const struct setting *s, char **word, const int stream[3]) {
    for (int fd = 0; fd < 3; fd++) {
        if (stream[fd] >= 0 && dup2(stream[fd], fd) < 0)
            _exit(126);
        if (s->closed >> fd & 1)
            close(fd);
    }
    if (chdir(folder) < 0)
        _exit(126);
    const struct rlimit limit = {s->limit, s->limit};
    if (s->limited && setrlimit(s->resource, &limit) < 0)
        _exit(126);
    signal(SIGPIPE, SIG_DFL);
    alarm(PATIENCE_SECONDS); /* outlives exec */
    execv(program, word);
    _exit(126);
}

static int open_stream(const char *name) {
    const int fd = open(path_of(name), (*name == '/' ? O_RDWR : O_RDWR | O_CREAT | O_TRUNC) | O_CLOEXEC, 0600);
    if (fd < 0)
        fail_msg("%s: %s", name, strerror(errno));
    return fd;
}

static int open_terminal(int *other) {
    const int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(fd >= 0 && grantpt(fd) == 0 && unlockpt(fd) == 0);
    *other = open(ptsname(fd), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(*other >= 0);
    return fd;
}

/* What a terminal showed, until the program was gone. */
static char *read_terminal(int fd) {
    struct bytes b = {0};
    char block[4096];
    ssize_t n;
    append(&b, "", 0);
    while ((n = read(fd, block, sizeof(block))) > 0)
        append(&b, block, (size_t)n);
    b.data[b.size] = '\0';
    close(fd);
    return (char *)b.data;
}

static struct run run_words(const struct setting *s, char **word) {
    static char *out, *err; /* of the run before */
    struct input in = {0};
    int stream[3] = {-1, -1, -1}, terminal = -1, ends[2];
    free(out);
    free(err);
    if (s->input)
        offer(&in, BY_PIPED_STDIN, s->input);
    stream[1] = open_stream(s->out ? s->out : "stdout");
    if (s->broken_out) {
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        close(ends[0]);
        close(stream[1]);
        stream[1] = ends[1];
    }
    if (s->terminal)
        terminal = open_terminal(&stream[2]);
    else
        stream[2] = open_stream("stderr");

    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        become_program(s, word, stream);
    close(stream[1]);
    close(stream[2]);
    char *shown = terminal >= 0 ? read_terminal(terminal) : NULL;
    int status;
    struct rusage usage;
    assert_int_equal(wait4(pid, &status, 0, &usage), pid);
    if (s->input)
        withdraw(&in);
    out = s->out || s->broken_out ? strdup("") : (char *)get("stdout").data;
    err = shown ? shown : (char *)get("stderr").data;
    return (struct run){WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), out, err, usage.ru_maxrss};
}

static struct run run_text(const struct setting *s, const char *command) {
    char *copy = strdup(command), *word[MAX_WORDS] = {program};
    size_t n = 1;
    assert_non_null(copy);
    for (char *rest = copy, *part; (part = strsep(&rest, " "));) {
        if (!*part)
            continue;
        assert_true(n < MAX_WORDS - 1);
        word[n++] = strcmp(part, "''") ? part : "";
    }
    const struct run run = run_words(s, word);
    free(copy);
    return run;
}

/* The text of a command, with `tail` behind it; the caller frees it. */
static char *format_command(const char *command, va_list args, const char *tail) {
    char *text, *all;
    assert_true(vasprintf(&text, command, args) >= 0);
    assert_true(asprintf(&all, "%s%s", text, tail) >= 0);
    free(text);
    return all;
}

struct run run_in(const struct setting *setting, const char *command, ...) {
    va_list args;
    va_start(args, command);
    char *text = format_command(command, args, "");
    va_end(args);
    const struct run run = run_text(setting, text);
    free(text);
    return run;
}

void assert_run(const struct run *run, int code, const char *says, const char *command) {
    const char *said = run->err, *newline = strchr(said, '\n');
    if (run->code != code)
        fail_msg("'%s' ends with %d, not %d: %s", command, run->code, code, said);
    if (newline && strncmp(said, AUTO_LINE, strlen(AUTO_LINE)) == 0) {
        said = newline + 1;
        newline = strchr(said, '\n');
    }
    if (!says) {
        if (*said)
            fail_msg("'%s' says: %s", command, said);
        return;
    }
    if (strncmp(said, "vqx: ", 5) || !newline || newline[1])
        fail_msg("'%s' does not say one line: %s", command, said);
    char *parts = strdup(says);
    assert_non_null(parts);
    for (char *rest = parts, *part; (part = strsep(&rest, "|"));)
        if (!strstr(said, part))
            fail_msg("'%s' does not say '%s' but: %s", command, part, said);
    free(parts);
}

void assert_has(const char *text, const char *part) {
    if (!strstr(text, part))
        fail_msg("no '%s' in: %s", part, text);
}

void assert_has_not(const char *text, const char *part) {
    if (strstr(text, part))
        fail_msg("'%s' in: %s", part, text);
}

static struct run run_and_check(int code, const char *says, const char *command, va_list args, const char *tail) {
    char *text = format_command(command, args, tail);
    const struct run run = run_text(&(struct setting){0}, text);
    assert_run(&run, code, says, text);
    free(text);
    return run;
}

struct run vqx(int code, const char *says, const char *command, ...) {
    va_list args;
    va_start(args, command);
    const struct run run = run_and_check(code, says, command, args, "");
    va_end(args);
    return run;
}

/* ---- scores -------------------------------------------------------------------------------------------------------- */

json_t *parse(const char *text) {
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("line %d: %s in %s", error.line, error.text, text);
    return root;
}

json_t *scores(const char *says, const char *command, ...) {
    va_list args;
    va_start(args, command);
    const struct run run = run_and_check(0, says, command, args, " --json --precision max -o -");
    va_end(args);
    return parse(run.out);
}

char *essence(const json_t *scores) {
    json_t *copy = json_copy((json_t *)(uintptr_t)scores);
    static const char *const passing[] = {"version", "fps", "backend_used", "device", "features", "error"};
    for (size_t i = 0; i < LENGTH(passing); i++)
        json_object_del(copy, passing[i]);
    char *text = json_dumps(copy, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(copy);
    assert_non_null(text);
    return text;
}

void assert_same_scores(const json_t *a, const json_t *b, const char *what) {
    char *left = essence(a), *right = essence(b);
    if (strcmp(left, right))
        fail_msg("%s: %s\n---- but ----\n%s", what, left, right);
    free(left);
    free(right);
}

static const json_t *listed_frame(const json_t *scores, size_t i) {
    return json_array_get(json_object_get(scores, "frames"), i);
}

static double number(const json_t *object, const char *name) {
    const json_t *value = json_object_get(object, name);
    if (!json_is_number(value))
        fail_msg("there is no number '%s'", name);
    return json_number_value(value);
}

uint64_t frame_number(const json_t *scores, size_t i) {
    return (uint64_t)number(listed_frame(scores, i), "frameNum");
}

double frame_value(const json_t *scores, size_t i, const char *name) {
    return number(json_object_get(listed_frame(scores, i), "metrics"), name);
}

double pooled_value(const json_t *scores, const char *name, const char *method) {
    return number(json_object_get(json_object_get(scores, "pooled_metrics"), name), method);
}

double aggregate_value(const json_t *scores, const char *name) {
    return number(json_object_get(scores, "aggregate_metrics"), name);
}

void assert_bits(double got, double expected, const char *what) {
    if (memcmp(&got, &expected, sizeof(got)))
        fail_msg("%s: %.17g, not %.17g", what, got, expected);
}

/* ---- the scores by plain loops ------------------------------------------------------------------------------------- */

/* First byte and samples of a plane. */
static const uint8_t *plane_of(const struct clip *c, unsigned frame, unsigned plane, uint64_t *samples) {
    const uint8_t *at = c->samples.data + frame * c->frame_bytes;
    const uint64_t w = c->format.width, h = c->format.height, cw = c->format.chroma == VQX_CHROMA_444 ? w : (w + 1) / 2,
                   ch = c->format.chroma == VQX_CHROMA_420 ? (h + 1) / 2 : h, bytes = c->format.bits > 8 ? 2 : 1;
    assert_true(frame < c->frames);
    *samples = plane ? cw * ch : w * h;
    return at + (plane ? w * h + (plane - 1) * cw * ch : 0) * bytes;
}

static int32_t sample(const struct clip *c, const uint8_t *plane, uint64_t i) {
    return c->format.bits > 8 ? plane[2 * i] | plane[2 * i + 1] << 8 : plane[i];
}

uint64_t squared_error(const struct clip *ref, unsigned ref_frame, const struct clip *dis, unsigned dis_frame, unsigned plane,
                       uint64_t *samples) {
    const uint8_t *r = plane_of(ref, ref_frame, plane, samples), *d = plane_of(dis, dis_frame, plane, samples);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < *samples; i++) {
        const int64_t e = sample(ref, r, i) - sample(dis, d, i);
        sum += (uint64_t)(e * e);
    }
    return sum;
}

static double limit(uint32_t bits, double value) {
    const double cap = 6.0 * bits + 12.0;
    return value < cap ? value : cap;
}

static double peak2(uint32_t bits) {
    const double peak = (double)((1u << bits) - 1);
    return peak * peak;
}

double decibel(uint32_t bits, double mse) {
    return limit(bits, 10.0 * log10(peak2(bits) / (mse > 1e-16 ? mse : 1e-16)));
}

double stream_decibel(uint32_t bits, uint64_t error, uint64_t samples) {
    return 10.0 * ((log10(peak2(bits)) + log10((double)samples)) - log10((double)error));
}

/* Of float_moment and float_psnr: sums[0, 1] of a side's samples and squares, sums[2] of the squared differences. */
static void float_sums(const struct clip *a, unsigned a_frame, const struct clip *b, unsigned b_frame, double sums[3]) {
    uint64_t samples;
    const uint8_t *p = plane_of(a, a_frame, 0, &samples), *q = plane_of(b, b_frame, 0, &samples);
    const float divisor = (float)(1 << (a->format.bits - 8));
    sums[0] = sums[1] = sums[2] = 0;
    for (uint64_t i = 0; i < samples; i++) {
        const float v = (float)sample(a, p, i) / divisor, e = v - (float)sample(b, q, i) / divisor;
        const float v2 = v * v, e2 = e * e;
        sums[0] += (double)v;
        sums[1] += (double)v2;
        sums[2] += (double)e2;
    }
    for (int s = 0; s < 3; s++)
        sums[s] /= (double)samples;
}

void assert_frame(const json_t *scores, size_t i, const struct clip *ref, unsigned ref_frame, const struct clip *dis,
                  unsigned dis_frame) {
    static const char *const plane_name[] = {"y", "cb", "cr"};
    const uint32_t bits = ref->format.bits;
    const json_t *metrics = json_object_get(listed_frame(scores, i), "metrics");
    const unsigned planes = ref->format.chroma == VQX_CHROMA_400 ? 1 : 3;
    char name[32];
    for (unsigned p = 0; p < planes; p++) {
        uint64_t samples;
        const uint64_t error = squared_error(ref, ref_frame, dis, dis_frame, p, &samples);
        const double mse = (double)error / (double)samples;
        snprintf(name, sizeof(name), "psnr_%s", plane_name[p]);
        assert_bits(number(metrics, name), decibel(bits, mse), name);
        snprintf(name, sizeof(name), "mse_%s", plane_name[p]);
        assert_bits(number(metrics, name), mse, name);
    }
    double r[3], d[3];
    float_sums(ref, ref_frame, dis, dis_frame, r);
    float_sums(dis, dis_frame, ref, ref_frame, d);
    assert_bits(number(metrics, "float_moment_ref1st"), r[0], "ref1st");
    assert_bits(number(metrics, "float_moment_dis1st"), d[0], "dis1st");
    assert_bits(number(metrics, "float_moment_ref2nd"), r[1], "ref2nd");
    assert_bits(number(metrics, "float_moment_dis2nd"), d[1], "dis2nd");
    const double peak = (double)((1u << bits) - 1) / (double)(1 << (bits - 8));
    assert_bits(number(metrics, "float_psnr"), limit(bits, 10.0 * log10(peak * peak / (r[2] > 1e-10 ? r[2] : 1e-10))),
                "float_psnr");
    assert_int_equal(json_object_size(metrics), 2 * planes + 5);
}
