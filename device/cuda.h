/* What the build says about CUDA. */
#ifndef VQX_DEVICE_CUDA_H
#define VQX_DEVICE_CUDA_H

/* Where the driver is looked for; tests name others. */
extern const char *vqx_cuda_library;

/* The kernels of this build (device/cuda_kernels.c). */
typedef struct vqx_cuda_kernels_built {
    const char *missing;  /* why there are none; NULL: there are */
    const void *image[2]; /* for the driver: without fp64, with it */
    int driver;           /* version that the images need: 1000 * major + 10 * minor */
    int capability;       /* that they need: 10 * major + minor */
} vqx_cuda_kernels_built;
extern const vqx_cuda_kernels_built vqx_cuda_kernels;

#endif
