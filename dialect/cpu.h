/* What the words of kernel/ mean in plain C, where a group has one lane (doc/dialect.md). */
#ifndef VQX_DIALECT_CPU_H
#define VQX_DIALECT_CPU_H

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "dialect/types.h"

/* a function of one pixel or one window: always inlined, so that the loops around it vectorise */
#define VQX_FN static inline __attribute__((always_inline))
#define VQX_GLOBAL /* pointer to a buffer */
#define VQX_LOCAL  /* pointer to memory of a group */
#define VQX_PRIVATE
#define VQX_TABLE static const
#define VQX_RESTRICT restrict
#define VQX_UNROLL /* loops as they are: there is a stack, and compilers take minutes over straight code */

typedef struct vqx_cx {
    u32 lane, lanes, gx, gy, ngx;
} vqx_cx;
/* what a group sum needs */
typedef struct vqx_red {
    u8 none;
} vqx_red;

#define VQX_SYNC(cx) ((void)(cx))
VQX_FN u64 vqx_group_sum_u64(vqx_cx cx, VQX_LOCAL vqx_red *red, u64 share) {
    (void)cx, (void)red;
    return share;
}

/* zeros in front of the top set bit; x > 0 */
VQX_FN i32 vqx_clz_u32(u32 x) {
    return __builtin_clz(x);
}
VQX_FN i32 vqx_clz_u64(u64 x) {
    return __builtin_clzll(x);
}

/* correctly rounded */
VQX_FN f32 vqx_sqrt_f32(f32 x) {
    return sqrtf(x);
}

/* an fp32 number as its bits, and back */
VQX_FN u32 vqx_bits_f32(f32 x) {
    u32 bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}
VQX_FN f32 vqx_f32_bits(u32 bits) {
    f32 x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

#ifndef VQX_FP64
#define VQX_FP64 1
#endif
#include "dialect/common.h"
#if VQX_FP64
typedef double f64;
VQX_FN u64 d_bits(f64 x) {
    u64 bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}
VQX_FN f64 d_of_bits(u64 bits) {
    f64 x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}
#include "dialect/f64.h"
#else
#include "kernel/f64_soft.h"
#endif

#endif
