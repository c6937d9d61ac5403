/* Pictures made from formulas, for comparing devices and for timing: the same on every machine. */
#ifndef TOOLS_PICTURE_H
#define TOOLS_PICTURE_H

#include <stdint.h>

#include "include/vqx.h"

enum picture_kind {
    PICTURE_NOISE,    /* every value of the depth, the two sides independent */
    PICTURE_COPY,     /* noise, and it with small differences */
    PICTURE_GRAIN,    /* a smooth moving scene with grain; more grain on the distorted side */
    PICTURE_INVERSE,  /* noise, and its negative with small differences */
    PICTURE_CHECKER,  /* of the largest and of the smallest contrast in turn, against its negative */
    PICTURE_FLAT,     /* one value for each side, another pair in each picture; some equal */
    PICTURE_DOTS,     /* bright dots on black, against dots on nearly black */
    PICTURE_BRIGHT,   /* noise in the upper eighth of the range */
    PICTURE_DARK,     /* noise in the lowest 64th */
    PICTURE_COMB,     /* bright, every 16th column dark; odd pictures: white, against its negative */
    PICTURE_WORDS,    /* 16-bit noise, whatever the depth */
    PICTURE_STRIPES,  /* 16 bits, 177 x 176: noisy columns beside a flat picture, chosen so that a mean of float_ssim's luminance
                       * (scale 1) is another binary32 number when its sum is not made in raster order (even pictures), or when its
                       * many ties are not rounded to even (odd pictures) */
    PICTURE_CROSSING, /* 8 bits, 97 x 61: noise whose float_ssim has terms of both signs, chosen so that its mean is another one
                       * when the sum is not made in raster order */
};

#define PICTURE_STRIPES_COUNT 16
#define PICTURE_CROSSING_COUNT 6

/* Writes all planes that the frame has: picture `index` of a side (0: reference, 1: distorted). */
void picture_paint(vqx_frame *frame, enum picture_kind kind, unsigned side, uint64_t index);

#endif
