/* Where windows and their sums lie on a device; the host reckons the same. */
#ifndef VQX_KERNEL_SSIM_LEVELS_H
#define VQX_KERNEL_SSIM_LEVELS_H

/* A tile is what one group makes: windows of 32 columns and of all rows that lie within 64 rows of samples, 16 at a time. */
#define VQX_SSIM_ACROSS 32
#define VQX_SSIM_BATCH 16
#define VQX_SSIM_BATCHES 4
#define VQX_SSIM_DOWN (VQX_SSIM_BATCH * VQX_SSIM_BATCHES - 10)

/* Samples of a smaller picture that one group makes. */
#define VQX_SMALLER_ACROSS 32
#define VQX_SMALLER_DOWN 8

/* Terms of a window. Words of a result for a picture: of each the sum and how far off it is, then sums in raster order. */
#define VQX_SSIM_KINDS 4
#define VQX_SSIM_WORDS (3 * VQX_SSIM_KINDS)

/* One picture of a sequence, each half the size of the one before, sides rounded up, with its windows in tiles. */
typedef struct vqx_ssim_level {
    u32 w, h, sample;       /* sides; its first sample among those of all pictures */
    u32 across, down, tile; /* tiles; the first one among all */
} vqx_ssim_level;

/* The first picture, at least 11x11. */
VQX_FN vqx_ssim_level vqx_ssim_level_first(u32 w, u32 h) {
    vqx_ssim_level l;
    l.w = w;
    l.h = h;
    l.sample = l.tile = 0;
    l.across = (w - 10 + (VQX_SSIM_ACROSS - 1)) / VQX_SSIM_ACROSS;
    l.down = (h - 10 + (VQX_SSIM_DOWN - 1)) / VQX_SSIM_DOWN;
    return l;
}

/* The picture after it, at least 11x11, too. */
VQX_FN vqx_ssim_level vqx_ssim_level_next(vqx_ssim_level l) {
    vqx_ssim_level n = vqx_ssim_level_first((l.w + 1) / 2, (l.h + 1) / 2);
    n.sample = l.sample + l.w * l.h;
    n.tile = l.tile + l.across * l.down;
    return n;
}

/* A sum of terms on a device is an integer in units of 2^-fraction: of |term| < 4 and with n terms below 2^62. */
VQX_FN u32 vqx_ssim_fraction(u32 n) {
    const u32 fraction = 28 + (u32)vqx_clz_u32(n);
    return fraction < 39 ? fraction : 39;
}

#endif
