/* The kernels as host functions, in the order of kernels.def. */
#ifndef VQX_DIALECT_ENTRY_CPU_H
#define VQX_DIALECT_ENTRY_CPU_H

#include <stdint.h>

/* Runs gx * gy groups; argument[i] points to the i-th argument, a pointer or a value. */
typedef void vqx_cpu_entry(uint32_t gx, uint32_t gy, void *const *argument);

extern vqx_cpu_entry *const vqx_cpu_entries_fp64[];
extern vqx_cpu_entry *const vqx_cpu_entries_soft[];

#endif
