/* The list of built-in metrics. */
#ifndef VQX_SRC_REGISTRY_H
#define VQX_SRC_REGISTRY_H

#include "metric/metric.h"

/* The metric whose name is the first `length` characters of `name`, or NULL. */
const vqx_metric *vqx_registry_find(const char *name, size_t length);

#endif
