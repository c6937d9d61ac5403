/* The pairs that test/vectors/psnr_ssim_moment.tsv is about: synthetic ones, made from formulas, and real clips from the folder
 * VQX_FIXTURES. */
#ifndef VQX_TEST_SYNTH_H
#define VQX_TEST_SYNTH_H

#include <stdint.h>
#include <stdio.h>

#include "include/vqx.h"

/* How samples follow from column x, row y, frame f and a random source. What the parameters mean stands beside the kinds. */
typedef enum synth_kind {
    SYNTH_NOISE,   /* seed: all values of the depth */
    SYNTH_CONST,   /* value */
    SYNTH_CHECK,   /* a where x + y is even, b elsewhere */
    SYNTH_BRIGHT,  /* seed: 56000 … 64000 */
    SYNTH_MIX,     /* seed: every 16th column dark, the others bright */
    SYNTH_MIXC,    /* seed: 65535 - mix */
    SYNTH_GRAD,    /* seed, amplitude of the noise: a moving slope */
    SYNTH_IMPULSE, /* ground, dot, period */
} synth_kind;

typedef struct synth_rule {
    synth_kind kind;
    uint32_t p[3];
} synth_rule;

/* One video: a rule and its random state (set to the seed before the first frame), or a raw file. */
typedef struct synth_video {
    synth_rule rule;
    uint32_t state;
    FILE *file;
} synth_video;

typedef struct synth_clip {
    vqx_format format;
    unsigned frames; /* of the clip */
    unsigned next;   /* frame that synth_read() gives */
    synth_video video[2];
} synth_clip;

/* Fills the planes that the frame has, as frame f of a video; it must have all planes of its format, for the random source runs on.
 */
void synth_fill(synth_video *video, vqx_frame *frame, unsigned f);

/* The clip of a case: S01 … S27, T<w>x<h>.<b>, F08, F10, F12, F16, FSP, FDK. 0; -ENOENT: no such case; -ENODATA: a real clip and
 * VQX_FIXTURES is not set; -EIO: a real clip that cannot be opened. */
int synth_open(synth_clip *clip, const char *id);
/* Its next pair; the caller owns both frames. 0; -ENODATA after the last; -ENOMEM; -EIO. */
int synth_read(synth_clip *clip, vqx_frame *pair[2]);
void synth_close(synth_clip *clip);

#endif
