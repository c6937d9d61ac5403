/* Raw planar YUV: frame after frame, nothing between them. */
#include <errno.h>

#include "tools/reader_internal.h"

static bool detect(const uint8_t *first, size_t n) {
    (void)first;
    (void)n;
    return true;
}

static int start(struct reader *r, const vqx_format *raw, char *message, size_t size) {
    if (!raw)
        return reader_fail(r, -EINVAL, message, size,
                           "not y4m (it does not begin with YUV4MPEG); raw video needs -w, -h, -p and -b");
    if (reader_set_format(r, raw, 0) < 0)
        return reader_fail(
            r, -EINVAL, message, size,
            "cannot be %ux%u at %u bits: -w and -h go from 1 to 65535, their product stays below 2^31, -b is 8, 10, 12 or 16",
            raw->width, raw->height, raw->bits);
    return 0;
}

static int frame(struct reader *r, char *message, size_t size) {
    const int more = reader_more(r);
    return more < 0 ? reader_fail_at(r, more, r->offset, message, size) : more;
}

const struct reader_kind reader_raw = {.detect = detect, .start = start, .frame = frame};
