/* Readers: what every kind of bad input is told. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/frame.h"
#include "test/reader_input.h"
#include "tools/reader.h"

/* Cut at every byte. */
static void test_truncation(void **state) {
    (void)state;
    struct clip c = make_clip(3, 3, VQX_CHROMA_420, 10, 3, false);
    const char *header = "YUV4MPEG2 W3 H3 F25:1 C420p10\n", *line = "FRAME Ip\n";
    struct bytes y4m = as_y4m(&c, header, line);
    for (unsigned is_y4m = 0; is_y4m < 2; is_y4m++)
        for (unsigned way = 0; way < WAYS; way++) {
            struct bytes cut = is_y4m ? y4m : c.samples;
            const size_t head = is_y4m ? strlen(header) : 0, before = is_y4m ? strlen(line) : 0, step = before + c.frame_bytes;
            for (size_t size = cut.size; size != SIZE_MAX; size--) {
                cut.size = size;
                const struct outcome o = read_by((enum way)way, &cut, is_y4m ? NULL : &c.format, &c);
                const size_t byte = size + (way == BY_REDIRECTED_STDIN ? REDIRECTED_OFFSET : 0);
                char says[128] = "";
                if (size < head) {
                    assert_int_equal(o.start, size < 8 ? -EINVAL : -EPROTO);
                    if (size >= 8)
                        snprintf(says, sizeof(says), ": y4m header is truncated at byte %zu", byte);
                    assert_says(&o, says);
                    continue;
                }
                const size_t frames = (size - head) / step, rest = (size - head) % step;
                assert_int_equal(o.start, 0);
                assert_int_equal(o.frames, frames);
                assert_int_equal(o.next, rest ? -EPROTO : 0);
                if (seekable((enum way)way))
                    assert_int_equal(o.hint, frames);
                if (rest > 0 && rest < before)
                    snprintf(says, sizeof(says), ": frame %zu: FRAME line is truncated at byte %zu", frames, byte);
                else if (rest > 0)
                    snprintf(says, sizeof(says), ": frame %zu is truncated at byte %zu (frame needs %zu bytes, %zu there)", frames,
                             byte, c.frame_bytes, rest - before);
                assert_says(&o, says);
            }
        }
    free(y4m.data);
    free(c.samples.data);
}

static void test_header(void **state) {
    (void)state;
    static const struct {
        const char *header, *says;
        int err;
    } bad[] = {
        {"YUV4MPEG2\n", "no width (W)", -EPROTO},
        {"YUV4MPEG2 H2 F25:1\n", "no width (W)", -EPROTO},
        {"YUV4MPEG2 W4 F25:1\n", "no height (H)", -EPROTO},
        {"YUV4MPEG2 W4 H2\n", "no frame rate (F)", -EPROTO},
        {"YUV4MPEG2 W0 H2 F25:1\n", "'W0'", -EPROTO},
        {"YUV4MPEG2 W-4 H2 F25:1\n", "'W-4'", -EPROTO},
        {"YUV4MPEG2 W H2 F25:1\n", "'W'", -EPROTO},
        {"YUV4MPEG2 W4x H2 F25:1\n", "'W4x'", -EPROTO},
        {"YUV4MPEG2 W4 H65536 F25:1\n", "'H65536'", -EPROTO},
        {"YUV4MPEG2 W4 H4294967298 F25:1\n", "'H4294967298'", -EPROTO},
        {"YUV4MPEG2 W4 H18446744073709551618 F25:1\n", "'H18446744073709551618'", -EPROTO},
        {"YUV4MPEG2 W65535 H65535 F25:1\n", "65535x65535", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25\n", "'F25'", -EPROTO},
        {"YUV4MPEG2 W4 H2 F25:\n", "'F25:'", -EPROTO},
        {"YUV4MPEG2 W4 H2 F:1\n", "'F:1'", -EPROTO},
        {"YUV4MPEG2 W4 H2 F25:1:1\n", "'F25:1:1'", -EPROTO},
        {"YUV4MPEG2 W4 H2 F25,1\n", "'F25,1'", -EPROTO},
        {"YUV4MPEG2 W4 H2 F25:1 It\n", "'It'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1 Ib\n", "'Ib'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1 Im\n", "'Im'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1 I\n", "'I'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1 Ipp\n", "'Ipp'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1 C\n", "'C'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1 C411\n", "'C411'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1 C410\n", "'C410'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1 C440\n", "'C440'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1 C420p9\n", "'C420p9'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1 C420p14\n", "'C420p14'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1 C422p14\n", "'C422p14'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1 C444p9\n", "'C444p9'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1 Cmono9\n", "'Cmono9'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1 C420p100\n", "'C420p100'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1 C420\r\n", "'C420.'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1 C420\x1b[2J\n", "'C420.[2J'", -ENOTSUP},
        {"YUV4MPEG2 W4 H2 F25:1", "header is truncated at byte 21", -EPROTO},
        {"YUV4MPEG", "header is truncated at byte 8", -EPROTO},
        {"YUV4MPE", "-w, -h, -p and -b", -EINVAL},
        {"", "-w, -h, -p and -b", -EINVAL},
        {" YUV4MPEG2 W4 H2 F25:1\n", "-w, -h, -p and -b", -EINVAL},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct bytes b = {0};
        append_text(&b, bad[i].header);
        for (unsigned way = BY_FILE; way <= BY_FIFO; way++) {
            struct outcome o = read_by((enum way)way, &b, NULL, NULL);
            assert_int_equal(o.start, bad[i].err);
            assert_says(&o, bad[i].says);
        }
        free(b.data);
    }
}

/* Something else where a FRAME line should be. */
static void test_garbage(void **state) {
    (void)state;
    static const char *const lines[] = {"FRAMe\n", "FRAMES\n", "FRAME\t\n", "frame\n", "\n", "XFRAME\n", "FRAM\n", "FRAME\r\n"};
    struct clip c = make_clip(4, 4, VQX_CHROMA_444, 8, 1, false);
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        for (unsigned way = 0; way < WAYS; way++) {
            struct bytes b = as_y4m(&c, "YUV4MPEG2 W4 H4 F25:1 C444\n", "FRAME\n");
            char says[128];
            snprintf(says, sizeof(says), "frame 1 does not begin with a FRAME line at byte %zu",
                     b.size + (way == BY_REDIRECTED_STDIN ? REDIRECTED_OFFSET : 0));
            append_text(&b, lines[i]);
            append(&b, c.samples.data, c.samples.size);
            struct outcome o = read_by((enum way)way, &b, NULL, &c);
            assert_int_equal(o.frames, 1);
            assert_int_equal(o.next, -EPROTO);
            assert_says(&o, says);
            free(b.data);
        }
    free(c.samples.data);
}

static void assert_open_fails(const char *path, int err, const char *says) {
    struct reader *r;
    char message[512];
    assert_int_equal(reader_open(&r, path, message, sizeof(message)), err);
    assert_null(r);
    assert_string_equal(message, says);
}

static void test_open_errors(void **state) {
    (void)state;
    char path[64], says[192];
    snprintf(path, sizeof(path), "%s/nothing", folder);
    snprintf(says, sizeof(says), "%s: cannot open: No such file or directory", path);
    assert_open_fails(path, -ENOENT, says);
    snprintf(says, sizeof(says), "%s: cannot open: Is a directory", folder);
    assert_open_fails(folder, -EISDIR, says);
    if (geteuid() != 0) {
        make_file(path, sizeof(path), "secret", "x", 1);
        chmod(path, 0);
        snprintf(says, sizeof(says), "%s: cannot open: Permission denied", path);
        assert_open_fails(path, -EACCES, says);
        unlink(path);
    }
    const int saved = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    assert_open_fails("-", -EBADF, "standard input: cannot open: Bad file descriptor");
    dup2(saved, STDIN_FILENO);
    close(saved);
}

static void test_raw_geometry(void **state) {
    (void)state;
    static const vqx_format bad[] = {
        {0, 4, VQX_CHROMA_420, 8}, {4, 65536, VQX_CHROMA_420, 8}, {65535, 65535, VQX_CHROMA_400, 8},
        {4, 4, VQX_CHROMA_420, 9}, {4, 4, VQX_CHROMA_420, 14},    {4, 4, (vqx_chroma)7, 8},
    };
    struct bytes b = {0};
    append_fill(&b, 'x', 100);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct outcome o = read_by(BY_FILE, &b, &bad[i], NULL);
        assert_int_equal(o.start, -EINVAL);
        assert_says(&o, "-b is 8, 10, 12 or 16");
    }
    struct outcome o = read_by(BY_PIPED_STDIN, &b, NULL, NULL);
    assert_int_equal(o.start, -EINVAL);
    assert_says(&o, "standard input: not y4m");
    free(b.data);
}

/* A file that gets shorter between reader_next() and the filling of the frame. */
static void test_shrinking(void **state) {
    (void)state;
    struct clip c = make_clip(8, 8, VQX_CHROMA_420, 8, 2, false);
    struct input in = {0};
    char message[512];
    struct reader *r;
    vqx_pool *pool;
    vqx_frame *frame;
    offer(&in, BY_FILE, &c.samples);
    assert_int_equal(reader_open(&r, in.path, message, sizeof(message)), 0);
    assert_int_equal(reader_start(r, &c.format, message, sizeof(message)), 0);
    assert_int_equal(vqx_pool_open(&pool, &c.format, 7), 0);
    assert_int_equal(reader_skip(r, 1, message, sizeof(message)), 0);
    assert_int_equal(reader_next(r, pool, &frame, message, sizeof(message)), 1);
    assert_int_equal(truncate(in.path, 96 + 70), 0);
    vqx_message_text text;
    assert_int_equal(vqx_frame_require(frame, &text), -EPROTO);
    char says[128];
    snprintf(says, sizeof(says), "%s: the frame at byte 96 now ends at byte 166: the file has shrunk", in.path);
    assert_string_equal(text.text, says);
    vqx_frame_unref(&frame);
    assert_int_equal(reader_next(r, pool, &frame, message, sizeof(message)), 0);
    vqx_pool_close(&pool);
    reader_close(&r);
    withdraw(&in);
    free(c.samples.data);
}

/* Reading fails: of a file without read permission for its descriptor. */
static void test_read_errors(void **state) {
    (void)state;
    char path[64], message[512];
    struct reader *r;
    make_file(path, sizeof(path), "file", "xxxxxxxxxxxx", 12);
    const int saved = dup(STDIN_FILENO), fd = open(path, O_WRONLY);
    dup2(fd, STDIN_FILENO);
    assert_int_equal(reader_open(&r, "-", message, sizeof(message)), 0);
    assert_int_equal(reader_start(r, NULL, message, sizeof(message)), -EBADF);
    assert_string_equal(message, "standard input: cannot read at byte 0: Bad file descriptor");
    reader_close(&r);
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(fd);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truncation),  cmocka_unit_test(test_header),       cmocka_unit_test(test_garbage),
        cmocka_unit_test(test_open_errors), cmocka_unit_test(test_raw_geometry), cmocka_unit_test(test_shrinking),
        cmocka_unit_test(test_read_errors),
    };
    return cmocka_run_group_tests(tests, reader_input_setup, reader_input_cleanup);
}
