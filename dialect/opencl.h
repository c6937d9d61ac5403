/* What the words of kernel/ mean in OpenCL C 1.2 (doc/dialect.md). The pragma is needed: without it a * b + c contracts. */
#ifndef VQX_DIALECT_OPENCL_H
#define VQX_DIALECT_OPENCL_H

#pragma OPENCL FP_CONTRACT OFF
#if VQX_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

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
#define VQX_GLOBAL __global
#define VQX_LOCAL __local
#define VQX_PRIVATE __private
#define VQX_TABLE __constant
#define VQX_RESTRICT restrict
#define VQX_UNROLL _Pragma("unroll")

typedef struct vqx_cx {
    u32 lane, lanes, gx, gy, ngx;
} vqx_cx;

#define VQX_SYNC(cx) barrier(CLK_LOCAL_MEM_FENCE)
#include "dialect/tree_sum.h"

VQX_FN i32 vqx_clz_u32(u32 x) {
    return (i32)clz(x);
}
VQX_FN i32 vqx_clz_u64(u64 x) {
    return (i32)clz(x);
}
VQX_FN f32 vqx_sqrt_f32(f32 x) {
    return sqrt(x);
}
VQX_FN u32 vqx_bits_f32(f32 x) {
    return as_uint(x);
}
VQX_FN f32 vqx_f32_bits(u32 bits) {
    return as_float(bits);
}

#include "dialect/common.h"
#if VQX_FP64
typedef double f64;
VQX_FN u64 d_bits(f64 x) {
    return as_ulong(x);
}
VQX_FN f64 d_of_bits(u64 bits) {
    return as_double(bits);
}
#include "dialect/f64.h"
#else
#include "kernel/f64_soft.h"
#endif

#endif
