/* Readers of video: raw planar YUV and y4m, from files, pipes, FIFOs and standard input.
 *
 * Regular files (also redirected to standard input) are read lazily by the worker threads, and only the planes that are needed.
 * From everything else the samples are read at once. Functions that fail return a negative errno and put one line that names the
 * input, and the frame and byte where there is one, into message[0..size-1]. Frames count from 0 at the start of the input, skipped
 * ones included; bytes are offsets in the file, or since opening where the input cannot seek.
 */
#ifndef TOOLS_READER_H
#define TOOLS_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/vqx.h"

struct reader;

/* Opens the file, or standard input for "-" (from its current offset), without reading: two FIFOs whose writer opens both before it
 * writes are both opened before reader_start() waits for bytes. The caller closes it. Errors of open(), -EISDIR, -ENOMEM. */
int reader_open(struct reader **reader, const char *path, char *message, size_t size);

/* Recognises the input and reads its header. y4m is known by its first bytes; all else is raw and needs its geometry in `raw`,
 * which is NULL when the user gave none and ignored for y4m. -EINVAL (no geometry, or out of range), -EPROTO (bad header), -ENOTSUP
 * (a kind of y4m that is refused), read errors. */
int reader_start(struct reader *reader, const vqx_format *raw, char *message, size_t size);

/* Of a started reader: whether it is y4m, and the format of its frames. */
bool reader_is_y4m(const struct reader *reader);
const vqx_format *reader_format(const struct reader *reader);

/* The path, or "standard input". */
const char *reader_name(const struct reader *reader);

/* Number of frames from the start, by the file's size and the length of the first frame; 0 when unknown. */
uint64_t reader_frames_hint(const struct reader *reader);

/* Bytes taken from the input so far. Any thread, at any time. */
uint64_t reader_bytes_read(const struct reader *reader);

/* Leaves out `count` frames. Running out of frames is no error: reader_next() then finds the end. -EPROTO and read errors as there.
 */
int reader_skip(struct reader *reader, uint64_t count, char *message, size_t size);

/* The next frame, in memory of `pool`, which has the reader's format; the pool's planes are the ones read. With a NULL pool the
 * frame is left out and *frame stays NULL. 1: *frame is set and the caller owns it; the reader must stay open while it lives. 0:
 * the input ended between two frames. -EPROTO: a frame is truncated or does not start as it should; -ENOMEM; read errors. From one
 * thread at a time, and not again after an error. */
int reader_next(struct reader *reader, vqx_pool *pool, vqx_frame **frame, char *message, size_t size);

/* Closes the input and sets *reader to NULL; a NULL is fine. */
void reader_close(struct reader **reader);

#endif
