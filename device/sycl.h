/* What the library and its SYCL plug-in, a shared library of C++ (device/sycl.cpp), must agree on. Plain C, read by both. */
#ifndef VQX_DEVICE_SYCL_H
#define VQX_DEVICE_SYCL_H

#include "device/device.h"

/* Changes with the kernels' names and arguments, and by hand when functions of vqx_backend do. */
#define VQX_SYCL_TEXT_(...) #__VA_ARGS__
#define VQX_SYCL_TEXT(...) VQX_SYCL_TEXT_(__VA_ARGS__)
#define VQX_SYCL_ARGUMENT(type, name) type name
#define VQX_SYCL_KERNEL(name, lanes, local) \
#name VQX_SYCL_TEXT(VQX_ARGS_##name(VQX_SYCL_ARGUMENT, VQX_SYCL_ARGUMENT, VQX_SYCL_ARGUMENT, ;))
#define VQX_SYCL_INTERFACE "1 " VQX_KERNELS(VQX_SYCL_KERNEL)

/* The plug-in's one symbol, of this type. */
#define VQX_SYCL_SYMBOL vqx_sycl_plugin
typedef struct vqx_sycl_plugin_table {
    const char *interface; /* VQX_SYCL_INTERFACE of what it was built from; with another one nothing below may be looked at */
    const char *kernels;   /* their digest: vqx_kernel_digest of what it was built from */
    size_t device_bytes, backend_bytes;
    const vqx_backend *backend; /* its open() leaves the self-test to the library */
} vqx_sycl_plugin_table;

/* Of kernel/ and dialect/ (scripts/kernel_digest.py). */
extern const char vqx_kernel_digest[];

/* Which plug-in is loaded, unless VQX_SYCL_PLUGIN names another one; tests set it. */
extern const char *vqx_sycl_library;

#endif
