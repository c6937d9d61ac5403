/* The scores of the reference: a file of lines "case, feature, where, name, decimal, hexadecimal" with tabs between. */
#ifndef VQX_TEST_VECTORS_H
#define VQX_TEST_VECTORS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct vectors_row {
    const char *id;      /* case: "S01" (test/synth.h) */
    const char *feature; /* "psnr=enable_mse=true" */
    unsigned subsample;  /* 1, or N where the feature is followed by " subsample=N" */
    const char *where;   /* index of the frame, "agg" or a pooling method */
    const char *name;    /* of the output */
    double value;
} vectors_row;

typedef struct vectors {
    vectors_row *row;
    size_t rows;
    char *text;
} vectors;

/* Reads the file `name` of the folder VQX_TEST_VECTORS (a macro of the build). 0; a negative errno with a line on stderr. */
int vectors_load(vectors *v, const char *name);
void vectors_free(vectors *v);

/* The metric that a row is about is called `metric`. */
bool vectors_is(const vectors_row *row, const char *metric);

/* One past the last row of the run of rows, from `first` on, with the same case, feature and subsampling. */
size_t vectors_run_end(const vectors *v, size_t first);

#endif
