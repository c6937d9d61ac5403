/* A locale with a decimal comma, for tests that parse or print numbers. */
#ifndef VQX_TEST_COMMA_LOCALE_H
#define VQX_TEST_COMMA_LOCALE_H

#include <stdbool.h>

/* Sets an installed one, or one that localedef builds for the occasion; false, with a line on stdout, when neither works.
 * setlocale(LC_ALL, "C") ends it. */
bool comma_locale_set(void);

#endif
