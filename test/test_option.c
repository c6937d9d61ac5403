/* Numbers as text, typed options, and what the built-in metrics list of theirs. */
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "base/option.h"
#include "include/vqx.h"
#include "src/registry.h"
#include "test/comma_locale.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* ---- numbers ----------------------------------------------------------------------------------------------------------- */

static void check_numbers(void) {
    static const struct {
        const char *text;
        int err;
        double option;
    } cases[] = {
        {"0", 0, 0},
        {"1", 0, 1},
        {"-2.5", 0, -2.5},
        {"+3", 0, 3},
        {".5", 0, 0.5},
        {"5.", 0, 5},
        {"0.1", 0, 0.1},
        {"1e3", 0, 1000},
        {"1E-3", 0, 0.001},
        {"0x10", 0, 16},
        {" \t7", 0, 7},
        {"7 \t ", 0, 7},
        {"inf", 0, INFINITY},
        {"1e400", 0, INFINITY},
        {"1234567", 0, 1234570},
        {"-1234567", 0, -1234570},
        {"1234564.9", 0, 1234560},
        {"1234565", 0, 1234560}, /* half to even */
        {"1234575", 0, 1234580},
        {"0.123456789", 0, 0.123457},
        {"999999.5", 0, 1000000},
        {"16777217", 0, 16777200},
        {"1e39", 0, INFINITY}, /* no float */
        {"1e-50", 0, 0},
        {"1.1e-40", 0, 1.10001e-40}, /* a subnormal float has few digits */
        /* 0.3000005 is 0.300000489… as a float: the digits that are cut are the float's */
        {"0.3000005", 0, 0.3},
        {"", -EINVAL, 0},
        {" ", -EINVAL, 0},
        {"x", -EINVAL, 0},
        {"-", -EINVAL, 0},
        {".", -EINVAL, 0},
        {"1x", -EINVAL, 0},
        {"1 2", -EINVAL, 0},
        {"1\n", -EINVAL, 0},
        {"1,5", -EINVAL, 0},
        {"1.5.", -EINVAL, 0},
        {"0,5", -EINVAL, 0},
        {"1e3.5", -EINVAL, 0},
        {"1'000", -EINVAL, 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        double option = -1;
        const int err = vqx_number_option(cases[i].text, &option);
        if (err != cases[i].err || (err == 0 && option != cases[i].option))
            fail_msg("'%s': %d, %.17g", cases[i].text, err, option);
    }
    double value;
    assert_int_equal(vqx_number_option("nan", &value), 0);
    assert_true(isnan(value));
    static const struct {
        double value;
        const char *text;
    } texts[] = {{0, "0"}, {0.5, "0.5"}, {-1.25, "-1.25"}, {1234567, "1.23457e+06"}, {1e-5, "1e-05"}, {100, "100"}};
    for (size_t i = 0; i < LENGTH(texts); i++) {
        char text[24];
        assert_int_equal(vqx_number_text(texts[i].value, text, sizeof(text)), 0);
        assert_string_equal(text, texts[i].text);
    }
}

/* ---- options ----------------------------------------------------------------------------------------------------------- */

struct values {
    bool on, off;
    int whole;
    double real, any;
};

static const vqx_option table[] = {
    {"on", "a switch", VQX_OPTION_BOOL, offsetof(struct values, on), 1, 0, 0},
    {"off", "a switch", VQX_OPTION_BOOL, offsetof(struct values, off), 0, 0, 0},
    {"whole", "a number", VQX_OPTION_INT, offsetof(struct values, whole), 3, -10, 2000000},
    {"real", "a number", VQX_OPTION_DOUBLE, offsetof(struct values, real), 0.5, -0.5, 2.5},
    {"any", "a number", VQX_OPTION_DOUBLE, offsetof(struct values, any), 1e9, -INFINITY, INFINITY},
    {0},
};

static const struct values defaults = {true, false, 3, 0.5, 1e9};

static void check_options(void) {
    static const struct {
        const char *text;
        struct values values;
    } cases[] = {
        {NULL, {true, false, 3, 0.5, 1e9}},
        {"on=false", {false, false, 3, 0.5, 1e9}},
        {"off=true", {true, true, 3, 0.5, 1e9}},
        {"off=true:on=false:whole=7:real=1.25:any=-4", {false, true, 7, 1.25, -4}},
        {"off=true:off=false", {true, false, 3, 0.5, 1e9}},
        {"whole=1:real=2:whole=2", {true, false, 2, 2, 1e9}},
        {"whole=-10", {true, false, -10, 0.5, 1e9}},
        {"whole=2000000", {true, false, 2000000, 0.5, 1e9}},
        {"whole=1234567", {true, false, 1234570, 0.5, 1e9}},
        {"whole=2e3", {true, false, 2000, 0.5, 1e9}},
        {"whole=5.0", {true, false, 5, 0.5, 1e9}},
        {"real=-0.5", {true, false, 3, -0.5, 1e9}},
        {"real=2.5", {true, false, 3, 2.5, 1e9}},
        {"real=0.123456789", {true, false, 3, 0.123457, 1e9}},
        {"any=1234567", {true, false, 3, 0.5, 1234570}},
        {"any=inf", {true, false, 3, 0.5, INFINITY}},
        {"any= 7 ", {true, false, 3, 0.5, 7}},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct values values;
        vqx_message_text message = {"untouched"};
        memset(&values, 0xff, sizeof(values));
        if (vqx_option_parse(table, "metric", cases[i].text, &values, &message) != 0)
            fail_msg("'%s': %s", cases[i].text, message.text);
        assert_string_equal(message.text, "untouched");
        if (!vqx_option_equal(table, &values, &cases[i].values))
            fail_msg("'%s': %d, %d, %d, %.17g, %.17g", cases[i].text, values.on, values.off, values.whole, values.real, values.any);
    }
}

/* Each kind of wrong text, and the line that names it. */
static void check_refused(void) {
    static const struct {
        const char *text, *line;
    } cases[] = {
        {"", "option '' has no '=value'"},
        {":", "option '' has no '=value'"},
        {"on=true:", "option '' has no '=value'"},
        {":on=true", "option '' has no '=value'"},
        {"on=true::off=true", "option '' has no '=value'"},
        {"on", "option 'on' has no '=value'"},
        {"whole=1:on", "option 'on' has no '=value'"},
        {"=1", "unknown option ''"},
        {"o=true", "unknown option 'o'"},
        {"onn=true", "unknown option 'onn'"},
        {"On=true", "unknown option 'On'"},
        {" on=true", "unknown option ' on'"},
        {"on=true:of=true", "unknown option 'of'"},
        {"of=true:on=x", "unknown option 'of'"}, /* the first mistake is named */
        {"on=", "option 'on' takes true or false, not ''"},
        {"on=1", "option 'on' takes true or false, not '1'"},
        {"on=True", "option 'on' takes true or false, not 'True'"},
        {"on=true ", "option 'on' takes true or false, not 'true '"},
        {"on=true=true", "option 'on' takes true or false, not 'true=true'"},
        {"off=true:off=no", "option 'off' takes true or false, not 'no'"},
        {"whole=", "option 'whole' takes a whole number, not ''"},
        {"whole=true", "option 'whole' takes a whole number, not 'true'"},
        {"whole=2.5", "option 'whole' takes a whole number, not '2.5'"},
        {"whole=2,5", "option 'whole' takes a whole number, not '2,5'"},
        {"whole=nan", "option 'whole' takes a whole number, not 'nan'"},
        {"whole=1x", "option 'whole' takes a whole number, not '1x'"},
        {"whole=-11", "option 'whole' takes -10 to 2e+06, not '-11'"},
        {"whole=2000010", "option 'whole' takes -10 to 2e+06, not '2000010'"},
        {"whole=4294967299", "option 'whole' takes -10 to 2e+06, not '4294967299'"},
        {"whole=inf", "option 'whole' takes -10 to 2e+06, not 'inf'"},
        {"whole=1e999", "option 'whole' takes -10 to 2e+06, not '1e999'"},
        {"real=", "option 'real' takes a number, not ''"},
        {"real=half", "option 'real' takes a number, not 'half'"},
        {"real=0,5", "option 'real' takes a number, not '0,5'"},
        {"real=nan", "option 'real' takes a number, not 'nan'"},
        {"real=1=1", "option 'real' takes a number, not '1=1'"},
        {"real=2.50001", "option 'real' takes -0.5 to 2.5, not '2.50001'"},
        {"real=-0.6", "option 'real' takes -0.5 to 2.5, not '-0.6'"},
        {"real=-inf", "option 'real' takes -0.5 to 2.5, not '-inf'"},
        {"any=nan", "option 'any' takes a number, not 'nan'"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct values values;
        vqx_message_text message = {""};
        if (vqx_option_parse(table, "metric", cases[i].text, &values, &message) != -EINVAL)
            fail_msg("'%s' was taken", cases[i].text);
        assert_memory_equal(message.text, "metric: ", 8);
        assert_string_equal(message.text + 8, cases[i].line);
    }
    /* a line longer than its buffer is cut */
    char text[4 * VQX_MESSAGE_SIZE];
    memset(text, 'k', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    struct values values;
    vqx_message_text message;
    assert_int_equal(vqx_option_parse(table, "metric", text, &values, &message), -EINVAL);
    assert_int_equal(strlen(message.text), VQX_MESSAGE_SIZE - 1);
}

static void check_defaults(void) {
    static const char *const text[] = {"true", "false", "3", "0.5", "1e+09"}, *const type[] = {"bool", "bool", "int", "double",
                                                                                               "double"};
    char got[24];
    for (size_t i = 0; table[i].name; i++) {
        assert_int_equal(vqx_option_fallback_text(&table[i], got, sizeof(got)), 0);
        assert_string_equal(got, text[i]);
        assert_string_equal(vqx_option_type_name(table[i].type), type[i]);
    }
}

static void test_numbers(void **state) {
    (void)state;
    check_numbers();
}

static void test_options(void **state) {
    (void)state;
    check_options();
}

static void test_refused(void **state) {
    (void)state;
    check_refused();
}

static void test_defaults(void **state) {
    (void)state;
    check_defaults();
}

/* All of it again where the program has set a locale with a decimal comma, which it still has afterwards. */
static void test_comma_locale(void **state) {
    (void)state;
    if (!comma_locale_set())
        skip();
    check_numbers();
    check_options();
    check_refused();
    check_defaults();
    char comma[8];
    snprintf(comma, sizeof(comma), "%.1f", 0.5);
    setlocale(LC_ALL, "C");
    assert_string_equal(comma, "0,5");
}

static void test_equal(void **state) {
    (void)state;
    static const char *const change[] = {"on=false", "off=true", "whole=4", "real=0.25", "any=0"};
    struct values a, b;
    vqx_message_text message;
    memset(&a, 0, sizeof(a)); /* what lies between the values does not count */
    memset(&b, 0xff, sizeof(b));
    assert_int_equal(vqx_option_parse(table, "metric", NULL, &a, &message), 0);
    assert_int_equal(vqx_option_parse(table, "metric", "any=1e9:whole=4:whole=3", &b, &message), 0);
    assert_true(vqx_option_equal(table, &a, &b));
    assert_true(vqx_option_equal(table, &a, &defaults));
    for (size_t i = 0; i < LENGTH(change); i++) {
        assert_int_equal(vqx_option_parse(table, "metric", change[i], &b, &message), 0);
        assert_false(vqx_option_equal(table, &a, &b));
    }
    assert_true(vqx_option_equal(&(vqx_option){0}, &a, &b)); /* no options at all */
}

/* Any text is either taken or refused with a line, and nothing lands outside of the options' places or ranges. */
static void test_any_text(void **state) {
    (void)state;
    static const char alphabet[] = "on=true:off=false:whole=12.5e9:real=-0.7:any=nan:: ==x";
    struct {
        char before[16];
        struct values values;
        char after[16];
    } box;
    char guard[16];
    memset(&box, 0x5a, sizeof(box));
    memset(guard, 0x5a, sizeof(guard));
    uint32_t random = 1;
    unsigned taken = 0, refused = 0;
    for (unsigned round = 0; round < 100000; round++) {
        char text[48];
        size_t length = 0;
        do { /* pieces of the alphabet, of which many make sense */
            random = random * 1664525u + 1013904223u;
            const size_t at = (random >> 8) % (sizeof(alphabet) - 1), most = (random >> 20) % 12;
            for (size_t i = 0; i < most && alphabet[at + i] && length + 1 < sizeof(text); i++)
                text[length++] = alphabet[at + i];
        } while (random >> 30);
        text[length] = '\0';
        vqx_message_text message = {""};
        const int err = vqx_option_parse(table, "metric", text, &box.values, &message);
        taken += err == 0;
        refused += err == -EINVAL;
        if ((err == 0) == (message.text[0] != '\0') || box.values.whole < -10 || box.values.whole > 2000000 ||
            !(box.values.real >= -0.5 && box.values.real <= 2.5) || isnan(box.values.any))
            fail_msg("'%s': %d '%s'", text, err, message.text);
        assert_memory_equal(box.before, guard, sizeof(guard));
        assert_memory_equal(box.after, guard, sizeof(guard));
    }
    assert_int_equal(taken + refused, 100000);
    assert_true(taken > 100);
}

/* ---- listings ------------------------------------------------------------------------------------------------------------ */

static void test_listing(void **state) {
    (void)state;
    const size_t count = vqx_metric_count();
    assert_true(count >= 3);
    for (size_t i = 0; i < count; i++) {
        const char *name = vqx_metric_name(i);
        assert_true(name[0] && !strpbrk(name, "=: "));
        assert_true(vqx_metric_help(i)[0]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(name, vqx_metric_name(j));
        const vqx_metric *metric = vqx_registry_find(name, strlen(name));
        assert_non_null(metric);
        assert_string_equal(metric->name, name);

        char all[1024] = "";
        size_t o = 0;
        for (vqx_option_info info; vqx_metric_option(i, o, &info) == 0; o++) {
            assert_true(info.name[0] && !strpbrk(info.name, "=: "));
            assert_true(info.help[0]);
            assert_true(!strcmp(info.type, "bool") || !strcmp(info.type, "int") || !strcmp(info.type, "double"));
            snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s=%s", o ? ":" : "", info.name, info.fallback);
        }
        vqx_option_info info;
        assert_int_equal(vqx_metric_option(i, o + 1, &info), -ENOENT);
        assert_int_equal(vqx_metric_option(i, SIZE_MAX, &info), -ENOENT);
        /* the listed defaults are the defaults */
        char spelled[512] = {0}, unspelled[512] = {0};
        vqx_message_text message;
        assert_true(metric->options_size <= sizeof(spelled));
        assert_int_equal(vqx_option_parse(metric->options, name, NULL, unspelled, &message), 0);
        assert_int_equal(vqx_option_parse(metric->options, name, o ? all : NULL, spelled, &message), 0);
        assert_true(vqx_option_equal(metric->options, spelled, unspelled));
    }
    vqx_option_info info;
    assert_null(vqx_metric_name(count));
    assert_null(vqx_metric_help(count));
    assert_null(vqx_metric_name(SIZE_MAX));
    assert_int_equal(vqx_metric_option(count, 0, &info), -ENOENT);
    assert_null(vqx_registry_find("psnr", 3));
    assert_null(vqx_registry_find("psnr_hvs", 8));
    assert_null(vqx_registry_find("PSNR", 4));
    assert_null(vqx_registry_find("", 0));
    assert_non_null(vqx_registry_find("psnr=enable_mse", 4));
}

/* ---- messages ------------------------------------------------------------------------------------------------------------ */

static void test_messages(void **state) {
    (void)state;
    char version[32];
    snprintf(version, sizeof(version), "%d.%d.%d", VQX_VERSION_MAJOR, VQX_VERSION_MINOR, VQX_VERSION_PATCH);
    assert_string_equal(vqx_version(), version);
    static const int known[] = {EINVAL, ENOENT, EEXIST, ENOMEM, ENOTSUP, EBUSY, EIO, EPROTO};
    assert_string_equal(vqx_strerror(0), "no error");
    for (size_t i = 0; i < LENGTH(known); i++) {
        assert_string_equal(vqx_strerror(known[i]), vqx_strerror(-known[i]));
        assert_string_not_equal(vqx_strerror(known[i]), "unknown error");
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(vqx_strerror(known[i]), vqx_strerror(known[j]));
    }
    assert_string_equal(vqx_strerror(INT_MIN), "unknown error");
    assert_string_equal(vqx_strerror(INT_MAX), "unknown error");
    vqx_message_text message;
    assert_int_equal(vqx_fail(&message, -EIO, "%s %d", "frame", 7), -EIO);
    assert_string_equal(message.text, "frame 7");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),  cmocka_unit_test(test_options),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_defaults), cmocka_unit_test(test_comma_locale), cmocka_unit_test(test_equal),
        cmocka_unit_test(test_any_text), cmocka_unit_test(test_listing),      cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
