#include "base/number.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Puts the thread into the C locale; leave() undoes it. */
static int enter(locale_t *c, locale_t *before) {
    *c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!*c)
        return -ENOMEM;
    *before = uselocale(*c);
    return 0;
}

static void leave(locale_t c, locale_t before) {
    uselocale(before);
    freelocale(c);
}

int vqx_number_option(const char *text, double *value) {
    locale_t c, before;
    char *end, digits[32];
    if (enter(&c, &before) < 0)
        return -ENOMEM;
    *value = strtof(text, &end);
    const int err = end == text || end[strspn(end, " \t")] ? -EINVAL : 0;
    if (!err) {
        snprintf(digits, sizeof(digits), "%g", *value);
        *value = strtod(digits, NULL);
    }
    leave(c, before);
    return err;
}

int vqx_number_text(double value, char *text, size_t size) {
    locale_t c, before;
    if (enter(&c, &before) < 0)
        return -ENOMEM;
    snprintf(text, size, "%g", value);
    leave(c, before);
    return 0;
}
