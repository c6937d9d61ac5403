/* The kernels of a metric on one device, called without a context. */
#ifndef VQX_TEST_TWIN_H
#define VQX_TEST_TWIN_H

#include "test/direct.h"

/* The sums of a pair by the kernels of the feature, on a device that is open; `ordered` as launch() takes it at first. 0 or a
 * negative errno with a line on stderr. Adds to *again the number of values that were made in raster order at a second attempt. */
int twin_sums(const vqx_feature *feature, vqx_device *device, vqx_frame *const pair[2], uint64_t ordered, uint64_t *sums,
              unsigned *again);

#endif
