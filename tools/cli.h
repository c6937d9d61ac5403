/* The parts of the vqx program. */
#ifndef TOOLS_CLI_H
#define TOOLS_CLI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/vqx.h"
#include "tools/writer.h"

/* Exit codes (doc/usage.md). */
enum cli_exit {
    CLI_OK = 0,
    CLI_USAGE = 2,
    CLI_BACKEND = 100,
    CLI_NO_FRAMES = 101,
    CLI_INPUT = 102,
    CLI_OUTPUT = 103,
    CLI_DIFFERS = 104,
    CLI_MODEL = 105,
    CLI_REFUSED = 106,
    CLI_MEMORY = 107,
};

#define CLI_MAX_FEATURES 32
#define CLI_MAX_POOLS 64

/* What the command line of a scoring run says. Texts are borrowed from argv, `pool_text` excepted. */
struct cli_options {
    const char *reference, *distorted, *output;
    bool raw; /* geometry was given */
    vqx_format geometry;
    const char *feature[CLI_MAX_FEATURES];
    size_t features;
    const char *pool[CLI_MAX_POOLS]; /* point into pool_text */
    size_t pools;
    char *pool_text;
    bool model, no_prediction, quiet;
    uint64_t frame_count, skip_reference, skip_distorted;
    uint32_t subsample, cpumask, audit;
    unsigned threads;
    const char *backend, *device;
    enum writer_format format;
    unsigned precision;
};

/* One line on stderr, "vqx: …", with a newline. */
__attribute__((format(printf, 1, 2))) void cli_error(const char *format, ...);

/* Reads a scoring command line into *options, to be freed by cli_options_free() in any case. -1: go on; else the exit code: 0 after
 * --help or
 * --version, 2 after a wrong option, with its line. */
int cli_options_parse(struct cli_options *options, int argc, char **argv);
void cli_options_free(struct cli_options *options);

/* An unsigned number as vmaf takes it: decimal, 0x… or 0…, with nothing behind it. 0, or -EINVAL, also above `most`. */
int cli_number(const char *text, uint64_t most, uint64_t *value);

/* "1920x1080", sides up to 65535, into width and height. 0, or -EINVAL. */
int cli_size(const char *text, vqx_format *format);

/* "400", "420", "422" or "444". 0, or -EINVAL. */
int cli_chroma(const char *text, vqx_chroma *chroma);

/* 0 when the text is "all", a number, or numbers separated by commas; else -EINVAL. */
int cli_device_check(const char *text);

/* Scores and writes; returns the exit code. */
int cli_score(const struct cli_options *options);

/* `vqx bench …`, `vqx devices …` and `vqx parity …`: argv[0] is the word itself. Return the exit code. */
int cli_bench(int argc, char **argv);
int cli_devices(int argc, char **argv);
int cli_parity(int argc, char **argv);

/* The whole help text on stdout. */
void cli_help(void);

/* "AMD EPYC, avx512": the processor and the form that runs with this mask. */
void cli_cpu_text(uint32_t cpumask, char *text, size_t size);

/* Every device of every back end (vqx_device_list()), to be freed by the caller; the processor has its name. NULL when out of
 * memory.
 */
vqx_device_info *cli_device_list(size_t *count);

/* Seconds of a steady clock. */
double cli_seconds(void);

/* The exit code for a negative errno of the library where nothing more special is known. */
int cli_exit_of(int err);
/* The same where a frame has failed: its device, the audit, or else the reader that it comes from. */
int cli_exit_of_frame(int err);

#endif
