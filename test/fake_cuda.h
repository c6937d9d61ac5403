/* A CUDA driver without a GPU, as libcuda.so.1: device memory is the host's, kernels run as plain C. What a stream is asked to do
 * is done when it is waited for and not before, as late as a driver may. The image "soft" has the kernels without fp64, any other
 * one those with it. Every call keeps the driver's rules about current contexts.
 *
 * Environment, read at every call: FAKE_CUDA_VERSION (default 13000), FAKE_CUDA_DEVICES ("90,75": the compute capability of each;
 * default "90"), FAKE_CUDA_FAIL ("cuLaunchKernel:3:719": the third call of that function since the value was set, and all later
 * ones, give 719; from 700 on everything that has to do with a context then does), FAKE_CUDA_FLIP (whatever is moved has a wrong
 * bit). */
#ifndef VQX_TEST_FAKE_CUDA_H
#define VQX_TEST_FAKE_CUDA_H

#define FAKE_CUDA_API __attribute__((visibility("default")))

/* Contexts, modules, streams, events and blocks of memory that are alive. */
FAKE_CUDA_API unsigned fake_cuda_alive(void);
/* Contexts that are current or below in the calling thread. */
FAKE_CUDA_API unsigned fake_cuda_depth(void);

/* The image that was loaded last, and on which device. */
FAKE_CUDA_API const char *fake_cuda_image(void);
FAKE_CUDA_API unsigned fake_cuda_image_on(void);

#endif
