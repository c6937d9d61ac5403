/* Inputs for the tests of the readers: content, the ways by which it reaches a reader, and reading all of it. A helper that cannot
 * do its work fails the running test. */
#ifndef TEST_READER_INPUT_H
#define TEST_READER_INPUT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/vqx.h"

/* Where test files lie while reader_input_setup() … reader_input_cleanup(), the group's fixtures, surround the tests. */
extern char folder[];
int reader_input_setup(void **state);
int reader_input_cleanup(void **state);

/* The next of a fixed series. */
uint32_t next_random(void);

/* Grows; the owner frees data. */
struct bytes {
    uint8_t *data;
    size_t size;
};

void append(struct bytes *b, const void *data, size_t size);
void append_text(struct bytes *b, const char *text);
void append_fill(struct bytes *b, char c, size_t count);

/* Frames of random samples as they stand in a file. */
struct clip {
    vqx_format format;
    unsigned frames;
    size_t frame_bytes;
    struct bytes samples;
};

/* The owner frees samples.data. */
struct clip make_clip(uint32_t width, uint32_t height, vqx_chroma chroma, uint32_t bits, unsigned frames, bool alpha);

/* The clip as y4m: its header line and, for every frame, the same line. */
struct bytes as_y4m(const struct clip *c, const char *header, const char *frame_line);

/* Fails unless the frame, which is real, holds exactly these planes, with the samples of frame i. */
void check_frame(const struct clip *c, unsigned i, const vqx_frame *frame, unsigned planes);

enum way { BY_FILE, BY_FIFO, BY_PIPED_STDIN, BY_REDIRECTED_STDIN, WAYS };

/* Whether a reader can seek there. */
bool seekable(enum way way);

/* Where redirected standard input begins in its file. */
#define REDIRECTED_OFFSET 13

/* One input on offer. chunk and pause_us may be set beforehand. */
struct input {
    enum way way;
    char path[64];
    const struct bytes *bytes;
    int fd, saved_stdin;
    size_t chunk; /* bytes per write */
    unsigned pause_us;
    pthread_t writer;
};

/* Makes path, which is "-" for standard input, lead to the bytes; a pipe or FIFO gets a thread that writes. withdraw() undoes it.
 */
void offer(struct input *in, enum way way, const struct bytes *bytes);
void withdraw(struct input *in);

/* Writes data in chunks until the reader leaves. */
void write_all(int fd, const uint8_t *data, size_t size, size_t chunk, unsigned pause_us);

/* A file in the folder, and its path. */
void make_file(char *path, size_t size, const char *name, const void *data, size_t bytes);

/* What a reading of a whole input came to. */
struct outcome {
    int start, skip, next; /* return values; `next` that of the last call */
    unsigned frames;       /* that could be read */
    uint64_t hint, bytes_read;
    bool is_y4m;
    vqx_format format;
    char message[512];
};

/* Reads all of it. Frames must be those of the clip from frame `skip` on, if there is a clip. */
struct outcome read_input(struct input *in, enum way way, const struct bytes *bytes, const vqx_format *raw, uint64_t skip,
                          unsigned planes, const struct clip *clip);
/* The same without more ado: all planes, nothing skipped. */
struct outcome read_by(enum way way, const struct bytes *bytes, const vqx_format *raw, const struct clip *clip);

/* Fails unless the message contains the text. */
void assert_says(const struct outcome *o, const char *text);

#endif
