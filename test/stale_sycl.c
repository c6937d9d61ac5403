/* A plug-in of SYCL that was built from other sources. */
#include "device/sycl.h"

__attribute__((visibility("default"))) extern const vqx_sycl_plugin_table VQX_SYCL_SYMBOL;
const vqx_sycl_plugin_table VQX_SYCL_SYMBOL = {STALE, sizeof(vqx_backend), NULL};
