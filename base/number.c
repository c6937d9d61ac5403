#include "base/number.h"

#include <errno.h>
#include <locale.h>
#include <stdbool.h>
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

static int parse(const char *text, double *value, bool six_digits) {
    locale_t c, before;
    char *end, buf[32];
    if (enter(&c, &before) < 0)
        return -ENOMEM;
    *value = six_digits ? (double)strtof(text, &end) : strtod(text, &end);
    const int err = end == text || end[strspn(end, " \t")] ? -EINVAL : 0;
    if (!err && six_digits) {
        snprintf(buf, sizeof(buf), "%g", *value);
        *value = strtod(buf, NULL);
    }
    leave(c, before);
    return err;
}

int vqx_number_double(const char *text, double *value) { return parse(text, value, false); }

int vqx_number_option(const char *text, double *value) { return parse(text, value, true); }

int vqx_number_text(double value, char *text, size_t size) {
    locale_t c, before;
    if (enter(&c, &before) < 0)
        return -ENOMEM;
    snprintf(text, size, "%g", value);
    leave(c, before);
    return 0;
}
