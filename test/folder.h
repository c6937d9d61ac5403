/* Temporary folders of tests. */
#ifndef VQX_TEST_FOLDER_H
#define VQX_TEST_FOLDER_H

#include <stddef.h>

#define FOLDER_SIZE 64

/* A new folder of this user alone; its path. 0, or -1. */
int folder_make(char path[FOLDER_SIZE]);
/* With all that is in it. 0, or -1. */
int folder_remove(const char *path);
/* How many things are in it; the path of one of them, if it fits. */
int folder_files(const char *folder, char *path, size_t size);

#endif
