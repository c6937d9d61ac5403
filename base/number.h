/* Numbers as text, with a point whatever the locale. */
#ifndef VQX_BASE_NUMBER_H
#define VQX_BASE_NUMBER_H

#include <stddef.h>

/* Reads a whole text as a number, rounded the way option values are: to float, then to 6 significant decimal digits
 * (doc/numerics.md, "Option values"). 0, -EINVAL when anything but blanks is left over or nothing is there, -ENOMEM. */
int vqx_number_option(const char *text, double *value);

/* Writes the number with 6 significant digits, as %g does. 0, -ENOMEM. */
int vqx_number_text(double value, char *text, size_t size);

#endif
