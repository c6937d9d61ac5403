/* The program from end to end: where its results go and what they look like. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/cli_run.h"

#define Y4M "-r ref.y4m -d dis.y4m -n "
#define FEATURES "--feature psnr=enable_apsnr=true --feature float_moment"

/* Removes from `text` what stands between the first `from` and the next `to`; fails when they are not there. */
static void cut(char *text, const char *from, const char *to) {
    char *start = strstr(text, from);
    assert_non_null(start);
    start += strlen(from);
    char *end = strstr(start, to);
    assert_non_null(end);
    memmove(start, end, strlen(end) + 1);
}

/* ---- formats ------------------------------------------------------------------------------------------------------- */

/* XML, CSV and SUB, as they must be for the scores that JSON holds. */
struct text {
    struct bytes xml, csv, sub;
};

static void add(struct bytes *b, const char *format, ...) {
    va_list args;
    char text[256];
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    append_text(b, text);
}

static struct text expected_text(json_t *scores, unsigned width, unsigned height) {
    struct text t = {0};
    const char *name;
    json_t *value;
    size_t i;
    json_t *frames = json_object_get(scores, "frames"), *pooled = json_object_get(scores, "pooled_metrics"), *frame, *methods;
    add(&t.xml, "<VMAF version=\"%s\">\n  <params qualityWidth=\"%u\" qualityHeight=\"%u\" />\n  <fyi fps=\"\" />\n  <frames>\n",
        vqx_version(), width, height);
    add(&t.csv, "Frame,");
    json_object_foreach(pooled, name, value) add(&t.csv, "%s,", name);
    add(&t.csv, "\n");
    json_array_foreach(frames, i, frame) {
        const unsigned n = (unsigned)frame_number(scores, i);
        add(&t.xml, "    <frame frameNum=\"%u\" ", n);
        add(&t.csv, "%u,", n);
        add(&t.sub, "{%u}{%u}frame: %u|", n, n + 1, n);
        json_object_foreach(json_object_get(frame, "metrics"), name, value) {
            add(&t.xml, "%s=\"%.17g\" ", name, json_number_value(value));
            add(&t.csv, "%.17g,", json_number_value(value));
            add(&t.sub, "%s: %.17g|", name, json_number_value(value));
        }
        add(&t.xml, "/>\n");
        add(&t.csv, "\n");
        add(&t.sub, "\n");
    }
    add(&t.xml, "  </frames>\n  <pooled_metrics>\n");
    json_object_foreach(pooled, name, methods) {
        const char *method;
        add(&t.xml, "    <metric name=\"%s\" ", name);
        json_object_foreach(methods, method, value) add(&t.xml, "%s=\"%.17g\" ", method, json_number_value(value));
        add(&t.xml, "/>\n");
    }
    add(&t.xml, "  </pooled_metrics>\n  <aggregate_metrics ");
    json_object_foreach(json_object_get(scores, "aggregate_metrics"), name, value)
        add(&t.xml, "%s=\"%.17g\" ", name, json_number_value(value));
    add(&t.xml, "/>\n</VMAF>\n");
    return t;
}

static void assert_text(const char *got, const struct bytes *expected) {
    char *text = strndup((const char *)expected->data, expected->size);
    assert_non_null(text);
    assert_string_equal(got, text);
    free(text);
}

static void test_formats(void **state) {
    (void)state;
    static const char *const variants[] = {"", "--subsample 2", "--subsample 3 --pool median,stdev,p1"};
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 12, 7, 7);
    const bool lint = system("xmllint --version >/dev/null 2>&1") == 0;
    for (size_t v = 0; v < LENGTH(variants); v++) {
        json_t *json = scores(NULL, Y4M FEATURES " %s", variants[v]);
        struct text t = expected_text(json, 34, 18);
        struct run run = vqx(0, NULL, Y4M FEATURES " %s --precision max -o - --csv", variants[v]);
        assert_text(run.out, &t.csv);
        run = vqx(0, NULL, Y4M FEATURES " %s --precision max -o - --sub", variants[v]);
        assert_text(run.out, &t.sub);
        run = vqx(0, NULL, Y4M FEATURES " %s --precision max -o - %s", variants[v], v ? "--xml" : "");
        cut(run.out, "<fyi fps=\"", "\" />");
        assert_text(run.out, &t.xml);
        if (lint) {
            char command[256];
            put_text("out.xml", run.out);
            snprintf(command, sizeof(command), "xmllint --noout '%s/out.xml'", folder);
            assert_int_equal(system(command), 0);
        }
        json_decref(json);
        free(t.xml.data);
        free(t.csv.data);
        free(t.sub.data);
    }
    free_pair(&p);
}

/* Every form of --precision, in every format and in the table. */
static void test_precision(void **state) {
    (void)state;
    static const struct {
        char option[20], format[8];
    } forms[] = {{"", "%.6f"},
                 {"--precision legacy", "%.6f"},
                 {"--precision 1", "%.1g"},
                 {"--precision 9", "%.9g"},
                 {"--precision 17", "%.17g"},
                 {"--precision max", "%.17g"}};
    struct pair p = make_pair(34, 18, VQX_CHROMA_400, 8, 1, 1);
    json_t *exact = scores(NULL, Y4M "--feature psnr=enable_mse=true");
    const double psnr = frame_value(exact, 0, "psnr_y"), mse = frame_value(exact, 0, "mse_y");
    json_decref(exact);
    for (size_t f = 0; f < LENGTH(forms); f++) {
        char a[64], b[64], expected[256];
        snprintf(a, sizeof(a), forms[f].format, psnr);
        snprintf(b, sizeof(b), forms[f].format, mse);
        const char *command = Y4M "--feature psnr=enable_mse=true %s %s";
        struct run run = vqx(0, NULL, command, forms[f].option, "-o - --csv");
        snprintf(expected, sizeof(expected), "Frame,psnr_y,mse_y,\n0,%s,%s,\n", a, b);
        assert_string_equal(run.out, expected);
        run = vqx(0, NULL, command, forms[f].option, "-o - --sub");
        snprintf(expected, sizeof(expected), "{0}{1}frame: 0|psnr_y: %s|mse_y: %s|\n", a, b);
        assert_string_equal(run.out, expected);
        run = vqx(0, NULL, command, forms[f].option, "-o - --xml");
        snprintf(expected, sizeof(expected), " psnr_y=\"%s\" mse_y=\"%s\" />\n", a, b);
        assert_has(run.out, expected);
        snprintf(expected, sizeof(expected), "<metric name=\"mse_y\" min=\"%s\" max=\"%s\" mean=\"%s\" ", b, b, b);
        assert_has(run.out, expected);
        run = vqx(0, NULL, command, forms[f].option, "-o - --json");
        snprintf(expected, sizeof(expected), "\"psnr_y\": %s,\n        \"mse_y\": %s\n", a, b);
        assert_has(run.out, expected);
        snprintf(expected, sizeof(expected), "      \"max\": %s,\n      \"mean\": %s,\n", b, b);
        assert_has(run.out, expected);
        run = vqx(0, NULL, command, forms[f].option, "");
        snprintf(expected, sizeof(expected), "\n%-24s %16s ", "mse_y", b);
        assert_has(run.out, expected);
    }
    free_pair(&p);
}

/* ---- where to ------------------------------------------------------------------------------------------------------ */

static void test_places(void **state) {
    (void)state;
    static const char *const formats[] = {"--json", "--xml", "--csv", "--sub"};
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 8, 3, 3);
    link_to("standard", "/dev/stdout");
    link_to("null", "/dev/null");
    for (size_t f = 0; f < LENGTH(formats); f++) {
        struct run run = vqx(0, NULL, Y4M FEATURES " -o - %s", formats[f]);
        char *direct = strdup(run.out);
        assert_non_null(direct);
        if (f < 2)
            cut(direct, f ? "fps=\"" : "\"fps\": ", f ? "\"" : ",");
        assert_has_not(direct, "harmonic_mean  ");

        /* a new file, and one that was longer; with a table beside it unless -q */
        for (unsigned i = 0; i < 2; i++) {
            struct bytes old = {0};
            append_fill(&old, 'x', 100000);
            if (i)
                put("out", old.data, old.size);
            free(old.data);
            run = vqx(0, NULL, Y4M FEATURES " -o out %s %s", formats[f], i ? "-q" : "");
            if (i)
                assert_string_equal(run.out, "");
            else
                assert_has(run.out, "\npsnr_y ");
            struct bytes file = get("out");
            if (f < 2)
                cut((char *)file.data, f ? "fps=\"" : "\"fps\": ", f ? "\"" : ",");
            assert_string_equal((char *)file.data, direct);
            free(file.data);
            erase("out");
        }

        /* standard output by another name, or by that of its file: nothing but the result may stand there */
        for (unsigned i = 0; i < 2; i++) {
            run = run_in(&(struct setting){.out = "there"}, Y4M FEATURES " -o %s %s", i ? "there" : "standard", formats[f]);
            assert_run(&run, 0, NULL, "-o /dev/stdout");
            struct bytes file = get("there");
            if (f < 2)
                cut((char *)file.data, f ? "fps=\"" : "\"fps\": ", f ? "\"" : ",");
            assert_string_equal((char *)file.data, direct);
            free(file.data);
        }
        free(direct);
    }
    struct run run = vqx(0, NULL, Y4M FEATURES " -q");
    assert_string_equal(run.out, "");
    run = vqx(0, NULL, Y4M FEATURES " -o null --json");
    assert_has(run.out, "\npsnr_y ");
    free_pair(&p);
}

/* The table holds the pooled scores. */
static void test_table(void **state) {
    (void)state;
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 8, 5, 5);
    json_t *json = scores(NULL, Y4M FEATURES " --pool p5");
    const struct run run = vqx(0, NULL, Y4M FEATURES " --pool p5 --precision max");
    assert_int_equal(strncmp(run.out, "5 frames, 34x18, cpu (", 22), 0);
    static const char *const outputs[] = {"psnr_y", "psnr_cb", "float_moment_ref1st", "float_moment_dis2nd"};
    for (size_t i = 0; i < LENGTH(outputs); i++) {
        char line[512];
        snprintf(line, sizeof(line), "\n%-24s %16.17g %16.17g %16.17g %16.17g %16.17g\n", outputs[i],
                 pooled_value(json, outputs[i], "mean"), pooled_value(json, outputs[i], "harmonic_mean"),
                 pooled_value(json, outputs[i], "min"), pooled_value(json, outputs[i], "max"),
                 pooled_value(json, outputs[i], "p5"));
        assert_has(run.out, line);
    }
    char line[128];
    snprintf(line, sizeof(line), "\n%-24s %16.17g\n", "apsnr_cr", aggregate_value(json, "apsnr_cr"));
    assert_has(run.out, line);
    json_decref(json);
    free_pair(&p);
}

/* Standard streams that come closed: no file of ours takes their place. */
static void test_closed_streams(void **state) {
    (void)state;
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 8, 3, 4);
    for (unsigned closed = 0; closed < 8; closed++) {
        const struct run run = run_in(&(struct setting){.closed = closed}, Y4M FEATURES " -q -o out --json");
        assert_int_equal(run.code, 0);
        if (closed & 4)
            assert_string_equal(run.err, "");
        else
            assert_has(run.err, "vqx: warning: ref.y4m has fewer");
        struct bytes file = get("out");
        json_decref(parse((char *)file.data));
        free(file.data);
    }
    struct run run = run_in(&(struct setting){.closed = 2}, Y4M FEATURES " --frame_cnt 3 -o out --csv"); /* no room for the table */
    assert_run(&run, 103, "standard output", "closed output");
    run = run_in(&(struct setting){.closed = 2}, Y4M FEATURES " --frame_cnt 3 -o - --csv");
    assert_run(&run, 103, "standard output", "closed output");
    run = run_in(&(struct setting){.closed = 1}, "-r - -d dis.y4m -n " FEATURES " -o fresh --csv");
    assert_run(&run, 102, "standard input", "closed input");
    assert_false(exists("fresh"));
    free_pair(&p);
}

/* ---- the terminal -------------------------------------------------------------------------------------------------- */

static void test_progress(void **state) {
    (void)state;
    const int fd = posix_openpt(O_RDWR | O_NOCTTY);
    if (fd < 0) {
        print_message("there are no terminals here: progress is skipped\n");
        skip();
    }
    close(fd);
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 8, 9, 9);
    const struct setting terminal = {.terminal = true};
    struct run run = run_in(&terminal, Y4M FEATURES);
    assert_int_equal(run.code, 0);
    assert_has(run.err, "/9 frames, ");
    assert_int_equal(strcmp(run.err + strlen(run.err) - 4, "\r\033[K"), 0); /* nothing is left of it */
    run = run_in(&terminal, Y4M "--feature float_moment --subsample 4 --frame_skip_ref 1 --frame_skip_dist 3");
    assert_has(run.err, "/2 frames, ");
    run = run_in(&terminal, Y4M FEATURES " --frame_cnt 5");
    assert_has(run.err, "/5 frames, ");
    const struct bytes y4m = plain_y4m(&p.ref);
    run = run_in(&(struct setting){.terminal = true, .input = &y4m}, "-r - -d dis.y4m -n " FEATURES);
    assert_int_equal(run.code, 0);
    assert_has(run.err, " frames, ");
    run = run_in(&terminal, Y4M FEATURES " -q");
    assert_string_equal(run.err, "");
    vqx(0, NULL, Y4M FEATURES); /* not a terminal: nothing */
    free(y4m.data);
    free_pair(&p);
}

/* ---- help ---------------------------------------------------------------------------------------------------------- */

static void test_help(void **state) {
    (void)state;
    static const char *const options[] = {"--reference",
                                          "--distorted",
                                          "--width",
                                          "--height",
                                          "--pixel_format",
                                          "--bitdepth",
                                          "--model",
                                          "--feature",
                                          "--output",
                                          "--xml",
                                          "--json",
                                          "--csv",
                                          "--sub",
                                          "--pool",
                                          "--threads",
                                          "--subsample",
                                          "--frame_cnt",
                                          "--frame_skip_ref",
                                          "--frame_skip_dist",
                                          "--cpumask",
                                          "--gpumask",
                                          "--precision",
                                          "--backend",
                                          "--device",
                                          "--audit",
                                          "--no_prediction",
                                          "--quiet",
                                          "--version",
                                          "--help",
                                          "-r,",
                                          "-d,",
                                          "-w,",
                                          "-h,",
                                          "-p,",
                                          "-b,",
                                          "-m,",
                                          "-o,",
                                          "-n,",
                                          "-q,",
                                          "-v,"};
    struct run run = vqx(0, NULL, "--help");
    for (size_t i = 0; i < LENGTH(options); i++)
        assert_has(run.out, options[i]);
    char line[128];
    for (size_t i = 0; i < vqx_metric_count(); i++) {
        snprintf(line, sizeof(line), "\n  %s ", vqx_metric_name(i));
        assert_has(run.out, line);
        vqx_option_info option;
        for (size_t o = 0; vqx_metric_option(i, o, &option) == 0; o++) {
            snprintf(line, sizeof(line), "\n    %s ", option.name);
            assert_has(run.out, line);
            snprintf(line, sizeof(line), "(%s, default %s)", option.type, option.fallback);
            assert_has(run.out, line);
        }
    }
    assert_true(vqx_metric_count() >= 3);
    static const char *const versions[] = {"-v", "--version", "--vers", "-nqv", "-r x --version --nonsense"};
    snprintf(line, sizeof(line), "%s\n", vqx_version());
    for (size_t i = 0; i < LENGTH(versions); i++) {
        run = vqx(0, NULL, "%s", versions[i]);
        assert_string_equal(run.out, line);
    }
    run = vqx(0, NULL, "bench --help");
    assert_has(run.out, "--rounds");

    /* the gate compares every metric, with every option */
    run = vqx(0, NULL, "parity --help");
    const char *runs = strstr(run.out, "\nFeatures, a line for each run:\n");
    assert_non_null(runs);
    for (size_t i = 0; i < vqx_metric_count(); i++) {
        const char *name = vqx_metric_name(i);
        vqx_option_info option;
        assert_has(runs, name);
        for (size_t o = 0; vqx_metric_option(i, o, &option) == 0; o++) {
            bool found = false;
            snprintf(line, sizeof(line), "%s=", option.name);
            for (const char *spec = runs; (spec = strpbrk(spec, ",\n ")); spec++)
                if (strncmp(spec + 1, name, strlen(name)) == 0 && spec[1 + strlen(name)] == '=') {
                    const char *at = strstr(spec, line);
                    found = found || (at && (size_t)(at - spec) < 1 + strcspn(spec + 1, ",\n"));
                }
            if (!found)
                fail_msg("the gate does not compare %s of %s", option.name, name);
        }
    }
}

/* Every way to write an option: short, long, with '=', shortened, behind the others. */
static void test_spelling(void **state) {
    (void)state;
    static const char *const lines[] = {
        "--reference ref.yuv --distorted dis.yuv --width 34 --height 18 --pixel_format 420 --bitdepth 8 --no_prediction",
        "--reference=ref.yuv --distorted=dis.yuv --width=34 --height=18 --pixel_format=420 --bitdepth=8 --no_prediction",
        "--ref ref.yuv --dist dis.yuv --wid 34 --hei 18 --pix 420 --bit 8 --no",
        "-rref.yuv -ddis.yuv -w34 -h18 -p420 -b8 -n",
        "-nr ref.yuv -qd dis.yuv -w 0x22 -h 022 -p 420 -b 010",
        "-w 1 -w 34 -h 18 -p 444 -p 420 -b 16 -b 8 -r nothing -d nothing -n -r ref.yuv -d dis.yuv", /* the last one counts */
    };
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 8, 6, 6);
    json_t *expected = scores(NULL, Y4M "--feature psnr --frame_cnt 3 --frame_skip_ref 2 --frame_skip_dist 1 --subsample 2");
    for (size_t i = 0; i < LENGTH(lines); i++) {
        json_t *got = scores(
            NULL, "%s --feat psnr --frame_c 3 --frame_skip_r 2 --frame_skip_d=1 --subs 2 --thr 1 --prec legacy --cpu 0", lines[i]);
        assert_same_scores(got, expected, lines[i]);
        json_decref(got);
    }
    json_decref(expected);
    struct run run = vqx(0, NULL, "%s --feature psnr --out=- --cs --prec 5 --frame_cnt=1", lines[0]);
    assert_int_equal(strncmp(run.out, "Frame,psnr_y,", 13), 0);
    run = vqx(0, NULL, "%s --feature psnr --output - --json --xml --sub --csv --frame_cnt 1", lines[1]);
    assert_int_equal(strncmp(run.out, "Frame,psnr_y,", 13), 0);
    free_pair(&p);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats), cmocka_unit_test(test_precision),      cmocka_unit_test(test_places),
        cmocka_unit_test(test_table),   cmocka_unit_test(test_closed_streams), cmocka_unit_test(test_progress),
        cmocka_unit_test(test_help),    cmocka_unit_test(test_spelling),
    };
    return cli_find_program(argc, argv) ? 1 : cmocka_run_group_tests(tests, reader_input_setup, cli_cleanup);
}
