/* Entry unit, plain C: every kernel as a loop over groups of one lane. Compiled twice, with VQX_FP64 1 and 0. */
#include "dialect/entry_cpu.h"
#include "dialect/cpu.h"
#include "kernel/all.h"

#define VQX_UNPACK_IN(type, name) const type *name = *(const type *const *)*argument++
#define VQX_UNPACK_OUT(type, name) type *name = *(type *const *)*argument++
#define VQX_UNPACK_VAL(type, name) type name = *(const type *)*argument++
#define VQX_UNPACK_END ;
#define VQX_ENTRY(name, count, local)                                                   \
    static void enter_##name(uint32_t ngx, uint32_t ngy, void *const *argument) {       \
        VQX_ARGS_##name(VQX_UNPACK_IN, VQX_UNPACK_OUT, VQX_UNPACK_VAL, VQX_UNPACK_END); \
        local lm;                                                                       \
        vqx_cx cx = {0, 1, 0, 0, ngx};                                                  \
        for (cx.gy = 0; cx.gy < ngy; cx.gy++)                                           \
            for (cx.gx = 0; cx.gx < ngx; cx.gx++)                                       \
                VQX_CALL(name, cx, &lm);                                                \
    }
VQX_KERNELS(VQX_ENTRY)

#define VQX_SLOT(name, count, local) enter_##name,
#if VQX_FP64
vqx_cpu_entry *const vqx_cpu_entries_fp64[] = {VQX_KERNELS(VQX_SLOT)};
#else
vqx_cpu_entry *const vqx_cpu_entries_soft[] = {VQX_KERNELS(VQX_SLOT)};
#endif
