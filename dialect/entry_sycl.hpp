/* The kernels as commands of SYCL, in the order of kernels.def. */
#ifndef VQX_DIALECT_ENTRY_SYCL_HPP
#define VQX_DIALECT_ENTRY_SYCL_HPP

#include <cstddef>
#include <cstdint>

#include <sycl/sycl.hpp>

/* Puts gx * gy groups into the queue, with the arguments of a struct whose members are those in kernels.def. */
typedef sycl::event vqx_sycl_entry(sycl::queue &queue, uint32_t gx, uint32_t gy, const void *arguments);

extern vqx_sycl_entry *const vqx_sycl_entries_fp64[];
extern vqx_sycl_entry *const vqx_sycl_entries_soft[];

#endif
