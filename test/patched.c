/* vqx parity with one text of the embedded kernel source replaced: patched OLD NEW arguments of vqx parity. Exit code 3: OLD does
 * not stand in the source exactly once. */
#include <stdio.h>

#include "device/opencl.h"
#include "tools/cli.h"

int main(int argc, char **argv) {
    if (argc < 4 || vqx_opencl_replace_source(argv[1], argv[2]) != 1) {
        fprintf(stderr, "patched: the text does not stand in the kernel source exactly once\n");
        return 3;
    }
    return cli_parity(argc - 3, argv + 3);
}
