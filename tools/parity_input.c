#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/parity.h"
#include "tools/reader.h"

#define PICTURES(name, width, height, chroma, bits, kind, frames)                          \
    {                                                                                      \
        name, {width, height, VQX_CHROMA_##chroma, bits}, PICTURE_##kind, frames, false, { \
            NULL, NULL                                                                     \
        }                                                                                  \
    }

/* Frames of one input differ, so that what is left from the frame before shows. */
const struct parity_input parity_inputs[] = {
    PICTURES("noise8", 353, 287, 420, 8, NOISE, 4),
    PICTURES("noise10", 354, 287, 422, 10, NOISE, 4),
    PICTURES("noise12", 353, 286, 444, 12, NOISE, 4),
    PICTURES("noise16", 355, 289, 420, 16, NOISE, 4),
    PICTURES("mono8", 256, 192, 400, 8, NOISE, 3),
    PICTURES("copy8", 353, 287, 420, 8, COPY, 3),
    PICTURES("copy10", 320, 176, 420, 10, COPY, 3),
    PICTURES("copy12", 177, 353, 422, 12, COPY, 3),
    PICTURES("copy16", 353, 287, 444, 16, COPY, 3),
    PICTURES("grain8", 352, 288, 420, 8, GRAIN, 3),
    PICTURES("grain10", 401, 203, 420, 10, GRAIN, 3),
    PICTURES("inverse8", 241, 179, 420, 8, INVERSE, 3),
    PICTURES("inverse16", 193, 177, 400, 16, INVERSE, 3),
    PICTURES("checker8", 192, 176, 420, 8, CHECKER, 2),
    PICTURES("checker16", 193, 177, 420, 16, CHECKER, 2),
    PICTURES("flat8", 177, 177, 444, 8, FLAT, 6),
    PICTURES("flat16", 192, 176, 420, 16, FLAT, 6),
    PICTURES("dots8", 200, 180, 420, 8, DOTS, 3),
    PICTURES("dots16", 320, 176, 420, 16, DOTS, 3),
    PICTURES("bright8", 353, 287, 420, 8, BRIGHT, 3),
    PICTURES("bright16", 353, 287, 420, 16, BRIGHT, 3),
    PICTURES("dark8", 353, 287, 420, 8, DARK, 3),
    PICTURES("dark12", 200, 177, 420, 12, DARK, 3),
    PICTURES("words10", 200, 180, 420, 10, WORDS, 3),
    PICTURES("words12", 179, 181, 422, 12, WORDS, 3),
    PICTURES("stripes16", 177, 176, 400, 16, STRIPES, PICTURE_STRIPES_COUNT),
    PICTURES("crossing8", 97, 61, 420, 8, CROSSING, PICTURE_CROSSING_COUNT),
    PICTURES("1x1", 1, 1, 420, 8, NOISE, 3),
    PICTURES("2x3", 2, 3, 420, 10, NOISE, 3),
    PICTURES("8x8", 8, 8, 420, 8, NOISE, 3),
    PICTURES("9x15", 9, 15, 420, 16, NOISE, 3),
    PICTURES("10x10", 10, 10, 422, 12, NOISE, 3),
    PICTURES("10x21", 10, 21, 444, 8, NOISE, 3),
    PICTURES("11x11", 11, 11, 420, 16, NOISE, 3),
    PICTURES("12x200", 12, 200, 420, 10, COPY, 3),
    PICTURES("200x12", 200, 12, 420, 8, COPY, 3),
    PICTURES("16x17", 16, 17, 420, 12, COPY, 3),
    PICTURES("177x176", 177, 176, 420, 10, COPY, 3),
    PICTURES("wide8", 65535, 11, 420, 8, NOISE, 1),
    PICTURES("tall10", 11, 65535, 420, 10, COPY, 1),
    PICTURES("large8", 1283, 727, 420, 8, COPY, 1),
    {"comb16", {2560, 1440, VQX_CHROMA_420, 16}, PICTURE_COMB, 2, true, {NULL, NULL}},
};
const size_t parity_input_count = sizeof(parity_inputs) / sizeof(parity_inputs[0]);

struct parity_stream {
    const struct parity_input *input;
    struct reader *reader[2]; /* of a clip */
};

int parity_stream_open(struct parity_stream **stream, const struct parity_input *input, char *message, size_t size) {
    struct parity_stream *s = *stream = calloc(1, sizeof(*s));
    int err = 0;
    if (!s) {
        snprintf(message, size, "out of memory");
        return -ENOMEM;
    }
    s->input = input;
    for (int side = 0; side < 2 && input->path[side] && err == 0; side++) {
        err = reader_open(&s->reader[side], input->path[side], message, size);
        if (err == 0)
            err = reader_start(s->reader[side], input->format.width ? &input->format : NULL, message, size);
    }
    if (err < 0)
        parity_stream_close(stream);
    return err;
}

int parity_stream_next(struct parity_stream *s, uint64_t index, vqx_pool *pool, vqx_frame *pair[2], char *message, size_t size) {
    int more = 1;
    pair[0] = pair[1] = NULL;
    for (unsigned side = 0; side < 2 && more > 0; side++) {
        if (s->input->path[side]) {
            more = reader_next(s->reader[side], pool, &pair[side], message, size);
        } else if (index == s->input->frames) {
            more = 0;
        } else if ((more = vqx_pool_frame(pool, &pair[side], NULL, NULL, 0)) < 0) {
            snprintf(message, size, "frame %u: %s", (unsigned)index, vqx_strerror(more));
        } else {
            picture_paint(pair[side], s->input->kind, side, index);
            more = 1;
        }
    }
    if (more <= 0) {
        vqx_frame_unref(&pair[0]);
        vqx_frame_unref(&pair[1]);
    }
    return more;
}

void parity_stream_close(struct parity_stream **stream) {
    struct parity_stream *s = *stream;
    *stream = NULL;
    if (!s)
        return;
    reader_close(&s->reader[0]);
    reader_close(&s->reader[1]);
    free(s);
}

static bool is_file(const char *path) {
    struct stat st;
    return stat(path, &st) < 0 || S_ISREG(st.st_mode); /* one that is not there: reader_open() says why */
}

/* The texts between commas; how many there are. */
static size_t split(char *text, char *part[], size_t most) {
    size_t n = 0;
    for (char *at; (at = strsep(&text, ",")); n++)
        if (n < most)
            part[n] = at;
    return n;
}

int parity_clip(struct parity_input *input, char *text, char *message, size_t size) {
    char *part[5];
    uint64_t bits;
    struct parity_stream *stream = NULL;
    const size_t parts = split(text, part, 5);
    *input = (struct parity_input){0};
    if ((parts != 2 && parts != 5) || !*part[0] || !*part[1]) {
        snprintf(message, size, "a clip is REF,DIST or REF,DIST,WxH,FMT,BITS");
        return -EINVAL;
    }
    if (parts == 5) {
        if (cli_size(part[2], &input->format) < 0 || cli_chroma(part[3], &input->format.chroma) < 0 ||
            cli_number(part[4], 16, &bits) < 0) {
            snprintf(message, size, "'%s,%s,%s' is not a size, a chroma format and a depth (1920x1080,420,8)", part[2], part[3],
                     part[4]);
            return -EINVAL;
        }
        input->format.bits = (uint32_t)bits;
        if (vqx_format_check(&input->format) < 0) {
            snprintf(message, size, "pictures of %s, %s bits are not supported", part[2], part[4]);
            return -EINVAL;
        }
    }
    for (int side = 0; side < 2; side++) {
        input->path[side] = part[side];
        if (!is_file(part[side])) {
            snprintf(message, size, "%s: a clip is read several times and must be a regular file", part[side]);
            return -EINVAL;
        }
    }
    const char *slash = strrchr(part[0], '/');
    input->name = slash ? slash + 1 : part[0];
    const int err = parity_stream_open(&stream, input, message, size);
    if (err < 0)
        return err;
    const vqx_format *const r = reader_format(stream->reader[0]), *const d = reader_format(stream->reader[1]);
    const bool match = r->width == d->width && r->height == d->height && r->chroma == d->chroma && r->bits == d->bits;
    input->format = *r;
    parity_stream_close(&stream);
    if (!match) {
        snprintf(message, size, "%s and %s do not match in size, chroma format or depth", part[0], part[1]);
        return -EPROTO;
    }
    return 0;
}
