/* libFuzzer: the bytes as y4m and as raw video, from a file and from a pipe. Both ways must tell the same, down to the message. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/frame.h"
#include "tools/reader.h"

#define PIPE_BYTES 65536          /* a pipe takes that much without a reader */
#define MEMORY_SAMPLES (1u << 20) /* larger pictures are not worth the time */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
    int err;
    uint64_t frames, hash;
    char message[256];
};

static void hash_frame(struct outcome *o, vqx_frame *frame) {
    vqx_message_text text;
    if (vqx_frame_require(frame, &text) < 0)
        abort();
    for (unsigned p = 0; p < VQX_MAX_PLANES; p++) {
        const vqx_plane plane = vqx_frame_plane(frame, p);
        const size_t row = plane.width * vqx_format_sample_bytes(vqx_frame_format(frame));
        for (uint32_t y = 0; y < plane.height && plane.data; y++)
            for (size_t x = 0; x < row; x++)
                o->hash = (o->hash ^ plane.data[y * plane.stride + (ptrdiff_t)x]) * 0x100000001b3u;
    }
}

static struct outcome read_all(int fd, const vqx_format *raw, uint64_t skip, unsigned planes) {
    struct outcome o = {0};
    struct reader *r;
    vqx_pool *pool = NULL;
    vqx_frame *frame;
    char path[32];
    snprintf(path, sizeof(path), "/dev/fd/%d", fd);
    o.err = reader_open(&r, path, o.message, sizeof(o.message));
    close(fd);
    if (o.err == 0)
        o.err = reader_start(r, raw, o.message, sizeof(o.message));
    if (o.err < 0)
        goto end;
    const vqx_format *format = reader_format(r);
    if ((uint64_t)format->width * format->height > MEMORY_SAMPLES)
        goto end;
    planes &= (1u << vqx_format_planes(format)) - 1;
    if (vqx_pool_open(&pool, format, planes ? planes : 1) < 0)
        abort();
    o.err = reader_skip(r, skip, o.message, sizeof(o.message));
    while (o.err >= 0 && (o.err = reader_next(r, pool, &frame, o.message, sizeof(o.message))) > 0) {
        hash_frame(&o, frame);
        vqx_frame_unref(&frame);
        o.frames++;
    }
end:
    vqx_pool_close(&pool);
    reader_close(&r);
    return o;
}

/* The message behind the input's name. */
static const char *reason(const struct outcome *o) {
    const char *colon = strchr(o->message, ':');
    return o->err < 0 && colon ? colon : "";
}

static void check(const uint8_t *data, size_t size, const vqx_format *raw, uint64_t skip, unsigned planes) {
    int ends[2];
    const int file = memfd_create("fuzz", MFD_CLOEXEC);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    const struct outcome by_file = read_all(file, raw, skip, planes);
    if (size > PIPE_BYTES)
        return;
    if (pipe2(ends, O_CLOEXEC) < 0 || write(ends[1], data, size) != (ssize_t)size)
        abort();
    /* read_all() opens the pipe anew before it closes this end, so nothing is lost */
    close(ends[1]);
    const struct outcome by_pipe = read_all(ends[0], raw, skip, planes);
    if (by_file.err != by_pipe.err || by_file.frames != by_pipe.frames || by_file.hash != by_pipe.hash ||
        strcmp(reason(&by_file), reason(&by_pipe)))
        abort();
}

/* Byte 0: planes and frames to skip; bytes 1 to 3: raw geometry. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint32_t depths[] = {8, 10, 12, 16};
    if (size < 4)
        return 0;
    const vqx_format raw = {data[1] % 33u, data[2] % 33u, (vqx_chroma)(data[3] & 3), depths[data[3] >> 2 & 3]};
    check(data + 4, size - 4, NULL, data[0] >> 3 & 3, data[0] & 7);
    check(data + 4, size - 4, &raw, data[0] >> 3 & 3, data[0] & 7);
    return 0;
}
