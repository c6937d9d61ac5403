#include "base/cpu.h"

#include "include/vqx.h"

uint32_t vqx_cpu_flags(void) {
    uint32_t flags = VQX_CPU_BASELINE;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("ssse3"))
        flags |= VQX_CPU_SSSE3;
    if (__builtin_cpu_supports("sse4.1"))
        flags |= VQX_CPU_SSE41;
    if (__builtin_cpu_supports("avx2"))
        flags |= VQX_CPU_AVX2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        flags |= VQX_CPU_AVX512;
    if ((flags & VQX_CPU_AVX512) && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni") &&
        __builtin_cpu_supports("avx512vbmi2"))
        flags |= VQX_CPU_AVX512ICL;
#endif
    return flags;
}

vqx_cpu_level vqx_cpu_best(uint32_t cpumask) {
    static const uint32_t needs[VQX_LEVELS] = {
        [VQX_LEVEL_DEFINITION] = 0,
        [VQX_LEVEL_BASELINE] = VQX_CPU_BASELINE,
        [VQX_LEVEL_AVX2] = VQX_CPU_SSSE3 | VQX_CPU_SSE41 | VQX_CPU_AVX2,
        [VQX_LEVEL_AVX512] = VQX_CPU_AVX512,
        [VQX_LEVEL_AVX512ICL] = VQX_CPU_AVX512ICL,
    };
    const uint32_t allowed = vqx_cpu_flags() & ~cpumask;
    int level = VQX_LEVEL_DEFINITION;
    while (level + 1 < VQX_LEVELS && (needs[level + 1] & allowed) == needs[level + 1])
        level++;
    return (vqx_cpu_level)level;
}

const char *vqx_cpu_level_name(vqx_cpu_level level) {
    static const char *const name[VQX_LEVELS] = {
        [VQX_LEVEL_DEFINITION] = "definition", [VQX_LEVEL_BASELINE] = "baseline",   [VQX_LEVEL_AVX2] = "avx2",
        [VQX_LEVEL_AVX512] = "avx512",         [VQX_LEVEL_AVX512ICL] = "avx512icl",
    };
    return name[level];
}

const char *vqx_cpu_form(uint32_t cpumask) {
    return vqx_cpu_level_name(vqx_cpu_best(cpumask));
}
