/* The command line of a scoring run. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"

enum { /* long options without a letter */
       OPT_XML = 256,
       OPT_JSON,
       OPT_CSV,
       OPT_SUB,
       OPT_FEATURE,
       OPT_POOL,
       OPT_THREADS,
       OPT_SUBSAMPLE,
       OPT_FRAME_COUNT,
       OPT_SKIP_REFERENCE,
       OPT_SKIP_DISTORTED,
       OPT_CPUMASK,
       OPT_GPUMASK,
       OPT_PRECISION,
       OPT_BACKEND,
       OPT_DEVICE,
       OPT_AUDIT,
       OPT_HELP,
};

static const struct option long_options[] = {
    {"reference", required_argument, NULL, 'r'},
    {"distorted", required_argument, NULL, 'd'},
    {"width", required_argument, NULL, 'w'},
    {"height", required_argument, NULL, 'h'},
    {"pixel_format", required_argument, NULL, 'p'},
    {"bitdepth", required_argument, NULL, 'b'},
    {"model", required_argument, NULL, 'm'},
    {"output", required_argument, NULL, 'o'},
    {"xml", no_argument, NULL, OPT_XML},
    {"json", no_argument, NULL, OPT_JSON},
    {"csv", no_argument, NULL, OPT_CSV},
    {"sub", no_argument, NULL, OPT_SUB},
    {"feature", required_argument, NULL, OPT_FEATURE},
    {"pool", required_argument, NULL, OPT_POOL},
    {"threads", required_argument, NULL, OPT_THREADS},
    {"subsample", required_argument, NULL, OPT_SUBSAMPLE},
    {"frame_cnt", required_argument, NULL, OPT_FRAME_COUNT},
    {"frame_skip_ref", required_argument, NULL, OPT_SKIP_REFERENCE},
    {"frame_skip_dist", required_argument, NULL, OPT_SKIP_DISTORTED},
    {"cpumask", required_argument, NULL, OPT_CPUMASK},
    {"gpumask", required_argument, NULL, OPT_GPUMASK},
    {"precision", required_argument, NULL, OPT_PRECISION},
    {"backend", required_argument, NULL, OPT_BACKEND},
    {"device", required_argument, NULL, OPT_DEVICE},
    {"audit", required_argument, NULL, OPT_AUDIT},
    {"no_prediction", no_argument, NULL, 'n'},
    {"quiet", no_argument, NULL, 'q'},
    {"version", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

int cli_number(const char *text, uint64_t most, uint64_t *value) {
    char *end;
    if (*text < '0' || *text > '9')
        return -EINVAL;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 0);
    if (errno || *end || number > most)
        return -EINVAL;
    *value = number;
    return 0;
}

int cli_size(const char *text, vqx_format *format) {
    char number[16];
    uint64_t w, h;
    const size_t length = strcspn(text, "x");
    if (length >= sizeof(number) || !text[length])
        return -EINVAL;
    memcpy(number, text, length);
    number[length] = '\0';
    if (cli_number(number, 65535, &w) < 0 || cli_number(text + length + 1, 65535, &h) < 0)
        return -EINVAL;
    format->width = (uint32_t)w;
    format->height = (uint32_t)h;
    return 0;
}

int cli_chroma(const char *text, vqx_chroma *chroma) {
    static const struct {
        const char *name;
        vqx_chroma chroma;
    } known[] = {{"400", VQX_CHROMA_400}, {"420", VQX_CHROMA_420}, {"422", VQX_CHROMA_422}, {"444", VQX_CHROMA_444}};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(known[i].name, text) == 0) {
            *chroma = known[i].chroma;
            return 0;
        }
    return -EINVAL;
}

int cli_device_check(const char *text) {
    if (strcmp(text, "all") == 0)
        return 0;
    for (; *text; text++) {
        const size_t digits = strspn(text, "0123456789");
        text += digits;
        if (digits == 0 || digits > 9 || (*text && *text != ','))
            return -EINVAL;
        if (!*text)
            return 0;
    }
    return -EINVAL;
}

/* Whether vqx has a back end of that name, in this build or in another one. -1, or an exit code. */
static int backend_name(const char *text) {
    static const char *const known[] = {"auto", "cpu", "cpu-kernels", "cuda", "hip", "sycl", "opencl"};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strcmp(text, known[i]) == 0)
            return -1;
    cli_error("--backend takes auto, cpu, cpu-kernels, cuda, hip, sycl or opencl, not '%s'", text);
    return CLI_USAGE;
}

/* Splits "mean,p5" into o->pool. */
static int pool_list(struct cli_options *o, const char *text) {
    free(o->pool_text);
    o->pools = 0;
    o->pool_text = strdup(text);
    if (!o->pool_text) {
        cli_error("out of memory");
        return CLI_MEMORY;
    }
    for (char *rest = o->pool_text; rest;) {
        const char *method = strsep(&rest, ",");
        if (vqx_pooling_check(method) < 0) {
            cli_error("--pool: unknown method '%s' (mean, min, max, harmonic_mean, median, stdev, p0 to p100)", method);
            return CLI_USAGE;
        }
        if (o->pools == CLI_MAX_POOLS) {
            cli_error("--pool: more than %d methods", CLI_MAX_POOLS);
            return CLI_USAGE;
        }
        o->pool[o->pools++] = method;
    }
    return -1;
}

/* The long option with this key, or NULL. */
static const char *option_name(int key) {
    for (const struct option *o = long_options; o->name; o++)
        if (o->val == key)
            return o->name;
    return NULL;
}

/* An option whose value is a number. -1, or an exit code. */
static int number_option(struct cli_options *o, int key, const char *text) {
    uint64_t value = 0;
    const struct {
        int key;
        uint64_t least, most;
    } range[] = {
        {'w', 1, 65535},
        {'h', 1, 65535},
        {'b', 8, 16},
        {OPT_THREADS, 0, 1024},
        {OPT_SUBSAMPLE, 0, UINT32_MAX},
        {OPT_FRAME_COUNT, 0, UINT32_MAX},
        {OPT_SKIP_REFERENCE, 0, UINT32_MAX},
        {OPT_SKIP_DISTORTED, 0, UINT32_MAX},
        {OPT_CPUMASK, 0, UINT32_MAX},
        {OPT_GPUMASK, 0, UINT64_MAX},
        {OPT_AUDIT, 0, UINT32_MAX},
    };
    size_t i = 0;
    while (range[i].key != key)
        i++;
    if (key == OPT_CPUMASK && strcmp(text, "-1") == 0)
        value = UINT32_MAX; /* the usual way to write all ones */
    else if (cli_number(text, range[i].most, &value) < 0 || value < range[i].least) {
        cli_error("--%s takes a number from %" PRIu64 " to %" PRIu64 ", not '%s'", option_name(key), range[i].least, range[i].most,
                  text);
        return CLI_USAGE;
    }
    switch (key) {
    case 'w':
        o->geometry.width = (uint32_t)value;
        break;
    case 'h':
        o->geometry.height = (uint32_t)value;
        break;
    case 'b':
        o->geometry.bits = (uint32_t)value;
        break;
    case OPT_THREADS:
        o->threads = (unsigned)value;
        break;
    case OPT_SUBSAMPLE:
        o->subsample = (uint32_t)value;
        break;
    case OPT_FRAME_COUNT:
        o->frame_count = value;
        break;
    case OPT_SKIP_REFERENCE:
        o->skip_reference = value;
        break;
    case OPT_SKIP_DISTORTED:
        o->skip_distorted = value;
        break;
    case OPT_CPUMASK:
        o->cpumask = (uint32_t)value;
        break;
    case OPT_AUDIT:
        o->audit = (uint32_t)value;
        break;
    default:
        cli_error("--gpumask is ignored: choose with --backend");
        break;
    }
    return -1;
}

/* What must hold once all options are read. -1, or an exit code. */
static int check(struct cli_options *o, bool chroma_given) {
    if (!o->reference || !o->distorted) {
        cli_error("no %s input: give --%s FILE (see vqx --help)", o->reference ? "distorted" : "reference",
                  o->reference ? "distorted" : "reference");
        return CLI_USAGE;
    }
    if (strcmp(o->reference, "-") == 0 && strcmp(o->distorted, "-") == 0) {
        cli_error("only one of --reference and --distorted can be standard input");
        return CLI_USAGE;
    }
    if (o->raw) {
        const char *missing = !o->geometry.width    ? "--width"
                              : !o->geometry.height ? "--height"
                              : !chroma_given       ? "--pixel_format"
                              : !o->geometry.bits   ? "--bitdepth"
                                                    : NULL;
        if (missing) {
            cli_error("raw input needs --width, --height, --pixel_format and --bitdepth: %s is missing", missing);
            return CLI_USAGE;
        }
        if (vqx_format_check(&o->geometry) < 0) {
            cli_error("--width %" PRIu32 " --height %" PRIu32 " --bitdepth %" PRIu32
                      ": the depth must be 8, 10, 12 or 16, and width times height below 2^31",
                      o->geometry.width, o->geometry.height, o->geometry.bits);
            return CLI_USAGE;
        }
    }
    if (!o->features && o->no_prediction) {
        cli_error("nothing to score: give --feature NAME (see vqx --help)");
        return CLI_USAGE;
    }
    return -1;
}

int cli_options_parse(struct cli_options *o, int argc, char **argv) {
    *o = (struct cli_options){.backend = "auto", .format = WRITER_XML};
    bool chroma_given = false;
    int key, code = -1;
    opterr = 0;
    while (code < 0 && (key = getopt_long(argc, argv, ":r:d:w:h:p:b:m:o:nqv", long_options, NULL)) != -1) {
        if (optarg && !*optarg) {
            cli_error("--%s: the value is empty", option_name(key));
            return CLI_USAGE;
        }
        switch (key) {
        case 'r':
            o->reference = optarg;
            break;
        case 'd':
            o->distorted = optarg;
            break;
        case 'w':
        case 'h':
        case 'b':
            o->raw = true;
            code = number_option(o, key, optarg);
            break;
        case OPT_THREADS:
        case OPT_SUBSAMPLE:
        case OPT_FRAME_COUNT:
        case OPT_SKIP_REFERENCE:
        case OPT_SKIP_DISTORTED:
        case OPT_CPUMASK:
        case OPT_GPUMASK:
        case OPT_AUDIT:
            code = number_option(o, key, optarg);
            break;
        case 'p':
            o->raw = chroma_given = true;
            if (cli_chroma(optarg, &o->geometry.chroma) < 0) {
                cli_error("--pixel_format takes 400, 420, 422 or 444, not '%s'", optarg);
                code = CLI_USAGE;
            }
            break;
        case 'm':
            o->model = true;
            break;
        case 'o':
            o->output = optarg;
            break;
        case OPT_XML:
            o->format = WRITER_XML;
            break;
        case OPT_JSON:
            o->format = WRITER_JSON;
            break;
        case OPT_CSV:
            o->format = WRITER_CSV;
            break;
        case OPT_SUB:
            o->format = WRITER_SUB;
            break;
        case OPT_FEATURE:
            if (o->features == CLI_MAX_FEATURES) {
                cli_error("--feature: more than %d features", CLI_MAX_FEATURES);
                code = CLI_USAGE;
            } else {
                o->feature[o->features++] = optarg;
            }
            break;
        case OPT_POOL:
            code = pool_list(o, optarg);
            break;
        case OPT_PRECISION:
            if (writer_parse_precision(optarg, &o->precision) < 0) {
                cli_error("--precision takes 1 to 17, max or legacy, not '%s'", optarg);
                code = CLI_USAGE;
            }
            break;
        case OPT_BACKEND:
            o->backend = optarg;
            code = backend_name(optarg);
            break;
        case OPT_DEVICE:
            o->device = optarg;
            if (cli_device_check(optarg) < 0) {
                cli_error("--device takes a number, numbers separated by commas, or all, not '%s'", optarg);
                code = CLI_USAGE;
            }
            break;
        case 'n':
            o->no_prediction = true;
            break;
        case 'q':
            o->quiet = true;
            break;
        case 'v':
            printf("%s\n", vqx_version());
            return CLI_OK;
        case OPT_HELP:
            cli_help();
            return CLI_OK;
        case ':':
            cli_error("option '%s' needs a value (see vqx --help)", argv[optind - 1]);
            code = CLI_USAGE;
            break;
        default:
            if (optopt && option_name(optopt))
                cli_error("option '%s' takes no value", argv[optind - 1]);
            else if (optopt)
                cli_error("unknown option '-%c' (see vqx --help)", optopt);
            else
                cli_error("unknown or ambiguous option '%s' (see vqx --help)", argv[optind - 1]);
            code = CLI_USAGE;
        }
    }
    if (code < 0 && optind < argc) {
        cli_error("unexpected argument '%s' (see vqx --help)", argv[optind]);
        code = CLI_USAGE;
    }
    return code < 0 ? check(o, chroma_given) : code;
}

void cli_options_free(struct cli_options *options) {
    free(options->pool_text);
}
