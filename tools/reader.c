#include "tools/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/reader_internal.h"

static const struct reader_kind *const kinds[] = {&reader_y4m, &reader_raw}; /* raw takes what is left */

int reader_fail(const struct reader *r, int err, char *message, size_t size, const char *text, ...) {
    const int len = snprintf(message, size, "%s: ", r->name);
    if (len >= 0 && (size_t)len < size) {
        va_list args;
        va_start(args, text);
        vsnprintf(message + len, size - (size_t)len, text, args);
        va_end(args);
    }
    return err;
}

int reader_fail_at(const struct reader *r, int err, uint64_t offset, char *message, size_t size) {
    return reader_fail(r, err, message, size, "cannot read at byte %" PRIu64 ": %s", offset, strerror(-err));
}

/* ---- bytes --------------------------------------------------------------------------------------------------------- */

/* Reads 1 to n bytes at `offset`, which only a seekable input looks at; 0 at the end, or a negative errno. With read_full() and
 * read_planes() the part that workers run, beside each other and beside reader_next(), on a seekable input. */
static int64_t read_some(struct reader *r, uint8_t *to, uint64_t n, uint64_t offset) {
    const size_t most = n < SSIZE_MAX ? (size_t)n : SSIZE_MAX;
    ssize_t got;
    while ((got = r->seekable ? pread(r->fd, to, most, (off_t)offset) : read(r->fd, to, most)) < 0) {
        if (errno == EAGAIN) /* somebody made the pipe we inherited non-blocking */
            poll(&(struct pollfd){.fd = r->fd, .events = POLLIN}, 1, -1);
        else if (errno != EINTR) /* of a frame, these two would be errors of the device or the audit */
            return errno == ENODEV || errno == EBADMSG ? -EIO : -errno;
    }
    atomic_fetch_add_explicit(&r->bytes_read, (uint64_t)got, memory_order_relaxed);
    return got;
}

/* Has n bytes in r->ahead, fewer only at the end; n is 1 unless nothing was consumed yet. 0 or a negative errno. */
static int look_ahead(struct reader *r, size_t n) {
    if (!r->ahead_bytes)
        r->ahead_at = 0;
    while (r->ahead_bytes < n) {
        const int64_t got = read_some(r, r->ahead + r->ahead_bytes, sizeof(r->ahead) - r->ahead_bytes, r->offset + r->ahead_bytes);
        if (got <= 0)
            return (int)got;
        r->ahead_bytes += (size_t)got;
    }
    return 0;
}

/* Moves up to n bytes of r->ahead to `to` and returns how many. */
static size_t take_ahead(struct reader *r, uint8_t *to, uint64_t n) {
    const size_t got = n < r->ahead_bytes ? (size_t)n : r->ahead_bytes;
    memcpy(to, r->ahead + r->ahead_at, got);
    r->ahead_at += got;
    r->ahead_bytes -= got;
    return got;
}

int reader_get(struct reader *r) {
    uint8_t byte;
    const int err = look_ahead(r, 1);
    if (err < 0)
        return err;
    if (!take_ahead(r, &byte, 1))
        return -ENODATA;
    r->offset++;
    return byte;
}

/* Bytes from r->offset to the end of a file as long as it is now, or a negative errno. */
static int64_t bytes_left(const struct reader *r) {
    struct stat st;
    if (fstat(r->fd, &st) < 0)
        return -errno;
    return (uint64_t)st.st_size > r->offset ? (int64_t)((uint64_t)st.st_size - r->offset) : 0;
}

int reader_more(struct reader *r) {
    if (r->seekable) {
        const int64_t left = bytes_left(r);
        return left > 0 ? 1 : (int)left;
    }
    const int err = look_ahead(r, 1);
    return err < 0 ? err : r->ahead_bytes > 0;
}

/* Reads n bytes at *offset of a file, or the next n of a stream, and moves *offset behind what was read. -ENODATA when the input
 * ends before, or another negative errno. */
static int read_full(struct reader *r, uint8_t *to, uint64_t n, uint64_t *offset) {
    const uint64_t end = *offset + n;
    if (!r->seekable) {
        const size_t got = take_ahead(r, to, n);
        to += got;
        *offset += got;
    }
    while (*offset < end) {
        const int64_t got = read_some(r, to, end - *offset, *offset);
        if (got <= 0)
            return got < 0 ? (int)got : -ENODATA;
        to += got;
        *offset += (uint64_t)got;
    }
    return 0;
}

/* Leaves out n bytes, likewise. The end of a file is not looked for. */
static int drop(struct reader *r, uint64_t n, uint64_t *offset) {
    uint8_t dropped[16384];
    const uint64_t end = *offset + n;
    int err = 0;
    if (r->seekable)
        *offset = end;
    while (*offset < end && !err)
        err = read_full(r, dropped, end - *offset < sizeof(dropped) ? end - *offset : sizeof(dropped), offset);
    return err;
}

/* ---- frames -------------------------------------------------------------------------------------------------------- */

static int read_plane(struct reader *r, unsigned plane, uint8_t *to, ptrdiff_t stride, uint64_t *offset) {
    uint32_t width, rows;
    vqx_format_plane_size(&r->format, plane, &width, &rows);
    uint64_t row_bytes = width * vqx_format_sample_bytes(&r->format);
    if ((uint64_t)stride == row_bytes) { /* the usual case: one read */
        row_bytes = r->plane_bytes[plane];
        rows = 1;
    }
    for (uint32_t y = 0; y < rows; y++, to += stride) {
        const int err = read_full(r, to, row_bytes, offset);
        if (err < 0)
            return err;
    }
    return 0;
}

/* Reads the planes that have a pointer of the frame whose first sample is at *offset, and moves *offset to the frame's end or to
 * where an error is: -ENODATA when the input ends there, or another negative errno. */
static int read_planes(struct reader *r, uint8_t *const data[VQX_MAX_PLANES], const ptrdiff_t stride[VQX_MAX_PLANES],
                       uint64_t *offset) {
    int err = 0;
    for (unsigned p = 0; p < READER_PLANES && !err; p++)
        err = p < VQX_MAX_PLANES && data[p] ? read_plane(r, p, data[p], stride[p], offset) : drop(r, r->plane_bytes[p], offset);
    return err;
}

int reader_fill(void *source, uint64_t position, uint8_t *const data[VQX_MAX_PLANES], const ptrdiff_t stride[VQX_MAX_PLANES],
                char *message, size_t size) {
    struct reader *r = source;
    uint64_t offset = position;
    const int err = read_planes(r, data, stride, &offset);
    if (err == -ENODATA)
        return reader_fail(r, -EPROTO, message, size,
                           "the frame at byte %" PRIu64 " now ends at byte %" PRIu64 ": the file has shrunk", position, offset);
    return err < 0 ? reader_fail_at(r, err, offset, message, size) : 0;
}

/* The error of a frame whose samples begin at `start` and break off at `end`. */
static int truncated(const struct reader *r, uint64_t start, uint64_t end, char *message, size_t size) {
    return reader_fail(r, -EPROTO, message, size,
                       "frame %" PRIu64 " is truncated at byte %" PRIu64 " (frame needs %" PRIu64 " bytes, %" PRIu64 " there)",
                       r->frame, end, r->frame_bytes, end - start);
}

/* Goes past one frame: checks that it is there in a file, reads it from a stream. With a pool, *frame gets its samples, now or
 * later. 1, 0 at the end, or a negative errno. */
static int pass_frame(struct reader *r, vqx_pool *pool, vqx_frame **frame, char *message, size_t size) {
    int err = r->kind->frame(r, message, size);
    if (err <= 0)
        return err;
    const uint64_t start = r->offset;
    if (r->seekable) {
        const int64_t left = bytes_left(r);
        if (left < 0)
            return reader_fail_at(r, (int)left, start, message, size);
        if ((uint64_t)left < r->frame_bytes)
            return truncated(r, start, start + (uint64_t)left, message, size);
    }
    vqx_frame *f = NULL;
    if (pool && (err = vqx_pool_frame(pool, &f, r->seekable ? reader_fill : NULL, r, start)) < 0)
        return reader_fail(r, err, message, size, "frame %" PRIu64 ": %s", r->frame, vqx_strerror(err));
    if (r->seekable) {
        r->offset += r->frame_bytes;
        r->ahead_bytes = 0;
    } else {
        uint8_t *data[VQX_MAX_PLANES] = {NULL};
        ptrdiff_t stride[VQX_MAX_PLANES] = {0};
        for (unsigned p = 0; f && p < VQX_MAX_PLANES; p++)
            data[p] = vqx_frame_data(f, p, &stride[p]);
        err = read_planes(r, data, stride, &r->offset);
        if (err < 0)
            vqx_frame_unref(&f);
        if (err == -ENODATA)
            return truncated(r, start, r->offset, message, size);
        if (err < 0)
            return reader_fail_at(r, err, r->offset, message, size);
    }
    if (pool)
        *frame = f;
    r->frame++;
    return 1;
}

/* ---- the interface ------------------------------------------------------------------------------------------------- */

int reader_open(struct reader **reader, const char *path, char *message, size_t size) {
    *reader = NULL;
    const bool standard_input = strcmp(path, "-") == 0;
    const char *name = standard_input ? "standard input" : path;
    struct reader *r = calloc(1, sizeof(*r) + strlen(name) + 1);
    if (!r) {
        snprintf(message, size, "%s: %s", name, vqx_strerror(-ENOMEM));
        return -ENOMEM;
    }
    strcpy(r->name, name);
    struct stat st;
    int err = 0;
    r->fd = standard_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0 || fstat(r->fd, &st) < 0)
        err = -errno;
    else if (S_ISDIR(st.st_mode))
        err = -EISDIR;
    if (err < 0) {
        reader_fail(r, err, message, size, "cannot open: %s", strerror(-err));
        reader_close(&r);
        return err;
    }
    const off_t offset = S_ISREG(st.st_mode) ? lseek(r->fd, 0, SEEK_CUR) : -1;
    r->seekable = offset >= 0;
    r->offset = r->seekable ? (uint64_t)offset : 0;
    *reader = r;
    return 0;
}

int reader_start(struct reader *r, const vqx_format *raw, char *message, size_t size) {
    int err = look_ahead(r, READER_MAGIC_BYTES);
    if (err < 0)
        return reader_fail_at(r, err, r->offset, message, size);
    for (size_t i = 0; !r->kind; i++)
        if (kinds[i]->detect(r->ahead, r->ahead_bytes))
            r->kind = kinds[i];
    err = r->kind->start(r, raw, message, size);
    if (err < 0 || !r->seekable)
        return err;
    /* Measure the first frame and go back; what is wrong with it, reader_next() will say. */
    const uint64_t first = r->offset;
    const int64_t left = bytes_left(r);
    if (left > 0 && pass_frame(r, NULL, NULL, message, size) > 0)
        r->frames_hint = (uint64_t)left / (r->offset - first);
    r->frame = 0;
    r->offset = first;
    r->ahead_bytes = 0;
    return 0;
}

int reader_set_format(struct reader *r, const vqx_format *format, unsigned extra_planes) {
    if (vqx_format_check(format) < 0)
        return -EINVAL;
    r->format = *format;
    r->frame_bytes = 0;
    for (unsigned p = 0; p < READER_PLANES; p++) {
        uint32_t width, height;
        vqx_format_plane_size(format, p < VQX_MAX_PLANES ? p : 0, &width, &height);
        r->plane_bytes[p] = (uint64_t)width * height * vqx_format_sample_bytes(format);
        if (p >= VQX_MAX_PLANES)
            r->plane_bytes[p] *= extra_planes;
        r->frame_bytes += r->plane_bytes[p];
    }
    return 0;
}

bool reader_is_y4m(const struct reader *r) {
    return r->kind == &reader_y4m;
}

const vqx_format *reader_format(const struct reader *r) {
    return &r->format;
}

const char *reader_name(const struct reader *r) {
    return r->name;
}

uint64_t reader_frames_hint(const struct reader *r) {
    return r->frames_hint;
}

uint64_t reader_bytes_read(const struct reader *r) {
    return atomic_load_explicit(&r->bytes_read, memory_order_relaxed);
}

int reader_skip(struct reader *r, uint64_t count, char *message, size_t size) {
    int err = 1;
    while (err > 0 && count-- > 0)
        err = pass_frame(r, NULL, NULL, message, size);
    return err < 0 ? err : 0;
}

int reader_next(struct reader *r, vqx_pool *pool, vqx_frame **frame, char *message, size_t size) {
    *frame = NULL;
    return pass_frame(r, pool, frame, message, size);
}

void reader_close(struct reader **reader) {
    struct reader *r = *reader;
    *reader = NULL;
    if (r && r->fd >= 0)
        close(r->fd);
    free(r);
}
