/* Every metric against the reference's scores and its definition, in every form of the machine, without cmocka. Made for an
 * emulated machine: clips of up to 0.13 megapixel, few random ones. Exit code 1 when anything differs or nothing was compared. */
#include <stdio.h>
#include <stdlib.h>

#include "test/compare.h"

int main(void) {
    static const struct {
        const vqx_metric *metric;
        const char *file;
        const char *options[3]; /* sets of options for the random pairs, of which only the first may be NULL */
        unsigned pairs;
        uint32_t least; /* side */
    } of[] = {
        {&vqx_metric_float_moment, "psnr_ssim_moment.tsv", {NULL}, 200, 1},
        {&vqx_metric_psnr, "psnr_ssim_moment.tsv", {NULL}, 200, 1},
        {&vqx_metric_float_psnr, "psnr_ssim_moment.tsv", {NULL}, 200, 1},
        {&vqx_metric_float_ssim, "psnr_ssim_moment.tsv", {"enable_lcs=true:scale=1", "scale=2", "scale=3"}, 20, 1},
        {&vqx_metric_float_ms_ssim, "psnr_ssim_moment.tsv", {"enable_lcs=true"}, 10, 176},
        {&vqx_metric_vif, "vif.tsv", {NULL, "vif_skip_scale0=true"}, 40, 8},
    };
    compare_tally all = {0};
    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        compare_tally tally = {0};
        compare_vectors(of[i].metric, of[i].file, 130000, &tally);
        for (size_t o = 0; o == 0 || (o < 3 && of[i].options[o]); o++)
            compare_random(of[i].metric, of[i].options[o], of[i].pairs, of[i].least, &tally);
        printf("%s: %zu values, %zu differ; %zu runs over large clips left out", of[i].metric->name, tally.values, tally.different,
               tally.larger);
        printf(tally.missing ? ", %zu over real clips, too: VQX_FIXTURES is not set\n" : "\n", tally.missing);
        fflush(stdout);
        all.values += tally.values;
        all.different += tally.different;
    }
    printf("%zu values, %zu differ\n", all.values, all.different);
    return all.different || all.values == 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
