/* What the writers write: the text of every format, numbers, locale. */
#include "test/comma_locale.h"
#include "test/writer_fixture.h"

#include <float.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>

static void assert_text(enum writer_format format, const vqx_context *context, const struct writer_info *info,
                        const char *expected) {
    char *text = text_of(format, context, info);
    assert_string_equal(text, expected);
    free(text);
}

/* The file as jansson reads it; the caller drops the reference. */
static json_t *parsed(const vqx_context *context, const struct writer_info *info) {
    char *text = text_of(WRITER_JSON, context, info);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        fail_msg("%d:%d: %s in\n%s", error.line, error.column, error.text, text);
    free(text);
    return root;
}

/* ---- golden texts -------------------------------------------------------------------------------------------------- */

static void test_example(void **state) {
    (void)state;
    assert_text(WRITER_JSON, &example, &plain_info,
                "{\n"
                "  \"version\": \"1.2.3\",\n"
                "  \"fps\": 12.35,\n"
                "  \"backend_used\": \"cpu\",\n"
                "  \"device\": \"a processor, avx2\",\n"
                "  \"frames\": [\n"
                "    {\n"
                "      \"frameNum\": 0,\n"
                "      \"metrics\": {\n"
                "        \"psnr_y\": 34.760779,\n"
                "        \"float_ssim\": 0.925023\n"
                "      }\n"
                "    },\n"
                "    {\n"
                "      \"frameNum\": 2,\n"
                "      \"metrics\": {\n"
                "        \"psnr_y\": 30.993823,\n"
                "        \"float_ssim\": 0.876575\n"
                "      }\n"
                "    }\n"
                "  ],\n"
                "  \"pooled_metrics\": {\n"
                "    \"psnr_y\": {\n"
                "      \"min\": 30.993823,\n"
                "      \"max\": 34.760779,\n"
                "      \"mean\": 32.877301,\n"
                "      \"harmonic_mean\": 32.772585\n"
                "    },\n"
                "    \"float_ssim\": {\n"
                "      \"min\": 0.876575,\n"
                "      \"max\": 0.925023,\n"
                "      \"mean\": 0.900799,\n"
                "      \"harmonic_mean\": 0.900490\n"
                "    }\n"
                "  },\n"
                "  \"aggregate_metrics\": {\n"
                "    \"apsnr_y\": 32.272514,\n"
                "    \"apsnr_cb\": 39.009937\n"
                "  },\n"
                "  \"features\": {\n"
                "    \"psnr\": {\n"
                "      \"backend\": \"cpu\",\n"
                "      \"device\": \"a processor, avx2\"\n"
                "    },\n"
                "    \"float_ssim\": {\n"
                "      \"backend\": \"cpu\",\n"
                "      \"device\": \"a processor, avx2\"\n"
                "    }\n"
                "  }\n"
                "}\n");
    assert_text(
        WRITER_XML, &example, &plain_info,
        "<VMAF version=\"1.2.3\">\n"
        "  <params qualityWidth=\"576\" qualityHeight=\"324\" />\n"
        "  <fyi fps=\"12.35\" />\n"
        "  <frames>\n"
        "    <frame frameNum=\"0\" psnr_y=\"34.760779\" float_ssim=\"0.925023\" />\n"
        "    <frame frameNum=\"2\" psnr_y=\"30.993823\" float_ssim=\"0.876575\" />\n"
        "  </frames>\n"
        "  <pooled_metrics>\n"
        "    <metric name=\"psnr_y\" min=\"30.993823\" max=\"34.760779\" mean=\"32.877301\" harmonic_mean=\"32.772585\" />\n"
        "    <metric name=\"float_ssim\" min=\"0.876575\" max=\"0.925023\" mean=\"0.900799\" harmonic_mean=\"0.900490\" />\n"
        "  </pooled_metrics>\n"
        "  <aggregate_metrics apsnr_y=\"32.272514\" apsnr_cb=\"39.009937\" />\n"
        "</VMAF>\n");
    assert_text(WRITER_CSV, &example, &plain_info,
                "Frame,psnr_y,float_ssim,\n"
                "0,34.760779,0.925023,\n"
                "2,30.993823,0.876575,\n");
    assert_text(WRITER_SUB, &example, &plain_info,
                "{0}{1}frame: 0|psnr_y: 34.760779|float_ssim: 0.925023|\n"
                "{2}{3}frame: 2|psnr_y: 30.993823|float_ssim: 0.876575|\n");
}

/* The first listed frame is not 0; frame 3 has no score at all, frames 4 and 5 lack some; non-finite values first, last and pooled.
 */
static vqx_context odd_context(void) {
    return (vqx_context){
        .outputs = 3,
        .name = {"a", "b", "c"},
        .metric = {"one", "two", "one"},
        .frames = 6,
        .score = {{0}, {0}, {NAN, 1.0, -INFINITY}, {NONE, NONE, NONE}, {INFINITY, NONE, -NAN}, {NONE, 2.0, 3.0}},
        .skip = 2,
        .aggregates = 2,
        .aggregate_name = {"x", "y"},
        .aggregate = {-INFINITY, 5.0},
    };
}

static void test_missing_and_not_finite(void **state) {
    const vqx_context context = odd_context();
    struct writer_info info = plain_info;
    const struct writer_place place[] = {{"three", "cuda", "0: not asked for"}, {"two", "cuda", "0: a graphics card"}};
    (void)state;
    info.fps = INFINITY;
    info.place = place;
    info.place_count = LENGTH(place);
    info.error = "frame 6: \"x\"\n";
    assert_text(WRITER_JSON, &context, &info,
                "{\n"
                "  \"version\": \"1.2.3\",\n"
                "  \"fps\": null,\n"
                "  \"backend_used\": \"cpu\",\n"
                "  \"device\": \"a processor, avx2\",\n"
                "  \"frames\": [\n"
                "    {\n"
                "      \"frameNum\": 2,\n"
                "      \"metrics\": {\n"
                "        \"a\": null,\n"
                "        \"b\": 1.000000,\n"
                "        \"c\": null\n"
                "      }\n"
                "    },\n"
                "    {\n"
                "      \"frameNum\": 4,\n"
                "      \"metrics\": {\n"
                "        \"a\": null,\n"
                "        \"c\": null\n"
                "      }\n"
                "    },\n"
                "    {\n"
                "      \"frameNum\": 5,\n"
                "      \"metrics\": {\n"
                "        \"b\": 2.000000,\n"
                "        \"c\": 3.000000\n"
                "      }\n"
                "    }\n"
                "  ],\n"
                "  \"pooled_metrics\": {\n"
                "    \"a\": {\n"
                "    },\n"
                "    \"b\": {\n"
                "    },\n"
                "    \"c\": {\n"
                "    }\n"
                "  },\n"
                "  \"aggregate_metrics\": {\n"
                "    \"x\": null,\n"
                "    \"y\": 5.000000\n"
                "  },\n"
                "  \"features\": {\n"
                "    \"one\": {\n"
                "      \"backend\": \"cpu\",\n"
                "      \"device\": \"a processor, avx2\"\n"
                "    },\n"
                "    \"two\": {\n"
                "      \"backend\": \"cuda\",\n"
                "      \"device\": \"0: a graphics card\"\n"
                "    }\n"
                "  },\n"
                "  \"error\": \"frame 6: \\u0022x\\u0022\\u000a\"\n"
                "}\n");
    assert_text(WRITER_XML, &context, &info,
                "<VMAF version=\"1.2.3\">\n"
                "  <params qualityWidth=\"576\" qualityHeight=\"324\" />\n"
                "  <fyi fps=\"inf\" />\n"
                "  <frames>\n"
                "    <frame frameNum=\"2\" a=\"nan\" b=\"1.000000\" c=\"-inf\" />\n"
                "    <frame frameNum=\"4\" a=\"inf\" c=\"-nan\" />\n"
                "    <frame frameNum=\"5\" b=\"2.000000\" c=\"3.000000\" />\n"
                "  </frames>\n"
                "  <pooled_metrics>\n"
                "    <metric name=\"a\" />\n"
                "    <metric name=\"b\" />\n"
                "    <metric name=\"c\" />\n"
                "  </pooled_metrics>\n"
                "  <aggregate_metrics x=\"-inf\" y=\"5.000000\" />\n"
                "</VMAF>\n");
    assert_text(WRITER_CSV, &context, &info,
                "Frame,a,b,c,\n"
                "2,nan,1.000000,-inf,\n"
                "4,inf,,-nan,\n"
                "5,,2.000000,3.000000,\n");
    assert_text(WRITER_SUB, &context, &info,
                "{2}{3}frame: 2|a: nan|b: 1.000000|c: -inf|\n"
                "{4}{5}frame: 4|a: inf|c: -nan|\n"
                "{5}{6}frame: 5|b: 2.000000|c: 3.000000|\n");
}

static void test_pooled_not_finite(void **state) {
    const vqx_context context = {.outputs = 1, .name = {"a"}, .metric = {"a"}, .frames = 2, .score = {{INFINITY}, {1.0}}};
    (void)state;
    char *text = text_of(WRITER_JSON, &context, &plain_info);
    assert_non_null(strstr(text, "    \"a\": {\n"
                                 "      \"min\": 1.000000,\n"
                                 "      \"max\": null,\n"
                                 "      \"mean\": null,\n"
                                 "      \"harmonic_mean\": 3.000000\n"
                                 "    }\n"));
    free(text);
    text = text_of(WRITER_XML, &context, &plain_info);
    assert_non_null(strstr(text, "<metric name=\"a\" min=\"1.000000\" max=\"inf\" mean=\"inf\" harmonic_mean=\"3.000000\" />\n"));
    free(text);
}

static void test_nothing(void **state) {
    const vqx_context empty = {.outputs = 0};
    vqx_context no_frames = example;
    (void)state;
    assert_text(WRITER_JSON, &empty, &plain_info,
                "{\n"
                "  \"version\": \"1.2.3\",\n"
                "  \"fps\": 12.35,\n"
                "  \"backend_used\": \"cpu\",\n"
                "  \"device\": \"a processor, avx2\",\n"
                "  \"frames\": [\n"
                "  ],\n"
                "  \"pooled_metrics\": {\n"
                "  },\n"
                "  \"aggregate_metrics\": {\n"
                "  },\n"
                "  \"features\": {\n"
                "  }\n"
                "}\n");
    assert_text(WRITER_XML, &empty, &plain_info,
                "<VMAF version=\"1.2.3\">\n"
                "  <params qualityWidth=\"576\" qualityHeight=\"324\" />\n"
                "  <fyi fps=\"12.35\" />\n"
                "  <frames>\n"
                "  </frames>\n"
                "  <pooled_metrics>\n"
                "  </pooled_metrics>\n"
                "  <aggregate_metrics />\n"
                "</VMAF>\n");
    assert_text(WRITER_CSV, &empty, &plain_info, "Frame,\n");
    assert_text(WRITER_SUB, &empty, &plain_info, "");

    /* Outputs, but no frames, and aggregates that were not reached. */
    no_frames.frames = 0;
    no_frames.aggregate[0] = no_frames.aggregate[1] = NONE;
    char *text = text_of(WRITER_JSON, &no_frames, &plain_info);
    assert_non_null(strstr(text, "  \"frames\": [\n"
                                 "  ],\n"
                                 "  \"pooled_metrics\": {\n"
                                 "    \"psnr_y\": {\n"
                                 "    },\n"
                                 "    \"float_ssim\": {\n"
                                 "    }\n"
                                 "  },\n"
                                 "  \"aggregate_metrics\": {\n"
                                 "  },\n"));
    free(text);
    assert_text(WRITER_CSV, &no_frames, &plain_info, "Frame,psnr_y,float_ssim,\n");

    /* An aggregate without a value in front of one with: no separator is left over. */
    no_frames.aggregate[1] = 1.5;
    json_t *root = parsed(&no_frames, &plain_info);
    assert_int_equal(json_object_size(json_object_get(root, "aggregate_metrics")), 1);
    assert_true(json_number_value(json_object_get(json_object_get(root, "aggregate_metrics"), "apsnr_cb")) == 1.5);
    json_decref(root);
    text = text_of(WRITER_XML, &no_frames, &plain_info);
    assert_non_null(strstr(text, "  <aggregate_metrics apsnr_cb=\"1.500000\" />\n"));
    free(text);
}

static void test_more_pooling(void **state) {
    static const char *const methods[] = {"median", "mean", "p5", "median", "min", "stdev"};
    struct writer_info info = plain_info;
    (void)state;
    info.pool = methods;
    info.pool_count = LENGTH(methods);
    char *text = text_of(WRITER_JSON, &example, &info);
    assert_non_null(strstr(text, "    \"float_ssim\": {\n"
                                 "      \"min\": 0.876575,\n"
                                 "      \"max\": 0.925023,\n"
                                 "      \"mean\": 0.900799,\n"
                                 "      \"harmonic_mean\": 0.900490,\n"
                                 "      \"median\": 0.900799,\n"
                                 "      \"p5\": 0.878997,\n"
                                 "      \"stdev\": 0.024224\n"
                                 "    }\n"));
    free(text);
    text = text_of(WRITER_XML, &example, &info);
    assert_non_null(strstr(text, " harmonic_mean=\"0.900490\" median=\"0.900799\" p5=\"0.878997\" stdev=\"0.024224\" />\n"));
    free(text);
}

/* Names of models are free text. */
static void test_escapes(void **state) {
    const vqx_context context = {
        .outputs = 4,
        .name = {"a\"b\\c\nd", "<&>\"", "4k,\xc3\xa4", "bad\xff\xc0\x80\xed\xa0\x80\xe0\x82\x80\xe2\x82"},
        .metric = {"a\"b", "m", "m", "m"},
        .frames = 1,
        .score = {{1.0, 2.0, 3.0, 4.0}},
    };
    struct writer_info info = plain_info;
    (void)state;
    info.device = "\x01\x1f\x7f \xe2\x82\xac \xf0\x9f\x8e\x9e \xf4\x90\x80\x80 \"\\/";
    json_t *root = parsed(&context, &info);
    assert_string_equal(json_string_value(json_object_get(root, "device")),
                        "\x01\x1f\x7f \xe2\x82\xac \xf0\x9f\x8e\x9e \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \"\\/");
    json_t *metrics = json_object_get(json_array_get(json_object_get(root, "frames"), 0), "metrics");
    for (size_t o = 0; o < 3; o++)
        assert_true(json_number_value(json_object_get(metrics, context.name[o])) == (double)(o + 1));
    const char *replaced = "bad\xef\xbf\xbd"                      /* ff */
                           "\xef\xbf\xbd\xef\xbf\xbd"             /* an overlong 0 */
                           "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" /* a surrogate */
                           "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" /* an overlong U+0080 */
                           "\xef\xbf\xbd\xef\xbf\xbd" /* cut off */;
    assert_true(json_number_value(json_object_get(metrics, replaced)) == 4.0);
    assert_non_null(json_object_get(json_object_get(root, "features"), "a\"b"));
    json_decref(root);

    char *text = text_of(WRITER_XML, &context, &info);
    assert_non_null(strstr(text, "<frame frameNum=\"0\" a_b_c_d=\"1.000000\" _____=\"2.000000\" _4k___=\"3.000000\" "));
    assert_non_null(strstr(text, "<metric name=\"&#60;&#38;&#62;&#34;\" min=\"2.000000\" "));
    free(text);
    text = text_of(WRITER_CSV, &context, &info);
    assert_true(!strncmp(text, "Frame,\"a\"\"b\\c\nd\",\"<&>\"\"\",\"4k,\xc3\xa4\",bad", 36));
    free(text);
}

/* ---- numbers ------------------------------------------------------------------------------------------------------- */

/* One number as the writer prints it. */
static const char *printed(double value, unsigned precision) {
    static char number[512];
    const vqx_context context = {.outputs = 1, .name = {"a"}, .metric = {"a"}, .frames = 1, .score = {{value}}};
    struct writer_info info = plain_info;
    info.precision = precision;
    char *text = text_of(WRITER_CSV, &context, &info);
    assert_int_equal(sscanf(text, "Frame,a,\n0,%511[^,],\n", number), 1);
    free(text);
    return number;
}

static void test_legacy_numbers(void **state) {
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "0.000000"},
        {-0.0, "-0.000000"},
        {1.0, "1.000000"},
        {-34.5, "-34.500000"},
        {0.1, "0.100000"},
        {1e-5, "0.000010"},
        {0.0000011, "0.000001"},
        {0.000001, "0.000001"},
        {0.00000099, "0.0000009900000000"},
        {9.9999999999999e-7, "0.0000010000000000"},
        {1e-7, "0.0000001000000000"},
        {-1e-7, "-0.0000001000000000"},
        {1e-300, "0.0000000000000000"},
        {5e-324, "0.0000000000000000"},
        {34.0000001, "34.0000001000000012"},
        {1.0 + DBL_EPSILON, "1.0000000000000002"},
        {1.0 - DBL_EPSILON / 2, "1.000000"},
        {2147483646.9999998, "2147483647.000000"},
        {2147483647.0000005, "2147483647.0000004768371582"},
        {2147483648.0000005, "2147483648.000000"},
        {-2147483648.0000005, "-2147483648.000000"},
        {1e22, "10000000000000000000000.000000"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
        {-NAN, "-nan"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_string_equal(printed(cases[i].value, WRITER_LEGACY), cases[i].text);
    assert_int_equal(strlen(printed(DBL_MAX, WRITER_LEGACY)), 309 + 7);
}

static void test_digits(void **state) {
    (void)state;
    assert_string_equal(printed(34.760778811442201, 1), "3e+01");
    assert_string_equal(printed(34.760778811442201, 4), "34.76");
    assert_string_equal(printed(34.760778811442201, 17), "34.760778811442201");
    assert_string_equal(printed(1e-7, 17), "9.9999999999999995e-08");
    assert_string_equal(printed(-0.0, 17), "-0");
    assert_string_equal(printed(100.0, 2), "1e+02");
    assert_string_equal(printed(DBL_MAX, 17), "1.7976931348623157e+308");
    assert_string_equal(printed(INFINITY, 17), "inf");
    assert_string_equal(printed(-NAN, 3), "-nan");
}

/* The precision is everywhere but in fps. */
static void test_precision_everywhere(void **state) {
    struct writer_info info = plain_info;
    (void)state;
    info.precision = 3;
    char *text = text_of(WRITER_JSON, &example, &info);
    assert_non_null(strstr(text, "\"fps\": 12.35,"));
    assert_non_null(strstr(text, "        \"psnr_y\": 34.8,\n"));
    assert_non_null(strstr(text, "      \"harmonic_mean\": 32.8\n"));
    assert_non_null(strstr(text, "    \"apsnr_y\": 32.3,\n"));
    free(text);
    text = text_of(WRITER_XML, &example, &info);
    assert_non_null(strstr(text, "fps=\"12.35\""));
    assert_non_null(strstr(text, "psnr_y=\"34.8\" float_ssim=\"0.925\" />"));
    assert_non_null(strstr(text, "harmonic_mean=\"32.8\" />"));
    assert_non_null(strstr(text, "apsnr_y=\"32.3\" apsnr_cb=\"39\" />"));
    free(text);
    assert_text(WRITER_CSV, &example, &info, "Frame,psnr_y,float_ssim,\n0,34.8,0.925,\n2,31,0.877,\n");
    assert_text(WRITER_SUB, &example, &info,
                "{0}{1}frame: 0|psnr_y: 34.8|float_ssim: 0.925|\n{2}{3}frame: 2|psnr_y: 31|float_ssim: 0.877|\n");
}

static void test_parse_precision(void **state) {
    static const char *const bad[] = {"",    "0",   "18",  "-1",  "+1",      " 1",      "1 ",         "01",
                                      "1.0", "0x1", "17x", "Max", "maximum", "legacy ", "99999999999"};
    unsigned precision;
    (void)state;
    for (size_t i = 0; i < LENGTH(bad); i++)
        if (writer_parse_precision(bad[i], &precision) != -EINVAL)
            fail_msg("'%s' is taken for a precision", bad[i]);
    for (unsigned n = 1; n <= 17; n++) {
        char text[16];
        snprintf(text, sizeof text, "%u", n);
        assert_int_equal(writer_parse_precision(text, &precision), 0);
        assert_int_equal(precision, n);
    }
    assert_int_equal(writer_parse_precision("legacy", &precision), 0);
    assert_int_equal(precision, WRITER_LEGACY);
    assert_int_equal(writer_parse_precision("max", &precision), 0);
    assert_int_equal(precision, 17);
}

/* Every bit of every finite value comes back. */
static void test_json_keeps_bits(void **state) {
    uint64_t seed = 7;
    struct writer_info info = plain_info;
    (void)state;
    info.precision = WRITER_MAX_DIGITS;
    for (int round = 0; round < 300; round++) {
        vqx_context context = {.outputs = OUTPUTS, .name = {"a", "b", "c", "d"}, .metric = {"m", "m", "m", "m"}, .frames = FRAMES};
        for (size_t i = 0; i < FRAMES; i++) {
            for (size_t o = 0; o < OUTPUTS; o++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                const uint64_t pattern = seed ^ seed >> 29;
                memcpy(&context.score[i][o], &pattern, sizeof pattern);
                if (o == 0) /* and not only numbers with far-off exponents */
                    context.score[i][o] = (double)(pattern >> 40) / 1024.0;
            }
        }
        json_t *root = parsed(&context, &info);
        json_t *frames = json_object_get(root, "frames");
        assert_int_equal(json_array_size(frames), FRAMES);
        for (size_t i = 0; i < FRAMES; i++) {
            json_t *frame = json_array_get(frames, i);
            assert_int_equal(json_integer_value(json_object_get(frame, "frameNum")), i);
            for (size_t o = 0; o < OUTPUTS; o++) {
                json_t *value = json_object_get(json_object_get(frame, "metrics"), context.name[o]);
                assert_non_null(value);
                if (isfinite(context.score[i][o]))
                    assert_true(json_number_value(value) == context.score[i][o]);
                else
                    assert_true(json_is_null(value));
            }
        }
        json_t *mean = json_object_get(json_object_get(json_object_get(root, "pooled_metrics"), "a"), "mean");
        double expected;
        assert_int_equal(vqx_pooled(&context, 0, "mean", &expected), 0);
        assert_true(json_number_value(mean) == expected);
        json_decref(root);
    }
}

/* ---- locale -------------------------------------------------------------------------------------------------------- */

static void test_comma_locale(void **state) {
    static const enum writer_format formats[] = {WRITER_JSON, WRITER_XML, WRITER_CSV, WRITER_SUB};
    char *expected[LENGTH(formats)], *text[LENGTH(formats)], comma[8];
    (void)state;
    for (size_t f = 0; f < LENGTH(formats); f++)
        expected[f] = text_of(formats[f], &example, &plain_info);
    if (!comma_locale_set()) {
        for (size_t f = 0; f < LENGTH(formats); f++)
            free(expected[f]);
        skip();
    }
    for (size_t f = 0; f < LENGTH(formats); f++)
        text[f] = text_of(formats[f], &example, &plain_info);
    snprintf(comma, sizeof comma, "%.1f", 0.5);
    setlocale(LC_ALL, "C");
    /* The locale was there, and the program still has it afterwards. */
    assert_string_equal(comma, "0,5");
    for (size_t f = 0; f < LENGTH(formats); f++) {
        assert_string_equal(text[f], expected[f]);
        free(text[f]);
        free(expected[f]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_missing_and_not_finite),
        cmocka_unit_test(test_pooled_not_finite),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_more_pooling),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_legacy_numbers),
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_precision_everywhere),
        cmocka_unit_test(test_parse_precision),
        cmocka_unit_test(test_json_keeps_bits),
        cmocka_unit_test(test_comma_locale),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
