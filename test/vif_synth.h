/* The pairs that the files of test/vectors are about. */
#ifndef VQX_TEST_VIF_SYNTH_H
#define VQX_TEST_VIF_SYNTH_H

#include <stdbool.h>

#include "test/synth.h"

/* A clip that is open: of vif.tsv, one by the names of test/synth.h, or FSPI, whose two sides are both the distorted side of FSP.
 */
typedef struct vif_clip {
    vqx_format format;
    unsigned frames;
    char kind;         /* of the formula; 0 for a clip of test/synth.h */
    uint32_t value[2]; /* of kind K */
    uint32_t state[2]; /* of the random sources A and B, before the next frame */
    synth_clip other;
    bool twice; /* both sides are the distorted one */
} vif_clip;

/* `id` is KIND_WIDTHxHEIGHT_BITS ("K_0_255_64x48_8" has its two constants between), or the name of another clip. 0; -ENOENT: no
 * such case; -ENODATA: a real clip and VQX_FIXTURES is not set; -EIO. */
int vif_synth_open(vif_clip *clip, const char *id);
/* The next pair, of luma only for KINDs; the caller owns both frames. 0; -ENODATA after the last of another clip; -ENOMEM; -EIO. */
int vif_synth_read(vif_clip *clip, vqx_frame *pair[2]);
void vif_synth_close(vif_clip *clip);

#endif
