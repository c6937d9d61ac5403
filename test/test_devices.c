/* Scoring on devices, with a back end that runs the kernels on the processor and fails when it is told to: choice of devices, the
 * same scores, audit, faults in the middle, memory of pools, stages. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/work.h"
#include "test/pairs.h"

static const vqx_format small = {35, 21, VQX_CHROMA_420, 10};
static const char *const all[] = {"psnr=enable_mse=true:enable_apsnr=true", "float_moment", "float_psnr", NULL};

/* ---- a back end with faults ---------------------------------------------------------------------------------------------- */

enum { DEVICES = 3 };
static bool is_gpu, refuses;                   /* what list() says, whether open() fails */
static atomic_int launches, downloads, opened; /* since reset() */
static int fail_launch, fail_alloc, flip;      /* the n-th from 1 on; 0: none */
static int drop, drops;                        /* from the n-th launch on that many do nothing */
static _Thread_local int allocations;
static _Atomic(const void *) uploaded; /* the last source */
static atomic_int host_blocks;         /* alive */
static atomic_int uploads, most_sets;  /* since reset() */

static void reset(void) {
    is_gpu = refuses = false;
    fail_launch = fail_alloc = flip = drop = drops = 0;
    allocations = 0;
    atomic_store(&launches, 0);
    atomic_store(&downloads, 0);
    atomic_store(&uploads, 0);
    atomic_store(&most_sets, 0);
    atomic_store(&opened, 0);
    unsetenv("VQX_NO_FP64");
}

static unsigned fake_list(vqx_device_state *state, unsigned most, vqx_message_text *message) {
    (void)message;
    for (unsigned i = 0; i < DEVICES && i < most; i++) {
        state[i] = (vqx_device_state){.gpu = is_gpu};
        strcpy(state[i].name, i == 2 ? "broken" : "fake");
        strcpy(state[i].why, i == 2 ? "it has no arithmetic" : "");
    }
    return DEVICES;
}

static int fake_open(vqx_device **device, unsigned number, bool fp64, bool profile, vqx_message_text *message) {
    if (refuses || number == 2)
        return vqx_fail(message, -ENODEV, number == 2 ? "it has no arithmetic" : "divides badly");
    const int err = vqx_backend_cpu_kernels.open(device, 0, fp64, profile, message);
    if (err < 0)
        return err;
    extern const vqx_backend fake_backend;
    (*device)->backend = &fake_backend;
    (*device)->number = number;
    strcpy((*device)->name, (*device)->fp64 ? "fake" : "fake without fp64");
    atomic_fetch_add(&opened, 1);
    return 0;
}

static void fake_close(vqx_device *device) {
    atomic_fetch_sub(&opened, 1);
    vqx_backend_cpu_kernels.close(device);
}

static int fake_prepare(vqx_device *device, uint32_t programs, vqx_message_text *message) {
    return vqx_backend_cpu_kernels.prepare(device, programs, message);
}
static int fake_queue_open(vqx_queue **queue, vqx_device *device, vqx_message_text *message) {
    return vqx_backend_cpu_kernels.queue_open(queue, device, message);
}
static void fake_queue_close(vqx_queue *queue) {
    vqx_backend_cpu_kernels.queue_close(queue);
}
static int fake_alloc(vqx_buffer *buffer, vqx_device *device, size_t bytes, vqx_message_text *message) {
    if (fail_alloc && ++allocations == fail_alloc)
        return vqx_fail(message, -ENODEV, "out of device memory for %zu bytes", bytes);
    return vqx_backend_cpu_kernels.alloc(buffer, device, bytes, message);
}
static void fake_free(vqx_device *device, vqx_buffer buffer) {
    vqx_backend_cpu_kernels.free(device, buffer);
}
static int fake_host_alloc(void **memory, void **handle, vqx_device *device, size_t bytes, vqx_message_text *message) {
    const int err = vqx_backend_cpu_kernels.host_alloc(memory, handle, device, bytes, message);
    atomic_fetch_add(&host_blocks, err == 0);
    return err;
}
static void fake_host_free(vqx_device *device, void *memory, void *handle) {
    assert_true(atomic_load(&opened) > 0); /* the device outlives its memory */
    atomic_fetch_sub(&host_blocks, 1);
    vqx_backend_cpu_kernels.host_free(device, memory, handle);
}
static int fake_upload(vqx_queue *queue, vqx_buffer to, const void *from, size_t bytes, vqx_message_text *message) {
    atomic_store(&uploaded, from);
    atomic_fetch_add(&uploads, 1);
    return vqx_backend_cpu_kernels.upload(queue, to, from, bytes, message);
}
static int fake_download(vqx_queue *queue, void *to, vqx_buffer from, size_t bytes, vqx_message_text *message) {
    const int err = vqx_backend_cpu_kernels.download(queue, to, from, bytes, message);
    if (atomic_fetch_add(&downloads, 1) + 1 == flip)
        *(uint64_t *)to ^= 1;
    return err;
}
static int fake_copy(vqx_queue *queue, vqx_buffer to, vqx_buffer from, size_t bytes, vqx_message_text *message) {
    return vqx_backend_cpu_kernels.copy(queue, to, from, bytes, message);
}
static int fake_launch(vqx_queue *queue, unsigned kernel, uint32_t gx, uint32_t gy, unsigned sets, const void *arguments,
                       vqx_message_text *message) {
    if ((int)sets > atomic_load(&most_sets)) /* tests with batches have one worker */
        atomic_store(&most_sets, (int)sets);
    const int launch = atomic_fetch_add(&launches, 1) + 1;
    if (launch == fail_launch)
        return vqx_fail(message, -ENODEV, "fakeLaunch: FAKE_LOST");
    if (drop && launch >= drop && launch < drop + drops)
        return 0;
    return vqx_backend_cpu_kernels.launch(queue, kernel, gx, gy, sets, arguments, message);
}
static int fake_wait(vqx_queue *queue, vqx_message_text *message) {
    return vqx_backend_cpu_kernels.wait(queue, message);
}
static void fake_times(const vqx_queue *queue, vqx_times *times) {
    vqx_backend_cpu_kernels.times(queue, times);
}

const vqx_backend fake_backend = {
    .name = "fake",
    .loses = true,
    .list = fake_list,
    .open = fake_open,
    .close = fake_close,
    .prepare = fake_prepare,
    .queue_open = fake_queue_open,
    .queue_close = fake_queue_close,
    .alloc = fake_alloc,
    .free = fake_free,
    .host_alloc = fake_host_alloc,
    .host_free = fake_host_free,
    .upload = fake_upload,
    .download = fake_download,
    .copy = fake_copy,
    .launch = fake_launch,
    .wait = fake_wait,
    .times = fake_times,
};

static unsigned none_list(vqx_device_state *state, unsigned most, vqx_message_text *message) {
    (void)state, (void)most;
    vqx_fail(message, 0, "libnone.so.1: no such file");
    return 0;
}
static const vqx_backend none_backend = {.name = "none", .list = none_list};

/* instead of those of the library */
const vqx_backend *const vqx_backends[] = {&none_backend, &fake_backend, NULL};

/* ---- runs ---------------------------------------------------------------------------------------------------------------- */

/* A context with all features; the result of its start. */
static int open_context(vqx_context **context, const vqx_config *config) {
    assert_int_equal(vqx_open(context, config), 0);
    for (size_t i = 0; all[i]; i++)
        assert_int_equal(vqx_add_feature(*context, all[i]), 0);
    return vqx_start(*context, &small);
}

/* Submits pairs until one is refused; what vqx_finish() returns. */
static int score(vqx_context *context, uint64_t count) {
    pairs p;
    assert_int_equal(pairs_open(&p, &small, vqx_planes(context), NULL, NULL), 0);
    for (uint64_t i = 0; i < count && pairs_submit(&p, context, i) == 0; i++)
        continue;
    const int err = vqx_finish(context);
    pairs_close(&p);
    return err;
}

static void same_scores(void **state) {
    (void)state;
    static const struct {
        const char *device;
        unsigned threads, subsample;
        uint32_t flags, audit;
    } cases[] = {{NULL, 1, 1, 0, 0},
                 {"0", 3, 1, VQX_DEVICE_ORDERED, 0},
                 {"0,1", 5, 3, 0, 0},
                 {"1", 2, 1, VQX_DEVICE_NO_FP64 | VQX_DEVICE_PROFILE, 1},
                 {"0", 4, 2, 0, 3}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        reset();
        const vqx_config config = {.backend = "fake",
                                   .device = cases[i].device,
                                   .threads = cases[i].threads,
                                   .subsample = cases[i].subsample,
                                   .device_flags = cases[i].flags,
                                   .audit = cases[i].audit};
        vqx_context *c;
        vqx_stages stages;
        assert_int_equal(open_context(&c, &config), 0);
        assert_string_equal(vqx_backend_used(c), "fake");
        assert_int_equal(score(c, 20), 0);
        assert_true(atomic_load(&launches) > 0);
        pairs_check(c, &small, all, cases[i].subsample, 20);
        vqx_stage_times(c, &stages);
        /* psnr's aggregate needs every frame */
        assert_int_equal(stages.bytes_up >= 20 * 2 * (35 * 21 + 2 * 18 * 11) * 2, 1);
        assert_int_equal(stages.finish > 0, (cases[i].flags & VQX_DEVICE_PROFILE) != 0);
        vqx_close(&c);
        assert_int_equal(atomic_load(&opened), 0);
    }
}

static void refused(const vqx_config *config, int err, const char *line) {
    vqx_context *c;
    assert_int_equal(open_context(&c, config), err);
    assert_string_equal(vqx_message(c), line);
    vqx_close(&c);
    assert_int_equal(atomic_load(&opened), 0);
}

static void choice(void **state) {
    (void)state;
    reset();
    refused(&(vqx_config){.backend = "tpu"}, -ENODEV, "back end 'tpu' is not part of this build");
    refused(&(vqx_config){.backend = "none"}, -ENODEV, "none: libnone.so.1: no such file");
    refused(&(vqx_config){.backend = "cpu", .device = "1"}, -ENODEV, "cpu has no device '1'");
    refused(&(vqx_config){.backend = "fake", .device = "3"}, -ENODEV, "fake has no device 3 (see vqx devices)");
    refused(&(vqx_config){.backend = "fake", .device = "0,2"}, -ENODEV, "fake 2: it has no arithmetic");
    refused(&(vqx_config){.backend = "fake", .device = "all"}, -ENODEV, "fake 2: it has no arithmetic");
    refused(&(vqx_config){.backend = "fake", .device = "0,0"}, -EINVAL, "device 0 is listed twice");
    static const char *const bad[] = {"", "0,", ",0", "x", "-1", "0 ", "1;2", "99999999999999999999"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        vqx_context *c;
        assert_true(open_context(&c, &(vqx_config){.backend = "fake", .device = bad[i]}) < 0);
        assert_non_null(strstr(vqx_message(c), i == 7 ? "no device" : "is not a list of devices"));
        vqx_close(&c);
    }
    refuses = true;
    refused(&(vqx_config){.backend = "fake"}, -ENODEV, "fake 0: divides badly");
    reset();
    fail_alloc = 5;
    refused(&(vqx_config){.backend = "fake", .threads = 4}, -ENODEV, "fake 0: out of device memory for 2368 bytes");
}

static void used(const vqx_config *config, const char *backend, const char *device) {
    vqx_context *c;
    assert_int_equal(open_context(&c, config), 0);
    assert_string_equal(vqx_backend_used(c), backend);
    assert_string_equal(vqx_device_used(c), device);
    assert_int_equal(score(c, 3), 0);
    pairs_check(c, &small, all, 1, 3);
    vqx_close(&c);
}

static void keep_warning(void *cookie, vqx_log_level level, const char *line) {
    if (level == VQX_LOG_WARNING)
        vqx_fail(cookie, 0, "%s", line);
}

/* What cannot be used is said, and left out. */
static void automatic(void **state) {
    (void)state;
    reset();
    used(&(vqx_config){.backend = "auto"}, "cpu", ""); /* a device that is no better than the processor */
    is_gpu = true;
    used(&(vqx_config){.backend = "auto"}, "fake", "fake");
    used(&(vqx_config){.backend = "auto", .device = "0,1"}, "fake", "fake and 1 more");
    setenv("VQX_NO_FP64", "1", 1);
    used(&(vqx_config){.backend = "auto"}, "fake", "fake without fp64");
    refuses = true;
    vqx_message_text warning = {""};
    used(&(vqx_config){.backend = "auto", .log = keep_warning, .log_cookie = &warning}, "cpu", "");
    assert_string_equal(warning.text, "fake 1: divides badly");
    used(&(vqx_config){0}, "cpu", "");
}

/* A launch of frame 7 fails: it is named, what was before it stays, nothing behind it is taken. */
static void lost(void **state) {
    (void)state;
    vqx_context *c;
    reset();
    assert_int_equal(open_context(&c, &(vqx_config){.backend = "fake", .threads = 1, .batch = 1}), 0);
    assert_int_equal(score(c, 7), 0);
    const int of_seven = atomic_load(&launches);
    vqx_close(&c);
    for (int launch = 1; launch <= of_seven / 7; launch++) {
        reset();
        fail_launch = of_seven + launch;
        assert_int_equal(open_context(&c, &(vqx_config){.backend = "fake", .threads = 1, .batch = 1}), 0);
        assert_int_equal(score(c, 20), -ENODEV);
        assert_string_equal(vqx_message(c), "frame 7: fake: fakeLaunch: FAKE_LOST");
        assert_int_equal(vqx_frame_count(c), 7);
        vqx_close(&c);
        assert_int_equal(atomic_load(&opened), 0);
    }
}

/* Launches that do nothing and say nothing: a result that nobody wrote is made again, once. */
static void dropped(void **state) {
    (void)state;
    static const char *const one[] = {"float_moment", NULL};
    const vqx_config config = {.backend = "fake", .threads = 1, .batch = 1};
    reset();
    vqx_context *c = pairs_context(&small, one, &config);
    assert_int_equal(score(c, 7), 0);
    const int of_seven = atomic_load(&launches);
    vqx_close(&c);
    for (int always = 0; always < 2; always++) {
        reset();
        drop = of_seven + of_seven / 7; /* the last one of frame 7 */
        drops = always ? 1000 : 1;
        c = pairs_context(&small, one, &config);
        assert_int_equal(score(c, 20), always ? -EBADMSG : 0);
        if (always) {
            assert_string_equal(vqx_message(c), "frame 7: fake: its result was not written, twice: the device loses launches");
            assert_int_equal(vqx_frame_count(c), 7);
        } else {
            pairs_check(c, &small, one, 1, 20);
            assert_int_equal(atomic_load(&launches), 21 * of_seven / 7);
        }
        vqx_close(&c);
    }
}

/* ---- pairs side by side -------------------------------------------------------------------------------------------------- */

/* The first picture waits until all pairs that find room were submitted, so that the worker takes all the others at once. */
typedef struct gate {
    atomic_bool reached, open;
    uint64_t fails; /* the picture that does */
} gate;

static int pass_gate(void *cookie, unsigned side, uint64_t position) {
    gate *g = cookie;
    atomic_store(&g->reached, true);
    while (!atomic_load(&g->open))
        usleep(1000);
    return side == 1 && position == g->fails ? -EIO : 0;
}

/* Scores 1 + BATCH pairs, of which the last BATCH are a batch; what vqx_finish() returns. */
enum { BATCH = VQX_MAX_BATCH };
static int score_batch(vqx_context *c, uint64_t fails) {
    gate g = {.fails = fails};
    pairs p;
    assert_int_equal(pairs_open(&p, &small, vqx_planes(c), pass_gate, &g), 0);
    for (uint64_t i = 0; i < 1 + BATCH; i++) {
        assert_int_equal(pairs_submit(&p, c, i), 0);
        while (!atomic_load(&g.reached))
            usleep(1000);
    }
    atomic_store(&g.open, true);
    const int err = vqx_finish(c);
    pairs_close(&p);
    return err;
}

/* The same scores, whatever launches the pairs of a batch have in common; features may leave some of them out. */
static void batch(void **state) {
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        const vqx_config config = {.backend = "fake",
                                   .threads = 1,
                                   .batch = BATCH,
                                   .subsample = i % 3 ? i % 3 + 1 : 1,
                                   .device_flags = i < 3 ? VQX_DEVICE_PROFILE : VQX_DEVICE_ORDERED,
                                   .audit = i & 1};
        vqx_context *c;
        reset();
        assert_int_equal(open_context(&c, &config), 0);
        assert_int_equal(score_batch(c, UINT64_MAX), 0);
        /* raster order wants more memory than the first pass: what was held back then goes first, on its own */
        assert_true(atomic_load(&most_sets) == BATCH || (i >= 3 && atomic_load(&most_sets) > 1));
        pairs_check(c, &small, all, config.subsample, 1 + BATCH);
        vqx_close(&c);
        assert_int_equal(atomic_load(&opened), 0);
    }
    refused(&(vqx_config){.backend = "fake", .batch = BATCH + 1}, -EINVAL, "a batch of 9 frames: at most 8");
}

/* Launches are shared when kernel and size are the same, and stay in the order of each slot. */
static void sharing(void **state) {
    (void)state;
    enum { WORKS = 3, PARTS = 5, COLUMNS = 2 };
    static const uint64_t part[WORKS][PARTS][COLUMNS] = {
        {{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}}, {{11, 12}, {13}}, {{14}, {0, 15}}};
    static const uint64_t expected[] = {25, 25, 30, 24, 12, 14};
    vqx_message_text message;
    vqx_device *device;
    vqx_work *work[WORKS] = {NULL};
    reset();
    assert_int_equal(fake_backend.open(&device, 0, true, false, &message), 0);
    for (size_t i = 0; i < WORKS; i++) {
        assert_int_equal(i ? vqx_work_open_beside(&work[i], work[0], &small, 0, &message)
                           : vqx_work_open(&work[0], device, &small, 0, &message),
                         0);
        work[i]->hold = true;
        /* one column, both, or one after the other */
        vqx_buffer parts = vqx_work_table(work[i], VQX_SCRATCH_TABLE, part[i], sizeof(part[i]));
        if (i != 1)
            vqx_run_sum_u64(work[i], 1, 1, parts, 0, PARTS, COLUMNS, work[i]->result, i ? 5 : 0);
        if (i != 2)
            vqx_run_sum_u64(work[i], 2, 1, parts, 0, PARTS, COLUMNS, work[i]->result, i ? 3 : 1);
    }
    vqx_work_release(work, WORKS);
    assert_int_equal(vqx_work_wait(work[0], 6), 0);
    assert_memory_equal(work[0]->words, expected, sizeof(expected));
    assert_int_equal(atomic_load(&launches), 2);
    /* memory that a launch still needs is asked for again, larger */
    vqx_buffer parts = vqx_work_scratch(work[0], 0, sizeof(part[0]));
    assert_int_equal(fake_backend.upload(work[0]->queue, parts, part[0], sizeof(part[0]), &message), 0);
    vqx_run_sum_u64(work[0], 2, 1, parts, 0, PARTS, COLUMNS, work[0]->result, 6);
    assert_non_null(vqx_work_scratch(work[0], 0, 1000 * sizeof(part[0])));
    vqx_work_release(work, 1);
    assert_int_equal(vqx_work_wait(work[0], 8), 0);
    assert_memory_equal(work[0]->words + 6, expected + 1, 2 * sizeof(*expected));
    for (size_t i = WORKS; i-- > 0;)
        vqx_work_close(&work[i]);
    fake_backend.close(device);
}

/* A picture of a batch that fails costs its own pair only; a launch that does, the batch. */
static void batch_faults(void **state) {
    (void)state;
    const vqx_config config = {.backend = "fake", .threads = 1, .batch = BATCH};
    vqx_context *c;
    reset();
    assert_int_equal(open_context(&c, &config), 0);
    assert_int_equal(score_batch(c, 5), -EIO);
    assert_string_equal(vqx_message(c), "frame 5: distorted: picture 5");
    assert_int_equal(vqx_finished(c), BATCH);
    pairs_check(c, &small, all, 1, 5);
    vqx_close(&c);

    reset();
    assert_int_equal(open_context(&c, &config), 0);
    assert_int_equal(score(c, 1), 0);
    const int of_one = atomic_load(&launches);
    vqx_close(&c);
    for (int launch = 1; launch <= of_one; launch++) {
        reset();
        fail_launch = of_one + launch;
        assert_int_equal(open_context(&c, &config), 0);
        assert_int_equal(score_batch(c, UINT64_MAX), -ENODEV);
        assert_string_equal(vqx_message(c), "frame 1: fake: fakeLaunch: FAKE_LOST");
        assert_int_equal(vqx_frame_count(c), 1);
        vqx_close(&c);
        assert_int_equal(atomic_load(&opened), 0);
    }
}

static void audit(void **state) {
    (void)state;
    vqx_context *c;
    reset();
    flip = 5;
    assert_int_equal(open_context(&c, &(vqx_config){.backend = "fake", .threads = 1, .batch = 1, .audit = 2}), 0);
    assert_int_equal(score(c, 20), -EBADMSG);
    assert_memory_equal(vqx_message(c), "frame 4: audit: psnr_y of fake is ", 34);
    assert_non_null(strstr(vqx_message(c), ", of the CPU "));
    assert_int_equal(vqx_frame_count(c), 4);
    vqx_close(&c);
    /* a frame that the audit does not look at */
    reset();
    flip = 5;
    assert_int_equal(open_context(&c, &(vqx_config){.backend = "fake", .threads = 1, .batch = 1, .audit = 3}), 0);
    assert_int_equal(score(c, 6), 0);
    assert_int_equal(vqx_frame_count(c), 6);
    vqx_close(&c);
}

/* Frames of the device's memory go up from where they are, others from a copy; a pool may outlive the context. */
static void memory(void **state) {
    (void)state;
    for (int own = 0; own < 2; own++) {
        vqx_context *c;
        vqx_pool *pool;
        vqx_frame *frame[2];
        const void *data[2];
        reset();
        assert_int_equal(open_context(&c, &(vqx_config){.backend = "fake", .threads = 1}), 0);
        if (own)
            assert_int_equal(vqx_pool_open_for(&pool, c), 0);
        else
            assert_int_equal(vqx_pool_open(&pool, &small, vqx_planes(c)), 0);
        for (int s = 0; s < 2; s++) {
            assert_int_equal(vqx_pool_frame(pool, &frame[s], NULL, NULL, 0), 0);
            data[s] = vqx_frame_data(frame[s], 0, NULL); /* the planes behind it go up with it */
            for (unsigned p = 0; p < 3; p++) {
                uint32_t h;
                ptrdiff_t stride;
                vqx_format_plane_size(&small, p, NULL, &h);
                memset(vqx_frame_data(frame[s], p, &stride), 0, 35);
                memset(vqx_frame_data(frame[s], p, &stride), s + 1, (size_t)stride * h);
            }
        }
        atomic_store(&uploads, 0);
        assert_int_equal(vqx_submit(c, 0, frame[0], frame[1]), 0);
        assert_int_equal(vqx_finish(c), 0);
        assert_int_equal(atomic_load(&uploaded) == data[1], own);
        assert_int_equal(atomic_load(&uploads), 2);
        vqx_close(&c);
        assert_int_equal(atomic_load(&opened), own);
        vqx_pool_close(&pool);
        assert_int_equal(atomic_load(&opened), 0);
        assert_int_equal(atomic_load(&host_blocks), 0);
    }
}

/* Small frames of the device's memory are taken 16 at once, and lie beside each other. */
static void blocks(void **state) {
    (void)state;
    enum { FRAMES = 17 };
    vqx_context *c;
    vqx_pool *pool;
    vqx_frame *frame[FRAMES];
    const size_t last = 18 * 11 * 2; /* bytes of small's third plane */
    reset();
    assert_int_equal(open_context(&c, &(vqx_config){.backend = "fake", .threads = 1}), 0);
    assert_int_equal(vqx_pool_open_for(&pool, c), 0);
    const int before = atomic_load(&host_blocks);
    for (int i = 0; i < FRAMES; i++) {
        assert_int_equal(vqx_pool_frame(pool, &frame[i], NULL, NULL, 0), 0);
        memset(vqx_frame_data(frame[i], 0, NULL), i, 1);
        memset(vqx_frame_data(frame[i], 2, NULL), i, last);
    }
    assert_int_equal(atomic_load(&host_blocks), before + 2);
    for (int i = 0; i < FRAMES; i++) {
        assert_int_equal(*(uint8_t *)vqx_frame_data(frame[i], 0, NULL), i);
        for (size_t at = 0; at < last; at++)
            assert_int_equal(((uint8_t *)vqx_frame_data(frame[i], 2, NULL))[at], i);
    }
    vqx_close(&c);
    for (int i = FRAMES; i-- > 0;)
        vqx_frame_unref(&frame[i]);
    vqx_pool_close(&pool);
    assert_int_equal(atomic_load(&host_blocks), 0);
}

static void list(void **state) {
    (void)state;
    vqx_device_info info[8];
    reset();
    assert_int_equal(vqx_device_list(info, 8), 5);
    assert_int_equal(vqx_device_list(info, 1), 5);
    assert_string_equal(info[0].backend, "cpu");
    assert_int_equal(info[0].usable, 1);
    assert_string_equal(info[1].backend, "none");
    assert_int_equal(info[1].number, VQX_NO_DEVICE);
    assert_int_equal(info[1].usable, 0);
    assert_string_equal(info[1].why, "libnone.so.1: no such file");
    assert_int_equal(info[3].number, 1);
    assert_int_equal(info[3].usable, 1);
    assert_string_equal(info[4].name, "broken");
    assert_string_equal(info[4].why, "it has no arithmetic");
    refuses = true;
    vqx_device_list(info, 8);
    assert_string_equal(info[2].why, "divides badly");
    assert_int_equal(info[2].usable, 0);
    assert_int_equal(atomic_load(&opened), 0);
}

static void rates(void **state) {
    (void)state;
    double upload, copy;
    char message[256];
    reset();
    assert_int_equal(vqx_device_rates("fake", 1, &upload, &copy, message, sizeof(message)), 0);
    assert_true(upload > 0 && copy > 0);
    assert_int_equal(vqx_device_rates("tpu", 0, &upload, &copy, message, sizeof(message)), -EINVAL);
    assert_int_equal(vqx_device_rates("fake", 2, &upload, &copy, message, sizeof(message)), -ENODEV);
    assert_string_equal(message, "fake 2: it has no arithmetic");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_scores), cmocka_unit_test(choice), cmocka_unit_test(automatic), cmocka_unit_test(lost),
        cmocka_unit_test(dropped),     cmocka_unit_test(batch),  cmocka_unit_test(sharing),   cmocka_unit_test(batch_faults),
        cmocka_unit_test(audit),       cmocka_unit_test(memory), cmocka_unit_test(blocks),    cmocka_unit_test(list),
        cmocka_unit_test(rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
