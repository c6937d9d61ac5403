/* What the words of kernel/ mean in HIP (doc/dialect.md). To be compiled with -ffp-contract=off and without fast math, for a named
 * architecture (scripts/embed_hip). The words of HIP itself come before this file: from dialect/hip_amd.h, or a stand-in of test/.
 */
#ifndef VQX_DIALECT_HIP_H
#define VQX_DIALECT_HIP_H

#ifndef VQX_GRID_CONSTANT
#define VQX_GRID_CONSTANT
#endif
/* among 32 lanes, in waves of 32 and of 64 */
#define VQX_SHUFFLE_DOWN(value, step) __shfl_down(value, step, 32)
#include "dialect/cudahip.h"

#endif
