/* Every kernel body. Included once by each entry unit, behind its dialect header. */
#ifndef VQX_KERNEL_ALL_H
#define VQX_KERNEL_ALL_H

#include "kernel/decimate_group.h"
#include "kernel/exact_sum.h"
#include "kernel/pack.h"
#include "kernel/sample.h"
#include "kernel/self_test.h"
#include "kernel/square.h"
#include "kernel/ssim_group.h"
#include "kernel/sum.h"
#include "kernel/vif_group.h"

#endif
