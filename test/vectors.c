#include "test/vectors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        const long size = ftell(file);
        rewind(file);
        text = size < 0 ? NULL : malloc((size_t)size + 1);
        if (text && fread(text, 1, (size_t)size, file) != (size_t)size) {
            free(text);
            text = NULL;
        }
        if (text)
            text[size] = '\0';
    }
    fclose(file);
    return text;
}

static int parse_row(vectors_row *row, char *line) {
    char *field[6];
    for (int i = 0; i < 6; i++)
        if (!(field[i] = strsep(&line, "\t")))
            return -EPROTO;
    *row = (vectors_row){.id = field[0], .feature = field[1], .subsample = 1, .where = field[2], .name = field[3]};
    char *space = strchr(field[1], ' ');
    if (space) {
        *space = '\0';
        if (sscanf(space + 1, "subsample=%u", &row->subsample) != 1)
            return -EPROTO;
    }
    char *end;
    row->value = strtod(field[5], &end);
    return line || end == field[5] || *end ? -EPROTO : 0;
}

int vectors_load(vectors *v, const char *name) {
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", VQX_TEST_VECTORS, name);
    *v = (vectors){.text = read_text(path)};
    if (!v->text) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return -EIO;
    }
    size_t lines = 1;
    for (const char *c = v->text; *c; c++)
        lines += *c == '\n';
    v->row = calloc(lines, sizeof(*v->row));
    int err = v->row ? 0 : -ENOMEM;
    size_t number = 0;
    for (char *rest = v->text, *line; err == 0 && (line = strsep(&rest, "\n"));) {
        number++;
        if (*line == '\0' || *line == '#')
            continue;
        err = parse_row(&v->row[v->rows], line);
        if (err < 0)
            fprintf(stderr, "%s:%zu: malformed\n", path, number);
        else
            v->rows++;
    }
    if (err < 0)
        vectors_free(v);
    return err;
}

void vectors_free(vectors *v) {
    free(v->row);
    free(v->text);
    *v = (vectors){0};
}

bool vectors_is(const vectors_row *row, const char *metric) {
    const size_t n = strlen(metric);
    return strncmp(row->feature, metric, n) == 0 && (row->feature[n] == '\0' || row->feature[n] == '=');
}

size_t vectors_run_end(const vectors *v, size_t first) {
    size_t end = first + 1;
    while (end < v->rows && strcmp(v->row[end].id, v->row[first].id) == 0 &&
           strcmp(v->row[end].feature, v->row[first].feature) == 0 && v->row[end].subsample == v->row[first].subsample)
        end++;
    return end;
}
