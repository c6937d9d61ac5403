/* The program from end to end: what goes wrong, the exit code, the one line that names it, and what is left behind. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "test/cli_run.h"

#define Y4M "-r ref.y4m -d dis.y4m "
#define RAW "-r ref.yuv -d dis.yuv "
#define PSNR "-n --feature psnr "

struct line {
    const char *says, *command;
};

/* Each line, with a new and with an old result file: it says what it should, the new one is not there, the old one as it was. */
static void check_lines(int code, const struct line *line, size_t lines) {
    static const char *const formats[] = {"", "--json", "--csv"};
    for (size_t i = 0; i < lines; i++) {
        vqx(code, line[i].says, "%s", line[i].command);
        vqx(code, line[i].says, "-o fresh %s %s", formats[i % LENGTH(formats)], line[i].command);
        if (exists("fresh"))
            fail_msg("'%s' leaves a file", line[i].command);
        put_text("old", "precious");
        vqx(code, line[i].says, "-o old %s %s", formats[i % LENGTH(formats)], line[i].command);
        assert_file("old", "precious");
    }
}

/* ---- 2: usage ------------------------------------------------------------------------------------------------------ */

static void test_usage(void **state) {
    (void)state;
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 8, 3, 3);
    static const struct line lines[] = {
        {"no reference input|--reference", ""},
        {"no distorted input|--distorted", "-r ref.y4m " PSNR},
        {"no reference input", "-d dis.y4m " PSNR},
        {"only one of|standard input", "-r - -d - " PSNR},
        {"nothing to score|--feature", Y4M "-n"},
        {"'stray'", Y4M PSNR "stray"},
        {"'stream'", "stream"},
        {"'-'", Y4M PSNR "-"},
        {"'--nonsense'", Y4M PSNR "--nonsense"},
        {"'--nonsense=3'", Y4M PSNR "--nonsense=3"},
        {"'-x'", Y4M PSNR "-x"},
        {"'-x'", Y4M "-nxq --feature psnr"},
        {"ambiguous|'--frame_skip'", Y4M PSNR "--frame_skip 2"},
        {"'--quiet=yes' takes no value", Y4M PSNR "--quiet=yes"},
        {"'--json=x' takes no value", Y4M PSNR "--json=x"},
        {"'--feature' needs a value", Y4M "-n --feature"},
        {"'-r' needs a value", "-d dis.y4m " PSNR "-r"},
        {"'-nqd' needs a value", "-r ref.y4m --feature psnr -nqd"},
        {"--reference|empty", "-r '' -d dis.y4m " PSNR},
        {"--distorted|empty", "-r ref.y4m --distorted= " PSNR},
        {"--output|empty", Y4M PSNR "-o ''"},
        {"--threads|empty", Y4M PSNR "--threads ''"},
        {"--feature|empty", Y4M "-n --feature ''"},
        {"--pool|empty", Y4M PSNR "--pool ''"},
        /* geometry */
        {"ref.yuv|not y4m|-w, -h, -p and -b", RAW PSNR},
        {"ref.yuv|not y4m", "-r ref.yuv -d dis.y4m " PSNR},
        {"both inputs are y4m", Y4M PSNR "-w 34 -h 18 -p 420 -b 8"},
        {"--height is missing", Y4M PSNR "-w 34"},
        {"--width is missing", RAW PSNR "-h 18 -p 420 -b 8"},
        {"--pixel_format is missing", RAW PSNR "-w 34 -h 18 -b 8"},
        {"--bitdepth is missing", RAW PSNR "-w 34 -h 18 -p 420"},
        {"--width|1 to 65535|'0'", RAW PSNR "-w 0 -h 18 -p 420 -b 8"},
        {"--width|'65536'", RAW PSNR "-w 65536 -h 18 -p 420 -b 8"},
        {"--height|'-18'", RAW PSNR "-w 34 -h -18 -p 420 -b 8"},
        {"--width|'34x'", RAW PSNR "-w 34x -h 18 -p 420 -b 8"},
        {"--width|'+34'", RAW PSNR "-w +34 -h 18 -p 420 -b 8"},
        {"--width|'34.0'", RAW PSNR "-w 34.0 -h 18 -p 420 -b 8"},
        {"--width|'0x'", RAW PSNR "-w 0x -h 18 -p 420 -b 8"},
        {"--height|'018'", RAW PSNR "-w 34 -h 018 -p 420 -b 8"},
        {"65535|2^31", RAW PSNR "-w 65535 -h 65535 -p 420 -b 8"},
        {"--bitdepth 9|8, 10, 12 or 16", RAW PSNR "-w 34 -h 18 -p 420 -b 9"},
        {"--bitdepth|'7'", RAW PSNR "-w 34 -h 18 -p 420 -b 7"},
        {"--bitdepth|'32'", RAW PSNR "-w 34 -h 18 -p 420 -b 32"},
        {"--pixel_format|'411'", RAW PSNR "-w 34 -h 18 -p 411 -b 8"},
        {"--pixel_format|'420p'", RAW PSNR "-w 34 -h 18 -p 420p -b 8"},
        /* numbers */
        {"--threads|'1025'", Y4M PSNR "--threads 1025"},
        {"--threads|'-1'", Y4M PSNR "--threads -1"},
        {"--threads|'two'", Y4M PSNR "--threads two"},
        {"--subsample|'-2'", Y4M PSNR "--subsample -2"},
        {"--subsample|'4294967296'", Y4M PSNR "--subsample 4294967296"},
        {"--frame_cnt|'99999999999999999999999'", Y4M PSNR "--frame_cnt 99999999999999999999999"},
        {"--frame_cnt|'1e3'", Y4M PSNR "--frame_cnt 1e3"},
        {"--frame_skip_ref|'-1'", Y4M PSNR "--frame_skip_ref -1"},
        {"--frame_skip_dist|'0b1'", Y4M PSNR "--frame_skip_dist 0b1"},
        {"--cpumask|'-2'", Y4M PSNR "--cpumask -2"},
        {"--cpumask|'0x100000000'", Y4M PSNR "--cpumask 0x100000000"},
        {"--gpumask|'all'", Y4M PSNR "--gpumask all"},
        {"--gpumask|'18446744073709551616'", Y4M PSNR "--gpumask 18446744073709551616"},
        {"--precision|'0'", Y4M PSNR "--precision 0"},
        {"--precision|'18'", Y4M PSNR "--precision 18"},
        {"--precision|'07'", Y4M PSNR "--precision 07"},
        {"--precision|'Max'", Y4M PSNR "--precision Max"},
        {"--pool|'average'", Y4M PSNR "--pool average"},
        {"--pool|'p101'", Y4M PSNR "--pool mean,p101"},
        {"--pool|'p05'", Y4M PSNR "--pool p05"},
        {"--pool|''", Y4M PSNR "--pool mean,,max"},
        {"--pool|''", Y4M PSNR "--pool mean,"},
        {"--backend|'gpu'", Y4M PSNR "--backend gpu"},
        {"--backend|cpu-kernels|'cpu,opencl'", Y4M PSNR "--backend cpu,opencl"},
        {"--backend|empty", Y4M PSNR "--backend ''"},
        {"--device|'-1'", Y4M PSNR "--device -1"},
        {"--device|'first'", Y4M PSNR "--device first"},
        {"--device|'0,'", Y4M PSNR "--device 0,"},
        {"--device|',0'", Y4M PSNR "--device ,0"},
        {"--device|'0,all'", Y4M PSNR "--device 0,all"},
        {"--device|'0x1'", Y4M PSNR "--device 0x1"},
        {"--device|'9999999999'", Y4M PSNR "--device 9999999999"},
        {"device 0 is listed twice", Y4M PSNR "--backend cpu-kernels --device 0,0"},
        {"--audit|'-1'", Y4M PSNR "--audit -1"},
        {"--audit|'all'", Y4M PSNR "--audit all"},
        /* features */
        {"unknown feature 'psrn'", Y4M "-n --feature psrn"},
        {"unknown feature 'PSNR'", Y4M "-n --feature PSNR"},
        {"unknown feature 'psnr,float_psnr'", Y4M "-n --feature psnr,float_psnr"},
        {"unknown feature ''", Y4M "-n --feature =enable_mse=true"},
        {"psnr: unknown option 'enable_chrome'", Y4M "-n --feature psnr=enable_chrome=true"},
        {"float_moment: unknown option 'uncapped'", Y4M "-n --feature float_moment=uncapped=true"},
        {"psnr|'enable_mse' has no '=value'", Y4M "-n --feature psnr=enable_mse"},
        {"psnr|'' has no '=value'", Y4M "-n --feature psnr="},
        {"psnr|'' has no '=value'", Y4M "-n --feature psnr=enable_mse=true:"},
        {"psnr|'enable_mse' takes true or false, not '1'", Y4M "-n --feature psnr=enable_mse=1"},
        {"psnr|'enable_mse'|'True'", Y4M "-n --feature psnr=enable_mse=True"},
        {"psnr|'min_sse'|'-1'", Y4M "-n --feature psnr=min_sse=-1"},
        {"psnr|'min_sse'|'1,5'", Y4M "-n --feature psnr=min_sse=1,5"},
        {"psnr|'min_sse'|'nan'", Y4M "-n --feature psnr=min_sse=nan"},
        {"psnr|'min_sse'|''", Y4M "-n --feature psnr=min_sse="},
        {"psnr|twice with different options", Y4M PSNR "--feature psnr=enable_mse=true"},
    };
    check_lines(2, lines, LENGTH(lines));

    /* the program's other words */
    static const struct line words[] = {
        {"devices|'x'", "devices x"},
        {"bench|'x'", "bench x"},
        {"bench|'--nix'", "bench --nix"},
        {"bench|'0'", "bench --rounds 0"},
        {"bench|'5x'", "bench --size 5x"},
        {"bench|'9'", "bench --bits 9"},
        {"bench|'--size'", "bench --size"},
        {"bench|unknown feature 'nix'", "bench --feature nix"},
        {"bench|'5'", "bench --size 5"},
        {"bench|65536x2", "bench --size 65536x2"},
        {"bench|psnr|'x'", "bench --size 16x16 --feature psnr=x=1"},
        {"bench|'auto'", "bench --backend auto"},
        {"bench|'0,x' is not a list", "bench --backend cpu-kernels --size 8x8 --feature psnr --device 0,x"},
        {"bench|'9'", "bench --backend cpu-kernels --batch 9"},
        {"bench|--batch needs the --backend", "bench --batch 2"},
        {"bench|--resident needs the --backend", "bench --resident"},
        {"bench|'-1'", "bench --backend cpu-kernels --threads -1"},
        {"bench|--device needs the --backend", "bench --device 0"},
        {"bench|--threads needs the --backend", "bench --backend cpu --threads 1"},
        {"bench|nix|unknown feature 'nix'", "bench --backend cpu-kernels --feature nix"},
        {"parity|'x'", "parity x"},
        {"parity|'--nix'", "parity --nix"},
        {"parity|'--clip'", "parity --clip"},
        {"parity|'-1'", "parity --device -1"},
        {"parity|--device 1 needs --backend", "parity --device 1"},
        {"parity|unknown form 'fp32'", "parity --form fp64,fp32"},
        {"parity|unknown input 'noise9'", "parity --input noise8,noise9"},
        {"parity|an empty name", "parity --input noise8,,noise10"},
        {"parity|unknown feature 'nix'", "parity --feature psnr,nix"},
        {"parity|psnr|'x'", "parity --feature psnr=x=1"},
        {"parity|psnr|different options", "parity --feature psnr,psnr=enable_mse=true"},
        {"parity|FILE.json or FILE.md|'report.txt'", "parity --report report.txt"},
        {"parity|FILE.json or FILE.md|'report'", "parity --report report"},
        {"parity|--clip|REF,DIST", "parity --clip ref.y4m"},
        {"parity|--clip|REF,DIST", "parity --clip ref.yuv,dis.yuv,34x18,420"},
        {"parity|--clip|'34x,420,8'", "parity --clip ref.yuv,dis.yuv,34x,420,8"},
        {"parity|--clip|'34x18,421,8'", "parity --clip ref.yuv,dis.yuv,34x18,421,8"},
        {"parity|--clip|34x18, 9 bits", "parity --clip ref.yuv,dis.yuv,34x18,420,9"},
        {"parity|--clip|ref.yuv|not y4m", "parity --clip ref.yuv,dis.yuv"},
        {"parity|--clip|/dev/null|regular file", "parity --clip /dev/null,dis.y4m"},
    };
    for (size_t i = 0; i < LENGTH(words); i++)
        vqx(2, words[i].says, "%s", words[i].command);

    /* more features than there is room for; more words in --pool */
    struct bytes many = {0};
    for (unsigned i = 0; i < 33; i++)
        append_text(&many, " --feature psnr");
    append(&many, "", 1);
    vqx(2, "more than 32 features", Y4M "-n %s", (char *)many.data);
    many.data[many.size - 1 - strlen(" --feature psnr")] = '\0';
    vqx(0, NULL, Y4M "-n -q %s", (char *)many.data);
    many.size = 0;
    append_text(&many, "p1");
    for (unsigned i = 0; i < 64; i++)
        append_text(&many, ",p2");
    append(&many, "", 1);
    vqx(2, "--pool|more than 64", Y4M PSNR "--pool %s", (char *)many.data);
    free(many.data);
    free_pair(&p);
}

/* The result file must not be one of the videos. */
static void test_output_is_input(void **state) {
    (void)state;
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 8, 3, 3);
    link_to("link", "dis.y4m");
    vqx(2, "--output ref.y4m|reference", Y4M PSNR "-o ref.y4m");
    vqx(2, "--output ./dis.y4m|distorted", Y4M PSNR "-o ./dis.y4m --json");
    vqx(2, "--output link|distorted", Y4M PSNR "-o link");
    const struct bytes y4m = plain_y4m(&p.ref);
    struct input in = {0};
    offer(&in, BY_REDIRECTED_STDIN, &y4m);
    vqx(2, "--output file|reference", "-r - -d dis.y4m " PSNR "-o file");
    withdraw(&in);
    struct bytes now = get("ref.y4m");
    assert_int_equal(now.size, y4m.size);
    assert_memory_equal(now.data, y4m.data, now.size);
    free(now.data);
    free(y4m.data);
    free_pair(&p);
}

/* ---- 100, 105, 106, 107 -------------------------------------------------------------------------------------------- */

static void test_backend(void **state) {
    (void)state;
    static const struct line lines[] = {
        {"sycl: no plug-in: /nonexistent/plug-in: cannot open", Y4M PSNR "--backend auto --backend sycl"},
        {"cpu has no device '1'", Y4M PSNR "--backend cpu --device 1"},
        {"cpu-kernels has no device 1", Y4M PSNR "--backend cpu-kernels --device 0,1"},
        {"auto|device '63'", Y4M PSNR "--device 63"},
    };
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 8, 2, 2);
    for (size_t i = 0; i < LENGTH(lines); i++) {
        vqx(100, lines[i].says, "%s", lines[i].command);
        vqx(100, lines[i].says, "%s -o fresh --xml", lines[i].command);
        assert_false(exists("fresh"));
        vqx(100, lines[i].says, "%s -o fresh --json", lines[i].command);
        struct bytes file = get("fresh");
        json_t *object = parse((char *)file.data);
        assert_has(json_string_value(json_object_get(object, "error")), i < 1 ? "plug-in" : "device");
        assert_int_equal(json_integer_value(json_object_get(object, "code")), 100);
        json_decref(object);
        free(file.data);
        erase("fresh");
        const struct run run = vqx(100, lines[i].says, "%s -q -o - --json", lines[i].command);
        json_decref(parse(run.out));
    }
    vqx(100, "bench|sycl: no plug-in", "bench --backend sycl");
    vqx(100, "bench|cpu-kernels has no device 1", "bench --backend cpu-kernels --device 1");
    vqx(106, "bench|vif", "bench --backend cpu-kernels --size 7x7 --feature vif");
    vqx(100, "parity|sycl: no plug-in", "parity --backend cpu-kernels,sycl");
    vqx(100, "parity|cpu-kernels has no device '1'", "parity --backend cpu-kernels --device 1");
    vqx(100, "parity|cpu-kernels has no device '0,1'", "parity --backend cpu-kernels --device 0,1");
    free_pair(&p);
}

static void test_model(void **state) {
    (void)state;
    static const struct line lines[] = {{"model", Y4M "--feature psnr"}, {"model", Y4M}, {"--model", Y4M PSNR "-m path=x.json"}};
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 8, 2, 2);
    check_lines(105, lines, LENGTH(lines));
    free_pair(&p);
}

/* A metric may refuse tiny pictures; then it says so. */
static void test_refusal(void **state) {
    (void)state;
    struct pair p = make_pair(1, 1, VQX_CHROMA_400, 8, 2, 2);
    for (size_t i = 0; i < vqx_metric_count(); i++) {
        const struct run run = run_in(&(struct setting){0}, Y4M "-n -q -o fresh --json --feature %s", vqx_metric_name(i));
        assert_run(&run, run.code ? 106 : 0, run.code ? vqx_metric_name(i) : NULL, vqx_metric_name(i));
        assert_int_equal(exists("fresh"), run.code == 0);
        if (!run.code)
            erase("fresh");
    }
    free_pair(&p);
}

static void test_memory(void **state) {
    (void)state;
    if (CLI_SANITIZED) {
        print_message("memory is not limited under a sanitizer\n");
        skip();
    }
    char path[128];
    make_file(path, sizeof(path), "huge.yuv", "", 0);
    assert_int_equal(truncate(path, (off_t)20000 * 20000 * 2 * 2), 0); /* two frames of 800 MB that take no room */
    const struct setting small = {.limited = true, .resource = RLIMIT_AS, .limit = 300u << 20};
    static const struct line lines[] = {
        {"frame 0|out of memory", "-r huge.yuv -d huge.yuv -w 20000 -h 20000 -p 400 -b 16 " PSNR "--threads 1"},
        {"/dev/zero|frame 0|out of memory", "-r /dev/zero -d huge.yuv -w 20000 -h 20000 -p 400 -b 16 " PSNR "--threads 1"},
        {"out of memory|1024 worker threads", "-r huge.yuv -d huge.yuv -w 64 -h 64 -p 400 -b 8 " PSNR "--threads 1024"},
    };
    for (size_t i = 0; i < LENGTH(lines); i++) {
        const struct run run = run_in(&small, "%s --backend cpu -o fresh --json", lines[i].command);
        assert_run(&run, 107, lines[i].says, lines[i].command);
        assert_false(exists("fresh"));
    }
    erase("huge.yuv");
}

/* ---- 101, 102: input ----------------------------------------------------------------------------------------------- */

static void test_no_frames(void **state) {
    (void)state;
    static const struct line lines[] = {
        {"no frames", "-r empty -d empty -w 34 -h 18 -p 420 -b 8 " PSNR},
        {"no frames", "-r /dev/null -d /dev/null -w 34 -h 18 -p 420 -b 8 " PSNR},
        {"no frames", "-r header -d header " PSNR},
        {"no frames", Y4M PSNR "--frame_skip_ref 3 --frame_skip_dist 3"},
        {"no frames", Y4M PSNR "--frame_skip_ref 4294967295 --frame_skip_dist 4"},
    };
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 8, 3, 3);
    put_text("empty", "");
    put_text("header", "YUV4MPEG2 W34 H18 F25:1\n");
    check_lines(101, lines, LENGTH(lines));
    free_pair(&p);
}

static void test_inputs(void **state) {
    (void)state;
    static const struct line lines[] = {
        {"missing.y4m: cannot open: No such file", "-r missing.y4m -d dis.y4m " PSNR},
        {"missing.y4m: cannot open: No such file", "-r ref.y4m -d missing.y4m " PSNR},
        {"/: cannot open: Is a directory", "-r / -d dis.y4m " PSNR},
        {".: cannot open: Is a directory", "-r ref.y4m -d . " PSNR},
        {"do not match|ref.y4m is 34x18 4:2:0 8 bits|size.y4m is 36x18 4:2:0 8 bits", "-r ref.y4m -d size.y4m " PSNR},
        {"do not match|chroma.y4m is 34x18 4:2:2 8 bits", "-r chroma.y4m -d dis.y4m " PSNR},
        {"do not match|depth.y4m is 34x18 4:2:0 10 bits", "-r ref.y4m -d depth.y4m " PSNR},
        {"do not match|ref.yuv is 34x18 4:2:0 8 bits|depth.y4m", "-r ref.yuv -d depth.y4m -w 34 -h 18 -p 420 -b 8 " PSNR},
        {"interlaced.y4m|'It'", "-r interlaced.y4m -d dis.y4m " PSNR},
        {"odd.y4m|'C411'", "-r ref.y4m -d odd.y4m " PSNR},
        {"nosize.y4m|width", "-r nosize.y4m -d dis.y4m " PSNR},
        {"cut.y4m|truncated at byte 17", "-r cut.y4m -d dis.y4m " PSNR},
        {"noframe.y4m: frame 0|byte 24", "-r noframe.y4m -d dis.y4m " PSNR},
    };
    struct pair p = make_pair(36, 18, VQX_CHROMA_420, 8, 3, 3);
    struct bytes text = plain_y4m(&p.ref);
    put("size.y4m", text.data, text.size);
    free(text.data);
    free_pair(&p);
    p = make_pair(34, 18, VQX_CHROMA_422, 8, 3, 3);
    text = plain_y4m(&p.ref);
    put("chroma.y4m", text.data, text.size);
    free(text.data);
    free_pair(&p);
    p = make_pair(34, 18, VQX_CHROMA_420, 10, 3, 3);
    text = plain_y4m(&p.ref);
    put("depth.y4m", text.data, text.size);
    free(text.data);
    free_pair(&p);
    p = make_pair(34, 18, VQX_CHROMA_420, 8, 3, 3);
    put_text("interlaced.y4m", "YUV4MPEG2 W34 H18 F25:1 It\nFRAME\n");
    put_text("odd.y4m", "YUV4MPEG2 W34 H18 F25:1 C411\nFRAME\n");
    put_text("nosize.y4m", "YUV4MPEG2 H18 F25:1\nFRAME\n");
    put_text("cut.y4m", "YUV4MPEG2 W34 H18");
    put_text("noframe.y4m", "YUV4MPEG2 W34 H18 F25:1\nFRAMES\n");
    check_lines(102, lines, LENGTH(lines));

    if (geteuid() == 0) {
        print_message("root reads and writes everything: permissions are skipped\n");
    } else {
        char path[128];
        make_file(path, sizeof(path), "secret.y4m", "", 0);
        assert_int_equal(chmod(path, 0), 0);
        vqx(102, "secret.y4m: cannot open: Permission denied", "-r secret.y4m -d dis.y4m " PSNR);
        vqx(103, "secret.y4m|Permission denied", Y4M PSNR "-o secret.y4m");
    }
    free_pair(&p);
}

/* Names that do not fit into a line or a buffer. */
static void test_names(void **state) {
    (void)state;
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 8, 3, 3);
    char name[3000];
    for (size_t i = 0; i < sizeof(name) - 1; i++)
        name[i] = i % 200 ? 'n' : '/';
    name[sizeof(name) - 1] = '\0';
    vqx(102, "n: cannot open: No such file or directory", "-r %s -d dis.y4m " PSNR, name);
    vqx(103, "n: No such file or directory", Y4M PSNR "-o %s", name);
    vqx(2, "unknown feature 'nnn", Y4M "-n --feature %s", name + 1);
    vqx(102, "a?b.y4m: cannot open", "-r a\nb.y4m -d dis.y4m " PSNR);
    vqx(2, "unknown feature 'ps?nr'", Y4M "-n --feature ps\nnr");
    vqx(0, NULL, Y4M PSNR "-q -o result\n\"1\" --json");
    assert_true(exists("result\n\"1\""));
    free_pair(&p);
}

/* One way to cut an input inside frame `whole`, and what must be said. */
struct trunk {
    const char *input;
    struct bytes bytes;
    unsigned whole;
    char says[128];
};

static void check_truncation(const struct trunk *t, bool side, const char *other, const char *options, unsigned threads) {
    static const char *const formats[] = {"--json", "--csv", "--xml", "--sub"};
    for (unsigned way = 0; way < WAYS; way++) {
        struct input in = {.chunk = 3000};
        offer(&in, (enum way)way, &t->bytes);
        char says[256];
        const bool standard = strcmp(in.path, "-") == 0;
        /* of redirected standard input, bytes count from the start of the file: the text has the other count */
        snprintf(says, sizeof(says), "%s|%s", standard ? "standard input: " : in.path,
                 way == BY_REDIRECTED_STDIN ? "frame" : t->says);
        const char *format = formats[way];
        vqx(102, says, "-%c %s -%c %s %s -n " ALL_FEATURES " --threads %u -q -o result --precision max %s", side ? 'd' : 'r',
            in.path, side ? 'r' : 'd', other, options, threads, format);
        withdraw(&in);
        if (!t->whole) {
            assert_false(exists("result"));
            continue;
        }
        /* what is there must be what a run over the whole frames writes */
        const struct run run = vqx(0, NULL, "-%c %s -%c %s %s -n " ALL_FEATURES " --frame_cnt %u -o - --precision max %s",
                                   side ? 'd' : 'r', t->input, side ? 'r' : 'd', other, options, t->whole, format);
        struct bytes result = get("result");
        erase("result");
        if (way == 0) {
            json_t *got = parse((char *)result.data), *expected = parse(run.out);
            assert_int_equal(json_array_size(json_object_get(got, "frames")), t->whole);
            assert_same_scores(got, expected, t->says);
            assert_has(json_string_value(json_object_get(got, "error")), t->says);
            assert_null(json_object_get(expected, "error"));
            json_decref(got);
            json_decref(expected);
        } else {
            char *a = strstr((char *)result.data, "<frames>"), *b = strstr(run.out, "<frames>"); /* fps stands before */
            assert_int_equal(!a, way != 2);
            assert_string_equal(a ? a : (char *)result.data, b ? b : run.out);
        }
        free(result.data);
    }
}

static void test_truncation(void **state) {
    (void)state;
    enum { FRAMES = 6 };
    static const unsigned threads[] = {1, 2, 3, 8};
    static const char line[] = "FRAME\n";
    struct pair p = make_pair(66, 50, VQX_CHROMA_420, 10, FRAMES, FRAMES);
    const size_t frame = p.ref.frame_bytes;
    unsigned turn = 0;
    for (unsigned side = 0; side < 2; side++) {
        const struct clip *clip = side ? &p.dis : &p.ref;
        struct bytes y4m = plain_y4m(clip);
        const size_t header = y4m.size - FRAMES * (frame + sizeof(line) - 1);
        static const unsigned whole[] = {0, 1, 3, FRAMES - 1};
        for (size_t w = 0; w < LENGTH(whole); w++) {
            /* one byte is there, one is missing, somewhere in chroma */
            const size_t pieces[] = {1, frame - 1, frame - 100, frame / 2};
            for (size_t c = 0; c < LENGTH(pieces); c++, turn++) {
                struct trunk t = {.input = side ? "dis.yuv" : "ref.yuv", .bytes = clip->samples, .whole = whole[w]};
                t.bytes.size = whole[w] * frame + pieces[c];
                snprintf(t.says, sizeof(t.says), "frame %u is truncated at byte %zu", whole[w], t.bytes.size);
                check_truncation(&t, side, side ? "ref.yuv" : "dis.yuv", geometry(&clip->format), threads[turn % LENGTH(threads)]);
                t = (struct trunk){.input = side ? "dis.y4m" : "ref.y4m", .bytes = y4m, .whole = whole[w]};
                t.bytes.size = header + whole[w] * (frame + sizeof(line) - 1) + sizeof(line) - 1 + pieces[c];
                snprintf(t.says, sizeof(t.says), "frame %u is truncated at byte %zu", whole[w], t.bytes.size);
                check_truncation(&t, side, side ? "ref.y4m" : "dis.y4m", "", threads[turn % LENGTH(threads)]);
            }
        }
        struct trunk t = {.input = side ? "dis.y4m" : "ref.y4m", .bytes = y4m, .whole = 2};
        t.bytes.size = header + 2 * (frame + sizeof(line) - 1) + 3;
        snprintf(t.says, sizeof(t.says), "frame 2: FRAME line is truncated at byte %zu", t.bytes.size);
        check_truncation(&t, side, side ? "ref.y4m" : "dis.y4m", "", 2);
        free(y4m.data);
    }
    free_pair(&p);
}

/* Truncated among the frames that are skipped, that nobody looks at, or behind the last one asked for; frames count from the file's
 * start. */
static void test_truncation_elsewhere(void **state) {
    (void)state;
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 8, 9, 9);
    put("cut.yuv", p.ref.samples.data, 5 * p.ref.frame_bytes + 10);
    const char *shape = geometry(&p.ref.format);
    vqx(102, "cut.yuv: frame 5|byte 4600", "-r cut.yuv -d dis.yuv %s " PSNR "--frame_skip_ref 7 -o fresh", shape);
    assert_false(exists("fresh"));
    struct run run =
        vqx(102, "cut.yuv: frame 5|byte 4600", "-r cut.yuv -d dis.yuv %s " PSNR "--frame_skip_ref 3 -o - --csv", shape);
    assert_has(run.out, "\n1,");
    assert_has_not(run.out, "\n2,");
    run = vqx(102, "cut.yuv: frame 5", "-r ref.yuv -d cut.yuv %s -n --feature float_psnr --subsample 4 -o - --csv", shape);
    assert_has(run.out, "\n4,");
    vqx(0, NULL, "-r cut.yuv -d dis.yuv %s " PSNR "-q --frame_cnt 5", shape);
    free_pair(&p);
}

/* ---- 103: output --------------------------------------------------------------------------------------------------- */

static void test_output(void **state) {
    (void)state;
    static const struct line lines[] = {
        {"nowhere/result: No such file", Y4M PSNR "-o nowhere/result"},
        {"/: Is a directory", Y4M PSNR "-o /"},
        {"ref.y4m/result: Not a directory", Y4M PSNR "-o ref.y4m/result"},
        {"full: No space left on device", Y4M PSNR "-o full --json"},
        {"full: No space left on device", Y4M PSNR "-o full --xml -q"},
        {"full: No space left on device", Y4M PSNR "-o full --csv"},
    };
    struct pair p = make_pair(34, 18, VQX_CHROMA_420, 8, 40, 40);
    const bool full = link_to("full", "/dev/full");
    if (!full)
        print_message("/dev/full is not for us: it is skipped\n");
    for (size_t i = 0; i < LENGTH(lines) - (full ? 0 : 3); i++)
        vqx(103, lines[i].says, "%s", lines[i].command);

    /* standard output: full, or nobody reads it; the result as well as the table, help and version */
    static const char *const to_stdout[] = {Y4M PSNR "-o - --json",
                                            Y4M PSNR "-o - --csv -q",
                                            Y4M PSNR,
                                            Y4M PSNR "-o result",
                                            "--help",
                                            "--version",
                                            "devices",
                                            "bench --help",
                                            "parity --help",
                                            "parity --backend cpu-kernels --input 1x1 --feature psnr"};
    for (size_t i = 0; i < LENGTH(to_stdout); i++) {
        struct run run;
        if (full) {
            run = run_in(&(struct setting){.out = "/dev/full"}, "%s", to_stdout[i]);
            assert_run(&run, 103, "standard output: No space left on device", to_stdout[i]);
        }
        run = run_in(&(struct setting){.broken_out = true}, "%s", to_stdout[i]);
        assert_run(&run, 103, "standard output: Broken pipe", to_stdout[i]);
    }

    /* a file that may not grow: no half of a new one stays */
    const struct setting tight = {.limited = true, .resource = RLIMIT_FSIZE, .limit = 1000};
    struct run run = run_in(&tight, Y4M PSNR "-q -o fresh --json");
    assert_run(&run, 103, "fresh: File too large", "RLIMIT_FSIZE");
    assert_false(exists("fresh"));

    /* a run with an error of its own keeps its exit code */
    put("cut.y4m", "YUV4MPEG2", 9);
    vqx(102, "cut.y4m", "-r cut.y4m -d dis.y4m " PSNR "-o %s", full ? "full" : "fresh");
    free_pair(&p);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_output_is_input),
        cmocka_unit_test(test_backend),
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_refusal),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_no_frames),
        cmocka_unit_test(test_inputs),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_truncation_elsewhere),
        cmocka_unit_test(test_output),
    };
    return cli_find_program(argc, argv) ? 1 : cmocka_run_group_tests(tests, reader_input_setup, cli_cleanup);
}
