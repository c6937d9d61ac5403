/* Which form of the CPU passes may run. */
#ifndef VQX_BASE_CPU_H
#define VQX_BASE_CPU_H

#include <stdint.h>

/* The compiled forms, from the slow definition to the widest set; each needs all that the ones before it need. */
typedef enum vqx_cpu_level {
    VQX_LEVEL_DEFINITION,
    VQX_LEVEL_BASELINE,
    VQX_LEVEL_AVX2,
    VQX_LEVEL_AVX512,
    VQX_LEVEL_AVX512ICL,
    VQX_LEVELS
} vqx_cpu_level;

/* The highest level that this processor, this build and the mask of sets to leave out (VQX_CPU_…) allow. */
vqx_cpu_level vqx_cpu_best(uint32_t cpumask);

/* "definition", "baseline", "avx2", "avx512", "avx512icl". */
const char *vqx_cpu_level_name(vqx_cpu_level level);

#endif
