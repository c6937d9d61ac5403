/* The command line of vqx parity: what is compared with what. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/parity.h"

#define MAX_REPORTS 8
#define MAX_CLIPS 16
#define MAX_NAMES 128

static const struct {
    const char *name, *help;
    uint32_t flags;
} forms[] = {
    {"fp64", "fp64 as the device has it", 0},
    {"no-fp64", "fp64 in integers, as on devices without it", VQX_DEVICE_NO_FP64},
    {"ordered", "every sum whose order may show made in raster order", VQX_DEVICE_ORDERED},
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

/* Every metric with every option that changes what is computed; metrics of one run share uploads, buffers and sums. */
static const char *const default_runs[] = {
    "float_moment,psnr=enable_mse=true:enable_apsnr=true,float_psnr,float_ssim=enable_lcs=true,float_ms_ssim=enable_lcs=true,"
    "vif=debug=true",
    "psnr=enable_chroma=false:enable_apsnr=true:reduced_hbd_peak=true:uncapped=true,float_ssim=scale=1:enable_lcs=true:enable_db="
    "true:clip_db=true,vif=vif_enhn_gain_limit=1:debug=true",
    "float_psnr=uncapped=true,float_ssim=scale=2:enable_lcs=true,float_ms_ssim,vif",
    "float_ssim=scale=5:enable_lcs=true,vif=vif_enhn_gain_limit=1.25:vif_skip_scale0=true:debug=true,vif=vif_skip_scale0=true",
    "float_ssim,float_ms_ssim=enable_db=true:clip_db=true,psnr=min_sse=0.5:enable_mse=true",
};
#define DEFAULT_RUNS (sizeof(default_runs) / sizeof(default_runs[0]))

/* A list of names between commas, in order. */
struct names {
    char *text[MAX_NAMES];
    size_t count;
};

struct command {
    struct names backend, input, form;
    const char *device;
    char *run[PARITY_MAX_FEATURES]; /* of --feature */
    size_t runs;
    char *clip[MAX_CLIPS];
    size_t clips;
    struct report {
        const char *path;
        struct writer *writer;
        bool json;
    } report[1 + MAX_REPORTS]; /* the first is standard output */
    size_t reports;
};

static void help(void) {
    printf("vqx parity: whether devices give the same bits as the processor: every output of every feature, tolerance 0\n\n"
           "  --backend LIST       back ends (default: all but cpu, see vqx devices)\n"
           "  --device N[,M...]|all  their devices (default: all that can be used)\n"
           "  --form LIST          forms of a device (default: all):\n");
    for (size_t i = 0; i < FORMS; i++)
        printf("                         %-10s %s\n", forms[i].name, forms[i].help);
    printf("  --feature LIST       features of one run, NAME[=KEY=VALUE[:KEY=VALUE...]] separated by commas; repeatable for more\n"
           "                       runs (default: those at the end)\n"
           "  --input LIST         built-in inputs (default: all that are below; none when there are clips)\n"
           "  --clip REF,DIST[,WxH,FMT,BITS]  also these files, y4m or raw; repeatable\n"
           "  --report FILE        the result as FILE.json or FILE.md, too; repeatable\n\n"
           "Exit codes: 0 all equal, 104 something differs, 100 a device that was asked for cannot run\n\n"
           "Inputs:\n");
    for (size_t i = 0; i < parity_input_count; i++)
        printf("%s%s", i % 10 ? " " : i ? "\n  " : "  ", parity_inputs[i].name);
    printf("\n\nFeatures, a line for each run:\n");
    for (size_t i = 0; i < DEFAULT_RUNS; i++)
        printf("  %s\n", default_runs[i]);
}

static int usage(const char *what, const char *value) {
    cli_error("parity: %s '%s' (see vqx parity --help)", what, value);
    return CLI_USAGE;
}

/* Splits a list, which is cut, into names. -1, or an exit code. */
static int split(struct names *names, char *list) {
    names->count = 0;
    for (char *part; (part = strsep(&list, ","));) {
        if (!*part)
            return usage("an empty name in", part);
        if (names->count == MAX_NAMES)
            return usage("too many names from", part);
        names->text[names->count++] = part;
    }
    return -1;
}

static bool among(const struct names *names, const char *name) {
    bool found = false;
    for (size_t i = 0; i < names->count; i++)
        found = found || strcmp(names->text[i], name) == 0;
    return found;
}

/* ---- what is compared ---------------------------------------------------------------------------------------------- */

/* Adds the features of a run, cutting the list. -1, or an exit code. */
static int add_run(struct parity *p, char *list, unsigned run) {
    struct names names;
    vqx_context *context = NULL;
    int err, code = split(&names, list);
    if (code < 0 && (err = vqx_open(&context, NULL)) < 0)
        code = cli_exit_of(err);
    for (size_t i = 0; i < names.count && code < 0; i++) {
        if (p->features == PARITY_MAX_FEATURES)
            code = usage("too many features from", names.text[i]);
        else if ((err = vqx_add_feature(context, names.text[i])) < 0) {
            cli_error("parity: --feature: %s", vqx_message(context));
            code = cli_exit_of(err);
        } else {
            p->feature[p->features++] = (struct parity_feature){names.text[i], run};
        }
    }
    vqx_close(&context);
    return code;
}

/* Chooses the built-in inputs and the clips. -1, or an exit code. */
static int choose_inputs(struct parity *p, const struct command *c) {
    char message[1024];
    p->inputs_named = c->input.count > 0;
    for (size_t i = 0; i < parity_input_count; i++)
        if (c->input.count ? among(&c->input, parity_inputs[i].name) : !c->clips)
            p->input[p->inputs++] = parity_inputs[i];
    for (size_t i = 0; i < c->input.count; i++) {
        size_t k = 0;
        while (k < p->inputs && strcmp(p->input[k].name, c->input.text[i]) != 0)
            k++;
        if (k == p->inputs)
            return usage("unknown input", c->input.text[i]);
    }
    for (size_t i = 0; i < c->clips; i++) {
        const int err = parity_clip(&p->input[p->inputs++], c->clip[i], message, sizeof(message));
        if (err < 0) {
            cli_error("parity: --clip: %s", message);
            return err == -EINVAL ? CLI_USAGE : err == -ENOMEM ? CLI_MEMORY : CLI_INPUT;
        }
    }
    return -1;
}

/* Whether --device names this number. */
static bool number_wanted(const char *list, uint32_t number) {
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strtoul(at, NULL, 10) == number)
            return true;
    return false;
}

/* Takes the devices of a back end, all that can be used or those that have their number in --device. -1, or an exit code. */
static int choose_devices(struct parity *p, const struct command *c, const char *backend) {
    const char *list = c->device && strcmp(c->device, "all") != 0 ? c->device : NULL;
    const vqx_device_info *refused = NULL;
    bool known = false;
    size_t taken = 0, wanted = 1;
    for (const char *at = list; at && (at = strchr(at, ',')); at++)
        wanted++;
    for (size_t i = 0; i < p->infos; i++) {
        const vqx_device_info *d = &p->info[i];
        if (strcmp(d->backend, backend) != 0)
            continue;
        known = true;
        if (!d->usable && (!list || d->number == VQX_NO_DEVICE || number_wanted(list, d->number)))
            refused = d;
        if (!d->usable || (list && !number_wanted(list, d->number)))
            continue;
        taken++;
        for (size_t f = 0; f < FORMS; f++)
            if (!c->form.count || among(&c->form, forms[f].name))
                p->target[p->targets++] = (struct parity_target){d, forms[f].name, forms[f].flags};
    }
    if (list ? taken == wanted : taken > 0 || !c->backend.count)
        return -1;
    if (!known)
        cli_error("parity: back end '%s' is not part of this build", backend);
    else if (!refused)
        cli_error("parity: %s has no device '%s' (see vqx devices)", backend, c->device);
    else if (refused->number == VQX_NO_DEVICE)
        cli_error("parity: %s: %s", backend, refused->why);
    else
        cli_error("parity: %s %" PRIu32 ": %s", backend, refused->number, refused->why);
    return CLI_BACKEND;
}

static int out_of_memory(void) {
    cli_error("parity: out of memory");
    return CLI_MEMORY;
}

static int choose_targets(struct parity *p, const struct command *c) {
    int code = -1;
    for (size_t i = 0; i < c->form.count; i++) {
        size_t f = 0;
        while (f < FORMS && strcmp(forms[f].name, c->form.text[i]) != 0)
            f++;
        if (f == FORMS)
            return usage("unknown form", c->form.text[i]);
    }
    p->info = cli_device_list(&p->infos);
    p->target = p->info ? calloc(p->infos * FORMS, sizeof(*p->target)) : NULL;
    if (!p->target)
        return out_of_memory();
    for (size_t i = 0; i < c->backend.count && code < 0; i++)
        code = choose_devices(p, c, c->backend.text[i]);
    for (size_t i = 0; i < p->infos && !c->backend.count && code < 0; i++)
        if (strcmp(p->info[i].backend, "cpu") != 0 && strcmp(p->info[i].backend, p->info[i - 1].backend) != 0)
            code = choose_devices(p, c, p->info[i].backend);
    return code;
}

/* All of the above. -1, or an exit code. */
static int choose(struct parity *p, struct command *c) {
    static char defaults[DEFAULT_RUNS][512]; /* cut into names */
    int code = -1;
    for (size_t i = 0; i < c->runs && code < 0; i++)
        code = add_run(p, c->run[i], (unsigned)i);
    for (size_t i = 0; i < DEFAULT_RUNS && !c->runs && code < 0; i++) {
        snprintf(defaults[i], sizeof(defaults[i]), "%s", default_runs[i]);
        code = add_run(p, defaults[i], (unsigned)i);
    }
    if (code < 0)
        code = choose_inputs(p, c);
    if (code < 0)
        code = choose_targets(p, c);
    if (code < 0) {
        p->cell = calloc(p->targets * p->features * p->inputs + 1, sizeof(*p->cell));
        code = p->cell ? -1 : out_of_memory();
    }
    return code;
}

/* ---- the command --------------------------------------------------------------------------------------------------- */

/* Adds a --report. -1, or an exit code. */
static int add_report(struct command *c, const char *path) {
    const char *dot = strrchr(path, '.');
    if (c->reports > MAX_REPORTS)
        return usage("too many reports from", path);
    if (!dot || (strcmp(dot, ".json") != 0 && strcmp(dot, ".md") != 0))
        return usage("--report takes FILE.json or FILE.md, not", path);
    c->report[c->reports++] = (struct report){.path = path, .json = strcmp(dot, ".json") == 0};
    return -1;
}

/* Reads the command line. -1, or an exit code: 0 after --help. */
static int parse(struct command *c, int argc, char **argv) {
    static const struct option options[] = {
        {"backend", required_argument, NULL, 'k'}, {"device", required_argument, NULL, 'd'}, {"form", required_argument, NULL, 'o'},
        {"feature", required_argument, NULL, 'f'}, {"input", required_argument, NULL, 'i'},  {"clip", required_argument, NULL, 'c'},
        {"report", required_argument, NULL, 'r'},  {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0},
    };
    int key, code = -1;
    opterr = 0;
    c->report[c->reports++] = (struct report){.path = "-"};
    while (code < 0 && (key = getopt_long(argc, argv, ":", options, NULL)) != -1) {
        switch (key) {
        case 'k':
            code = split(&c->backend, optarg);
            break;
        case 'd':
            c->device = optarg;
            code = cli_device_check(optarg) == 0 ? -1 : usage("--device takes numbers or all, not", optarg);
            break;
        case 'o':
            code = split(&c->form, optarg);
            break;
        case 'f':
            if (c->runs == PARITY_MAX_FEATURES)
                code = usage("too many runs from", optarg);
            else
                c->run[c->runs++] = optarg;
            break;
        case 'i':
            code = split(&c->input, optarg);
            break;
        case 'c':
            if (c->clips == MAX_CLIPS)
                code = usage("too many clips from", optarg);
            else
                c->clip[c->clips++] = optarg;
            break;
        case 'r':
            code = add_report(c, optarg);
            break;
        case 'h':
            help();
            return CLI_OK;
        default:
            code = usage(key == ':' ? "a value is missing behind" : "unknown option", argv[optind - 1]);
        }
    }
    if (code < 0 && optind < argc)
        code = usage("unexpected argument", argv[optind]);
    if (code < 0 && c->device && strcmp(c->device, "all") != 0 && !c->backend.count) {
        cli_error("parity: --device %s needs --backend", c->device);
        code = CLI_USAGE;
    }
    return code;
}

static int open_reports(struct command *c) {
    char message[1024];
    for (size_t i = 0; i < c->reports; i++) {
        const int err = writer_open(&c->report[i].writer, c->report[i].path, WRITER_JSON, message, sizeof(message));
        if (err < 0) {
            cli_error("parity: %s", message);
            return err == -ENOMEM ? CLI_MEMORY : CLI_OUTPUT;
        }
    }
    return -1;
}

/* Writes all reports; `code` as it stands, or the one of the first that fails. */
static int write_reports(struct command *c, const struct parity *p, int code) {
    char message[1024];
    for (size_t i = 0; i < c->reports; i++) {
        const struct report *r = &c->report[i];
        const int err = (r->json ? parity_report_json : parity_report_markdown)(r->writer, p, message, sizeof(message));
        if (err < 0) {
            cli_error("parity: %s", message);
            code = code > 0 ? code : err == -ENOMEM ? CLI_MEMORY : CLI_OUTPUT;
        }
    }
    return code;
}

int cli_parity(int argc, char **argv) {
    struct command c = {0};
    struct parity *p = calloc(1, sizeof(*p));
    if (!p)
        return out_of_memory();
    int code = parse(&c, argc, argv);
    if (code < 0)
        code = choose(p, &c);
    if (code < 0)
        code = open_reports(&c);
    if (code < 0) {
        p->progress = isatty(STDERR_FILENO);
        code = parity_run(p);
        if (code < 0)
            code = p->differing ? CLI_DIFFERS : CLI_OK;
        code = write_reports(&c, p, code);
    }
    for (size_t i = 0; i < c.reports; i++)
        writer_close(&c.report[i].writer);
    for (size_t i = 0; i < p->records; i++)
        free(p->record[i].output);
    free(p->record);
    free(p->cell);
    free(p->target);
    free(p->info);
    free(p);
    return code;
}
