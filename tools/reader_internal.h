/* What the formats (reader_raw.c, reader_y4m.c) share with reader.c. */
#ifndef TOOLS_READER_INTERNAL_H
#define TOOLS_READER_INTERNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/reader.h"

/* Planes in a file: one more than vqx knows, for alpha. */
#define READER_PLANES (VQX_MAX_PLANES + 1)

/* As many bytes as detect() needs. */
#define READER_MAGIC_BYTES 8

/* A format of files. The first of the table in reader.c that recognises an input reads it. */
struct reader_kind {
    /* Whether the input is of this kind, by its first n bytes (READER_MAGIC_BYTES or more, fewer when there are no more). */
    bool (*detect)(const uint8_t *first, size_t n);
    /* Reads the header and calls reader_set_format(). */
    int (*start)(struct reader *reader, const vqx_format *raw, char *message, size_t size);
    /* Goes to the first sample of the next frame: 1, or 0 at the end of the input. */
    int (*frame)(struct reader *reader, char *message, size_t size);
};

extern const struct reader_kind reader_raw;
extern const struct reader_kind reader_y4m;

struct reader {
    const struct reader_kind *kind;
    int fd;
    bool seekable;
    vqx_format format;
    uint64_t plane_bytes[READER_PLANES]; /* in the file; 0 for a plane that is not there */
    uint64_t frame_bytes;                /* their sum */
    uint64_t frames_hint;
    uint64_t offset; /* of the next byte to consume */
    uint64_t frame;  /* index of the next frame */
    atomic_uint_fast64_t bytes_read;
    uint8_t ahead[128];           /* bytes from `offset` on that were read already: ahead_bytes of them, */
    size_t ahead_at, ahead_bytes; /* from ahead_at on */
    char name[];
};

/* Writes "NAME: " and the text into message and returns err. */
__attribute__((format(printf, 5, 6))) int reader_fail(const struct reader *reader, int err, char *message, size_t size,
                                                      const char *text, ...);

/* Same for an error of the system at a byte of the input. */
int reader_fail_at(const struct reader *reader, int err, uint64_t offset, char *message, size_t size);

/* Sets the format and the sizes that follow from it; extra_planes more of luma's size (0 or 1) stand behind each frame. -EINVAL
 * when the format is out of range. */
int reader_set_format(struct reader *reader, const vqx_format *format, unsigned extra_planes);

/* 1 when there is a byte left, 0 at the end, or a negative errno. */
int reader_more(struct reader *reader);

/* Consumes one byte and returns it; -ENODATA at the end, or another negative errno. */
int reader_get(struct reader *reader);

/* The vqx_fill of the frames of seekable files; position = byte of the first sample. Reads the planes that have a pointer. -EPROTO
 * when the file has become too short, read errors. */
int reader_fill(void *reader, uint64_t position, uint8_t *const data[VQX_MAX_PLANES], const ptrdiff_t stride[VQX_MAX_PLANES],
                char *message, size_t size);

#endif
