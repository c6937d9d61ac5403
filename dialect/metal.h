/* What the words of kernel/ mean in the Metal Shading Language, which has no fp64. To be compiled with fast math off. Never run so
 * far: scripts/check looks at syntax and address spaces, through test/metal_shim.h. */
#ifndef VQX_DIALECT_METAL_H
#define VQX_DIALECT_METAL_H

#ifndef VQX_METAL_SHIM
#include <metal_stdlib>
#pragma METAL fp contract(off)
#define VQX_LOCAL_VARIABLE(type, name) threadgroup type name
#endif
using namespace metal;

typedef uchar u8;
typedef ushort u16;
typedef uint u32;
typedef ulong u64;
typedef char i8;
typedef short i16;
typedef int i32;
typedef long i64;
typedef float f32;

#define VQX_FN static inline
#define VQX_GLOBAL device
#define VQX_LOCAL threadgroup
#define VQX_PRIVATE thread
#define VQX_TABLE constant
#define VQX_RESTRICT
#define VQX_UNROLL _Pragma("unroll")

typedef struct vqx_cx {
    u32 lane, lanes, gx, gy, ngx;
} vqx_cx;

#define VQX_SYNC(cx) threadgroup_barrier(mem_flags::mem_threadgroup)
#include "dialect/tree_sum.h"

VQX_FN i32 vqx_clz_u32(u32 x) {
    return (i32)clz(x);
}
VQX_FN i32 vqx_clz_u64(u64 x) {
    return (i32)clz(x);
}
VQX_FN f32 vqx_sqrt_f32(f32 x) {
    return precise::sqrt(x);
}
VQX_FN u32 vqx_bits_f32(f32 x) {
    return as_type<uint>(x);
}
VQX_FN f32 vqx_f32_bits(u32 bits) {
    return as_type<float>(bits);
}

#include "dialect/common.h"
#include "kernel/f64_soft.h"

#endif
