/* Writers of result files: JSON, XML, CSV and SUB (microDVD subtitles), laid out as vmaf does (doc/usage.md).
 *
 * Numbers have a point whatever the locale; frames without any score are left out. NaN and infinity are null in JSON and C's inf,
 * -inf, nan, -nan elsewhere. Functions that can fail return a negative errno and put one line that names the file into
 * message[0..size-1].
 */
#ifndef TOOLS_WRITER_H
#define TOOLS_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "include/vqx.h"

enum writer_format { WRITER_JSON, WRITER_XML, WRITER_CSV, WRITER_SUB };

/* Significant digits of scores: N = 1..17 is printf's %.Ng. WRITER_LEGACY: vmaf's format, which is %.6f, or %.16f where the part
 * behind the point is above 0 and below about 1e-6. */
#define WRITER_LEGACY 0u
#define WRITER_MAX_DIGITS 17u

/* Reads "legacy", "max" or a number 1..17. 0, or -EINVAL for any other text. */
int writer_parse_precision(const char *text, unsigned *precision);

/* The value as in the files, in the current locale, cut at the buffer's end. */
void writer_number_text(double value, unsigned precision, char *text, size_t size);

/* Where a metric ran. */
struct writer_place {
    const char *metric, *backend, *device;
};

/* What a file holds besides the scores. Everything is borrowed for the call. */
struct writer_info {
    double fps;
    uint32_t width, height;
    unsigned precision;
    const char *const *pool; /* pooling methods after vmaf's min, max, mean, harmonic_mean; one that is there already counts once */
    size_t pool_count;
    const char *backend, *device;     /* of the run */
    const struct writer_place *place; /* metrics that ran somewhere else */
    size_t place_count;
    const char *error; /* why the run ended early, for JSON; or NULL */
};

struct writer;

/* Opens the file, or standard output for "-", and leaves what is in it alone until something is written. Blocks on a FIFO that
 * nobody reads. The caller closes it. Errors of open(), -ENOMEM. */
int writer_open(struct writer **writer, const char *path, enum writer_format format, char *message, size_t size);

/* Replaces the file's content by the results of a context after vqx_finish(). Write errors, the library's errors, -ENOMEM. One call
 * of writer_write() or writer_error() for each writer; a second one is -EINVAL. */
int writer_write(struct writer *writer, const vqx_context *context, const struct writer_info *info, char *message, size_t size);

/* Replaces the file's content by an object {"version", "error", "code"}, for a run that ends before it has results. JSON only: for
 * the other formats it does nothing. Write errors. */
int writer_error(struct writer *writer, const char *text, int code, char *message, size_t size);

/* Closes the file and sets *writer to NULL; a NULL is fine. A file that writer_open() has created is removed when nothing was
 * written, or not all of it. */
void writer_close(struct writer **writer);

#endif
