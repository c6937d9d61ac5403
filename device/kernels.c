#include "device/device.h"

#define COMMA ,
#define BUFFER_SIZE(type, name) sizeof(vqx_buffer)
#define VALUE_SIZE(type, name) sizeof(vqx_host_##type)
#define KERNEL(name, lanes, local) \
    {"vqx_" #name, lanes, sizeof(vqx_arguments_##name), {VQX_ARGS_##name(BUFFER_SIZE, BUFFER_SIZE, VALUE_SIZE, COMMA)}},
const vqx_kernel vqx_kernels[] = {VQX_KERNELS(KERNEL)};

#define BIT(name, lanes, local) | UINT64_C(1) << VQX_KERNEL_##name
#define KERNELS_OF(name) 0 VQX_KERNELS_##name(BIT),
const uint64_t vqx_program_kernels[] = {VQX_PROGRAMS(KERNELS_OF)};
_Static_assert(VQX_KERNEL_COUNT <= 64, "a bit for each");
