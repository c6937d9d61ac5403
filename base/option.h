/* Typed options of a metric: a table says what each key means and where its value goes. */
#ifndef VQX_BASE_OPTION_H
#define VQX_BASE_OPTION_H

#include <stddef.h>

#include "base/message.h"

typedef enum vqx_option_type { VQX_OPTION_BOOL, VQX_OPTION_INT, VQX_OPTION_DOUBLE } vqx_option_type;

typedef struct vqx_option {
    const char *name, *help;
    vqx_option_type type;
    size_t offset;      /* of the bool, int or double in the metric's options struct */
    double fallback;    /* value when the key is not given */
    double least, most; /* inclusive; not for bool */
} vqx_option;

/* Fills the struct at `values` from "key=value:key=value" (NULL: all defaults; an empty part is an error); table ends with a NULL
 * name. A key given twice: the last value wins. -EINVAL, -ENOMEM, with a line that names the key; `who` is its first word. */
int vqx_option_parse(const vqx_option *table, const char *who, const char *text, void *values, vqx_message_text *message);

/* 1 when two structs of the same table hold the same values, else 0. */
int vqx_option_equal(const vqx_option *table, const void *a, const void *b);

/* "bool", "int", "double". */
const char *vqx_option_type_name(vqx_option_type type);

/* The default as text: "true", "0", "0.5". 0, -ENOMEM. */
int vqx_option_fallback_text(const vqx_option *option, char *text, size_t size);

#endif
