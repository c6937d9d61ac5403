/* The arithmetic that the scores are defined in: IEEE, round to nearest, denormals kept, whatever the caller has set for its
 * thread. */
#ifndef VQX_BASE_ARITHMETIC_H
#define VQX_BASE_ARITHMETIC_H

#include <fenv.h>

/* Sets it for the calling thread; *before is for vqx_arithmetic_leave(). */
static inline void vqx_arithmetic_enter(fenv_t *before) {
    fegetenv(before);
    fesetenv(FE_DFL_ENV);
}

static inline void vqx_arithmetic_leave(const fenv_t *before) {
    fesetenv(before);
}

#endif
