/* What the build says about HIP. */
#ifndef VQX_DEVICE_HIP_H
#define VQX_DEVICE_HIP_H

/* Names of the runtime library, in the order of trial, NULL behind the last; tests put others in. */
extern const char *vqx_hip_library[];

/* The kernels of this build (device/hip_kernels.c), for each architecture. */
typedef struct vqx_hip_image {
    const char *architecture; /* "gfx900"; NULL behind the last */
    const void *image[2];     /* without fp64, with it */
} vqx_hip_image;
typedef struct vqx_hip_kernels_built {
    const char *missing; /* why there are none; NULL: there are */
    const vqx_hip_image *images;
} vqx_hip_kernels_built;
extern const vqx_hip_kernels_built vqx_hip_kernels;

#endif
