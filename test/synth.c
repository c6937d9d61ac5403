#include "test/synth.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

typedef struct synth_case {
    const char *id;
    vqx_format format;
    unsigned frames;
    synth_rule rule[2];
} synth_case;

#define C400 VQX_CHROMA_400
#define C420 VQX_CHROMA_420
#define C422 VQX_CHROMA_422
#define C444 VQX_CHROMA_444

static const synth_case synthetic[] = {
    {"S01", {192, 176, C420, 8}, 2, {{SYNTH_NOISE, {1}}, {SYNTH_NOISE, {2}}}},
    {"S02", {192, 176, C422, 10}, 2, {{SYNTH_NOISE, {3}}, {SYNTH_NOISE, {4}}}},
    {"S03", {192, 176, C444, 12}, 2, {{SYNTH_NOISE, {5}}, {SYNTH_NOISE, {6}}}},
    {"S04", {320, 180, C420, 16}, 2, {{SYNTH_NOISE, {7}}, {SYNTH_NOISE, {8}}}},
    {"S05", {192, 176, C420, 8}, 1, {{SYNTH_CHECK, {0, 255}}, {SYNTH_CHECK, {255, 0}}}},
    {"S06", {192, 176, C420, 16}, 1, {{SYNTH_CHECK, {0, 65535}}, {SYNTH_CHECK, {65535, 0}}}},
    {"S07", {192, 176, C420, 8}, 1, {{SYNTH_CONST, {128}}, {SYNTH_CONST, {128}}}},
    {"S08", {192, 176, C420, 8}, 1, {{SYNTH_CONST, {100}}, {SYNTH_CONST, {200}}}},
    {"S09", {192, 176, C420, 16}, 1, {{SYNTH_CONST, {56832}}, {SYNTH_CONST, {9472}}}},
    {"S10", {192, 176, C420, 16}, 1, {{SYNTH_CONST, {0}}, {SYNTH_CONST, {65535}}}},
    {"S11", {1920, 1080, C420, 16}, 1, {{SYNTH_BRIGHT, {11}}, {SYNTH_BRIGHT, {12}}}},
    {"S12", {2560, 1440, C420, 16}, 1, {{SYNTH_MIX, {13}}, {SYNTH_MIX, {14}}}},
    {"S13", {2560, 1440, C420, 16}, 1, {{SYNTH_CONST, {65535}}, {SYNTH_MIXC, {14}}}},
    {"S14", {192, 176, C420, 8}, 1, {{SYNTH_NOISE, {9}}, {SYNTH_NOISE, {9}}}},
    {"S15", {357, 353, C444, 8}, 2, {{SYNTH_GRAD, {1, 0}}, {SYNTH_GRAD, {21, 6}}}},
    {"S16", {357, 353, C444, 10}, 2, {{SYNTH_GRAD, {1, 0}}, {SYNTH_GRAD, {22, 40}}}},
    {"S17", {1001, 777, C444, 12}, 1, {{SYNTH_GRAD, {1, 0}}, {SYNTH_GRAD, {23, 100}}}},
    {"S18", {384, 384, C420, 8}, 1, {{SYNTH_GRAD, {1, 0}}, {SYNTH_GRAD, {24, 9}}}},
    {"S19", {383, 512, C444, 8}, 1, {{SYNTH_GRAD, {1, 0}}, {SYNTH_GRAD, {25, 9}}}},
    {"S20", {640, 640, C420, 8}, 1, {{SYNTH_GRAD, {1, 0}}, {SYNTH_GRAD, {26, 1}}}},
    {"S21", {192, 176, C420, 8}, 1, {{SYNTH_CHECK, {0, 1}}, {SYNTH_CHECK, {1, 0}}}},
    {"S22", {320, 176, C420, 16}, 1, {{SYNTH_IMPULSE, {0, 65535, 20}}, {SYNTH_IMPULSE, {1, 65535, 20}}}},
    {"S23", {1281, 1281, C444, 16}, 1, {{SYNTH_GRAD, {1, 0}}, {SYNTH_GRAD, {27, 1500}}}},
    {"S24", {192, 176, C420, 8}, 1, {{SYNTH_CONST, {100}}, {SYNTH_CONST, {101}}}},
    {"S25", {2880, 2816, C420, 8}, 1, {{SYNTH_GRAD, {1, 0}}, {SYNTH_GRAD, {28, 3}}}},
    {"S26", {777, 771, C444, 8}, 1, {{SYNTH_CONST, {200}}, {SYNTH_CONST, {200}}}},
    {"S27", {192, 176, C444, 10}, 1, {{SYNTH_CONST, {137}}, {SYNTH_CONST, {137}}}},
};

static const struct {
    const char *id;
    vqx_format format;
    unsigned frames;
    const char *file[2];
} real[] = {
    {"F08", {576, 324, C420, 8}, 3, {"src01_hrc00_576x324.yuv420p.yuv", "src01_hrc01_576x324.yuv420p.yuv"}},
    {"F10", {576, 324, C420, 10}, 3, {"src01_hrc00_576x324.yuv420p10le.yuv", "src01_hrc01_576x324.yuv420p10le.yuv"}},
    {"F12", {576, 324, C420, 12}, 3, {"src01_hrc00_576x324.yuv420p12le.yuv", "src01_hrc01_576x324.yuv420p12le.yuv"}},
    {"F16", {576, 324, C420, 16}, 3, {"src01_hrc00_576x324.yuv420p16le.yuv", "src01_hrc01_576x324.yuv420p16le.yuv"}},
    {"FSP", {480, 270, C420, 10}, 5, {"sparks_ref_480x270.yuv42010le.yuv", "sparks_dis_480x270.yuv42010le.yuv"}},
    {"FDK", {1920, 1080, C420, 8}, 1, {"dark_scene_1920x1080_420p_ref.yuv", "dark_scene_1920x1080_420p_dis.yuv"}},
};

static uint32_t draw(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static uint32_t sample(synth_video *video, uint32_t bits, uint32_t x, uint32_t y, uint32_t f) {
    const synth_rule *r = &video->rule;
    const uint32_t *p = r->p;
    switch (r->kind) {
    case SYNTH_NOISE:
        return draw(&video->state) >> (16 - bits);
    case SYNTH_CONST:
        return p[0];
    case SYNTH_CHECK:
        return p[(x + y) & 1];
    case SYNTH_BRIGHT:
        return 56000 + draw(&video->state) % 8001;
    case SYNTH_MIX:
    case SYNTH_MIXC: {
        const uint32_t n = draw(&video->state);
        const uint32_t v = x % 16 == 0 ? n & 0xfff : 56000 + n % 8001;
        return r->kind == SYNTH_MIX ? v : 65535 - v;
    }
    case SYNTH_GRAD: {
        int32_t v = (int32_t)((((3 * x + 5 * y + 11 * f) >> 2) & 255) << (bits - 8));
        if (p[1] > 0)
            v += (int32_t)(draw(&video->state) % (2 * p[1] + 1)) - (int32_t)p[1];
        const int32_t most = (int32_t)(1u << bits) - 1;
        return (uint32_t)(v < 0 ? 0 : v > most ? most : v);
    }
    case SYNTH_IMPULSE:
        return x % p[2] == p[2] / 2 && y % p[2] == p[2] / 2 ? p[1] : p[0];
    }
    return 0;
}

void synth_fill(synth_video *video, vqx_frame *frame, unsigned f) {
    const vqx_format *format = vqx_frame_format(frame);
    for (unsigned p = 0; p < vqx_format_planes(format); p++) {
        uint32_t w, h;
        ptrdiff_t stride;
        vqx_format_plane_size(format, p, &w, &h);
        uint8_t *row = vqx_frame_data(frame, p, &stride);
        for (uint32_t y = 0; y < h; y++, row += stride)
            for (uint32_t x = 0; x < w; x++) {
                const uint32_t v = sample(video, format->bits, x, y, f);
                if (format->bits == 8)
                    row[x] = (uint8_t)v;
                else
                    ((uint16_t *)row)[x] = (uint16_t)v;
            }
    }
}

static int open_real(synth_clip *clip, const char *const file[2]) {
    const char *folder = getenv("VQX_FIXTURES");
    if (!folder)
        return -ENODATA;
    for (int i = 0; i < 2; i++) {
        char path[4096];
        snprintf(path, sizeof(path), "%s/%s", folder, file[i]);
        clip->video[i].file = fopen(path, "rb");
        if (!clip->video[i].file) {
            fprintf(stderr, "%s: %s\n", path, strerror(errno));
            synth_close(clip);
            return -EIO;
        }
    }
    return 0;
}

int synth_open(synth_clip *clip, const char *id) {
    *clip = (synth_clip){0};
    for (size_t i = 0; i < LENGTH(real); i++)
        if (strcmp(id, real[i].id) == 0) {
            clip->format = real[i].format;
            clip->frames = real[i].frames;
            return open_real(clip, real[i].file);
        }
    synth_case tiny = {id, {0, 0, C444, 0}, 1, {{SYNTH_NOISE, {31}}, {SYNTH_NOISE, {32}}}};
    const synth_case *found = NULL;
    for (size_t i = 0; i < LENGTH(synthetic); i++)
        if (strcmp(id, synthetic[i].id) == 0)
            found = &synthetic[i];
    if (!found && sscanf(id, "T%ux%u.%u", &tiny.format.width, &tiny.format.height, &tiny.format.bits) == 3)
        found = &tiny;
    if (!found || vqx_format_check(&found->format) < 0)
        return -ENOENT;
    clip->format = found->format;
    clip->frames = found->frames;
    for (int i = 0; i < 2; i++)
        clip->video[i] = (synth_video){.rule = found->rule[i], .state = found->rule[i].p[0]};
    return 0;
}

static int read_file(FILE *file, vqx_frame *frame) {
    const vqx_format *format = vqx_frame_format(frame);
    for (unsigned p = 0; p < vqx_format_planes(format); p++) {
        uint32_t w, h;
        vqx_format_plane_size(format, p, &w, &h);
        const size_t bytes = (size_t)w * h * vqx_format_sample_bytes(format);
        if (fread(vqx_frame_data(frame, p, NULL), 1, bytes, file) != bytes)
            return -EIO;
    }
    return 0;
}

int synth_read(synth_clip *clip, vqx_frame *pair[2]) {
    pair[0] = pair[1] = NULL;
    if (clip->next >= clip->frames)
        return -ENODATA;
    int err = 0;
    for (int i = 0; i < 2 && err == 0; i++) {
        synth_video *video = &clip->video[i];
        err = vqx_frame_alloc(&pair[i], &clip->format, (1u << vqx_format_planes(&clip->format)) - 1);
        if (err == 0 && video->file)
            err = read_file(video->file, pair[i]);
        else if (err == 0)
            synth_fill(video, pair[i], clip->next);
    }
    if (err < 0)
        for (int i = 0; i < 2; i++)
            vqx_frame_unref(&pair[i]);
    clip->next++;
    return err;
}

void synth_close(synth_clip *clip) {
    for (int i = 0; i < 2; i++)
        if (clip->video[i].file)
            fclose(clip->video[i].file);
    *clip = (synth_clip){0};
}
