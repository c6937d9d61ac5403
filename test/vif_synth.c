#include "test/vif_synth.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "test/direct.h"

int vif_synth_open(vif_clip *clip, const char *id) {
    *clip = (vif_clip){.state = {1, 2}};
    clip->twice = strcmp(id, "FSPI") == 0;
    const int err = synth_open(&clip->other, clip->twice ? "FSP" : id);
    if (err != -ENOENT) {
        clip->format = clip->other.format;
        clip->frames = clip->other.frames;
        return err;
    }
    uint32_t w, h, bits;
    const bool constant = sscanf(id, "K_%u_%u_%ux%u_%u", &clip->value[0], &clip->value[1], &w, &h, &bits) == 5;
    if (!constant && (id[0] == '\0' || sscanf(id + 1, "_%ux%u_%u", &w, &h, &bits) != 3))
        return -ENOENT;
    clip->kind = id[0];
    clip->format = (vqx_format){w, h, VQX_CHROMA_400, bits};
    clip->frames = 2; /* the file looks at no more */
    return strchr("NAELCKSI", clip->kind) ? 0 : -ENOENT;
}

void vif_synth_close(vif_clip *clip) {
    if (!clip->kind)
        synth_close(&clip->other);
}

/* One side of a frame while it is made. */
typedef struct side {
    const vif_clip *clip;
    uint32_t state[2];
    unsigned distorted;
} side;

static uint32_t draw(uint32_t *state, uint32_t bits) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> (32 - bits);
}

static uint32_t word(uint32_t j, uint32_t i, unsigned plane, void *cookie) {
    side *s = cookie;
    const vqx_format *f = &s->clip->format;
    const uint32_t bits = f->bits, most = (1u << bits) - 1, mid = 1u << (bits - 1);
    const uint32_t a = draw(&s->state[0], bits), b = draw(&s->state[1], bits);
    (void)plane;
    switch (s->clip->kind) {
    case 'N':
        return s->distorted ? b : a;
    case 'A':
        return s->distorted ? (3 * a + b) >> 2 : a;
    case 'E': /* the shift is arithmetic */
        return s->distorted ? a : mid + (uint32_t)(((int32_t)a - (int32_t)mid) >> 2);
    case 'L':
        return mid + ((s->distorted ? (a + b) >> (bits - 1) : a >> (bits - 2)) << (bits - 8));
    case 'C':
        if (!s->distorted)
            return ((i + j) & 1) * most;
        return (i + j) & 1 ? most - (most >> 2) : most >> 2;
    case 'K':
        return s->clip->value[s->distorted];
    case 'S':
        return s->distorted ? (i < f->height / 2 ? 0 : most) : (j < f->width / 2 ? 0 : most);
    default: /* 'I' */
        return a;
    }
}

int vif_synth_read(vif_clip *clip, vqx_frame *pair[2]) {
    if (!clip->kind) {
        const int err = synth_read(&clip->other, pair);
        if (err == 0 && clip->twice) {
            vqx_frame_unref(&pair[0]);
            pair[0] = vqx_frame_ref(pair[1]);
        }
        return err;
    }
    side s = {.clip = clip};
    for (unsigned i = 0; i < 2; i++) {
        s.distorted = i;
        memcpy(s.state, clip->state, sizeof(s.state));
        pair[i] = direct_frame(&clip->format, 0, word, &s);
    }
    memcpy(clip->state, s.state, sizeof(s.state));
    if (pair[0] && pair[1])
        return 0;
    vqx_frame_unref(&pair[0]);
    vqx_frame_unref(&pair[1]);
    return -ENOMEM;
}
