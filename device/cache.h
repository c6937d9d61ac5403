/* Built programs kept on disk, for every back end: files of $VQX_CACHE_DIR, else $XDG_CACHE_HOME/vqx, else ~/.cache/vqx; an empty
 * VQX_CACHE_DIR: none. What cannot be read, written or trusted is as if it were not there. */
#ifndef VQX_DEVICE_CACHE_H
#define VQX_DEVICE_CACHE_H

#include <stdbool.h>
#include <stddef.h>

/* What was stored under exactly this key, all that the program depends on; undamaged, from a file and a folder that only this user
 * or root can write. *data is the caller's to free. */
bool vqx_cache_load(const char *key, void **data, size_t *bytes);
/* Stores, or does nothing. */
void vqx_cache_store(const char *key, const void *data, size_t bytes);

#endif
