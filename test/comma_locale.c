#include "test/comma_locale.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

/* de_DE made by localedef in a folder that is gone afterwards; what is loaded stays. */
static bool set_built(void) {
    char folder[] = "/tmp/vqx-locale-XXXXXX", command[256];
    if (!mkdtemp(folder))
        return false;
    snprintf(command, sizeof(command), "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1", folder, folder);
    bool set = system(command) == 0;
    if (set) {
        setenv("LOCPATH", folder, 1);
        set = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
        unsetenv("LOCPATH");
    }
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command) == 0 && set;
}

bool comma_locale_set(void) {
    static const char *const installed[] = {"de_DE.UTF-8", "de_DE",       "fr_FR.UTF-8", "fr_FR",
                                            "it_IT.UTF-8", "es_ES.UTF-8", "ru_RU.UTF-8"};
    bool set = false;
    for (size_t i = 0; i < sizeof(installed) / sizeof(installed[0]) && !set; i++)
        set = setlocale(LC_ALL, installed[i]) != NULL;
    if (!set && !set_built()) {
        printf("skipped: no locale with a decimal comma is installed, and localedef cannot build one\n");
        return false;
    }
    char text[8];
    snprintf(text, sizeof(text), "%.1f", 0.5);
    return text[1] == ',';
}
