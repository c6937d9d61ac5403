/* Entry unit, SYCL. Compiled twice, with VQX_FP64 1 and 0, into one library: a device without fp64 must not meet a kernel that has
 * it. Types of kernels differ between the two, so each has a namespace. */
#include "dialect/entry_sycl.hpp"

#if VQX_FP64
#define VQX_FORM fp64
#define VQX_ENTRIES vqx_sycl_entries_fp64
#else
#define VQX_FORM soft
#define VQX_ENTRIES vqx_sycl_entries_soft
#endif

namespace VQX_FORM {

#include "dialect/sycl.hpp"
#include "kernel/all.h"

#define VQX_ENTRY(name, count, local)                                                                      \
    VQX_ARGUMENTS(name)                                                                                    \
    class kernel_##name;                                                                                   \
    static sycl::event enter_##name(sycl::queue &queue, uint32_t gx, uint32_t gy, const void *arguments) { \
        const vqx_arguments_##name set = *(const vqx_arguments_##name *)arguments;                         \
        return queue.submit([&](sycl::handler &handler) {                                                  \
            const sycl::local_accessor<local, 1> memory(1, handler);                                       \
            const sycl::nd_range<2> range({gy, (size_t)gx * count}, {1, count});                           \
            handler.parallel_for<kernel_##name>(range, [=](sycl::nd_item<2> item) {                        \
                const vqx_cx cx = {item,                                                                   \
                                   (u32)item.get_local_id(1),                                              \
                                   count,                                                                  \
                                   (u32)item.get_group(1),                                                 \
                                   (u32)item.get_group(0),                                                 \
                                   (u32)item.get_group_range(1)};                                          \
                VQX_CALL_SET(name, cx, &memory[0]);                                                        \
            });                                                                                            \
        });                                                                                                \
    }
VQX_KERNELS(VQX_ENTRY)

} // namespace VQX_FORM

#define VQX_SLOT(name, count, local) VQX_FORM::enter_##name,
vqx_sycl_entry *const VQX_ENTRIES[] = {VQX_KERNELS(VQX_SLOT)};
