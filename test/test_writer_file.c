/* Where the writers write: old, new, unwritable and special files. */
#include "test/writer_fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#define EXAMPLE_CSV "Frame,psnr_y,float_ssim,\n0,34.760779,0.925023,\n2,30.993823,0.876575,\n"

/* ---- opening, replacing, removing ---------------------------------------------------------------------------------- */

static void put_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void test_old_content(void **state) {
    const char *path = in_folder("old");
    char old[5001] = "";
    struct writer *writer;
    (void)state;
    memset(old, 'x', sizeof old - 1);
    put_file(path, old);

    /* Opened and closed: as it was. */
    assert_int_equal(writer_open(&writer, path, WRITER_CSV, message, sizeof message), 0);
    char *text = get_file(path);
    assert_string_equal(text, old);
    free(text);
    writer_close(&writer);
    text = get_file(path);
    assert_string_equal(text, old);
    free(text);

    /* Written: the new, shorter text and nothing behind it. */
    assert_int_equal(writer_open(&writer, path, WRITER_CSV, message, sizeof message), 0);
    assert_int_equal(writer_write(writer, &example, &plain_info, message, sizeof message), 0);
    assert_int_equal(writer_write(writer, &example, &plain_info, message, sizeof message), -EINVAL);
    writer_close(&writer);
    text = get_file(path);
    assert_string_equal(text, EXAMPLE_CSV);
    free(text);
}

static void test_new_file(void **state) {
    const char *path = in_folder("new");
    vqx_context failing = example;
    struct writer *writer = NULL;
    (void)state;
    writer_close(&writer);

    /* Nothing written, also by writer_error() of a format that has no errors: gone again. */
    for (int error = 0; error < 2; error++) {
        assert_int_equal(writer_open(&writer, path, WRITER_XML, message, sizeof message), 0);
        assert_int_equal(access(path, F_OK), 0);
        if (error)
            assert_int_equal(writer_error(writer, "no device", 100, message, sizeof message), 0);
        writer_close(&writer);
        assert_int_equal(access(path, F_OK), -1);
    }

    /* Half written: gone, and said. */
    char expected[2048];
    snprintf(expected, sizeof expected, "%s: Cannot allocate memory", path);
    for (int source = 0; source < 3; source++) {
        char line[sizeof expected];
        failing.score_error = source == 0 ? -ENOMEM : 0;
        failing.pooled_error = source == 1 ? -ENOMEM : 0;
        failing.aggregate_error = source == 2 ? -ENOMEM : 0;
        assert_int_equal(writer_open(&writer, path, WRITER_JSON, line, sizeof line), 0);
        assert_int_equal(writer_write(writer, &failing, &plain_info, line, sizeof line), -ENOMEM);
        assert_string_equal(line, expected);
        writer_close(&writer);
        assert_int_equal(access(path, F_OK), -1);
    }

    /* Written: stays. */
    assert_int_equal(writer_open(&writer, path, WRITER_XML, message, sizeof message), 0);
    assert_int_equal(writer_write(writer, &example, &plain_info, message, sizeof message), 0);
    writer_close(&writer);
    assert_int_equal(unlink(path), 0);
}

static void test_cannot_open(void **state) {
    struct writer *writer = (struct writer *)message;
    char line[2048], expected[2048];
    (void)state;

    snprintf(expected, sizeof expected, "%s: No such file or directory", in_folder("none/out.json"));
    assert_int_equal(writer_open(&writer, in_folder("none/out.json"), WRITER_JSON, line, sizeof line), -ENOENT);
    assert_string_equal(line, expected);
    assert_null(writer);

    snprintf(expected, sizeof expected, "%s: Is a directory", folder);
    assert_int_equal(writer_open(&writer, folder, WRITER_JSON, line, sizeof line), -EISDIR);
    assert_string_equal(line, expected);

    assert_int_equal(writer_open(&writer, "", WRITER_JSON, line, sizeof line), -ENOENT);

    if (geteuid() != 0) { /* for root all files are writable */
        put_file(in_folder("closed"), "text");
        assert_int_equal(chmod(in_folder("closed"), 0400), 0);
        assert_int_equal(writer_open(&writer, in_folder("closed"), WRITER_JSON, line, sizeof line), -EACCES);
    }
}

static void test_error_object(void **state) {
    struct writer *writer;
    (void)state;
    put_file(in_folder("text"),
             "much older text than the object is long, so that a rest of it would show; much older text, much older text");
    assert_int_equal(writer_open(&writer, in_folder("text"), WRITER_JSON, message, sizeof message), 0);
    assert_int_equal(writer_error(writer, "cuda: no device", 100, message, sizeof message), 0);
    writer_close(&writer);
    char *text = get_file(in_folder("text"));
    assert_string_equal(text, "{\n  \"version\": \"1.2.3\",\n  \"error\": \"cuda: no device\",\n  \"code\": 100\n}\n");
    free(text);
}

/* ---- special files ------------------------------------------------------------------------------------------------- */

/* A link in the folder to a special file: should a writer ever remove what it must not, then only the link goes. */
static const char *link_to(const char *target, const char *name) {
    const char *path = in_folder(name);
    if (access(target, W_OK) != 0) {
        print_message("there is no %s\n", target);
        skip();
    }
    assert_int_equal(symlink(target, path), 0);
    return path;
}

/* No space: seen when the buffer is flushed at the end, and also when that comes in the middle. */
static void test_full(void **state) {
    static const enum writer_format formats[] = {WRITER_JSON, WRITER_XML, WRITER_CSV, WRITER_SUB};
    static char long_name[100000];
    vqx_context context = example;
    struct writer *writer;
    char line[2048], expected[2048];
    const char *path = link_to("/dev/full", "full");
    (void)state;
    memset(long_name, 'n', sizeof long_name - 1);
    snprintf(expected, sizeof expected, "%s: No space left on device", path);
    for (size_t f = 0; f < LENGTH(formats); f++) {
        for (int big = 0; big < 2; big++) {
            context.name[0] = big ? long_name : "psnr_y";
            assert_int_equal(writer_open(&writer, path, formats[f], line, sizeof line), 0);
            assert_int_equal(writer_write(writer, &context, &plain_info, line, sizeof line), -ENOSPC);
            assert_string_equal(line, expected);
            writer_close(&writer);
        }
    }
    assert_int_equal(writer_open(&writer, path, WRITER_JSON, line, sizeof line), 0);
    assert_int_equal(writer_error(writer, "text", 100, line, sizeof line), -ENOSPC);
    writer_close(&writer);
    assert_int_equal(access(path, W_OK), 0);
}

/* Called where the writer asks for the first score. */
static void raise_limit(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_FSIZE, &limit);
}

/* A write that fails, while everything after it succeeds, is not forgotten. */
static void test_full_for_a_while(void **state) {
    static char long_name[100000];
    vqx_context context = example;
    struct writer *writer;
    struct rlimit before, low;
    (void)state;
    memset(long_name, 'n', sizeof long_name - 1);
    context.name[1] = long_name;
    context.on_score = raise_limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    low = before;
    low.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(writer_open(&writer, in_folder("limited"), WRITER_CSV, message, sizeof message), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
    const int err = writer_write(writer, &context, &plain_info, message, sizeof message);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(err, -EFBIG);
    writer_close(&writer);
    assert_int_equal(access(in_folder("limited"), F_OK), -1);
}

static void test_null(void **state) {
    const char *path = link_to("/dev/null", "null");
    struct writer *writer;
    (void)state;
    for (int written = 0; written < 2; written++) {
        assert_int_equal(writer_open(&writer, path, WRITER_JSON, message, sizeof message), 0);
        if (written)
            assert_int_equal(writer_write(writer, &example, &plain_info, message, sizeof message), 0);
        writer_close(&writer);
        assert_int_equal(access(path, W_OK), 0);
    }
}

static void *read_fifo(void *path) {
    return get_file(path);
}

static void test_fifo(void **state) {
    const char *path = in_folder("fifo");
    char *expected = text_of(WRITER_JSON, &example, &plain_info), copy[sizeof folder + 64];
    struct writer *writer;
    pthread_t reader;
    void *text;
    (void)state;
    snprintf(copy, sizeof copy, "%s/fifo", folder);
    path = copy;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(pthread_create(&reader, NULL, read_fifo, copy), 0);
    assert_int_equal(writer_open(&writer, path, WRITER_JSON, message, sizeof message), 0);
    assert_int_equal(writer_write(writer, &example, &plain_info, message, sizeof message), 0);
    writer_close(&writer);
    assert_int_equal(pthread_join(reader, &text), 0);
    assert_string_equal(text, expected);
    assert_int_equal(access(path, F_OK), 0);
    free(text);
    free(expected);
}

/* Runs the writer with standard output in the file "stdout", behind a text that is there already, or closed. */
static int write_to_stdout(const char *path, bool closed) {
    struct writer *writer;
    fflush(stdout);
    const int saved = dup(STDOUT_FILENO);
    const int fd = open(in_folder("stdout"), O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(saved >= 0 && fd >= 0);
    if (closed)
        close(STDOUT_FILENO);
    else
        dup2(fd, STDOUT_FILENO);
    if (!strcmp(path, "-"))
        printf("before\n"); /* still in the buffer */
    int err = writer_open(&writer, path, WRITER_CSV, message, sizeof message);
    if (!err)
        err = writer_write(writer, &example, &plain_info, message, sizeof message);
    writer_close(&writer);
    if (!strcmp(path, "-"))
        printf("after\n");
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    clearerr(stdout);
    close(saved);
    close(fd);
    return err;
}

static void test_standard_output(void **state) {
    (void)state;
    assert_int_equal(write_to_stdout("-", false), 0);
    char *text = get_file(in_folder("stdout"));
    assert_string_equal(text, "before\n" EXAMPLE_CSV "after\n");
    free(text);
    assert_int_equal(write_to_stdout("-", true), -EBADF);
    assert_string_equal(message, "standard output: Bad file descriptor");
}

static void test_dev_stdout(void **state) {
    char path[2048];
    (void)state;
    snprintf(path, sizeof path, "%s", link_to("/dev/stdout", "dev-stdout"));
    assert_int_equal(write_to_stdout(path, false), 0);
    char *text = get_file(in_folder("stdout"));
    assert_string_equal(text, EXAMPLE_CSV);
    free(text);
    assert_int_equal(access(path, F_OK), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_old_content),  cmocka_unit_test(test_new_file), cmocka_unit_test(test_cannot_open),
        cmocka_unit_test(test_error_object), cmocka_unit_test(test_full),     cmocka_unit_test(test_full_for_a_while),
        cmocka_unit_test(test_null),         cmocka_unit_test(test_fifo),     cmocka_unit_test(test_standard_output),
        cmocka_unit_test(test_dev_stdout),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
