/* Entry unit, OpenCL C. VQX_PROGRAM names the group of kernels.def whose kernels this program has. */
#include "dialect/opencl.h"
#include "kernel/all.h"

#define VQX_ENTRY(name, count, local)                                                                           \
    __kernel __attribute__((reqd_work_group_size(count, 1, 1))) void vqx_##name(                                \
        VQX_ARGS_##name(VQX_PARAMETER_IN, VQX_PARAMETER_OUT, VQX_PARAMETER_VAL, VQX_COMMA)) {                   \
        __local local lm;                                                                                       \
        vqx_cx cx;                                                                                              \
        cx.lane = (u32)get_local_id(0);                                                                         \
        cx.lanes = count;                                                                                       \
        cx.gx = (u32)get_group_id(0);                                                                           \
        cx.gy = (u32)get_group_id(1);                                                                           \
        cx.ngx = (u32)get_num_groups(0);                                                                        \
        VQX_CALL(name, cx, &lm);                                                                                \
    }
#define VQX_JOIN_(a, b) a##b
#define VQX_JOIN(a, b) VQX_JOIN_(a, b)
VQX_JOIN(VQX_KERNELS_, VQX_PROGRAM)(VQX_ENTRY)
