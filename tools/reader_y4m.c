/* y4m: a line of tags, then frames, each after a line of its own. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/reader_internal.h"

#define MAGIC "YUV4MPEG"
#define MAX_LINE (1u << 20) /* more than this without a newline is not y4m */
#define MAX_TAG 64          /* what is kept of a tag; the ones we look at are shorter */

static const struct {
    const char *name;
    vqx_chroma chroma;
    unsigned bits, alpha;
} colours[] = {
    {"420", VQX_CHROMA_420, 8, 0},      {"420jpeg", VQX_CHROMA_420, 8, 0}, {"420mpeg2", VQX_CHROMA_420, 8, 0},
    {"420paldv", VQX_CHROMA_420, 8, 0}, {"420p10", VQX_CHROMA_420, 10, 0}, {"420p12", VQX_CHROMA_420, 12, 0},
    {"420p16", VQX_CHROMA_420, 16, 0},  {"422", VQX_CHROMA_422, 8, 0},     {"422p10", VQX_CHROMA_422, 10, 0},
    {"422p12", VQX_CHROMA_422, 12, 0},  {"422p16", VQX_CHROMA_422, 16, 0}, {"444", VQX_CHROMA_444, 8, 0},
    {"444p10", VQX_CHROMA_444, 10, 0},  {"444p12", VQX_CHROMA_444, 12, 0}, {"444p16", VQX_CHROMA_444, 16, 0},
    {"444alpha", VQX_CHROMA_444, 8, 1}, {"mono", VQX_CHROMA_400, 8, 0},    {"mono10", VQX_CHROMA_400, 10, 0},
    {"mono12", VQX_CHROMA_400, 12, 0},  {"mono16", VQX_CHROMA_400, 16, 0},
};

static bool detect(const uint8_t *first, size_t n) {
    return n >= READER_MAGIC_BYTES && !memcmp(first, MAGIC, READER_MAGIC_BYTES);
}

/* Reads up to the next blank or newline, keeping MAX_TAG - 1 characters. Returns the character that ended the tag, -ENODATA at the
 * input's end, -EOVERFLOW past MAX_LINE bytes after `line`, or another negative errno. */
static int read_tag(struct reader *r, uint64_t line, char tag[MAX_TAG]) {
    size_t n = 0;
    int c;
    while ((c = reader_get(r)) >= 0 && c != '\n') {
        if (r->offset - line > MAX_LINE)
            return -EOVERFLOW;
        if (c == ' ')
            break;
        if (n < MAX_TAG - 1)
            tag[n++] = c > ' ' && c < 127 ? (char)c : '.'; /* a message stays one line; no tag that we accept has a point */
    }
    tag[n] = '\0';
    return c;
}

/* Digits as a number that saturates; returns what follows them, or NULL when there are none. */
static const char *read_number(const char *text, uint32_t *value) {
    const char *p = text;
    for (*value = 0; *p >= '0' && *p <= '9'; p++)
        *value = *value > 65535 ? *value : *value * 10 + (uint32_t)(*p - '0');
    return p > text ? p : NULL;
}

static bool is_size(const char *text, uint32_t *value) {
    const char *end = read_number(text, value);
    return end && !*end && *value >= 1 && *value <= 65535;
}

/* numerator:denominator; nobody uses the rate. */
static bool is_rate(const char *text) {
    uint32_t ignored;
    const char *end = read_number(text, &ignored);
    if (!end || *end != ':')
        return false;
    end = read_number(end + 1, &ignored);
    return end && !*end;
}

/* Why the line that begins at `line` could not be read to its end; `what` names it. */
static int line_error(const struct reader *r, int err, uint64_t line, const char *what, char *message, size_t size) {
    if (err == -ENODATA)
        return reader_fail(r, -EPROTO, message, size, "%s is truncated at byte %" PRIu64, what, r->offset);
    if (err == -EOVERFLOW)
        return reader_fail(r, -EPROTO, message, size, "%s at byte %" PRIu64 " has no newline within %u bytes", what, line,
                           MAX_LINE);
    return reader_fail_at(r, err, r->offset, message, size);
}

static int start(struct reader *r, const vqx_format *raw, char *message, size_t size) {
    (void)raw;
    const uint64_t line = r->offset;
    vqx_format format = {0};
    unsigned colour = 0;
    bool has_rate = false;
    char tag[MAX_TAG];
    int c = read_tag(r, line, tag); /* the magic and a version that makes no difference */
    while (c == ' ') {
        c = read_tag(r, line, tag);
        if (c < 0)
            break;
        const char *value = tag + 1;
        switch (tag[0]) {
        case 'W':
        case 'H':
            if (!is_size(value, tag[0] == 'W' ? &format.width : &format.height))
                return reader_fail(r, -EPROTO, message, size, "y4m header: '%s' is not a size from 1 to 65535", tag);
            break;
        case 'F':
            if (!is_rate(value))
                return reader_fail(r, -EPROTO, message, size, "y4m header: '%s' is not a frame rate", tag);
            has_rate = true;
            break;
        case 'I':
            if (strcmp(value, "p") && strcmp(value, "?"))
                return reader_fail(r, -ENOTSUP, message, size, "y4m header: '%s' is interlaced or mixed, only Ip is supported",
                                   tag);
            break;
        case 'C':
            for (colour = 0; colour < sizeof(colours) / sizeof(colours[0]) && strcmp(value, colours[colour].name);)
                colour++;
            if (colour == sizeof(colours) / sizeof(colours[0]))
                return reader_fail(r, -ENOTSUP, message, size,
                                   "y4m header: '%s' is not supported (420, 422, 444 and mono with 8, 10, 12 or 16 bits are)", tag);
            break;
        default: /* A, X, and what else there may be */
            break;
        }
    }
    if (c < 0)
        return line_error(r, c, line, "y4m header", message, size);
    if (!format.width || !format.height || !has_rate)
        return reader_fail(r, -EPROTO, message, size, "y4m header: no %s",
                           !format.width    ? "width (W)"
                           : !format.height ? "height (H)"
                                            : "frame rate (F)");
    format.chroma = colours[colour].chroma;
    format.bits = colours[colour].bits;
    if (reader_set_format(r, &format, colours[colour].alpha) < 0)
        return reader_fail(r, -ENOTSUP, message, size, "y4m header: %ux%u is too large (width times height must be below 2^31)",
                           format.width, format.height);
    return 0;
}

static int no_frame(const struct reader *r, uint64_t line, char *message, size_t size) {
    return reader_fail(r, -EPROTO, message, size, "frame %" PRIu64 " does not begin with a FRAME line at byte %" PRIu64, r->frame,
                       line);
}

static int frame(struct reader *r, char *message, size_t size) {
    const uint64_t line = r->offset;
    const int more = reader_more(r);
    if (more < 0)
        return reader_fail_at(r, more, line, message, size);
    if (!more)
        return 0;
    char what[64], tag[MAX_TAG];
    snprintf(what, sizeof(what), "frame %" PRIu64 ": FRAME line", r->frame);
    int c = 0;
    for (const char *p = "FRAME"; c >= 0 && *p; p++)
        if ((c = reader_get(r)) >= 0 && c != *p)
            return no_frame(r, line, message, size);
    if (c >= 0 && (c = reader_get(r)) >= 0 && c != ' ' && c != '\n')
        return no_frame(r, line, message, size);
    while (c == ' ') /* parameters */
        c = read_tag(r, line, tag);
    return c < 0 ? line_error(r, c, line, what, message, size) : 1;
}

const struct reader_kind reader_y4m = {.detect = detect, .start = start, .frame = frame};
