/* Workers and their queue: pairs in any order from any thread, failing pictures, what is in memory at a time. */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/scheduler.h"
#include "test/pairs.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const vqx_format small = {35, 21, VQX_CHROMA_420, 10};
static const char *const all[] = {"psnr=enable_mse=true:enable_apsnr=true", "float_moment", "float_psnr", NULL};

/* ---- order ------------------------------------------------------------------------------------------------------------- */

enum { PAIRS = 300, SUBMITTERS = 4 }; /* more than one piece of the score store */

struct submitter {
    vqx_context *context;
    pairs *pairs;
    const uint64_t *index;
    size_t count;
    int err;
};

static void *submit_all(void *arg) {
    struct submitter *s = arg;
    for (size_t i = 0; i < s->count; i++) {
        const int err = pairs_submit(s->pairs, s->context, s->index[i]);
        s->err = s->err ? s->err : err;
    }
    return NULL;
}

/* Deals the indices out to the threads; the first error of any. */
static int submit_from_threads(vqx_context *c, pairs *p, const uint64_t *index, size_t count) {
    pthread_t thread[SUBMITTERS];
    struct submitter s[SUBMITTERS];
    int err = 0;
    for (size_t t = 0; t < SUBMITTERS; t++) {
        s[t] = (struct submitter){c, p, index + t * count / SUBMITTERS, (t + 1) * count / SUBMITTERS - t * count / SUBMITTERS, 0};
        assert_int_equal(pthread_create(&thread[t], NULL, submit_all, &s[t]), 0);
    }
    for (size_t t = 0; t < SUBMITTERS; t++) {
        pthread_join(thread[t], NULL);
        err = err ? err : s[t].err;
    }
    return err;
}

static void shuffled(uint64_t *index, size_t count, uint32_t random) {
    for (size_t i = 0; i < count; i++)
        index[i] = i;
    for (size_t i = count; i > 1; i--) {
        random = random * 1664525u + 1013904223u;
        const size_t j = (random >> 8) % i;
        const uint64_t other = index[j];
        index[j] = index[i - 1];
        index[i - 1] = other;
    }
}

static void test_order(void **state) {
    (void)state;
    static const struct {
        unsigned threads;
        bool many; /* submitters */
    } cases[] = {{1, false}, {1, true}, {2, false}, {3, true}, {8, true}};
    uint64_t index[PAIRS];
    for (size_t i = 0; i < LENGTH(cases); i++) {
        vqx_context *c = pairs_context(&small, all, &(vqx_config){.threads = cases[i].threads});
        pairs p;
        assert_int_equal(pairs_open(&p, &small, vqx_planes(c), NULL, NULL), 0);
        shuffled(index, PAIRS, (uint32_t)i);
        if (cases[i].many)
            assert_int_equal(submit_from_threads(c, &p, index, PAIRS), 0);
        for (size_t n = 0; !cases[i].many && n < PAIRS; n++)
            assert_int_equal(pairs_submit(&p, c, index[n]), 0);
        assert_int_equal(vqx_finish(c), 0);
        assert_int_equal(vqx_finished(c), PAIRS);
        pairs_check(c, &small, all, 1, PAIRS);
        vqx_close(&c);
        pairs_close(&p);
    }
}

/* Every metric, with scratch memory or without. */
static void test_order_metrics(void **state) {
    (void)state;
    enum { COUNT = 12 };
    static const vqx_format format = {192, 180, VQX_CHROMA_420, 10}; /* that all of them take */
    const char *features[64] = {NULL};
    for (size_t i = 0; i < vqx_metric_count() && i + 1 < LENGTH(features); i++)
        features[i] = vqx_metric_name(i);
    uint64_t index[COUNT];
    shuffled(index, COUNT, 1);
    vqx_context *c = pairs_context(&format, features, &(vqx_config){.threads = 4});
    pairs p;
    assert_int_equal(pairs_open(&p, &format, vqx_planes(c), NULL, NULL), 0);
    assert_int_equal(submit_from_threads(c, &p, index, COUNT), 0);
    assert_int_equal(vqx_finish(c), 0);
    pairs_check(c, &format, features, 1, COUNT);
    vqx_close(&c);
    pairs_close(&p);
}

/* Single large pairs, whose passes are split where workers have nothing else to do, and features that share a pass. */
static void test_split(void **state) {
    (void)state;
    static const vqx_format formats[] = {{1920, 1080, VQX_CHROMA_420, 8}, {1280, 720, VQX_CHROMA_400, 16}};
    static const char *const features[] = {
        "vif", "float_ssim=scale=1:enable_lcs=true", "float_ms_ssim", "float_psnr", "psnr=enable_mse=true", "float_moment", NULL};
    for (size_t i = 0; i < LENGTH(formats); i++)
        for (unsigned threads = 2; threads <= 5; threads += 3) {
            pairs p;
            vqx_context *c = pairs_context(&formats[i], features, &(vqx_config){.threads = threads});
            assert_int_equal(pairs_open(&p, &formats[i], vqx_planes(c), NULL, NULL), 0);
            for (uint64_t index = 0; index < 2; index++)
                assert_int_equal(pairs_submit(&p, c, index), 0);
            assert_int_equal(vqx_finish(c), 0);
            pairs_check(c, &formats[i], features, 1, 2);
            vqx_close(&c);
            pairs_close(&p);
        }
}

struct meeting {
    vqx_scheduler *scheduler;
    atomic_uint there, met;
};

/* A part that waits until two of them run at a time. */
static void meet(void *job, size_t part, void *scratch) {
    struct meeting *m = job;
    (void)part, (void)scratch;
    atomic_fetch_add(&m->there, 1);
    for (int i = 0; i < 5000 && atomic_load(&m->there) < 2; i++)
        usleep(1000);
    atomic_fetch_add(&m->met, atomic_load(&m->there) == 2);
}

static void spread_late(void *owner, const vqx_task *task, size_t tasks, void *scratch) {
    struct meeting *m = owner;
    (void)task, (void)tasks;
    usleep(50000); /* the other worker has found nothing to do, and the end was called for */
    vqx_scheduler_spread(m->scheduler, 2, meet, m, scratch);
}

/* Workers stay as long as a task runs, for it may be spread: the last frame of a video, or a single one. */
static void test_spread_at_end(void **state) {
    (void)state;
    struct meeting m = {.scheduler = NULL};
    assert_int_equal(vqx_scheduler_open(&m.scheduler, 2, 1, 64, spread_late, &m), 0);
    vqx_scheduler_push(m.scheduler, &(vqx_task){.index = 0});
    vqx_scheduler_close(&m.scheduler);
    assert_int_equal(atomic_load(&m.met), 2);
}

/* ---- failing pictures ---------------------------------------------------------------------------------------------------- */

/* Pictures that fail, each after a while. */
struct failures {
    struct {
        unsigned side;
        uint64_t position;
        unsigned microseconds;
    } at[4];
    size_t count;
};

static int fail_there(void *cookie, unsigned side, uint64_t position) {
    const struct failures *f = cookie;
    for (size_t i = 0; i < f->count; i++)
        if (f->at[i].side == side && f->at[i].position == position) {
            usleep(f->at[i].microseconds);
            return -EIO;
        }
    return 0;
}

/* Of the failed pictures the one with the lowest index counts, and everything before it. */
static void test_failure(void **state) {
    (void)state;
    static struct failures cases[] = {
        {.at = {{0, 0, 0}}, .count = 1},
        {.at = {{1, 17, 0}}, .count = 1},
        {.at = {{0, 39, 0}}, .count = 1},
        {.at = {{1, 12, 0}, {0, 9, 20000}, {1, 15, 0}}, .count = 3}, /* the lowest comes last */
        {.at = {{1, 9, 0}, {0, 10, 20000}, {0, 9, 20000}}, .count = 3},
    };
    static const unsigned lowest[] = {0, 17, 39, 9, 9}, side[] = {0, 1, 0, 0, 0};
    for (size_t i = 0; i < LENGTH(cases); i++)
        for (unsigned threads = 1; threads <= 8; threads += threads < 2 ? 1 : 6) {
            vqx_context *c = pairs_context(&small, all, &(vqx_config){.threads = threads});
            pairs p;
            assert_int_equal(pairs_open(&p, &small, vqx_planes(c), fail_there, &cases[i]), 0);
            char line[64];
            snprintf(line, sizeof(line), "frame %u: %s: picture %u", lowest[i], side[i] ? "distorted" : "reference", lowest[i]);
            int err = 0;
            for (uint64_t n = 0; n < 40 && err == 0; n++) {
                err = pairs_submit(&p, c, n);
                if (err < 0) { /* of a failed picture before; perhaps not the one that will count */
                    assert_int_equal(err, -EIO);
                    assert_memory_equal(vqx_message(c), "frame ", 6);
                }
            }
            for (int again = 0; again < 2; again++) {
                assert_int_equal(vqx_finish(c), -EIO);
                assert_string_equal(vqx_message(c), line);
            }
            assert_int_equal(vqx_frame_count(c), lowest[i]);
            pairs_check(c, &small, all, 1, lowest[i]);
            vqx_close(&c);
            pairs_close(&p);
        }
}

/* Pairs before the failed one are taken whenever they come, so that the result is the same whatever the order and the timing. */
static void test_failure_any_order(void **state) {
    (void)state;
    enum { COUNT = 60 };
    uint64_t index[COUNT];
    for (unsigned round = 0; round < 12; round++) {
        struct failures f = {.at = {{1, 50, 0}, {0, 20, round * 100}, {1, 30, 0}, {1, 21, 0}}, .count = 4};
        vqx_context *c = pairs_context(&small, all, &(vqx_config){.threads = 1 + round % 4});
        pairs p;
        assert_int_equal(pairs_open(&p, &small, vqx_planes(c), fail_there, &f), 0);
        shuffled(index, COUNT, round);
        const int err = submit_from_threads(c, &p, index, COUNT);
        assert_true(err == 0 || err == -EIO);
        assert_int_equal(vqx_finish(c), -EIO);
        assert_string_equal(vqx_message(c), "frame 20: reference: picture 20");
        assert_int_equal(vqx_frame_count(c), 20);
        pairs_check(c, &small, all, 1, 20);
        vqx_close(&c);
        pairs_close(&p);
    }
    /* one by one: 30 has failed before anything else comes */
    struct failures f = {.at = {{0, 30, 0}, {1, 20, 0}}, .count = 2};
    vqx_context *c = pairs_context(&small, all, &(vqx_config){.threads = 2});
    pairs p;
    assert_int_equal(pairs_open(&p, &small, vqx_planes(c), fail_there, &f), 0);
    assert_int_equal(pairs_submit(&p, c, 30), 0);
    int err = 0;
    for (uint64_t i = 31; err == 0; i++)
        err = pairs_submit(&p, c, i);
    assert_int_equal(err, -EIO);
    assert_string_equal(vqx_message(c), "frame 30: reference: picture 30");
    assert_int_equal(pairs_submit(&p, c, 30), -EEXIST);
    for (uint64_t i = 21; i-- > 0;)
        assert_int_equal(pairs_submit(&p, c, i), 0);
    assert_int_equal(vqx_finish(c), -EIO);
    assert_string_equal(vqx_message(c), "frame 20: distorted: picture 20");
    pairs_check(c, &small, all, 1, 20);
    vqx_close(&c);
    pairs_close(&p);
}

/* ---- memory and references --------------------------------------------------------------------------------------------- */

static int slow(void *cookie, unsigned side, uint64_t position) {
    (void)side;
    (void)position;
    usleep(2000);
    atomic_fetch_add((atomic_int *)cookie, 1);
    return 0;
}

/* Closing without the end: what is queued still runs, every reference goes. */
static void test_close(void **state) {
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads++) {
        atomic_int filled = 0;
        vqx_context *c = pairs_context(&small, all, &(vqx_config){.threads = threads});
        pairs p;
        assert_int_equal(pairs_open(&p, &small, vqx_planes(c), slow, &filled), 0);
        atomic_int released = 0;
        for (uint64_t i = 0; i < 6; i++) {
            vqx_frame *lazy;
            assert_int_equal(pairs_frame(&p, 0, i, &lazy), 0);
            assert_int_equal(vqx_submit(c, i, lazy, pairs_wrapped(&small, 7, &released)), 0);
        }
        vqx_close(&c);
        assert_int_equal(released, 6);
        assert_int_equal(filled, 6);
        pairs_close(&p);
    }
    vqx_context *c;
    assert_int_equal(vqx_open(&c, NULL), 0);
    assert_int_equal(vqx_add_feature(c, "psnr"), 0);
    vqx_close(&c);
}

struct alive {
    pthread_mutex_t lock;
    unsigned filling, most;
    const uint8_t *piece[64];
    unsigned pieces;
};

static int watch(void *source, uint64_t position, uint8_t *const data[VQX_MAX_PLANES], const ptrdiff_t stride[VQX_MAX_PLANES],
                 char *message, size_t size) {
    struct alive *a = source;
    (void)position;
    (void)message;
    (void)size;
    pthread_mutex_lock(&a->lock);
    a->filling++;
    a->most = a->filling > a->most ? a->filling : a->most;
    unsigned i = 0;
    while (i < a->pieces && a->piece[i] != data[0])
        i++;
    if (i == a->pieces && i < LENGTH(a->piece))
        a->piece[a->pieces++] = data[0];
    pthread_mutex_unlock(&a->lock);
    for (uint32_t y = 0; y < small.height; y++)
        memset(data[0] + y * stride[0], 0, small.width * 2);
    usleep(500);
    pthread_mutex_lock(&a->lock);
    a->filling--;
    pthread_mutex_unlock(&a->lock);
    return 0;
}

/* A submitter that is faster than the workers waits: one pair for each worker is being scored, one is queued. Lazy pictures have
 * memory only while they are being scored. */
static void test_bounded(void **state) {
    (void)state;
    static const char *const features[] = {"float_moment", NULL};
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct alive alive = {.lock = PTHREAD_MUTEX_INITIALIZER};
        vqx_context *c = pairs_context(&small, features, &(vqx_config){.threads = threads});
        vqx_pool *pool;
        assert_int_equal(vqx_pool_open(&pool, &small, 1), 0);
        atomic_int released = 0;
        int most = 0;
        for (int i = 0; i < 300; i++) {
            vqx_frame *lazy;
            assert_int_equal(vqx_pool_frame(pool, &lazy, watch, &alive, 0), 0);
            assert_int_equal(vqx_submit(c, (uint64_t)i, lazy, pairs_wrapped(&small, 7, &released)), 0);
            const int now = i + 1 - released;
            most = now > most ? now : most;
        }
        vqx_pool_close(&pool);
        assert_int_equal(vqx_finish(c), 0);
        assert_int_equal(released, 300);
        assert_in_range(most, 1, 2 * threads);
        assert_in_range(alive.most, 1, threads);
        assert_in_range(alive.pieces, 1, threads);
        vqx_close(&c);
    }
}

static int count_calls(void *cookie, unsigned side, uint64_t position) {
    atomic_int(*calls)[2] = cookie;
    (void)position;
    atomic_fetch_add(&(*calls)[side], 1);
    return 0;
}

/* One lazy picture in many pairs is made once. */
static void test_shared_frame(void **state) {
    (void)state;
    atomic_int calls[2] = {0, 0};
    vqx_context *c = pairs_context(&small, all, &(vqx_config){.threads = 4});
    pairs p;
    vqx_frame *shared, *own;
    double first, score;
    assert_int_equal(pairs_open(&p, &small, vqx_planes(c), count_calls, &calls), 0);
    assert_int_equal(pairs_frame(&p, 0, 7, &shared), 0);
    for (uint64_t i = 0; i < 50; i++) {
        assert_int_equal(pairs_frame(&p, 1, i, &own), 0);
        assert_int_equal(vqx_submit(c, i, vqx_frame_ref(shared), own), 0);
    }
    vqx_frame_unref(&shared);
    assert_int_equal(vqx_finish(c), 0);
    assert_int_equal(calls[0], 1);
    assert_int_equal(calls[1], 50);
    size_t moment = 0;
    while (strcmp(vqx_output_name(c, moment), "float_moment_ref1st") != 0)
        moment++;
    assert_int_equal(vqx_score(c, moment, 0, &first), 0);
    for (uint64_t i = 1; i < 50; i++) {
        assert_int_equal(vqx_score(c, moment, i, &score), 0);
        assert_true(score == first);
    }
    vqx_close(&c);
    pairs_close(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),         cmocka_unit_test(test_order_metrics), cmocka_unit_test(test_split),
        cmocka_unit_test(test_spread_at_end), cmocka_unit_test(test_failure),       cmocka_unit_test(test_failure_any_order),
        cmocka_unit_test(test_close),         cmocka_unit_test(test_bounded),       cmocka_unit_test(test_shared_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
