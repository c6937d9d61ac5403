/* A device proves that its arithmetic is exact. */
#ifndef VQX_DEVICE_SELF_TEST_H
#define VQX_DEVICE_SELF_TEST_H

#include "device/device.h"

/* Runs kernel/self_test.h on an open device and compares every bit with what this processor makes of it. -ENODEV with a line that
 * names the first operation that differs, or what kept it from being run; -ENOMEM. */
int vqx_device_self_test(vqx_device *device, vqx_message_text *message);

#endif
