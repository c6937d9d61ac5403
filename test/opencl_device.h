/* Device 0 of OpenCL for tests of the back end, with a folder of its own for built programs. */
#ifndef VQX_TEST_OPENCL_DEVICE_H
#define VQX_TEST_OPENCL_DEVICE_H

#include "device/opencl.h"

extern const vqx_backend *const cl;
extern vqx_message_text message;
extern vqx_device *shared;        /* device 0 with fp64 */
extern vqx_opencl_functions real; /* the library's own */

/* cmocka's functions of the group, and behind each test: puts the library's own functions, the source and VQX_CACHE_DIR back. */
int opencl_setup(void **state);
int opencl_cleanup(void **state);
int opencl_restore(void **state);
/* Without a device: the reason on stdout, and false. */
bool opencl_is_there(void);

/* An error in the call fails the test with its line. */
#define check(call) opencl_check(call, #call)
void opencl_check(int err, const char *call);

/* `text` stands in the message, which is one line. */
#define says(text) opencl_says(text, __LINE__)
void opencl_says(const char *text, int line);

#endif
