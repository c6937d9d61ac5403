#include "base/message.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "include/vqx.h"

int vqx_fail(vqx_message_text *message, int err, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(message->text, sizeof(message->text), format, args);
    va_end(args);
    for (char *c = message->text; *c; c++) /* part of it can be the user's; it stays one line */
        if ((unsigned char)*c < ' ')
            *c = '?';
    return err;
}

const char *vqx_version(void) {
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
    return TEXT(VQX_VERSION_MAJOR) "." TEXT(VQX_VERSION_MINOR) "." TEXT(VQX_VERSION_PATCH);
}

const char *vqx_strerror(int err) {
    static const struct {
        int err;
        const char *text;
    } known[] = {
        {0, "no error"},
        {EINVAL, "invalid value"},
        {ENOENT, "not found"},
        {EEXIST, "given twice"},
        {ENOMEM, "out of memory"},
        {ENOTSUP, "size, chroma format or depth not supported"},
        {EBUSY, "not possible any more: scoring has started"},
        {ENODATA, "no frames"},
        {EIO, "input/output error"},
        {EPROTO, "malformed data"},
        {ECANCELED, "stopped by an earlier error"},
    };
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (known[i].err == err || -known[i].err == err)
            return known[i].text;
#if defined(__GLIBC__)
    const char *text = err == INT_MIN ? NULL : strerrordesc_np(err < 0 ? -err : err);
    return text ? text : "unknown error";
#else
    return "unknown error";
#endif
}
