/* Runs of the vqx program, as its user starts it: command lines, input files, what came out. A helper that cannot do its work fails
 * the running test.
 *
 * Command lines are printf texts split at blanks; the word '' is an empty argument. The program runs in the test's folder, so that
 * file names in them need no path.
 */
#ifndef TEST_CLI_RUN_H
#define TEST_CLI_RUN_H

#include <stdbool.h>
#include <sys/resource.h>

#include <jansson.h>

#include "test/reader_input.h"

/* Under a sanitizer, which the program then has as well, memory is another matter. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CLI_SANITIZED true
#elif defined(__has_feature)
#define CLI_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define CLI_SANITIZED false
#endif

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* main() of a test: the program is argv[1], else the environment's VQX_PROGRAM. 0, or 1 with a line on stderr. */
int cli_find_program(int argc, char **argv);

/* A group's fixture after the tests, where reader_input_setup() is the one before them: removes the folder and all that is in it.
 */
int cli_cleanup(void **state);

/* ---- files in the folder ------------------------------------------------------------------------------------------- */

void put(const char *name, const void *data, size_t size);
void put_text(const char *name, const char *text);
bool exists(const char *name);
void erase(const char *name);
/* A symbolic link to a file or device, by which the program gets to it: a program gone wrong may then remove the link only. Whether
 * what it leads to can be written. */
bool link_to(const char *name, const char *target);
/* Its bytes with a NUL behind them; the caller frees data. */
struct bytes get(const char *name);
/* Fails unless the file holds just this text. */
void assert_file(const char *name, const char *text);

/* ---- clips --------------------------------------------------------------------------------------------------------- */

/* The clip as y4m, under the tag of its format. */
struct bytes plain_y4m(const struct clip *c);
/* "-w 66 -h 50 -p 420 -b 8"; static text, of the last call. */
const char *geometry(const vqx_format *format);
/* A pair of random clips, also as the files ref.yuv, dis.yuv, ref.y4m and dis.y4m. */
struct pair {
    struct clip ref, dis;
};
struct pair make_pair(uint32_t width, uint32_t height, vqx_chroma chroma, uint32_t bits, unsigned ref_frames, unsigned dis_frames);
void free_pair(struct pair *p);

/* ---- runs ---------------------------------------------------------------------------------------------------------- */

/* What a run can be put into; all zero is nothing special. */
struct setting {
    const char *out;           /* standard output goes to this file (a device must be there), not into `out` of the run */
    unsigned closed;           /* bit fd: this standard stream is closed */
    bool broken_out;           /* standard output is a pipe that nobody reads */
    bool terminal;             /* standard error is a terminal */
    bool limited;              /* by */
    int resource;              /* RLIMIT_… */
    rlim_t limit;              /* of it */
    const struct bytes *input; /* comes through a pipe on standard input */
};

struct run {
    int code; /* exit code, or minus the signal that ended it (SIGALRM: it hung) */
    char *out, *err;
    long memory_kb; /* resident at most; at least as much as the test itself had */
};

/* Runs the program; `out` and `err` of the result last until the next run. */
__attribute__((format(printf, 2, 3))) struct run run_in(const struct setting *setting, const char *command, ...);

/* How the line begins by which a run without --backend and -q says where it scores. */
#define AUTO_LINE "vqx: --backend auto takes "

/* Runs it and fails unless it exits with `code` and says what it should on standard error, after the AUTO_LINE that may be there:
 * nothing when `says` is NULL, else one line that begins with "vqx: " and contains every part of `says`, which '|' separates. */
__attribute__((format(printf, 3, 4))) struct run vqx(int code, const char *says, const char *command, ...);
/* The same for a run that is over. */
void assert_run(const struct run *run, int code, const char *says, const char *command);
/* Fails unless the text has this part, or has it not. */
void assert_has(const char *text, const char *part);
void assert_has_not(const char *text, const char *part);

/* ---- scores -------------------------------------------------------------------------------------------------------- */

/* The JSON in a text. The caller calls json_decref(). */
json_t *parse(const char *text);
/* Scores with "--json --precision max -o -" behind the command, exit code 0, and `says` as vqx() takes it. */
__attribute__((format(printf, 2, 3))) json_t *scores(const char *says, const char *command, ...);
/* What does not depend on time and machine: frames, pooled and aggregate values with all digits, in their order. The caller frees
 * it. */
char *essence(const json_t *scores);
/* Fails unless both hold the same scores, to the last bit and in the same order. */
void assert_same_scores(const json_t *a, const json_t *b, const char *what);

/* Number i of the frames listed: its index and a value of it. */
uint64_t frame_number(const json_t *scores, size_t i);
double frame_value(const json_t *scores, size_t i, const char *name);
double pooled_value(const json_t *scores, const char *name, const char *method);
double aggregate_value(const json_t *scores, const char *name);
/* Fails unless both are the same double. */
void assert_bits(double got, double expected, const char *what);

/* "--feature" for every output that expect_frame() knows. */
#define ALL_FEATURES "--feature float_moment --feature psnr=enable_mse=true:enable_apsnr=true --feature float_psnr"

/* Fails unless frame i of the list holds the scores of these two frames, computed here in plain loops. */
void assert_frame(const json_t *scores, size_t i, const struct clip *ref, unsigned ref_frame, const struct clip *dis,
                  unsigned dis_frame);
/* The squared errors of one plane of a pair of frames, and the samples it has. */
uint64_t squared_error(const struct clip *ref, unsigned ref_frame, const struct clip *dis, unsigned dis_frame, unsigned plane,
                       uint64_t *samples);
/* The psnr of a mean squared error, and of a whole stream. */
double decibel(uint32_t bits, double mse);
double stream_decibel(uint32_t bits, uint64_t error, uint64_t samples);

#endif
