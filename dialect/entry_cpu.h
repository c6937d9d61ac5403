/* The kernels as host functions, in the order of kernels.def. */
#ifndef VQX_DIALECT_ENTRY_CPU_H
#define VQX_DIALECT_ENTRY_CPU_H

#include <stdint.h>

/* Runs gx * gy groups with the arguments of a struct whose members are those in kernels.def. */
typedef void vqx_cpu_entry(uint32_t gx, uint32_t gy, const void *arguments);

extern vqx_cpu_entry *const vqx_cpu_entries_fp64[];
extern vqx_cpu_entry *const vqx_cpu_entries_soft[];

#endif
