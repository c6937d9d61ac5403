/* Programs kept on disk: what was stored comes back, and nothing that is damaged, meant for another key, or not to be trusted. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/cache.h"
#include "test/folder.h"

static const char key[] = "opencl\na device\nsource", data[] = "a program\0 with a zero";
static char root[FOLDER_SIZE], folder[FOLDER_SIZE + 64];

static bool loads(const char *what, const void *expected, size_t size) {
    void *loaded;
    size_t bytes;
    if (!vqx_cache_load(what, &loaded, &bytes))
        return false;
    assert_int_equal(bytes, size);
    assert_memory_equal(loaded, expected, size);
    free(loaded);
    return true;
}

static bool hit(void) {
    return loads(key, data, sizeof(data));
}

/* The one file of the folder. */
static const char *path(void) {
    static char name[FOLDER_SIZE + 128];
    assert_int_equal(folder_files(folder, name, sizeof(name)), 1);
    return name;
}

/* The content of the one file, with its byte `flip` inverted, cut at or filled up to `size`; -1: as it is. */
static void rewrite(long flip, long size) {
    char content[1024] = "";
    FILE *file = fopen(path(), "rb");
    assert_non_null(file);
    const size_t bytes = fread(content, 1, sizeof(content), file);
    assert_in_range(bytes, 1, sizeof(content) - 1);
    fclose(file);
    if (flip >= 0)
        content[flip] = (char)~content[flip];
    file = fopen(path(), "wb");
    assert_non_null(file);
    fwrite(content, 1, size < 0 ? bytes : (size_t)size, file);
    assert_int_equal(fclose(file), 0);
}

static long file_size(void) {
    struct stat s;
    assert_int_equal(stat(path(), &s), 0);
    return (long)s.st_size;
}

static int fresh(void **state) {
    (void)state;
    static int count;
    snprintf(folder, sizeof(folder), "%s/%d/deeper/cache", root, count++);
    return setenv("VQX_CACHE_DIR", folder, 1);
}

static void comes_back(void **state) {
    (void)state;
    assert_false(hit());
    vqx_cache_store(key, data, sizeof(data));
    assert_true(hit());
    assert_false(loads("opencl\na device\nsourcf", data, sizeof(data)));
    assert_false(loads("opencl\na device\nsourc", data, sizeof(data)));
    assert_false(loads("opencl\na device\nsource ", data, sizeof(data)));
    vqx_cache_store(key, "another", 7);
    assert_true(loads(key, "another", 7));
    path(); /* replaced, and no temporary file left */
    vqx_cache_store("other key", "x", 1);
    assert_true(loads("other key", "x", 1));
    assert_true(loads(key, "another", 7));
}

static void is_damaged(void **state) {
    (void)state;
    vqx_cache_store(key, data, sizeof(data));
    const long size = file_size();
    for (long i = 0; i < size; i++) {
        rewrite(i, -1);
        assert_false(hit());
        rewrite(i, -1);
        assert_true(hit());
    }
    for (long cut = 0; cut < size; cut++) {
        rewrite(-1, cut);
        assert_false(hit());
        vqx_cache_store(key, data, sizeof(data));
        assert_true(hit());
    }
    rewrite(-1, size + 1);
    assert_false(hit());
}

/* As if two keys had one name. */
static void is_of_another_key(void **state) {
    (void)state;
    char other[FOLDER_SIZE + 128];
    vqx_cache_store(key, data, sizeof(data));
    snprintf(other, sizeof(other), "%s", path());
    assert_int_equal(rename(other, "away.program"), 0);
    vqx_cache_store("opencl\na device\nsourcf", data, sizeof(data));
    assert_int_equal(rename(path(), other), 0);
    assert_false(hit());
    assert_int_equal(rename("away.program", other), 0);
    assert_true(hit());
}

static void is_not_trusted(void **state) {
    (void)state;
    static const mode_t open_to[] = {0620, 0602, 0666};
    vqx_cache_store(key, data, sizeof(data));
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(chmod(path(), open_to[i]), 0);
        assert_false(hit());
        assert_int_equal(chmod(path(), 0644), 0);
        assert_true(hit());
        assert_int_equal(chmod(folder, open_to[i] | 0711), 0);
        assert_false(hit());
        vqx_cache_store("not stored", data, sizeof(data));
        assert_int_equal(chmod(folder, 0755), 0);
        assert_true(hit());
        assert_false(loads("not stored", data, sizeof(data)));
    }
    assert_int_equal(rename(path(), "elsewhere.program"), 0);
    char link[FOLDER_SIZE + 128], *target = realpath("elsewhere.program", NULL);
    vqx_cache_store(key, data, sizeof(data));
    snprintf(link, sizeof(link), "%s", path());
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink(target, link), 0);
    assert_false(hit());
    vqx_cache_store(key, data, sizeof(data)); /* replaces the link, not what it points to */
    assert_true(hit());
    unlink(target);
    free(target);
    assert_true(hit());
    if (geteuid() == 0) { /* others' files */
        assert_int_equal(chown(path(), 1, 1), 0);
        assert_false(hit());
        assert_int_equal(chown(path(), 0, 0), 0);
        assert_true(hit());
        assert_int_equal(chown(folder, 1, 1), 0);
        assert_false(hit());
        assert_int_equal(chown(folder, 0, 0), 0);
    }
    unlink(path());
    assert_int_equal(mkfifo(link, 0600), 0); /* must not wait for a writer */
    assert_false(hit());
    unlink(link);
    assert_int_equal(mkdir(link, 0700), 0);
    assert_false(hit());
    vqx_cache_store(key, data, sizeof(data));
    assert_false(hit());
    assert_int_equal(rmdir(link), 0);
}

/* Under a file, in a folder that no file can be made in, with no room. */
static void cannot_be_stored(void **state) {
    (void)state;
    vqx_cache_store(key, data, sizeof(data));
    char under[FOLDER_SIZE + 160];
    snprintf(under, sizeof(under), "%s/folder", path());
    setenv("VQX_CACHE_DIR", under, 1);
    vqx_cache_store(key, data, sizeof(data));
    assert_false(hit());
    setenv("VQX_CACHE_DIR", "/proc/vqx", 1);
    vqx_cache_store(key, data, sizeof(data));
    assert_false(hit());
    char *long_name = malloc(6000);
    memset(long_name, 'x', 5999);
    long_name[5999] = '\0';
    setenv("VQX_CACHE_DIR", long_name, 1);
    vqx_cache_store(key, data, sizeof(data));
    assert_false(hit());
    free(long_name);
    setenv("VQX_CACHE_DIR", folder, 1);
    assert_true(hit());
    unlink(path());
    const struct rlimit none = {.rlim_cur = 40, .rlim_max = RLIM_INFINITY};
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    vqx_cache_store(key, data, sizeof(data));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(hit());
    char name[FOLDER_SIZE + 128];
    assert_int_equal(folder_files(folder, name, sizeof(name)), 0); /* nothing half written */
}

static void has_its_place(void **state) {
    (void)state;
    static const struct {
        const char *own, *xdg, *home, *at; /* below the root */
    } place[] = {
        {"own", "xdg", "home", "own"},           {NULL, "xdg", "home", "xdg/vqx"}, {NULL, NULL, "home", "home/.cache/vqx"},
        {NULL, "", "home2", "home2/.cache/vqx"}, {"", "xdg3", "home3", NULL},      {NULL, NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof(place) / sizeof(place[0]); i++) {
        const char *const name[] = {"VQX_CACHE_DIR", "XDG_CACHE_HOME", "HOME"}, *const value[] = {place[i].own, place[i].xdg,
                                                                                                  place[i].home};
        for (int v = 0; v < 3; v++) {
            snprintf(folder, sizeof(folder), "%s/%s", root, value[v] ? value[v] : "");
            if (value[v])
                setenv(name[v], *value[v] ? folder : "", 1);
            else
                unsetenv(name[v]);
        }
        vqx_cache_store(key, data, sizeof(data));
        assert_int_equal(hit(), place[i].at != NULL);
        snprintf(folder, sizeof(folder), "%s/%s", root, place[i].at ? place[i].at : "");
        if (place[i].at)
            path();
        vqx_cache_store("again", data, sizeof(data));
    }
    setenv("XDG_CACHE_HOME", "relative", 1); /* is to be passed over */
    vqx_cache_store(key, data, sizeof(data));
    assert_int_not_equal(access("relative", F_OK), 0);
}

static int make_root(void **state) {
    (void)state;
    return folder_make(root) == 0 && chdir(root) == 0 ? 0 : -1;
}

static int remove_root(void **state) {
    (void)state;
    return folder_remove(root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(comes_back, fresh),        cmocka_unit_test_setup(is_damaged, fresh),
        cmocka_unit_test_setup(is_of_another_key, fresh), cmocka_unit_test_setup(is_not_trusted, fresh),
        cmocka_unit_test_setup(cannot_be_stored, fresh),  cmocka_unit_test(has_its_place),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
