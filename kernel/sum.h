/* The sums of groups put together. */
#ifndef VQX_KERNEL_SUM_H
#define VQX_KERNEL_SUM_H

typedef struct vqx_local_sum {
    vqx_red red;
} vqx_local_sum;

/* Group c: result[at + c] = the sum of column c of the rows first .. first + n - 1 of `part`, rows of `columns` words. */
VQX_BODY(sum_u64, vqx_local_sum) {
    u64 sum = 0;
    VQX_EACH(cx, i, n)
    sum += part[(u64)(first + i) * columns + cx.gx];
    sum = vqx_group_sum_u64(cx, &lm->red, sum);
    VQX_ONE(cx)
    result[at + cx.gx] = sum;
}

#endif
