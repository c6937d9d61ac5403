#include <stdio.h>

#include "tools/cli.h"

static const char head[] =
    "vqx: video quality scores, the same bits on every device\n"
    "\n"
    "  vqx -r REF -d DIST [-w W -h H -p FORMAT -b BITS] -n --feature NAME[=KEY=VALUE[:KEY=VALUE...]]... [-o FILE --json]\n"
    "  vqx devices                    what can score here\n"
    "  vqx parity [--help]            whether devices give the same bits as the processor\n"
    "  vqx bench [--help]             how fast it scores here\n"
    "\n"
    "Input\n"
    "  -r, --reference FILE           y4m, raw planar yuv, or - for standard input (one of the two)\n"
    "  -d, --distorted FILE\n"
    "  -w, --width N                  size, chroma format and depth of raw input, all four\n"
    "  -h, --height N\n"
    "  -p, --pixel_format FORMAT      400, 420, 422 or 444\n"
    "  -b, --bitdepth N               8, 10, 12 or 16 (above 8: 16-bit little-endian words)\n"
    "      --frame_cnt N              stop after N pairs (0 = all)\n"
    "      --frame_skip_ref N         leave out the first N frames of the reference\n"
    "      --frame_skip_dist N        leave out the first N frames of the distorted video\n"
    "      --subsample N              score every N-th frame\n"
    "\n"
    "What to score\n"
    "      --feature NAME[=KEY=VALUE[:KEY=VALUE...]]\n"
    "                                 a metric with its options; repeatable (list below)\n"
    "  -n, --no_prediction            no VMAF model (this build has none, so -n is needed)\n"
    "  -m, --model path=FILE          a VMAF model (error 105 in this build)\n"
    "      --pool LIST                more pooled values: median, stdev, p0 to p100, separated by commas; mean, min, max and\n"
    "                                 harmonic_mean are always there\n"
    "\n"
    "Output\n"
    "  -o, --output FILE              result file, - for standard output\n"
    "      --xml --json --csv --sub   its format (xml when none is given)\n"
    "      --precision N|max|legacy   significant digits 1 to 17, max = 17 (every bit), legacy = six decimals (default)\n"
    "  -q, --quiet                    no progress, no table of results\n"
    "\n"
    "Where to run\n"
    "      --backend NAME             auto (default): the best graphics processor that carries all features, else the CPU; or\n"
    "                                 cpu, cuda, hip, sycl, opencl, cpu-kernels (the device code as plain C)\n"
    "      --device N[,M...]|all      devices of the back end, which share the frames (see vqx devices; default 0)\n"
    "      --audit N                  score every N-th frame on the CPU, too; a differing bit ends the run (exit code 104)\n"
    "      --threads N                worker threads; they also feed a device (0 = the program chooses, the default)\n"
    "      --cpumask BITS             instruction sets to leave out: 1 baseline, 2 SSSE3, 4 SSE4.1, 8 AVX2, 16 AVX-512,\n"
    "                                 32 AVX-512 ICL; -1 = plain C in raster order; the scores do not change\n"
    "      --gpumask BITS             ignored\n"
    "\n"
    "      --help, -v, --version\n"
    "\n"
    "Features and their options\n";

static const char tail[] =
    "\n"
    "Exit codes\n"
    "  0 done   2 wrong usage   100 backend or device cannot run   101 no frames   102 input unreadable, truncated or not "
    "matching\n"
    "  103 output not writable   104 differing bits   105 no model   106 a metric refuses this format   107 out of memory\n"
    "  Whatever ends a run early, the frames scored before it are still written.\n"
    "\n"
    "Examples\n"
    "  vqx -r ref.y4m -d dist.y4m -n --feature psnr --feature float_moment\n"
    "  vqx -r ref.yuv -d dist.yuv -w 1920 -h 1080 -p 420 -b 10 -n --feature psnr=enable_mse=true:enable_apsnr=true \\\n"
    "      --json --precision max -o scores.json\n"
    "  vqx -r ref.y4m -d dist.y4m -n --feature vif --backend opencl --device all --audit 100\n"
    "  decoder dist.mp4 | vqx -r ref.y4m -d - -n --feature psnr --pool median,p5 --csv -o -\n";

void cli_help(void) {
    fputs(head, stdout);
    for (size_t i = 0; i < vqx_metric_count(); i++) {
        printf("  %-30s %s\n", vqx_metric_name(i), vqx_metric_help(i));
        vqx_option_info option;
        for (size_t o = 0; vqx_metric_option(i, o, &option) == 0; o++)
            printf("    %-28s %s (%s, default %s)\n", option.name, option.help, option.type, option.fallback);
    }
    fputs(tail, stdout);
}
