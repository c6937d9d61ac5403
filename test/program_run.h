/* Parts of the program run in a child process, so that tests can wrap what they call. A helper that cannot do its work fails the
 * running test. */
#ifndef VQX_TEST_PROGRAM_RUN_H
#define VQX_TEST_PROGRAM_RUN_H

#include <stddef.h>

/* Fixtures of a group: a folder in which all happens. */
int program_setup(void **state);
int program_cleanup(void **state);

/* Calls `entry` with the words of a line, which blanks separate. Returns what it returns; *text is what it says on both streams,
 * for the caller to free. */
int program_run(int (*entry)(int argc, char **argv), const char *line, char **text);

/* A file of the folder: writes it; what is in it, for the caller to free. */
void program_put(const char *name, const void *data, size_t bytes);
char *program_get(const char *name);

/* Fails unless the text has this part, or has it not. */
void program_assert(const char *text, const char *part, int there);

#endif
