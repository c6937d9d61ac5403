/* What the words of kernel/ mean in plain C. */
#ifndef VQX_DIALECT_CPU_H
#define VQX_DIALECT_CPU_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef float f32;
typedef double f64;

/* a function of one pixel or one window: always inlined, so that the loops around it vectorise */
#define VQX_FN static inline __attribute__((always_inline))
#define VQX_GLOBAL /* pointer to a buffer */
#define VQX_LOCAL  /* pointer to memory of a group */
#define VQX_PRIVATE
#define VQX_TABLE static const

/* correctly rounded */
VQX_FN f32 vqx_sqrt_f32(f32 x) {
    return sqrtf(x);
}

/* an fp32 number as its bits */
VQX_FN u32 vqx_bits_f32(f32 x) {
    u32 bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

#endif
