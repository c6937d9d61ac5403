/* What machine this is, and small things that the commands share. */
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/cli.h"

void cli_error(const char *format, ...) {
    char text[3 * PATH_MAX];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    for (char *c = text; *c; c++) /* a file may have any name; the line stays one */
        if ((unsigned char)*c < ' ' || *c == 127)
            *c = '?';
    fprintf(stderr, "vqx: %s\n", text);
}

double cli_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void cli_cpu_text(uint32_t cpumask, char *text, size_t size) {
    char line[256], name[128] = "CPU";
    FILE *info = fopen("/proc/cpuinfo", "r");
    while (info && fgets(line, sizeof(line), info))
        if (sscanf(line, "model name : %127[^\n]", name) == 1)
            break;
    if (info)
        fclose(info);
    snprintf(text, size, "%s, %s", name, vqx_cpu_form(cpumask));
}

vqx_device_info *cli_device_list(size_t *count) {
    vqx_device_info *info = NULL;
    size_t room = 64;
    for (*count = 0;; room = *count) {
        free(info);
        info = calloc(room, sizeof(*info));
        if (!info)
            return NULL;
        *count = vqx_device_list(info, room);
        if (*count <= room)
            break;
    }
    for (size_t i = 0; i < *count; i++)
        if (strcmp(info[i].backend, "cpu") == 0)
            cli_cpu_text(0, info[i].name, sizeof(info[i].name));
    return info;
}

int cli_devices(int argc, char **argv) {
    size_t count;
    if (argc > 1) {
        cli_error("devices: unexpected argument '%s'", argv[1]);
        return CLI_USAGE;
    }
    vqx_device_info *info = cli_device_list(&count);
    if (!info) {
        cli_error("devices: out of memory");
        return CLI_MEMORY;
    }
    for (size_t i = 0; i < count; i++)
        if (info[i].number == VQX_NO_DEVICE)
            printf("%s: %s\n", info[i].backend, info[i].why);
        else
            printf("%s %" PRIu32 ": %s: %s%s\n", info[i].backend, info[i].number, info[i].name,
                   info[i].usable ? "usable" : "not usable: ", info[i].why);
    free(info);
    return CLI_OK;
}
