/* The program from end to end: what good command lines give. test_cli_errors.c has the others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/cli_run.h"
#include "test/vectors.h"

#define RAW "-r ref.yuv -d dis.yuv %s -n " /* takes geometry() */
#define Y4M "-r ref.y4m -d dis.y4m -n "

/* ---- input --------------------------------------------------------------------------------------------------------- */

/* Every depth and chroma format, raw and y4m, against loops of our own. */
static void test_formats(void **state) {
    (void)state;
    static const uint32_t depths[] = {8, 10, 12, 16}, sizes[][2] = {{66, 50}, {7, 5}, {1, 1}, {130, 3}};
    for (unsigned chroma = 0; chroma < 4; chroma++)
        for (unsigned d = 0; d < LENGTH(depths); d++)
            for (unsigned s = 0; s < LENGTH(sizes); s++) {
                struct pair p = make_pair(sizes[s][0], sizes[s][1], (vqx_chroma)chroma, depths[d], 3, 3);
                json_t *raw = scores(NULL, RAW ALL_FEATURES, geometry(&p.ref.format)), *y4m = scores(NULL, Y4M ALL_FEATURES);
                assert_int_equal(json_array_size(json_object_get(raw, "frames")), 3);
                for (unsigned i = 0; i < 3; i++) {
                    assert_int_equal(frame_number(raw, i), i);
                    assert_frame(raw, i, &p.ref, i, &p.dis, i);
                }
                assert_same_scores(raw, y4m, geometry(&p.ref.format));
                uint64_t error = 0, samples, all = 0;
                for (unsigned i = 0; i < 3; i++, all += samples)
                    error += squared_error(&p.ref, i, &p.dis, i, 0, &samples);
                assert_bits(aggregate_value(raw, "apsnr_y"), stream_decibel(depths[d], error, all), "apsnr_y");
                json_decref(raw);
                json_decref(y4m);
                free_pair(&p);
            }
}

/* A file, a FIFO, a pipe and a redirected file give the same, on either side, raw and y4m. */
static void test_ways(void **state) {
    (void)state;
    struct pair p = make_pair(66, 50, VQX_CHROMA_420, 10, 7, 7);
    struct bytes y4m[2] = {plain_y4m(&p.ref), plain_y4m(&p.dis)};
    const struct bytes *raw[2] = {&p.ref.samples, &p.dis.samples};
    json_t *expected = scores(NULL, Y4M ALL_FEATURES);
    for (unsigned way = 0; way < WAYS; way++)
        for (unsigned kind = 0; kind < 2; kind++)
            for (unsigned side = 0; side < 2; side++) {
                struct input in = {.chunk = 1000 + next_random() % 5000};
                offer(&in, (enum way)way, kind ? &y4m[side] : raw[side]);
                const char *other = kind ? side ? "ref.y4m" : "dis.y4m" : side ? "ref.yuv" : "dis.yuv";
                json_t *got = scores(NULL, "-%c %s -%c %s %s -n " ALL_FEATURES, side ? 'd' : 'r', in.path, side ? 'r' : 'd', other,
                                     kind ? "" : geometry(&p.ref.format));
                withdraw(&in);
                assert_same_scores(got, expected, other);
                json_decref(got);
            }
    /* a stream on each side; y4m beside raw */
    struct input fifo = {.chunk = 777}, pipe = {.chunk = 5555};
    offer(&fifo, BY_FIFO, &y4m[0]);
    offer(&pipe, BY_PIPED_STDIN, raw[1]);
    json_t *got = scores(NULL, "-r %s -d - %s -n " ALL_FEATURES, fifo.path, geometry(&p.ref.format));
    withdraw(&pipe);
    withdraw(&fifo);
    assert_same_scores(got, expected, "two streams");
    json_decref(got);
    json_decref(expected);
    free(y4m[0].data);
    free(y4m[1].data);
    free_pair(&p);
}

/* What usage.md says of y4m: sitings, mono, the alpha plane. */
static void test_y4m_tags(void **state) {
    (void)state;
    static const struct {
        const char *tag;
        vqx_chroma chroma;
        bool alpha;
    } tags[] = {{"", VQX_CHROMA_420, false},           {" C420jpeg", VQX_CHROMA_420, false}, {" C420mpeg2", VQX_CHROMA_420, false},
                {" C420paldv", VQX_CHROMA_420, false}, {" C422", VQX_CHROMA_422, false},     {" Cmono", VQX_CHROMA_400, false},
                {" C444alpha", VQX_CHROMA_444, true}};
    for (size_t t = 0; t < LENGTH(tags); t++) {
        struct clip side[2];
        for (unsigned s = 0; s < 2; s++) {
            char header[64];
            side[s] = make_clip(13, 9, tags[t].chroma, 8, 3, tags[t].alpha);
            snprintf(header, sizeof(header), "YUV4MPEG2 W13 H9 F25:1%s Xanything\n", tags[t].tag);
            struct bytes b = as_y4m(&side[s], header, "FRAME Ip Xfoo\n");
            put(s ? "dis.y4m" : "ref.y4m", b.data, b.size);
            free(b.data);
        }
        json_t *got = scores(NULL, Y4M ALL_FEATURES);
        for (unsigned i = 0; i < 3; i++)
            assert_frame(got, i, &side[0], i, &side[1], i);
        json_decref(got);
        free(side[0].samples.data);
        free(side[1].samples.data);
    }
}

/* ---- frames -------------------------------------------------------------------------------------------------------- */

static void test_frames(void **state) {
    (void)state;
    enum { REF = 11, DIS = 12 };
    static const struct {
        unsigned count, skip_ref, skip_dis, subsample;
    } ways[] = {{0, 0, 0, 0}, {0, 0, 0, 1},      {0, 0, 0, 2},  {0, 0, 0, 3}, {1, 0, 0, 0},
                {3, 0, 0, 0}, {99, 0, 0, 0},     {0, 2, 3, 0},  {0, 0, 5, 0}, {4, 7, 1, 0},
                {5, 3, 0, 2}, {0, 0, 0, 0xffff}, {0, 10, 0, 0}, {7, 1, 2, 3}, {10, 1, 2, 5}};
    struct pair p = make_pair(34, 18, VQX_CHROMA_422, 8, REF, DIS);
    for (size_t w = 0; w < LENGTH(ways); w++) {
        const unsigned ref = REF - ways[w].skip_ref, dis = DIS - ways[w].skip_dis, common = ref < dis ? ref : dis,
                       pairs = ways[w].count && ways[w].count < common ? ways[w].count : common,
                       step = ways[w].subsample ? ways[w].subsample : 1;
        const char *warning = ways[w].count && ways[w].count <= common ? NULL
                              : ref < dis                              ? "warning|ref.yuv has fewer frames than dis.yuv"
                              : dis < ref                              ? "warning|dis.yuv has fewer frames than ref.yuv"
                                                                       : NULL;
        json_t *got = scores(warning, RAW ALL_FEATURES " --frame_cnt %u --frame_skip_ref %u --frame_skip_dist %u --subsample %u",
                             geometry(&p.ref.format), ways[w].count, ways[w].skip_ref, ways[w].skip_dis, ways[w].subsample);
        const size_t listed = json_array_size(json_object_get(got, "frames"));
        assert_int_equal(listed, (pairs - 1) / step + 1);
        double sum = 0;
        for (unsigned i = 0; i < listed; i++) {
            const unsigned frame = i * step;
            assert_int_equal(frame_number(got, i), frame);
            assert_frame(got, i, &p.ref, frame + ways[w].skip_ref, &p.dis, frame + ways[w].skip_dis);
            sum += frame_value(got, i, "mse_y");
        }
        assert_bits(pooled_value(got, "mse_y", "mean"), sum / (double)listed, "mean");
        /* the stream's psnr is of all pairs, whatever is listed */
        uint64_t error = 0, samples = 0, all = 0;
        for (unsigned i = 0; i < pairs; i++, all += samples)
            error += squared_error(&p.ref, i + ways[w].skip_ref, &p.dis, i + ways[w].skip_dis, 1, &samples);
        assert_bits(aggregate_value(got, "apsnr_cb"), stream_decibel(8, error, all), "apsnr_cb");
        json_decref(got);
    }
    free_pair(&p);
}

/* A metric that needs only every N-th frame: the others are passed over, and the end is seen among them, too. */
static void test_passed_over(void **state) {
    (void)state;
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 8, 10, 10);
    json_t *every = scores(NULL, Y4M "--feature float_psnr");
    const struct bytes y4m = plain_y4m(&p.ref);
    for (unsigned way = 0; way < WAYS; way++) {
        struct input in = {0};
        offer(&in, (enum way)way, &y4m);
        json_t *third = scores(NULL, "-r %s -d dis.y4m -n --feature float_psnr --subsample 3", in.path);
        withdraw(&in);
        assert_int_equal(json_array_size(json_object_get(third, "frames")), 4);
        for (unsigned i = 0; i < 4; i++)
            assert_bits(frame_value(third, i, "float_psnr"), frame_value(every, 3 * i, "float_psnr"), "every third");
        json_decref(third);
    }
    put("short.y4m", y4m.data, y4m.size - 2 * (p.ref.frame_bytes + 6));
    /* frames 8 and 9 are in one input only, and no metric looks at them; 4294967295 frames must not be walked */
    vqx(0, "warning|short.y4m has fewer", "-r short.y4m -d dis.y4m -n -q --feature float_psnr --subsample 7");
    vqx(0, NULL, Y4M "-q --feature float_psnr --subsample 4294967295 --threads 1");
    vqx(0, NULL, "-r /dev/zero -d /dev/zero -w 34 -h 18 -p 420 -b 8 -n -q --feature psnr --frame_cnt 3"); /* have no end */
    json_decref(every);
    free(y4m.data);
    free_pair(&p);
}

/* ---- where it runs ------------------------------------------------------------------------------------------------- */

static void test_threads_and_masks(void **state) {
    (void)state;
    static const char *const threads[] = {"", "--threads 0", "--threads 1", "--threads 2", "--threads 3", "--threads 8"};
    static const char *const masks[] = {"",
                                        "--cpumask 0",
                                        "--cpumask 8",
                                        "--cpumask 16",
                                        "--cpumask 56",
                                        "--cpumask 4294967294",
                                        "--cpumask 0x38",
                                        "--cpumask 070",
                                        "--cpumask -1",
                                        "--cpumask 0xffffffff"};
    static const uint32_t depths[] = {8, 16};
    for (unsigned d = 0; d < LENGTH(depths); d++) {
        struct pair p = make_pair(257, 35, VQX_CHROMA_420, depths[d], 12, 12);
        json_t *expected = scores(NULL, Y4M ALL_FEATURES " --threads 1 --cpumask -1");
        assert_has(json_string_value(json_object_get(expected, "device")), ", definition");
        for (unsigned t = 0; t < LENGTH(threads); t++)
            for (unsigned m = 0; m < LENGTH(masks); m++) {
                json_t *got = scores(NULL, Y4M ALL_FEATURES " %s %s", threads[t], masks[m]);
                const char *device = json_string_value(json_object_get(got, "device"));
                assert_int_equal(!strstr(device, ", definition"), m < 8);
                assert_same_scores(got, expected, masks[m]);
                json_decref(got);
            }
        json_decref(expected);
        free_pair(&p);
    }
}

static void test_backend(void **state) {
    (void)state;
    static const struct {
        const char *options, *backend;
    } good[] = {
        {"--backend cpu", "cpu"},
        {"--backend cpu --device 0", "cpu"},
        {"--backend cpu --device all --audit 1", "cpu"},
        {"--backend cpu-kernels", "cpu-kernels"},
        {"--backend cpu-kernels --device 0 --threads 3", "cpu-kernels"},
        {"--backend cpu-kernels --device all --audit 2 --subsample 1", "cpu-kernels"},
        {"--device 1 --backend cpu-kernels --device=0 --audit 0", "cpu-kernels"},
    };
    struct pair p = make_pair(23, 17, VQX_CHROMA_420, 10, 5, 5);
    json_t *expected = scores(NULL, Y4M ALL_FEATURES " --threads 1 --cpumask -1");
    for (size_t i = 0; i < LENGTH(good); i++) {
        json_t *got = scores(NULL, Y4M ALL_FEATURES " %s", good[i].options);
        const json_t *features = json_object_get(got, "features"), *psnr = json_object_get(features, "psnr");
        assert_string_equal(json_string_value(json_object_get(got, "backend_used")), good[i].backend);
        assert_int_equal(json_object_size(features), 3);
        assert_string_equal(json_string_value(json_object_get(psnr, "backend")), good[i].backend);
        assert_string_equal(json_string_value(json_object_get(psnr, "device")), json_string_value(json_object_get(got, "device")));
        assert_null(json_object_get(got, "error"));
        assert_same_scores(got, expected, good[i].options);
        json_decref(got);
    }
    json_decref(expected);

    /* what auto takes is said, and is what the file names; what was named is not said */
    static const char *const automatic[] = {"", "--backend auto", "--device all --backend auto"};
    for (size_t i = 0; i < LENGTH(automatic); i++) {
        const struct run run = run_in(&(struct setting){0}, Y4M "--feature psnr %s --json -o -", automatic[i]);
        json_t *got = parse(run.out);
        char line[512];
        snprintf(line, sizeof(line), AUTO_LINE "%s: %s\n", json_string_value(json_object_get(got, "backend_used")),
                 json_string_value(json_object_get(got, "device")));
        assert_string_equal(run.err, line);
        json_decref(got);
        assert_string_equal(run_in(&(struct setting){0}, Y4M "--feature psnr %s -q", automatic[i]).err, "");
    }
    assert_string_equal(run_in(&(struct setting){0}, Y4M "--feature psnr --backend cpu").err, "");

    json_decref(scores("--gpumask is ignored", Y4M "--feature psnr --backend cpu --gpumask 0xffffffffffffffff"));
    const struct run run = vqx(0, NULL, "devices");
    assert_int_equal(strncmp(run.out, "cpu 0: ", 7), 0);
    assert_has(run.out, ": usable\n");
    assert_has(run.out, "\ncpu-kernels 0: ");
    free_pair(&p);
}

/* Clips of every kind through the gate; exit codes of those that cannot be compared. */
static void test_parity(void **state) {
    (void)state;
#define GATE "parity --backend cpu-kernels --form no-fp64 --feature float_moment,psnr "
    struct pair p = make_pair(23, 17, VQX_CHROMA_422, 10, 5, 4);
    struct run run = vqx(0, NULL, GATE "--clip ref.y4m,dis.y4m --clip ref.yuv,dis.y4m,23x17,422,10 --report report.json");
    assert_has(run.out, "1. ref.y4m: 23x17, 4:2:2, 10 bits, ref.y4m against dis.y4m\n");
    assert_has(run.out, "2. ref.yuv: 23x17");
    assert_has(run.out, "\n56 values, 0 differ\n"); /* of the frames that both have */
    assert_has(run.out, "| psnr         | = | = |\n");
    assert_has_not(run.out, "noise8");
    struct bytes file = get("report.json");
    json_t *report = parse((char *)file.data);
    assert_int_equal(json_array_size(json_object_get(report, "results")), 14);
    json_decref(report);
    free(file.data);

    run = vqx(0, NULL, GATE "--clip ref.y4m,dis.y4m --input 2x3,1x1");
    assert_has(run.out, "1. 1x1: ");
    assert_has(run.out, "3. ref.y4m: ");
    assert_has_not(run.out, "noise8");

    vqx(102, "parity|--clip|nothing: cannot open", GATE "--clip nothing,dis.y4m");
    put_text("empty.y4m", "YUV4MPEG2 W23 H17 F25:1 Ip C422p10\n");
    vqx(101, "parity|empty.y4m: no frames", GATE "--clip empty.y4m,empty.y4m");
    put_text("other.y4m", "YUV4MPEG2 W23 H17 F25:1 Ip C422\n");
    vqx(102, "parity|--clip|ref.y4m and other.y4m do not match", GATE "--clip ref.y4m,other.y4m");
    put("cut.yuv", p.ref.samples.data, p.ref.frame_bytes * 2 + 5);
    run = vqx(102, "parity|cut.yuv: frame 2 is truncated", GATE "--clip cut.yuv,dis.y4m,23x17,422,10");
    assert_has(run.out, "\nEnded early: cut.yuv: frame 2 is truncated");
    free_pair(&p);
#undef GATE
}

/* The bench of a device has a row for every feature, one for all, and one for each in raster order. */
static void test_bench(void **state) {
    (void)state;
    const struct run run = vqx(0, NULL,
                               "bench --backend cpu-kernels --device 0 --threads 2 --size 24x16 --bits 10 --rounds 2 "
                               "--feature psnr --feature float_moment --feature psnr=enable_mse=true");
    assert_has(run.out, "cpu-kernels 0: ");
    assert_has(run.out, "\n24x16, 4:2:0, 10 bits, 2 rounds, medians\n");
    static const char *const rows[] = {"psnr", "float_moment", "psnr=enable_mse=true", "all together"};
    const char *at = run.out;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char name[64], got[16], expected[16];
        double ms, upload, kernels, download, finish, up, bytes;
        snprintf(name, sizeof(name), "\n| %s ", rows[i]);
        at = strstr(at, name);
        assert_non_null(at);
        assert_int_equal(sscanf(strchr(at + 3, '|'), "| %lf | %lf | %lf | %lf | %lf | %lf | %lf |", &ms, &upload, &kernels,
                                &download, &finish, &up, &bytes),
                         7);
        assert_true(ms > 0 && kernels > 0 && bytes > 0);
        snprintf(got, sizeof(got), "%.4f", up);
        snprintf(expected, sizeof(expected), "%.4f", 2 * 24 * 16 * 2e-6 * (i == 1 ? 1 : 1.5));
        assert_string_equal(got, expected);
    }
    const char *ordered = strstr(at, "raster order");
    assert_non_null(ordered);
    assert_has(ordered, "\n| psnr ");
    assert_has(ordered, "\n| float_moment ");
    assert_has(ordered, "x |\n");
}

/* ---- features ------------------------------------------------------------------------------------------------------ */

/* The keys of an object, in their order, with a blank behind each. */
static void assert_keys(const json_t *object, const char *expected) {
    char text[512] = "";
    for (void *at = json_object_iter((json_t *)(uintptr_t)object); at;
         at = json_object_iter_next((json_t *)(uintptr_t)object, at)) {
        strncat(text, json_object_iter_key(at), sizeof(text) - strlen(text) - 1);
        strncat(text, " ", sizeof(text) - strlen(text) - 1);
    }
    assert_string_equal(text, expected);
}

static void test_order(void **state) {
    (void)state;
    static const struct {
        const char *features, *outputs, *aggregates;
    } orders[] = {
        {"--feature psnr=enable_apsnr=true --feature float_moment --feature float_psnr",
         "psnr_y psnr_cb psnr_cr float_moment_ref1st float_moment_dis1st float_moment_ref2nd float_moment_dis2nd float_psnr ",
         "apsnr_y apsnr_cb apsnr_cr "},
        {"--feature float_psnr --feature float_moment --feature psnr=enable_mse=true",
         "float_psnr float_moment_ref1st float_moment_dis1st float_moment_ref2nd float_moment_dis2nd "
         "psnr_y mse_y psnr_cb mse_cb psnr_cr mse_cr ",
         ""},
        {"--feature psnr=enable_chroma=false:enable_mse=true --feature float_psnr --feature float_psnr=uncapped=false",
         "psnr_y mse_y float_psnr ", ""},
    };
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 8, 6, 6);
    for (size_t i = 0; i < LENGTH(orders); i++)
        for (unsigned threads = 1; threads < 9; threads += 7) {
            json_t *got = scores(NULL, Y4M "%s --threads %u", orders[i].features, threads);
            for (unsigned f = 0; f < 6; f++)
                assert_keys(json_object_get(json_array_get(json_object_get(got, "frames"), f), "metrics"), orders[i].outputs);
            assert_keys(json_object_get(got, "pooled_metrics"), orders[i].outputs);
            assert_keys(json_object_get(got, "aggregate_metrics"), orders[i].aggregates);
            json_decref(got);
        }
    free_pair(&p);
}

static void test_feature_options(void **state) {
    (void)state;
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 10, 2, 2);
    /* the same pair twice: all caps; and each line's two sides must score the same */
    json_t *same = scores(NULL, "-r ref.y4m -d ref.y4m -n " ALL_FEATURES);
    assert_bits(frame_value(same, 0, "psnr_cb"), 72, "cap");
    assert_bits(frame_value(same, 1, "float_psnr"), 72, "cap");
    assert_bits(frame_value(same, 1, "mse_cr"), 0, "mse");
    json_decref(same);
    static const char *const equal[][2] = {
        {"psnr=enable_mse=true:enable_mse=false", "psnr"},                /* the last value wins */
        {"psnr=enable_chroma=true:uncapped=false", "psnr"},               /* defaults */
        {"psnr=min_sse=123456789", "psnr=min_sse=123457000"},             /* six digits */
        {"psnr=min_sse=0x10", "psnr=min_sse=16"},                         /* as strtof reads it */
        {"float_psnr --feature float_psnr", "float_psnr=uncapped=false"}, /* once is enough */
        {"psnr --feature float_psnr --feature psnr=min_sse=0", "psnr --feature float_psnr"},
    };
    for (size_t i = 0; i < LENGTH(equal); i++) {
        json_t *a = scores(NULL, Y4M "--feature %s", equal[i][0]), *b = scores(NULL, Y4M "--feature %s", equal[i][1]);
        assert_same_scores(a, b, equal[i][0]);
        json_decref(a);
        json_decref(b);
    }
    json_t *reduced = scores(NULL, Y4M "--feature psnr=reduced_hbd_peak=true:enable_mse=true:min_sse=1e12");
    uint64_t samples;
    const uint64_t error = squared_error(&p.ref, 1, &p.dis, 1, 0, &samples);
    const double plain = 10.0 * log10(1020.0 * 1020.0 / ((double)error / (double)samples));
    const double cap = ceil(10.0 * log10(1020.0 * 1020.0 / (1e12 / (double)samples)));
    assert_bits(frame_value(reduced, 1, "psnr_y"), plain < cap ? plain : cap, "reduced peak with a cap");
    json_decref(reduced);
    free_pair(&p);
}

/* Values without a number: null in JSON, C's text elsewhere. */
static void test_infinity(void **state) {
    (void)state;
    struct pair p = make_pair(34, 18, VQX_CHROMA_400, 8, 2, 2);
    json_t *got = scores(NULL, Y4M "--feature psnr=enable_apsnr=true");
    assert_true(json_is_null(json_object_get(json_object_get(got, "aggregate_metrics"), "apsnr_cb")));
    json_decref(got);
    const struct run run = vqx(0, NULL, Y4M "--feature psnr=enable_apsnr=true -o - --xml");
    assert_has(run.out, "apsnr_cb=\"-inf\" apsnr_cr=\"-inf\" />");
    free_pair(&p);
}

/* ---- pooling ------------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void test_pooling(void **state) {
    (void)state;
    enum { FRAMES = 21 };
    struct pair p = make_pair(18, 10, VQX_CHROMA_400, 8, FRAMES, FRAMES);
    json_t *got = scores(NULL, Y4M "--feature psnr=enable_mse=true --pool median,stdev,p0,p5,p10,p25,p100,mean,p5");
    const json_t *pooled = json_object_get(json_object_get(got, "pooled_metrics"), "mse_y");
    assert_keys(pooled, "min max mean harmonic_mean median stdev p0 p5 p10 p25 p100 ");
    double score[FRAMES], sum = 0, inverse = 0, squares = 0;
    for (unsigned i = 0; i < FRAMES; i++) {
        score[i] = frame_value(got, i, "mse_y");
        sum += score[i];
        inverse += 1.0 / (score[i] + 1.0);
    }
    const double mean = sum / FRAMES;
    for (unsigned i = 0; i < FRAMES; i++)
        squares += (score[i] - mean) * (score[i] - mean);
    assert_bits(pooled_value(got, "mse_y", "mean"), mean, "mean");
    assert_bits(pooled_value(got, "mse_y", "harmonic_mean"), FRAMES / inverse - 1.0, "harmonic_mean");
    assert_bits(pooled_value(got, "mse_y", "stdev"), sqrt(squares / FRAMES), "stdev");
    qsort(score, FRAMES, sizeof(*score), ascending);
    /* of 21 values, five per cent are one step: nothing between two values */
    static const struct {
        const char *method;
        unsigned at;
    } exact[] = {{"min", 0}, {"p0", 0}, {"p5", 1}, {"p10", 2}, {"p25", 5}, {"median", 10}, {"p100", 20}, {"max", 20}};
    for (size_t i = 0; i < LENGTH(exact); i++)
        assert_bits(pooled_value(got, "mse_y", exact[i].method), score[exact[i].at], exact[i].method);
    json_decref(got);
    /* the table has each method once, too */
    const struct run run = vqx(0, NULL, Y4M "--feature psnr --pool mean,p5,max,p5");
    assert_has(run.out, "mean    harmonic_mean              min              max               p5\n");
    free_pair(&p);
}

/* ---- real clips ---------------------------------------------------------------------------------------------------- */

static void check_vectors(const vectors *v, const json_t *got, unsigned subsample) {
    static const char *const features[] = {"float_moment", "float_psnr", "psnr=enable_mse=true:enable_apsnr=true"};
    size_t checked = 0;
    for (const vectors_row *row = v->row; row < v->row + v->rows; row++) {
        bool ours = false;
        for (size_t f = 0; f < LENGTH(features); f++)
            ours |= strcmp(row->id, "F08") == 0 && strcmp(row->feature, features[f]) == 0 && row->subsample == subsample;
        if (!ours)
            continue;
        char *end;
        const unsigned long frame = strtoul(row->where, &end, 10);
        const double value = strcmp(row->where, "agg") == 0 ? aggregate_value(got, row->name)
                             : *end                         ? pooled_value(got, row->name, row->where)
                                                            : frame_value(got, frame / subsample, row->name);
        assert_bits(value, row->value, row->name);
        checked++;
    }
    /* 11 outputs of 3 or 2 frames with 4 pooled values, and 3 of the stream */
    assert_int_equal(checked, 11 * ((subsample == 1 ? 3 : 2) + 4) + 3);
}

static void test_real_clip(void **state) {
    (void)state;
    const char *fixtures = getenv("VQX_FIXTURES");
    if (!fixtures) {
        print_message("VQX_FIXTURES is not set: the real clip is skipped\n");
        skip();
    }
    char *absolute = realpath(fixtures, NULL);
    assert_non_null(absolute);
    static const char *const ways[] = {"",
                                       "--threads 1",
                                       "--threads 2",
                                       "--threads 3 --cpumask 56",
                                       "--cpumask -1",
                                       "--cpumask 4294967294",
                                       "--cpumask 24",
                                       "--threads 8",
                                       "--threads 5 --cpumask -1"};
    vectors v;
    assert_int_equal(vectors_load(&v, "psnr_ssim_moment.tsv"), 0);
    for (size_t i = 0; i < LENGTH(ways); i++)
        for (unsigned subsample = 1; subsample < 3; subsample++) {
            json_t *got =
                scores(NULL,
                       "-r %s/src01_hrc00_576x324.yuv420p.yuv -d %s/src01_hrc01_576x324.yuv420p.yuv -w 576 -h 324 -p 420 -b 8 -n "
                       "--feature float_moment --feature float_psnr --feature psnr=enable_mse=true:enable_apsnr=true "
                       "--subsample %u %s",
                       absolute, absolute, subsample, ways[i]);
            check_vectors(&v, got, subsample);
            json_decref(got);
        }
    vectors_free(&v);
    free(absolute);
}

/* ---- memory -------------------------------------------------------------------------------------------------------- */

/* A file of zeros, which takes no room. */
static void put_zeros(const char *name, size_t size) {
    char path[128];
    make_file(path, sizeof(path), name, "", 0);
    assert_int_equal(truncate(path, (off_t)size), 0);
}

static void skip_if_sanitized(void) {
    if (CLI_SANITIZED) {
        print_message("memory is not measured under a sanitizer\n");
        skip();
    }
}

/* Resident memory does not grow with the length of the video, from files and from a stream. */
static void test_memory(void **state) {
    (void)state;
    static const unsigned lengths[] = {100, 2000};
    static const struct {
        const char *says, *command;
    } ways[] = {
        {NULL, "-d long.yuv " ALL_FEATURES},
        {"warning|fewer", "-d /dev/zero " ALL_FEATURES},
        {"warning|fewer", "-d /dev/zero --feature float_psnr --subsample 7"}, /* most frames are passed over */
    };
    long memory[LENGTH(ways)][2];
    skip_if_sanitized();
    for (unsigned i = 0; i < 2; i++) {
        put_zeros("long.yuv", (size_t)lengths[i] * 320 * 180 * 3 / 2);
        for (size_t w = 0; w < LENGTH(ways); w++)
            memory[w][i] =
                vqx(0, ways[w].says, "-r long.yuv -w 320 -h 180 -p 420 -b 8 -n -q --threads 2 %s", ways[w].command).memory_kb;
    }
    for (size_t w = 0; w < LENGTH(ways); w++)
        if (memory[w][1] - memory[w][0] > 2048)
            fail_msg("%s: %ld KB with %u frames, %ld KB with %u", ways[w].command, memory[w][0], lengths[0], memory[w][1],
                     lengths[1]);
}

/* There is no room made for planes that no metric looks at: of this pair, 24 MB with chroma, 8 without. */
static void test_planes(void **state) {
    (void)state;
    static const char *const features[] = {"psnr=enable_chroma=false", "psnr"};
    long memory[2];
    skip_if_sanitized();
    put_zeros("large.yuv", (size_t)2000 * 1000 * 2 * 3 * 2);
    for (unsigned f = 0; f < 2; f++)
        memory[f] =
            vqx(0, NULL, "-r large.yuv -d large.yuv -w 2000 -h 1000 -p 444 -b 16 -n -q --threads 1 --feature %s", features[f])
                .memory_kb;
    if (memory[1] - memory[0] < 12000)
        fail_msg("%ld KB for luma, %ld KB for all planes", memory[0], memory[1]);
    erase("large.yuv");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory), /* first: while this process is small itself */
        cmocka_unit_test(test_planes),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_y4m_tags),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_passed_over),
        cmocka_unit_test(test_threads_and_masks),
        cmocka_unit_test(test_backend),
        cmocka_unit_test(test_parity),
        cmocka_unit_test(test_bench),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_feature_options),
        cmocka_unit_test(test_infinity),
        cmocka_unit_test(test_pooling),
        cmocka_unit_test(test_real_clip),
    };
    return cli_find_program(argc, argv) ? 1 : cmocka_run_group_tests(tests, reader_input_setup, cli_cleanup);
}
