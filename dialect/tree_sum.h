/* A group's sum through its memory, for languages without a reduction of 64-bit words. */
#ifndef VQX_DIALECT_TREE_SUM_H
#define VQX_DIALECT_TREE_SUM_H

typedef struct vqx_red {
    u64 v[256];
} vqx_red;

VQX_FN u64 vqx_group_sum_u64(vqx_cx cx, VQX_LOCAL vqx_red *red, u64 share) {
    red->v[cx.lane] = share;
    VQX_SYNC(cx);
    for (u32 step = cx.lanes / 2; step > 0; step /= 2) {
        if (cx.lane < step)
            red->v[cx.lane] += red->v[cx.lane + step];
        VQX_SYNC(cx);
    }
    const u64 sum = red->v[0];
    VQX_SYNC(cx);
    return sum;
}

#endif
