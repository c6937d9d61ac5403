#include "device/cache.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In front of the key and the data. */
typedef struct header {
    char magic[8];
    uint64_t key_bytes, data_bytes, checksum; /* of key and data */
} header;
static const char magic[8] = "vqxprog";

static uint64_t hash(uint64_t before, const void *data, size_t bytes) { /* FNV-1a */
    const unsigned char *byte = data;
    for (size_t i = 0; i < bytes; i++)
        before = (before ^ byte[i]) * UINT64_C(0x100000001b3);
    return before;
}

static header header_of(const char *key, const void *data, size_t bytes) {
    const size_t length = strlen(key);
    header h = {.key_bytes = length, .data_bytes = bytes, .checksum = hash(hash(0xcbf29ce484222325, key, length), data, bytes)};
    memcpy(h.magic, magic, sizeof(magic));
    return h;
}

static void file_name(const char *key, char name[32]) {
    snprintf(name, 32, "%016llx.program", (unsigned long long)hash(0xcbf29ce484222325, key, strlen(key)));
}

/* Nobody but this user and root can have written it. */
static bool trusted(int fd, struct stat *s) {
    return fstat(fd, s) == 0 && (s->st_uid == geteuid() || s->st_uid == 0) && !(s->st_mode & 022);
}

static int open_folder(void) {
    const char *own = getenv("VQX_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char path[4096];
    struct stat s;
    int length = -1;
    if (own)
        length = snprintf(path, sizeof(path), "%s", own);
    else if (xdg && *xdg == '/')
        length = snprintf(path, sizeof(path), "%s/vqx", xdg);
    else if (home && *home == '/')
        length = snprintf(path, sizeof(path), "%s/.cache/vqx", home);
    if (length <= 0 || (size_t)length >= sizeof(path))
        return -1;
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 || trusted(folder, &s))
        return folder;
    close(folder);
    return -1;
}

bool vqx_cache_load(const char *key, void **data, size_t *bytes) {
    const size_t key_bytes = strlen(key);
    const int folder = open_folder();
    char name[32], *all = NULL;
    struct stat s;
    header h;
    if (folder < 0)
        return false;
    file_name(key, name);
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    close(folder);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");
    if (!file) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    bool good = trusted(fd, &s) && (uint64_t)s.st_size >= sizeof(h) + key_bytes;
    const size_t size = good ? (size_t)s.st_size - sizeof(h) : 0;
    good = good && fread(&h, sizeof(h), 1, file) == 1 && (all = malloc(size + 1)) && fread(all, 1, size, file) == size;
    fclose(file);
    *bytes = size - key_bytes;
    const header must = good ? header_of(key, all + key_bytes, *bytes) : (header){.magic = ""};
    if (!good || memcmp(&h, &must, sizeof(h)) != 0 || memcmp(all, key, key_bytes) != 0) {
        free(all);
        return false;
    }
    memmove(all, all + key_bytes, *bytes);
    *data = all;
    return true;
}

void vqx_cache_store(const char *key, const void *data, size_t bytes) {
    static atomic_uint count;
    const header h = header_of(key, data, bytes);
    const int folder = open_folder();
    char name[32], temporary[64];
    if (folder < 0)
        return;
    file_name(key, name);
    snprintf(temporary, sizeof(temporary), "%s.%ld.%u", name, (long)getpid(), atomic_fetch_add(&count, 1));
    const int fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (file) {
        bool good = fwrite(&h, sizeof(h), 1, file) == 1 && fwrite(key, 1, h.key_bytes, file) == h.key_bytes &&
                    fwrite(data, 1, bytes, file) == bytes;
        good = fclose(file) == 0 && good;
        if (!good || renameat(folder, temporary, folder, name) != 0)
            unlinkat(folder, temporary, 0);
    } else if (fd >= 0) {
        close(fd);
    }
    close(folder);
}
