/* Entry unit, HIP. Compiled twice, with VQX_FP64 1 and 0. */
#include "dialect/hip.h"
#include "kernel/all.h"

VQX_KERNELS(VQX_ENTRY)
