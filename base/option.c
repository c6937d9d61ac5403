#include "base/option.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

static void store(const vqx_option *option, void *values, double value) {
    char *at = (char *)values + option->offset;
    switch (option->type) {
    case VQX_OPTION_BOOL:
        *(bool *)at = value != 0;
        break;
    case VQX_OPTION_INT:
        *(int *)at = (int)value;
        break;
    case VQX_OPTION_DOUBLE:
        *(double *)at = value;
        break;
    }
}

/* One value's text to a number; the ways it can be wrong differ by type. */
static int value_of(const vqx_option *option, const char *who, const char *text, double *value, vqx_message_text *message) {
    if (option->type == VQX_OPTION_BOOL) {
        *value = strcmp(text, "true") == 0;
        if (*value != 0 || strcmp(text, "false") == 0)
            return 0;
        return vqx_fail(message, -EINVAL, "%s: option '%s' takes true or false, not '%s'", who, option->name, text);
    }
    const int err = vqx_number_option(text, value);
    if (err == -ENOMEM)
        return vqx_fail(message, err, "%s: out of memory", who);
    if (err < 0 || isnan(*value) || (option->type == VQX_OPTION_INT && *value != floor(*value)))
        return vqx_fail(message, -EINVAL, "%s: option '%s' takes %s, not '%s'", who, option->name,
                        option->type == VQX_OPTION_INT ? "a whole number" : "a number", text);
    if (*value >= option->least && *value <= option->most)
        return 0;
    char least[24], most[24];
    if (vqx_number_text(option->least, least, sizeof(least)) < 0 || vqx_number_text(option->most, most, sizeof(most)) < 0)
        return vqx_fail(message, -ENOMEM, "%s: out of memory", who);
    return vqx_fail(message, -EINVAL, "%s: option '%s' takes %s to %s, not '%s'", who, option->name, least, most, text);
}

int vqx_option_parse(const vqx_option *table, const char *who, const char *text, void *values, vqx_message_text *message) {
    for (const vqx_option *o = table; o->name; o++)
        store(o, values, o->fallback);
    if (!text)
        return 0;
    char *copy = strdup(text);
    if (!copy)
        return vqx_fail(message, -ENOMEM, "%s: out of memory", who);
    int err = 0;
    char *rest = copy;
    while (rest && err == 0) {
        char *part = strsep(&rest, ":");
        char *value_text = strchr(part, '=');
        if (!value_text) {
            err = vqx_fail(message, -EINVAL, "%s: option '%s' has no '=value'", who, part);
            break;
        }
        *value_text++ = '\0';
        const vqx_option *o = table;
        while (o->name && strcmp(o->name, part) != 0)
            o++;
        if (!o->name) {
            err = vqx_fail(message, -EINVAL, "%s: unknown option '%s'", who, part);
            break;
        }
        double value;
        err = value_of(o, who, value_text, &value, message);
        if (err == 0)
            store(o, values, value);
    }
    free(copy);
    return err;
}

int vqx_option_equal(const vqx_option *table, const void *a, const void *b) {
    static const size_t bytes[] = {
        [VQX_OPTION_BOOL] = sizeof(bool), [VQX_OPTION_INT] = sizeof(int), [VQX_OPTION_DOUBLE] = sizeof(double)};
    for (const vqx_option *o = table; o->name; o++)
        if (memcmp((const char *)a + o->offset, (const char *)b + o->offset, bytes[o->type]) != 0)
            return 0;
    return 1;
}

const char *vqx_option_type_name(vqx_option_type type) {
    static const char *const name[] = {[VQX_OPTION_BOOL] = "bool", [VQX_OPTION_INT] = "int", [VQX_OPTION_DOUBLE] = "double"};
    return name[type];
}

int vqx_option_fallback_text(const vqx_option *option, char *text, size_t size) {
    if (option->type != VQX_OPTION_BOOL)
        return vqx_number_text(option->fallback, text, size);
    snprintf(text, size, "%s", option->fallback != 0 ? "true" : "false");
    return 0;
}
