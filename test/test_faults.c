/* A small scoring run in which the n-th allocation (or thread, lock, locale) cannot be had, for every n: it ends with -ENOMEM and a
 * line, or not at all; nothing is lost; whatever can be read afterwards is right. The linker sends the library's calls through here
 * (--wrap). */
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "test/pairs.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* ---- calls that may fail --------------------------------------------------------------------------------------------------- */

static atomic_uint calls;       /* so far */
static unsigned first, last;    /* calls that fail, from 1 */
static atomic_int blocks, most; /* pieces of memory alive, and their peak */
static atomic_int threads_alive;

static bool fails(void) {
    const unsigned n = atomic_fetch_add(&calls, 1) + 1;
    return n >= first && n <= last;
}

static void *counted(void *memory) {
    if (!memory)
        return NULL;
    const int now = atomic_fetch_add(&blocks, 1) + 1;
    for (int before = most; now > before && !atomic_compare_exchange_weak(&most, &before, now);)
        ;
    return memory;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *memory);
locale_t __real_newlocale(int mask, const char *name, locale_t base);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg);
int __real_pthread_join(pthread_t thread, void **result);
int __real_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attr);
int __real_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);
locale_t __wrap_newlocale(int mask, const char *name, locale_t base);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg);
int __wrap_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attr);
int __wrap_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr);

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size) {
    if (fails())
        return NULL;
    return memory ? __real_realloc(memory, size) : counted(__real_realloc(memory, size));
}

void *__wrap_aligned_alloc(size_t align, size_t size) {
    return fails() ? NULL : counted(__real_aligned_alloc(align, size));
}

char *__wrap_strdup(const char *text) {
    return fails() ? NULL : counted(__real_strdup(text));
}

void __wrap_free(void *memory) {
    if (memory)
        atomic_fetch_sub(&blocks, 1);
    __real_free(memory);
}

locale_t __wrap_newlocale(int mask, const char *name, locale_t base) {
    return fails() ? (locale_t)0 : __real_newlocale(mask, name, base);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg) {
    if (fails())
        return EAGAIN;
    const int err = __real_pthread_create(thread, attr, run, arg);
    if (!err)
        atomic_fetch_add(&threads_alive, 1);
    return err;
}

int __wrap_pthread_join(pthread_t thread, void **result) {
    const int err = __real_pthread_join(thread, result);
    if (!err)
        atomic_fetch_sub(&threads_alive, 1);
    return err;
}

int __wrap_pthread_mutex_init(pthread_mutex_t *lock, const pthread_mutexattr_t *attr) {
    return fails() ? ENOMEM : __real_pthread_mutex_init(lock, attr);
}

int __wrap_pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr) {
    return fails() ? ENOMEM : __real_pthread_cond_init(cond, attr);
}

/* Calls from..to of those to come fail. */
static void arm(unsigned from, unsigned to) {
    calls = 0;
    first = from;
    last = to;
}

static void disarm(void) {
    arm(1, 0);
}

/* ---- the run ----------------------------------------------------------------------------------------------------------------- */

enum { MOST_PAIRS = 20, MOST_FEATURES = 32 };

/* What is scored, and the results of its first n pairs. */
struct work {
    vqx_format format;
    unsigned pairs;
    const char *features[MOST_FEATURES + 1];
    uint64_t *expected[MOST_PAIRS + 1];
    size_t words[MOST_PAIRS + 1];
};

static struct work options = {
    .format = {19, 11, VQX_CHROMA_420, 8},
    .pairs = MOST_PAIRS,
    .features = {"psnr=enable_mse=true:enable_apsnr=true:min_sse=0.5", "float_moment", "float_psnr=uncapped=false"},
};
/* every metric, of pictures that all of them take */
static struct work metrics = {.format = {192, 180, VQX_CHROMA_420, 10}, .pairs = 2};

static int make_expected(void **state) {
    struct work *const all[] = {&options, &metrics};
    (void)state;
    disarm();
    for (size_t i = 0; i < vqx_metric_count() && i < MOST_FEATURES; i++)
        metrics.features[i] = vqx_metric_name(i);
    for (size_t i = 0; i < LENGTH(all); i++)
        for (unsigned n = 0; n <= all[i]->pairs; n++)
            if (!(all[i]->expected[n] = pairs_expected(&all[i]->format, all[i]->features, 1, n, &all[i]->words[n])))
                return -1;
    return 0;
}

static int free_expected(void **state) {
    (void)state;
    for (unsigned n = 0; n <= MOST_PAIRS; n++) {
        free(options.expected[n]);
        free(metrics.expected[n]);
    }
    return blocks || threads_alive;
}

struct run {
    const struct work *work;
    unsigned threads;
    bool twice; /* a step that failed is done again */
    vqx_context *context;
    pairs pairs;
    unsigned submitted;
    bool ended; /* vqx_finish() was called */
    int end;    /* what it gave */
    int err;    /* of the step that ended the run */
    double median;
};

/* A step fails with -ENOMEM only; one of a context says why. */
static bool done(const vqx_context *context, int err) {
    if (err == 0)
        return true;
    assert_int_equal(err, -ENOMEM);
    assert_true(!context || vqx_message(context)[0]);
    return false;
}

#define STEP(context, step) (done(context, r->err = (step)) || (r->twice && done(context, r->err = (step))))

static int submit(struct run *r, uint64_t index) {
    vqx_frame *frame[2] = {NULL, NULL};
    int err = 0;
    for (unsigned s = 0; s < 2 && err == 0; s++)
        err = pairs_frame(&r->pairs, s, index, &frame[s]);
    if (err < 0) {
        vqx_frame_unref(&frame[0]);
        return err;
    }
    err = vqx_submit(r->context, index, frame[0], frame[1]);
    done(r->context, err);
    return err;
}

static void run(struct run *r) {
    if (!STEP(NULL, vqx_open(&r->context, &(vqx_config){.threads = r->threads})))
        return;
    for (size_t i = 0; r->work->features[i]; i++)
        if (!STEP(r->context, vqx_add_feature(r->context, r->work->features[i])))
            return;
    if (!STEP(r->context, vqx_start(r->context, &r->work->format)))
        return;
    if (!STEP(NULL, pairs_open(&r->pairs, &r->work->format, vqx_planes(r->context), NULL, NULL)))
        return;
    while (r->submitted < r->work->pairs && STEP(NULL, submit(r, r->submitted)))
        r->submitted++;
    pairs_close(&r->pairs); /* frames outlive their pool */
    r->ended = true;
    const bool all = STEP(r->context, vqx_finish(r->context));
    r->end = r->err;
    if (all && r->submitted > 0)
        (void)STEP(NULL, vqx_pooled(r->context, 0, "median", &r->median));
}

/* Whatever can be read after the run is right. */
static void check(struct run *r) {
    double before[8], after;
    int err[8];
    if (!r->context)
        return;
    if (!r->ended) {
        assert_int_equal(vqx_frame_count(r->context), 0);
        return;
    }
    const size_t aggregates = vqx_aggregate_count(r->context);
    assert_in_range(aggregates, 0, LENGTH(before));
    for (size_t a = 0; a < aggregates; a++)
        err[a] = vqx_aggregate(r->context, a, &before[a]);
    /* a picture that had no memory has failed for good; the last step can be done again */
    const int end = vqx_finish(r->context);
    const unsigned frames = (unsigned)vqx_frame_count(r->context);
    if (done(r->context, end)) {
        assert_int_equal(frames, r->submitted);
        assert_true(!r->twice || frames == r->work->pairs);
    } else {
        char head[32];
        snprintf(head, sizeof(head), "frame %u: ", frames);
        assert_memory_equal(vqx_message(r->context), head, strlen(head));
        assert_in_range(frames, 0, r->submitted - 1);
    }
    size_t got_words;
    uint64_t *got = pairs_results(r->context, &got_words);
    assert_non_null(got);
    assert_int_equal(got_words, r->work->words[frames]);
    assert_memory_equal(got, r->work->expected[frames], got_words * sizeof(*got));
    free(got);
    for (size_t a = 0; a < aggregates; a++)
        if (err[a] == 0) {
            assert_int_equal(vqx_aggregate(r->context, a, &after), 0);
            assert_memory_equal(&before[a], &after, sizeof(after));
        } else {
            assert_int_equal(err[a], -ENOENT);
            assert_true(r->end < 0 || frames == 0);
        }
    if (r->err == 0 && r->submitted > 0) {
        assert_int_equal(vqx_pooled(r->context, 0, "median", &after), 0);
        assert_true(r->median == after);
    }
}

/* The run with failures from the n-th call on, for every n, until one has none. */
static void fail_each(const struct work *work, unsigned threads, bool twice, bool for_good) {
    const int blocks_before = blocks;
    for (unsigned n = 1;; n++) {
        struct run r = {.work = work, .threads = threads, .twice = twice};
        arm(n, for_good ? UINT_MAX : n);
        run(&r);
        const bool all = calls < n;
        disarm();
        check(&r);
        if (all) {
            assert_int_equal(r.err, 0);
            assert_int_equal(r.submitted, work->pairs);
        }
        vqx_close(&r.context);
        pairs_close(&r.pairs);
        assert_int_equal(blocks, blocks_before);
        assert_int_equal(threads_alive, 0);
        if (all) {
            print_message("%u threads: each of %u calls failed%s\n", threads, n - 1, for_good ? ", and all behind it" : "");
            assert_true(n > 15);
            return;
        }
        assert_in_range(n, 1, 10000);
    }
}

static void test_one_failure(void **state) {
    (void)state;
    fail_each(&options, 1, false, false);
    fail_each(&options, 3, false, false);
    fail_each(&metrics, 1, false, false);
}

static void test_all_fail_from_one_on(void **state) {
    (void)state;
    fail_each(&options, 1, false, true);
    fail_each(&options, 3, false, true);
    fail_each(&metrics, 1, false, true);
}

/* Every function can be called again after it had no memory. */
static void test_second_try(void **state) {
    (void)state;
    fail_each(&options, 1, true, false);
    fail_each(&options, 3, true, false);
    fail_each(&metrics, 1, true, false);
}

/* One frame of each kind; those that could not be had are NULL. */
static int take_frames(vqx_frame *frame[4]) {
    static const uint8_t memory[19 * 11];
    vqx_pool *pool;
    int err[4] = {0};
    if (vqx_pool_open(&pool, &options.format, 3) < 0)
        return -ENOMEM;
    for (unsigned i = 0; i < 2; i++)
        err[i] = vqx_pool_frame(pool, &frame[i], NULL, NULL, 0);
    vqx_pool_close(&pool);
    err[2] = vqx_frame_alloc(&frame[2], &options.format, 7);
    err[3] = vqx_frame_wrap(&frame[3], &options.format, (const void *const[VQX_MAX_PLANES]){memory},
                            (const ptrdiff_t[VQX_MAX_PLANES]){19}, NULL, NULL);
    int first_err = 0;
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(frame[i] == NULL, err[i] < 0);
        first_err = first_err ? first_err : err[i];
    }
    return first_err;
}

static void test_frames(void **state) {
    (void)state;
    const int blocks_before = blocks;
    int err = -ENOMEM;
    for (unsigned n = 1; err < 0; n++) {
        vqx_frame *frame[4] = {NULL};
        arm(n, n);
        err = take_frames(frame);
        const bool all = calls < n;
        disarm();
        assert_int_equal(err, all ? 0 : -ENOMEM);
        for (unsigned i = 0; i < 4; i++)
            vqx_frame_unref(&frame[i]);
        assert_int_equal(blocks, blocks_before);
    }
}

/* Pieces of memory at the peak of a run. */
static int peak(unsigned count) {
    pairs p;
    vqx_context *c = pairs_context(&options.format, options.features, &(vqx_config){.threads = 2});
    assert_int_equal(pairs_open(&p, &options.format, vqx_planes(c), NULL, NULL), 0);
    most = blocks;
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(pairs_submit(&p, c, i), 0);
    const int pieces = most;
    assert_int_equal(vqx_finish(c), 0);
    vqx_close(&c);
    pairs_close(&p);
    return pieces;
}

/* Memory does not grow with the number of frames, but for the scores: four pieces for 256 frames. */
static void test_flat(void **state) {
    (void)state;
    const int before = blocks, few = peak(1), many = peak(2560);
    /* pictures: one struct for each side of 2 * 2 + 1 pairs, one piece of memory with its link for each side of 2 */
    assert_in_range(many - few, 0, 9 * 4 + (2 * 5 - 2) + (2 * 2 * 2));
    assert_int_equal(blocks, before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_failure), cmocka_unit_test(test_all_fail_from_one_on),
        cmocka_unit_test(test_second_try),  cmocka_unit_test(test_frames),
        cmocka_unit_test(test_flat),
    };
    return cmocka_run_group_tests(tests, make_expected, free_expected);
}
