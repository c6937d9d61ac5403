/* What machine this is, and small things that the commands share. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
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

int cli_devices(int argc, char **argv) {
    if (argc > 1) {
        cli_error("devices: unexpected argument '%s'", argv[1]);
        return CLI_USAGE;
    }
    char text[256];
    cli_cpu_text(0, text, sizeof(text));
    printf("cpu 0: %s: usable\n", text);
    return CLI_OK;
}
