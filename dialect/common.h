/* The part of the dialect that is the same in every language. A language's header defines the qualifiers, the types, vqx_cx and the
 * words that need the language, then includes this file, then dialect/f64.h or kernel/f64_soft.h (doc/dialect.md). */
#ifndef VQX_DIALECT_COMMON_H
#define VQX_DIALECT_COMMON_H

#include "kernel/kernels.def"

/* "for i in 0..n-1, shared among the lanes of the group": no iteration depends on another one */
#define VQX_EACH(cx, i, n) for (u32 i = (cx).lane; i < (u32)(n); i += (cx).lanes)
/* "in one lane" */
#define VQX_ONE(cx) if ((cx).lane == 0)

/* the products of the four bytes of a and b, added up: an instruction where the language has it */
#ifndef VQX_DOT4
VQX_FN u32 vqx_dot4_u32(u32 a, u32 b) {
    u32 sum = 0;
    for (u32 k = 0; k < 32; k += 8)
        sum += (a >> k & 0xff) * (b >> k & 0xff);
    return sum;
}
#define VQX_DOT4 vqx_dot4_u32
#endif

#define VQX_COMMA ,
#define VQX_PARAMETER_IN(type, name) VQX_GLOBAL const type *VQX_RESTRICT name
#define VQX_PARAMETER_OUT(type, name) VQX_GLOBAL type *VQX_RESTRICT name
#define VQX_PARAMETER_VAL(type, name) type name
#define VQX_NAME(type, name) name

/* The body of a kernel: cx, lm (the memory of its group) and its arguments in kernels.def are in scope. */
#define VQX_BODY(name, local)                                   \
    VQX_FN void vqx_body_##name(vqx_cx cx, VQX_LOCAL local *lm, \
                                VQX_ARGS_##name(VQX_PARAMETER_IN, VQX_PARAMETER_OUT, VQX_PARAMETER_VAL, VQX_COMMA))
#define VQX_CALL(name, cx, lm) vqx_body_##name(cx, lm, VQX_ARGS_##name(VQX_NAME, VQX_NAME, VQX_NAME, VQX_COMMA))

/* The same in languages with pointers in structs: arguments are members of `set`. */
#define VQX_SEMICOLON ;
#define VQX_MEMBER_IN(type, name) VQX_GLOBAL const type *name
#define VQX_MEMBER_OUT(type, name) VQX_GLOBAL type *name
#define VQX_ARGUMENTS(name)                                                               \
    struct vqx_arguments_##name {                                                         \
        VQX_ARGS_##name(VQX_MEMBER_IN, VQX_MEMBER_OUT, VQX_PARAMETER_VAL, VQX_SEMICOLON); \
    };
#define VQX_OF_SET(type, name) set.name
#define VQX_CALL_SET(name, cx, lm) vqx_body_##name(cx, lm, VQX_ARGS_##name(VQX_OF_SET, VQX_OF_SET, VQX_OF_SET, VQX_COMMA))

#endif
