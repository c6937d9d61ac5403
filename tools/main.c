/* vqx: the program. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tools/cli.h"

static int run(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "bench") == 0)
        return cli_bench(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "devices") == 0)
        return cli_devices(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "parity") == 0)
        return cli_parity(argc - 1, argv + 1);
    struct cli_options options;
    int code = cli_options_parse(&options, argc, argv);
    if (code < 0)
        code = cli_score(&options);
    cli_options_free(&options);
    return code;
}

int main(int argc, char **argv) {
    /* a closed pipe behind us or a file size limit is a write error with a line, not a silent death */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    /* a file that we open must not become a standard stream that came closed: this keeps its number, and the stream unusable */
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
            return CLI_OUTPUT;
    const int code = run(argc, argv);
    const int err = fflush(stdout) ? errno : ferror(stdout) ? EIO : 0;
    if (code != CLI_OK || !err)
        return code;
    cli_error("standard output: %s", strerror(err));
    return CLI_OUTPUT;
}
