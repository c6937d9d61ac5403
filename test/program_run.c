#include "test/program_run.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/folder.h"

#define MOST_BYTES (1u << 20)
#define MOST_WORDS 64

static char folder[FOLDER_SIZE];

int program_setup(void **state) {
    (void)state;
    return folder_make(folder);
}

int program_cleanup(void **state) {
    (void)state;
    return folder_remove(folder);
}

static FILE *open_in_folder(const char *name, const char *mode) {
    char path[FOLDER_SIZE + 64];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE *file = fopen(path, mode);
    if (!file)
        fail_msg("%s cannot be opened", path);
    return file;
}

void program_put(const char *name, const void *data, size_t bytes) {
    FILE *file = open_in_folder(name, "wb");
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

char *program_get(const char *name) {
    FILE *file = open_in_folder(name, "rb");
    char *text = calloc(1, MOST_BYTES);
    assert_non_null(text);
    assert_true(fread(text, 1, MOST_BYTES - 1, file) < MOST_BYTES - 1);
    fclose(file);
    return text;
}

int program_run(int (*entry)(int argc, char **argv), const char *line, char **text) {
    char *word[MOST_WORDS] = {NULL}, *copy = strdup(line);
    int words = 0, status;
    assert_non_null(copy);
    for (char *rest = copy, *part; (part = strsep(&rest, " "));) {
        assert_true(words < MOST_WORDS - 1);
        word[words++] = part;
    }
    fflush(NULL);
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const int fd = chdir(folder) < 0 ? -1 : open("said", O_RDWR | O_CREAT | O_TRUNC, 0600);
        if (fd < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
            _exit(126);
        setvbuf(stdout, NULL, _IONBF, 0);
        _exit(entry(words, word));
    }
    free(copy);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    *text = program_get("said");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void program_assert(const char *text, const char *part, int there) {
    if (!strstr(text, part) == !!there)
        fail_msg("%s '%s' in: %s", there ? "no" : "there is", part, text);
}
