#include "test/folder.h"

#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int folder_make(char path[FOLDER_SIZE]) {
    snprintf(path, FOLDER_SIZE, "%s/vqx_test_XXXXXX", P_tmpdir);
    return mkdtemp(path) ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *where) {
    (void)s, (void)type, (void)where;
    return remove(path);
}

int folder_remove(const char *path) {
    return nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int folder_files(const char *folder, char *path, size_t size) {
    DIR *dir = opendir(folder);
    int count = 0;
    if (!dir)
        return 0;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            snprintf(path, size, "%s/%s", folder, entry->d_name);
            count++;
        }
    closedir(dir);
    return count;
}
