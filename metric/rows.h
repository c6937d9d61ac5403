/* Row passes are compiled once per instruction set: the build compiles each metric/NAME_rows.c with VQX_ROWS_LEVEL = baseline,
 * avx2, avx512 and the compiler flags of that set. VQX_ROWS(name) is the name of a function in the set being compiled. */
#ifndef VQX_METRIC_ROWS_H
#define VQX_METRIC_ROWS_H

#include <float.h>

#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
#error "scores need IEEE arithmetic: no -ffast-math, no excess precision"
#endif
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "vector passes take apart words in little-endian order"
#endif

#define VQX_ROWS_JOIN_(name, level) name##_##level
#define VQX_ROWS_JOIN(name, level) VQX_ROWS_JOIN_(name, level)
#define VQX_ROWS(name) VQX_ROWS_JOIN(name, VQX_ROWS_LEVEL)

/* The declarations of a row pass in every set: VQX_ROWS_DECLARE(void, vqx_psnr_rows, (const vqx_pair *, uint64_t *)); */
#if defined(__x86_64__)
#define VQX_ROWS_DECLARE(type, name, arguments) \
    type name##_baseline arguments;             \
    type name##_avx2 arguments;                 \
    type name##_avx512 arguments
/* The table [VQX_LEVELS] of a pass: its definition and its row forms. */
#define VQX_LEVEL_TABLE(definition, rows) \
    { definition, rows##_baseline, rows##_avx2, rows##_avx512 }
#else
#define VQX_ROWS_DECLARE(type, name, arguments) type name##_baseline arguments
#define VQX_LEVEL_TABLE(definition, rows) \
    { definition, rows##_baseline, rows##_baseline, rows##_baseline }
#endif

#endif
