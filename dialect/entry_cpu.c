/* Entry unit, plain C: every kernel as a loop over groups of one lane. Compiled twice, with VQX_FP64 1 and 0. */
#include "dialect/entry_cpu.h"
#include "dialect/cpu.h"
#include "kernel/all.h"

#define VQX_ENTRY(name, count, local)                                                            \
    VQX_ARGUMENTS(name)                                                                          \
    static void enter_##name(uint32_t ngx, uint32_t ngy, const void *arguments) {                \
        const struct vqx_arguments_##name set = *(const struct vqx_arguments_##name *)arguments; \
        local lm;                                                                                \
        vqx_cx cx = {0, 1, 0, 0, ngx};                                                           \
        for (cx.gy = 0; cx.gy < ngy; cx.gy++)                                                    \
            for (cx.gx = 0; cx.gx < ngx; cx.gx++)                                                \
                VQX_CALL_SET(name, cx, &lm);                                                     \
    }
VQX_KERNELS(VQX_ENTRY)

#define VQX_SLOT(name, count, local) enter_##name,
#if VQX_FP64
vqx_cpu_entry *const vqx_cpu_entries_fp64[] = {VQX_KERNELS(VQX_SLOT)};
#else
vqx_cpu_entry *const vqx_cpu_entries_soft[] = {VQX_KERNELS(VQX_SLOT)};
#endif
