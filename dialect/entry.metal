/* Entry unit, Metal. A value argument is a reference to constant memory there. */
#include "dialect/metal.h"
#include "kernel/all.h"

#define VQX_PARAMETER_REFERENCE(type, name) constant type &name
#define VQX_ENTRY(name, count, local)                                                                                             \
    kernel void vqx_##name(VQX_ARGS_##name(VQX_PARAMETER_IN, VQX_PARAMETER_OUT, VQX_PARAMETER_REFERENCE, VQX_COMMA),              \
                           uint lane [[thread_index_in_threadgroup]], uint3 group [[threadgroup_position_in_grid]],              \
                           uint3 groups [[threadgroups_per_grid]]) {                                                             \
        VQX_LOCAL_VARIABLE(local, lm);                                                                                            \
        vqx_cx cx;                                                                                                                \
        cx.lane = lane;                                                                                                           \
        cx.lanes = count;                                                                                                         \
        cx.gx = group.x;                                                                                                          \
        cx.gy = group.y;                                                                                                          \
        cx.ngx = groups.x;                                                                                                        \
        VQX_CALL(name, cx, &lm);                                                                                                  \
    }
VQX_KERNELS(VQX_ENTRY)
