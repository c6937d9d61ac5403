/* Samples of any depth from one source: `bytes` is a literal at every call, so that the choice folds away. */
#ifndef VQX_KERNEL_SAMPLE_H
#define VQX_KERNEL_SAMPLE_H

/* Sample x of row y; `pitch` in bytes. */
VQX_FN u32 vqx_sample_at(VQX_GLOBAL const u8 *plane, u32 pitch, u32 x, u32 y, u32 bytes) {
    VQX_GLOBAL const u8 *row = plane + (u64)y * pitch;
    return bytes == 1 ? row[x] : ((VQX_GLOBAL const u16 *)row)[x];
}

#endif
