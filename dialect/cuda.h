/* What the words of kernel/ mean in CUDA C++ (doc/dialect.md). To be compiled by nvcc with -fmad=false and without fast math; every
 * other flag of scripts/embed_cuda that is about arithmetic is nvcc's default. */
#ifndef VQX_DIALECT_CUDA_H
#define VQX_DIALECT_CUDA_H

#define VQX_GRID_CONSTANT __grid_constant__
#define VQX_SHUFFLE_DOWN(value, step) __shfl_down_sync(0xffffffffu, value, step)
#define VQX_DOT4(a, b) __dp4a(a, b, 0u)
#include "dialect/cudahip.h"

#endif
