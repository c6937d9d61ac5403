#include "test/reader_input.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/frame.h"
#include "tools/reader.h"

char folder[] = P_tmpdir "/vqx_test_reader_XXXXXX";

int reader_input_setup(void **state) {
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    return mkdtemp(folder) ? 0 : -1;
}

int reader_input_cleanup(void **state) {
    (void)state;
    char path[64];
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, i ? "fifo" : "file");
        unlink(path);
    }
    return rmdir(folder);
}

static uint32_t random_state = 1;

uint32_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

void append(struct bytes *b, const void *data, size_t size) {
    b->data = realloc(b->data, b->size + size + 1);
    assert_non_null(b->data);
    if (size)
        memcpy(b->data + b->size, data, size);
    b->size += size;
}

void append_text(struct bytes *b, const char *text) {
    append(b, text, strlen(text));
}

void append_fill(struct bytes *b, char c, size_t count) {
    char *run = malloc(count + 1);
    assert_non_null(run);
    memset(run, c, count);
    append(b, run, count);
    free(run);
}

struct clip make_clip(uint32_t width, uint32_t height, vqx_chroma chroma, uint32_t bits, unsigned frames, bool alpha) {
    struct clip c = {.format = {width, height, chroma, bits}, .frames = frames};
    const size_t cw = chroma == VQX_CHROMA_444 ? width : (width + 1) / 2, ch = chroma == VQX_CHROMA_420 ? (height + 1) / 2 : height;
    c.frame_bytes = ((size_t)width * height * (alpha ? 2 : 1) + (chroma == VQX_CHROMA_400 ? 0 : 2 * cw * ch)) * (bits > 8 ? 2 : 1);
    append_fill(&c.samples, 0, c.frame_bytes * frames);
    for (size_t i = 0; i < c.samples.size; i++)
        c.samples.data[i] = (uint8_t)(next_random() >> 9);
    return c;
}

struct bytes as_y4m(const struct clip *c, const char *header, const char *frame_line) {
    struct bytes b = {0};
    append_text(&b, header);
    for (unsigned i = 0; i < c->frames; i++) {
        append_text(&b, frame_line);
        append(&b, c->samples.data + i * c->frame_bytes, c->frame_bytes);
    }
    return b;
}

void check_frame(const struct clip *c, unsigned i, const vqx_frame *frame, unsigned planes) {
    const uint8_t *expected = c->samples.data + i * c->frame_bytes;
    assert_int_equal(vqx_frame_planes(frame), planes);
    for (unsigned p = 0; p < vqx_format_planes(&c->format); p++) {
        const vqx_plane plane = vqx_frame_plane(frame, p);
        for (uint32_t y = 0; y < plane.height; y++)
            for (uint32_t x = 0; x < plane.width; x++) {
                const bool words = c->format.bits > 8;
                uint16_t word = 0;
                if (planes >> p & 1 && words)
                    memcpy(&word, plane.data + y * plane.stride + 2 * x, 2);
                else if (planes >> p & 1)
                    word = plane.data[y * plane.stride + x];
                if (planes >> p & 1)
                    assert_int_equal(word, words ? expected[0] | expected[1] << 8 : expected[0]);
                expected += words ? 2 : 1;
            }
    }
}

void write_all(int fd, const uint8_t *data, size_t size, size_t chunk, unsigned pause_us) {
    for (size_t done = 0; done < size;) {
        const size_t left = size - done;
        const ssize_t got = write(fd, data + done, left < chunk ? left : chunk);
        if (got < 0)
            return; /* the reader had enough */
        done += (size_t)got;
        if (pause_us)
            usleep(pause_us);
    }
}

static void *writer_main(void *argument) {
    struct input *in = argument;
    const int fd = in->way == BY_FIFO ? open(in->path, O_WRONLY) : in->fd;
    write_all(fd, in->bytes->data, in->bytes->size, in->chunk, in->pause_us);
    close(fd);
    return NULL;
}

void make_file(char *path, size_t size, const char *name, const void *data, size_t bytes) {
    snprintf(path, size, "%s/%s", folder, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, bytes), bytes);
    close(fd);
}

static void replace_stdin(struct input *in, int fd) {
    in->saved_stdin = dup(STDIN_FILENO);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    close(fd);
}

void offer(struct input *in, enum way way, const struct bytes *bytes) {
    *in = (struct input){
        .way = way, .bytes = bytes, .saved_stdin = -1, .chunk = in->chunk ? in->chunk : 1 << 16, .pause_us = in->pause_us};
    int ends[2];
    struct bytes shifted = {0};
    switch (way) {
    case BY_FILE:
        make_file(in->path, sizeof(in->path), "file", bytes->data, bytes->size);
        return;
    case BY_REDIRECTED_STDIN:
        append_fill(&shifted, 'x', REDIRECTED_OFFSET);
        append(&shifted, bytes->data, bytes->size);
        make_file(in->path, sizeof(in->path), "file", shifted.data, shifted.size);
        free(shifted.data);
        replace_stdin(in, open(in->path, O_RDONLY));
        assert_int_equal(lseek(STDIN_FILENO, REDIRECTED_OFFSET, SEEK_SET), REDIRECTED_OFFSET);
        break;
    case BY_PIPED_STDIN:
        assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
        in->fd = ends[1];
        replace_stdin(in, ends[0]);
        break;
    default:
        snprintf(in->path, sizeof(in->path), "%s/fifo", folder);
        unlink(in->path);
        assert_int_equal(mkfifo(in->path, 0600), 0);
    }
    if (way != BY_REDIRECTED_STDIN)
        assert_int_equal(pthread_create(&in->writer, NULL, writer_main, in), 0);
    if (way != BY_FIFO)
        strcpy(in->path, "-");
}

void withdraw(struct input *in) {
    if (in->saved_stdin >= 0) {
        dup2(in->saved_stdin, STDIN_FILENO);
        close(in->saved_stdin);
    }
    if (in->way == BY_FIFO || in->way == BY_PIPED_STDIN)
        pthread_join(in->writer, NULL);
}

struct outcome read_input(struct input *in, enum way way, const struct bytes *bytes, const vqx_format *raw, uint64_t skip,
                          unsigned planes, const struct clip *clip) {
    struct outcome o = {0};
    struct reader *r;
    vqx_pool *pool;
    offer(in, way, bytes);
    assert_int_equal(reader_open(&r, in->path, o.message, sizeof(o.message)), 0);
    assert_string_equal(reader_name(r), strcmp(in->path, "-") ? in->path : "standard input");
    o.start = reader_start(r, raw, o.message, sizeof(o.message));
    if (o.start == 0) {
        o.format = *reader_format(r);
        o.is_y4m = reader_is_y4m(r);
        o.hint = reader_frames_hint(r);
        planes &= (1u << vqx_format_planes(&o.format)) - 1;
        assert_int_equal(vqx_pool_open(&pool, &o.format, planes), 0);
        o.skip = o.next = reader_skip(r, skip, o.message, sizeof(o.message));
        vqx_frame *frame;
        while (o.skip == 0 && (o.next = reader_next(r, pool, &frame, o.message, sizeof(o.message))) > 0) {
            vqx_message_text text;
            assert_int_equal(vqx_frame_require(frame, &text), 0);
            if (clip)
                check_frame(clip, (unsigned)skip + o.frames, frame, planes);
            vqx_frame_unref(&frame);
            o.frames++;
        }
        if (o.skip == 0)
            assert_null(frame);
        o.bytes_read = reader_bytes_read(r);
        vqx_pool_close(&pool);
    }
    reader_close(&r);
    assert_null(r);
    withdraw(in);
    if (o.start < 0 || o.next < 0) {
        assert_int_equal(
            strncmp(o.message, strcmp(in->path, "-") ? in->path : "standard input", strlen(in->path) > 1 ? strlen(in->path) : 14),
            0);
        assert_null(strchr(o.message, '\n'));
    }
    return o;
}

struct outcome read_by(enum way way, const struct bytes *bytes, const vqx_format *raw, const struct clip *clip) {
    struct input in = {0};
    return read_input(&in, way, bytes, raw, 0, 7, clip);
}

bool seekable(enum way way) {
    return way == BY_FILE || way == BY_REDIRECTED_STDIN;
}

void assert_says(const struct outcome *o, const char *text) {
    if (!strstr(o->message, text))
        fail_msg("'%s' does not say '%s'", o->message, text);
}
