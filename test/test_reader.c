/* Readers: what every kind of good input gives, sample by sample. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/frame.h"
#include "test/reader_input.h"
#include "tools/reader.h"
#include "tools/reader_internal.h"

/* ---- all ways --------------------------------------------------------------------------------------------------- */

static const uint32_t depths[] = {8, 10, 12, 16};

static void test_raw(void **state) {
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1}, {2, 2}, {1, 8}, {9, 1}, {3, 5}, {16, 16}, {33, 17}};
    for (unsigned chroma = 0; chroma < 4; chroma++)
        for (unsigned d = 0; d < 4; d++)
            for (unsigned s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
                struct clip c = make_clip(sizes[s][0], sizes[s][1], (vqx_chroma)chroma, depths[d], 3, false);
                for (unsigned way = 0; way < WAYS; way++)
                    for (unsigned planes = 1; planes < 8; planes += 2) {
                        struct input in = {.chunk = 1 + next_random() % 200};
                        struct outcome o = read_input(&in, (enum way)way, &c.samples, &c.format, 0, planes, &c);
                        assert_int_equal(o.next, 0);
                        assert_int_equal(o.frames, 3);
                        assert_false(o.is_y4m);
                        assert_memory_equal(&o.format, &c.format, sizeof(c.format));
                        assert_int_equal(o.hint, seekable((enum way)way) ? 3 : 0);
                    }
                free(c.samples.data);
            }
}

/* A plane that is not needed is not read from a file. */
static void test_bytes_read(void **state) {
    (void)state;
    enum { W = 128, H = 96, FRAMES = 5 };
    struct clip c = make_clip(W, H, VQX_CHROMA_444, 10, FRAMES, false);
    struct bytes y4m = as_y4m(&c, "YUV4MPEG2 W128 H96 F25:1 C444p10\n", "FRAME\n");
    for (unsigned planes = 1; planes < 8; planes++) {
        const size_t wanted = (size_t)W * H * 2 * FRAMES * (unsigned)__builtin_popcount(planes);
        struct input in = {0};
        struct outcome o = read_input(&in, BY_FILE, &c.samples, &c.format, 0, planes, &c);
        assert_in_range(o.bytes_read, wanted, wanted + sizeof(((struct reader *)NULL)->ahead));
        o = read_input(&in, BY_REDIRECTED_STDIN, &y4m, NULL, 0, planes, &c);
        assert_in_range(o.bytes_read, wanted, wanted + (FRAMES + 2) * sizeof(((struct reader *)NULL)->ahead));
        o = read_input(&in, BY_FIFO, &y4m, NULL, 0, planes, &c);
        assert_int_equal(o.bytes_read, y4m.size);
    }
    free(y4m.data);
    free(c.samples.data);
}

static void test_colours(void **state) {
    (void)state;
    static const struct {
        const char *tag;
        vqx_chroma chroma;
        uint32_t bits;
    } known[] = {
        {"", VQX_CHROMA_420, 8},           {" C420", VQX_CHROMA_420, 8},      {" C420jpeg", VQX_CHROMA_420, 8},
        {" C420mpeg2", VQX_CHROMA_420, 8}, {" C420paldv", VQX_CHROMA_420, 8}, {" C420p10", VQX_CHROMA_420, 10},
        {" C420p12", VQX_CHROMA_420, 12},  {" C420p16", VQX_CHROMA_420, 16},  {" C422", VQX_CHROMA_422, 8},
        {" C422p10", VQX_CHROMA_422, 10},  {" C422p12", VQX_CHROMA_422, 12},  {" C422p16", VQX_CHROMA_422, 16},
        {" C444", VQX_CHROMA_444, 8},      {" C444p10", VQX_CHROMA_444, 10},  {" C444p12", VQX_CHROMA_444, 12},
        {" C444p16", VQX_CHROMA_444, 16},  {" C444alpha", VQX_CHROMA_444, 8}, {" Cmono", VQX_CHROMA_400, 8},
        {" Cmono10", VQX_CHROMA_400, 10},  {" Cmono12", VQX_CHROMA_400, 12},  {" Cmono16", VQX_CHROMA_400, 16},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        struct clip c = make_clip(7, 5, known[i].chroma, known[i].bits, 3, strstr(known[i].tag, "alpha"));
        char header[128];
        snprintf(header, sizeof(header), "YUV4MPEG2 W7 H5 F30000:1001 Ip A1:1%s XYSCSS=ANY XCOLORRANGE=FULL\n", known[i].tag);
        struct bytes b = as_y4m(&c, header, "FRAME\n");
        for (unsigned way = 0; way < WAYS; way++) {
            const vqx_format other = {1920, 1080, VQX_CHROMA_422, 12}; /* ignored */
            struct outcome o = read_by((enum way)way, &b, way & 1 ? &other : NULL, &c);
            assert_int_equal(o.next, 0);
            assert_int_equal(o.frames, 3);
            assert_true(o.is_y4m);
            assert_memory_equal(&o.format, &c.format, sizeof(c.format));
            assert_int_equal(o.hint, seekable((enum way)way) ? 3 : 0);
        }
        free(b.data);
        free(c.samples.data);
    }
}

static void test_header_tags(void **state) {
    (void)state;
    static const char *const good[] = {
        "YUV4MPEG2 W4 H2 F25:1\n",
        "YUV4MPEG W4 H2 F25:1\n",
        "YUV4MPEG3 W4 H2 F25:1\n",
        "YUV4MPEG2-odd F25:1 H2 W4\n",
        "YUV4MPEG2 C420 Ip A0:0 H2 F0:0 W4\n",
        "YUV4MPEG2 I? C420jpeg Zunknown  F4294967296:99999999999 H02  W0004 \n",
        "YUV4MPEG2 XW5 X XI=t\1\377 H2 W4 F1:1 w9 c411\n",
    };
    struct clip c = make_clip(4, 2, VQX_CHROMA_420, 8, 2, false);
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct bytes b = as_y4m(&c, good[i], "FRAME\n");
        struct outcome o = read_by(i % 2 ? BY_FILE : BY_FIFO, &b, NULL, &c);
        assert_int_equal(o.start, 0);
        assert_int_equal(o.frames, 2);
        free(b.data);
    }
    free(c.samples.data);
}

/* A line of any length up to 1 MiB, in the header and before every frame. */
static void test_line_lengths(void **state) {
    (void)state;
    struct clip c = make_clip(5, 3, VQX_CHROMA_422, 8, 3, false);
    for (size_t n = 1; n <= 5000; n += n < 300 ? 1 : 97) {
        struct bytes header = {0}, line = {0};
        append_text(&header, "YUV4MPEG2 W5 H3 F25:1 C422 X");
        append_fill(&header, n % 2 ? 'x' : ' ', n - 1);
        append(&header, "\n", 2);
        append_text(&line, "FRAME ");
        append_fill(&line, n % 3 ? 'F' : ' ', n - 1);
        append(&line, "\n", 2);
        struct bytes b = as_y4m(&c, (char *)header.data, (char *)line.data);
        struct input in = {.chunk = n % 61 + 1};
        struct outcome o = read_input(&in, n % 4 ? BY_FILE : BY_PIPED_STDIN, &b, NULL, 0, 7, &c);
        assert_int_equal(o.next, 0);
        assert_int_equal(o.frames, 3);
        assert_int_equal(o.hint, n % 4 ? 3 : 0);
        free(b.data);
        free(line.data);
        free(header.data);
    }
    for (unsigned blank = 0; blank < 2; blank++) {
        struct bytes b = {0};
        append_text(&b, "YUV4MPEG2 W5 H3 F25:1 C422 ");
        append_fill(&b, blank ? ' ' : 'x', 2 << 20);
        struct outcome o = read_by(BY_FIFO, &b, NULL, NULL);
        assert_int_equal(o.start, -EPROTO);
        assert_says(&o, "y4m header at byte 0 has no newline within 1048576 bytes");
        free(b.data);
        b = as_y4m(&c, "YUV4MPEG2 W5 H3 F25:1 C422\n", "FRAME\n");
        const size_t good = b.size;
        append_text(&b, "FRAME ");
        append_fill(&b, blank ? ' ' : 'x', 2 << 20);
        o = read_by(BY_FILE, &b, NULL, &c);
        assert_int_equal(o.next, -EPROTO);
        assert_int_equal(o.frames, 3);
        char says[128];
        snprintf(says, sizeof(says), "frame 3: FRAME line at byte %zu has no newline", good);
        assert_says(&o, says);
        free(b.data);
    }
    free(c.samples.data);
}

static void test_skip(void **state) {
    (void)state;
    struct clip c = make_clip(6, 4, VQX_CHROMA_420, 8, 5, false);
    struct bytes y4m = as_y4m(&c, "YUV4MPEG2 W6 H4 F25:1\n", "FRAME Xy\n");
    static const uint64_t counts[] = {0, 1, 2, 4, 5, 6, 1000, UINT64_MAX};
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        for (unsigned way = 0; way < WAYS; way++)
            for (unsigned y = 0; y < 2; y++) {
                struct input in = {0};
                struct outcome o = read_input(&in, (enum way)way, y ? &y4m : &c.samples, y ? NULL : &c.format, counts[i], 7, &c);
                assert_int_equal(o.next, 0);
                assert_int_equal(o.frames, counts[i] < 5 ? 5 - counts[i] : 0);
            }
    /* What is wrong with a skipped frame is said, and frames count from the start of the file. */
    y4m.size -= 1;
    for (uint64_t skip = 3; skip < 6; skip++)
        for (unsigned way = BY_FILE; way <= BY_FIFO; way++) {
            struct input in = {0};
            struct outcome o = read_input(&in, (enum way)way, &y4m, NULL, skip, 7, &c);
            assert_int_equal(o.next, -EPROTO);
            assert_int_equal(o.skip, skip < 5 ? 0 : -EPROTO);
            assert_says(&o, "frame 4 is truncated");
        }
    free(y4m.data);
    free(c.samples.data);
}

/* y4m is known by its first bytes, not by its name; raw input may begin with less than those. */
static void test_detection(void **state) {
    (void)state;
    struct clip c = make_clip(4, 4, VQX_CHROMA_400, 8, 1, false);
    memcpy(c.samples.data, "YUV4MPE", 7);
    struct outcome o = read_by(BY_PIPED_STDIN, &c.samples, &c.format, &c);
    assert_int_equal(o.frames, 1);
    assert_false(o.is_y4m);
    memcpy(c.samples.data, "YUV4MPEG", 8);
    o = read_by(BY_FILE, &c.samples, &c.format, &c);
    assert_int_equal(o.start, -EPROTO);
    free(c.samples.data);

    struct bytes none = {0};
    const vqx_format format = {4, 4, VQX_CHROMA_420, 8};
    for (unsigned way = 0; way < WAYS; way++) {
        o = read_by((enum way)way, &none, &format, NULL);
        assert_int_equal(o.start, 0);
        assert_int_equal(o.next, 0);
        assert_int_equal(o.frames, 0);
        assert_int_equal(o.hint, 0);
    }
}

/* Files larger than 32 bits can count. */
static void test_large_file(void **state) {
    (void)state;
    char path[64], message[512];
    const vqx_format format = {8192, 8192, VQX_CHROMA_400, 8};
    const uint64_t frame_bytes = 8192u * 8192u;
    make_file(path, sizeof(path), "large", "", 0);
    const int fd = open(path, O_WRONLY);
    if (ftruncate(fd, (off_t)(frame_bytes * 70)) < 0)
        skip();
    assert_int_equal(pwrite(fd, "mark", 4, (off_t)(frame_bytes * 69 + 5)), 4);
    close(fd);
    struct reader *r;
    vqx_pool *pool;
    vqx_frame *frame;
    assert_int_equal(reader_open(&r, path, message, sizeof(message)), 0);
    assert_int_equal(reader_start(r, &format, message, sizeof(message)), 0);
    assert_int_equal(reader_frames_hint(r), 70);
    assert_int_equal(vqx_pool_open(&pool, &format, 1), 0);
    assert_int_equal(reader_skip(r, 69, message, sizeof(message)), 0);
    assert_int_equal(reader_next(r, pool, &frame, message, sizeof(message)), 1);
    vqx_message_text text;
    assert_int_equal(vqx_frame_require(frame, &text), 0);
    assert_memory_equal(vqx_frame_data(frame, 0, NULL) + 5, "mark", 4);
    vqx_frame_unref(&frame);
    assert_int_equal(reader_next(r, pool, &frame, message, sizeof(message)), 0);
    vqx_pool_close(&pool);
    reader_close(&r);
    unlink(path);
}

/* Rows that are farther apart than they are long; what lies between stays. */
static void test_strides(void **state) {
    (void)state;
    struct clip c = make_clip(5, 3, VQX_CHROMA_420, 10, 2, false);
    struct input in = {0};
    char message[512];
    struct reader *r;
    offer(&in, BY_FILE, &c.samples);
    assert_int_equal(reader_open(&r, in.path, message, sizeof(message)), 0);
    assert_int_equal(reader_start(r, &c.format, message, sizeof(message)), 0);
    enum { STRIDE = 32, ROWS = 3 };
    uint8_t memory[2][ROWS * STRIDE];
    memset(memory, 0xA5, sizeof(memory));
    uint8_t *const data[VQX_MAX_PLANES] = {memory[0], NULL, memory[1]};
    const ptrdiff_t stride[VQX_MAX_PLANES] = {STRIDE, 0, STRIDE};
    assert_int_equal(reader_fill(r, c.frame_bytes, data, stride, message, sizeof(message)), 0);
    const uint8_t *expected = c.samples.data + c.frame_bytes;
    for (unsigned y = 0; y < ROWS; y++)
        for (unsigned x = 0; x < STRIDE; x++)
            assert_int_equal(memory[0][y * STRIDE + x], x < 10 ? expected[y * 10 + x] : 0xA5);
    expected += 3 * 10 + 2 * 6;
    for (unsigned y = 0; y < ROWS; y++)
        for (unsigned x = 0; x < STRIDE; x++)
            assert_int_equal(memory[1][y * STRIDE + x], x < 6 && y < 2 ? expected[y * 6 + x] : 0xA5);
    reader_close(&r);
    withdraw(&in);
    free(c.samples.data);
}

/* Frames are filled by several threads, in any order, while the next ones are fetched. */
struct share {
    vqx_frame **frames;
    unsigned first, count;
};

static void *require_main(void *argument) {
    const struct share *s = argument;
    int err = 0;
    for (unsigned i = s->first; i < s->count && !err; i += 3) {
        vqx_message_text text;
        err = vqx_frame_require(s->frames[s->count - 1 - i], &text);
    }
    return err < 0 ? (void *)argument : NULL;
}

static void test_threads(void **state) {
    (void)state;
    enum { FRAMES = 60 };
    struct clip c = make_clip(16, 16, VQX_CHROMA_420, 8, FRAMES, false);
    struct bytes y4m = as_y4m(&c, "YUV4MPEG2 W16 H16 F25:1\n", "FRAME\n");
    struct input in = {0};
    char message[512];
    struct reader *r;
    vqx_pool *pool;
    vqx_frame *frames[FRAMES], *end;
    offer(&in, BY_FILE, &y4m);
    assert_int_equal(reader_open(&r, in.path, message, sizeof(message)), 0);
    assert_int_equal(reader_start(r, NULL, message, sizeof(message)), 0);
    assert_int_equal(vqx_pool_open(&pool, &c.format, 7), 0);
    pthread_t threads[3];
    struct share shares[3];
    for (unsigned i = 0; i < FRAMES; i++) {
        assert_int_equal(reader_next(r, pool, &frames[i], message, sizeof(message)), 1);
        for (unsigned t = 0; i == FRAMES / 2 - 1 && t < 3; t++) {
            shares[t] = (struct share){frames, t, FRAMES / 2};
            assert_int_equal(pthread_create(&threads[t], NULL, require_main, &shares[t]), 0);
        }
    }
    for (unsigned t = 0; t < 3; t++) {
        void *failed;
        pthread_join(threads[t], &failed);
        assert_null(failed);
    }
    assert_int_equal(reader_next(r, pool, &end, message, sizeof(message)), 0);
    for (unsigned i = 0; i < FRAMES; i++) {
        vqx_message_text text;
        assert_int_equal(vqx_frame_require(frames[i], &text), 0);
        check_frame(&c, i, frames[i], 7);
        vqx_frame_unref(&frames[i]);
    }
    vqx_pool_close(&pool);
    reader_close(&r);
    withdraw(&in);
    free(y4m.data);
    free(c.samples.data);
}

/* ---- streams ------------------------------------------------------------------------------------------------------- */

static void on_alarm(int signal) {
    (void)signal;
}

/* A slow writer, signals, and a standard input that does not block. */
static void test_interruptions(void **state) {
    (void)state;
    struct clip c = make_clip(16, 8, VQX_CHROMA_420, 8, 2, false);
    struct bytes y4m = as_y4m(&c, "YUV4MPEG2 W16 H8 F25:1\n", "FRAME\n");
    struct sigaction act = {.sa_handler = on_alarm}, before;
    sigaction(SIGALRM, &act, &before);
    const struct itimerval often = {{0, 700}, {0, 700}}, never = {{0, 0}, {0, 0}};
    for (unsigned nonblocking = 0; nonblocking < 2; nonblocking++) {
        struct input in = {.chunk = 10, .pause_us = 1000};
        char message[512];
        struct reader *r;
        vqx_pool *pool;
        vqx_frame *frame;
        offer(&in, BY_PIPED_STDIN, &y4m);
        if (nonblocking)
            fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK);
        setitimer(ITIMER_REAL, &often, NULL);
        assert_int_equal(reader_open(&r, in.path, message, sizeof(message)), 0);
        assert_int_equal(reader_start(r, NULL, message, sizeof(message)), 0);
        assert_int_equal(vqx_pool_open(&pool, &c.format, 7), 0);
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal(reader_next(r, pool, &frame, message, sizeof(message)), 1);
            check_frame(&c, i, frame, 7);
            vqx_frame_unref(&frame);
        }
        assert_int_equal(reader_next(r, pool, &frame, message, sizeof(message)), 0);
        setitimer(ITIMER_REAL, &never, NULL);
        vqx_pool_close(&pool);
        reader_close(&r);
        withdraw(&in);
    }
    sigaction(SIGALRM, &before, NULL);
    free(y4m.data);
    free(c.samples.data);
}

static void *two_fifos_main(void *argument) {
    char(*paths)[64] = argument;
    const int a = open(paths[0], O_WRONLY), b = open(paths[1], O_WRONLY);
    write_all(a, (const uint8_t *)"YUV4MPEG2 W1 H1 F1:1 Cmono\n", 27, 27, 0);
    write_all(b, (const uint8_t *)"YUV4MPEG2 W2 H1 F1:1 Cmono\n", 27, 27, 0);
    close(a);
    close(b);
    return NULL;
}

/* A writer that opens both FIFOs before it writes to either does not wait for us for ever. */
static void test_two_fifos(void **state) {
    (void)state;
    char paths[2][64], message[512];
    struct reader *r[2];
    for (unsigned i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof(paths[i]), "%s/fifo%u", folder, i);
        assert_int_equal(mkfifo(paths[i], 0600), 0);
    }
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, two_fifos_main, paths), 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(reader_open(&r[i], paths[i], message, sizeof(message)), 0);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(reader_start(r[i], NULL, message, sizeof(message)), 0);
    pthread_join(writer, NULL);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(reader_format(r[i])->width, i + 1);
        reader_close(&r[i]);
        unlink(paths[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_raw),         cmocka_unit_test(test_bytes_read),    cmocka_unit_test(test_colours),
        cmocka_unit_test(test_header_tags), cmocka_unit_test(test_line_lengths),  cmocka_unit_test(test_skip),
        cmocka_unit_test(test_detection),   cmocka_unit_test(test_large_file),    cmocka_unit_test(test_strides),
        cmocka_unit_test(test_threads),     cmocka_unit_test(test_interruptions), cmocka_unit_test(test_two_fifos),
    };
    return cmocka_run_group_tests(tests, reader_input_setup, reader_input_cleanup);
}
