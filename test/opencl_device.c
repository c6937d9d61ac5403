#include "test/opencl_device.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/folder.h"

const vqx_backend *const cl = &vqx_backend_opencl;
vqx_message_text message;
vqx_device *shared;
vqx_opencl_functions real;
static char folder[FOLDER_SIZE];

void opencl_check(int err, const char *call) {
    if (err < 0)
        fail_msg("%s: %d, %s", call, err, message.text);
}

void opencl_says(const char *text, int line) {
    if (!strstr(message.text, text))
        fail_msg("line %d: '%s' instead of '%s'", line, message.text, text);
    assert_null(strpbrk(message.text, "\n\r"));
}

int opencl_restore(void **state) {
    (void)state;
    vqx_cl = real;
    vqx_opencl_replace_source(NULL, NULL);
    message.text[0] = '\0';
    return setenv("VQX_CACHE_DIR", folder, 1);
}

bool opencl_is_there(void) {
    if (cl->list(NULL, 0, &message) > 0)
        return true;
    printf("skipped: %s\n", message.text);
    return false;
}

int opencl_setup(void **state) {
    real = vqx_cl;
    if (folder_make(folder) == 0 && opencl_restore(state) == 0 && cl->open(&shared, 0, true, false, &message) == 0)
        return 0;
    fprintf(stderr, "%s\n", message.text);
    return -1;
}

int opencl_cleanup(void **state) {
    opencl_restore(state);
    cl->close(shared);
    return folder_remove(folder);
}
