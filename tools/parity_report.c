#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tools/parity.h"
#include "tools/writer_internal.h"

#define LISTED 20 /* differences told one by one, for each target */

static const char *mark(enum parity_cell cell) {
    static const char *const text[] = {
        [PARITY_NOT_RUN] = " ", [PARITY_EQUAL] = "=", [PARITY_DIFFERS] = "≠", [PARITY_REFUSED] = "-"};
    return text[cell];
}

/* ---- Markdown ------------------------------------------------------------------------------------------------------ */

static void print_inputs(struct writer_job *job, const struct parity *p) {
    static const char *const chroma[] = {"4:0:0", "4:2:0", "4:2:2", "4:4:4"};
    for (size_t i = 0; i < p->inputs; i++) {
        const struct parity_input *in = &p->input[i];
        writer_print(job, "%zu. %s: %" PRIu32 "x%" PRIu32 ", %s, %" PRIu32 " bits", i + 1, in->name, in->format.width,
                     in->format.height, chroma[in->format.chroma], in->format.bits);
        if (in->path[0])
            writer_print(job, ", %s against %s\n", in->path[0], in->path[1]);
        else
            writer_print(job, ", %u frames\n", in->frames);
    }
}

static void print_row(struct writer_job *job, size_t width, const char *head, const char *name, const char *const *cell,
                      size_t cells) {
    writer_print(job, "| %s%-*s |", head, (int)(width - strlen(head)), name);
    for (size_t i = 0; i < cells; i++)
        writer_print(job, " %s%s |", cell[i], i < 9 ? "" : " ");
    writer_print(job, "\n");
}

/* A row for each output of a feature that differs on some input. */
static void print_outputs(struct writer_job *job, const struct parity *p, size_t target, size_t feature, size_t width,
                          const char **cell) {
    for (size_t i = 0; i < p->records; i++) {
        const struct parity_record *r = &p->record[i];
        if (r->target != target || r->feature != feature || !r->output || !r->result.differing)
            continue;
        bool first = true;
        for (size_t k = 0; k < p->inputs; k++)
            cell[k] = " ";
        for (size_t k = 0; k < p->records; k++) {
            const struct parity_record *other = &p->record[k];
            if (other->target != target || other->feature != feature || !other->output || strcmp(other->output, r->output) != 0)
                continue;
            first = first && (k >= i || !other->result.differing);
            cell[other->input] = mark(other->result.differing ? PARITY_DIFFERS : PARITY_EQUAL);
        }
        if (first)
            print_row(job, width, "  ", r->output, cell, p->inputs);
    }
}

static void print_differences(struct writer_job *job, const struct parity *p, size_t target) {
    size_t count = 0;
    for (size_t i = 0; i < p->records; i++) {
        const struct parity_record *r = &p->record[i];
        const struct parity_result *x = &r->result;
        if (r->target != target || !x->differing || ++count > LISTED)
            continue;
        writer_print(job, "%s* %s on %s", count == 1 ? "\n" : "", p->feature[r->feature].spec, p->input[r->input].name);
        if (!r->output)
            writer_print(job, ": taken, though the CPU refuses it\n");
        else if (r->stream)
            writer_print(job, ", %s: %.17g instead of %.17g\n", r->output, x->got, x->expected);
        else
            writer_print(job,
                         ", %s: %" PRIu64 " of %" PRIu64 " frames differ, by at most %.3g; frame %" PRIu64
                         " is %.17g instead of %.17g\n",
                         r->output, x->differing, x->frames, x->largest, x->first, x->got, x->expected);
    }
    if (count > LISTED)
        writer_print(job, "* and %zu more\n", count - LISTED);
}

static void print_target(struct writer_job *job, const struct parity *p, size_t target, const char **cell) {
    const struct parity_target *t = &p->target[target];
    uint64_t values = 0, differing = 0;
    size_t width = strlen("feature");
    for (size_t i = 0; i < p->records; i++) {
        const struct parity_record *r = &p->record[i];
        if (r->target != target)
            continue;
        values += r->result.frames;
        differing += r->result.differing;
        if (r->result.differing && r->output && 2 + strlen(r->output) > width)
            width = 2 + strlen(r->output);
    }
    for (size_t f = 0; f < p->features; f++)
        width = strlen(p->feature[f].spec) > width ? strlen(p->feature[f].spec) : width;
    writer_print(job, "\n## %s %" PRIu32 ": %s, %s\n\n%" PRIu64 " values, %" PRIu64 " differ\n\n| %-*s |", t->device->backend,
                 t->device->number, t->device->name, t->form, values, differing, (int)width, "feature");
    for (size_t i = 0; i < p->inputs; i++)
        writer_print(job, " %zu |", i + 1);
    writer_print(job, "\n|---|");
    for (size_t i = 0; i < p->inputs; i++)
        writer_print(job, "---|");
    writer_print(job, "\n");
    for (size_t f = 0; f < p->features; f++) {
        for (size_t i = 0; i < p->inputs; i++)
            cell[i] = mark(*parity_cell_of(p, target, f, i));
        print_row(job, width, "", p->feature[f].spec, cell, p->inputs);
        print_outputs(job, p, target, f, width, cell);
    }
    print_differences(job, p, target);
}

static void markdown(struct writer_job *job) {
    const struct parity *p = job->cookie;
    const char *cell[PARITY_MAX_INPUTS];
    writer_print(job,
                 "# vqx parity\n\nvqx %s. Every output of every feature, bit for bit against the CPU (%s): `=` all equal, `≠` some "
                 "differ, `-` refused by both, blank: not compared.\n\nInputs:\n\n",
                 vqx_version(), p->info[0].name);
    print_inputs(job, p);
    for (size_t t = 0; t < p->targets; t++)
        print_target(job, p, t, cell);
    if (*p->error)
        writer_print(job, "\nEnded early: %s\n", p->error);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------- */

static void text_member(struct writer_job *job, const char *name, const char *value) {
    writer_print(job, "\"%s\": ", name);
    writer_json_string(job, value);
    writer_print(job, ", ");
}

static void number_member(struct writer_job *job, const char *name, double value) {
    writer_print(job, ", \"%s\": ", name);
    writer_json_number(job, value);
}

static void print_record(struct writer_job *job, const struct parity *p, const struct parity_record *r) {
    const struct parity_target *t = &p->target[r->target];
    const struct parity_result *x = &r->result;
    writer_print(job, "    {");
    text_member(job, "feature", p->feature[r->feature].spec);
    if (r->output)
        text_member(job, "output", r->output);
    else
        text_member(job, "error", "taken, though the CPU refuses it");
    text_member(job, "backend", t->device->backend);
    writer_print(job, "\"device\": %" PRIu32 ", ", t->device->number);
    text_member(job, "name", t->device->name);
    text_member(job, "form", t->form);
    text_member(job, "input", p->input[r->input].name);
    writer_print(job, "\"frames\": %" PRIu64 ", \"differing\": %" PRIu64, x->frames, x->differing);
    number_member(job, "largest_difference", x->largest);
    if (x->differing && !r->stream)
        writer_print(job, ", \"first_differing_frame\": %" PRIu64, x->first);
    else
        writer_print(job, ", \"first_differing_frame\": null");
    if (x->differing && r->output) {
        number_member(job, "expected", x->expected);
        number_member(job, "got", x->got);
    }
    writer_print(job, "}");
}

static void json(struct writer_job *job) {
    const struct parity *p = job->cookie;
    writer_print(job, "{\n  ");
    text_member(job, "version", vqx_version());
    text_member(job, "cpu", p->info[0].name);
    if (*p->error)
        text_member(job, "error", p->error);
    writer_print(job, "\"values\": %" PRIu64 ", \"differing\": %" PRIu64 ",\n  \"results\": [", p->values, p->differing);
    for (size_t i = 0; i < p->records; i++) {
        writer_print(job, i ? ",\n" : "\n");
        print_record(job, p, &p->record[i]);
    }
    writer_print(job, "\n  ]\n}\n");
}

int parity_report_markdown(struct writer *writer, const struct parity *p, char *message, size_t size) {
    return writer_body(writer, markdown, p, message, size);
}

int parity_report_json(struct writer *writer, const struct parity *p, char *message, size_t size) {
    return writer_body(writer, json, p, message, size);
}
