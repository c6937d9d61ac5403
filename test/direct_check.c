#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "test/compare.h"
#include "test/direct.h"

static void check(const vqx_metric *metric, const compare_tally *tally) {
    if (tally->different)
        fail_msg("%s: %zu values, %zu differ", metric->name, tally->values, tally->different);
    assert_true(tally->values > 0 || vqx_cpu_best(0) == VQX_LEVEL_DEFINITION);
}

void direct_check_vectors(const vqx_metric *metric, const char *file) {
    compare_tally tally = {0};
    compare_vectors(metric, file, UINT64_MAX, &tally);
    check(metric, &tally);
    print_message("%s: %zu values equal to the reference\n", metric->name, tally.values);
    if (tally.missing)
        print_message("%s: %zu runs over real clips skipped: VQX_FIXTURES is not set\n", metric->name, tally.missing);
}

void direct_check_levels(const vqx_metric *metric, const char *options, vqx_frame *const pair[2], const char *what) {
    compare_tally tally = {0};
    compare_levels(metric, options, pair, what, &tally);
    check(metric, &tally);
}

void direct_check_random(const vqx_metric *metric, const char *options, unsigned pairs, uint32_t least) {
    compare_tally tally = {0};
    compare_random(metric, options, pairs, least, &tally);
    check(metric, &tally);
}
