/* Row passes are compiled once per instruction set: the build compiles each metric/NAME_rows.c with VQX_ROWS_LEVEL = baseline,
 * avx2, avx512 and the compiler flags of that set; those that gain by it (icl_sources) once more for avx512icl. VQX_ROWS(name) is
 * the name of a function in the set being compiled. */
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

/* The declarations of a row pass in every set, _ICL: with one of its own for avx512icl: VQX_ROWS_DECLARE(void, vqx_psnr_rows,
 * (const vqx_pair *, uint64_t *)); */
#if defined(__x86_64__)
#define VQX_ROWS_DECLARE(type, name, arguments) \
    type name##_baseline arguments;             \
    type name##_avx2 arguments;                 \
    type name##_avx512 arguments
#define VQX_ROWS_DECLARE_ICL(type, name, arguments) \
    VQX_ROWS_DECLARE(type, name, arguments);        \
    type name##_avx512icl arguments
/* The table [VQX_LEVELS] of a pass: its definition and its row forms. */
#define VQX_LEVEL_TABLE(definition, rows) \
    { definition, rows##_baseline, rows##_avx2, rows##_avx512, rows##_avx512 }
#define VQX_LEVEL_TABLE_ICL(definition, rows) \
    { definition, rows##_baseline, rows##_avx2, rows##_avx512, rows##_avx512icl }
#else
#define VQX_ROWS_DECLARE(type, name, arguments) type name##_baseline arguments
#define VQX_LEVEL_TABLE(definition, rows) \
    { definition, rows##_baseline, rows##_baseline, rows##_baseline, rows##_baseline }
#define VQX_ROWS_DECLARE_ICL VQX_ROWS_DECLARE
#define VQX_LEVEL_TABLE_ICL VQX_LEVEL_TABLE
#endif

#endif
