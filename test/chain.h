/* Pictures of 16 bits whose squares add up to more than 2^53, so that the order of an fp64 sum shows. */
#ifndef VQX_TEST_CHAIN_H
#define VQX_TEST_CHAIN_H

#include "include/vqx.h"

typedef enum chain_kind {
    CHAIN_CROSSING, /* 2^53 is passed inside a row, small odd words follow in the same row and after it */
    CHAIN_ROWS,     /* past 2^53 rows that round, rows that do not, and rows of both kinds of words */
    CHAIN_TWICE,    /* 2^54 is passed inside a row with a sum that is not a multiple of 4 */
    CHAIN_KINDS,
} chain_kind;

/* The picture, or its complement (65535 - v); luma only. NULL when out of memory. */
vqx_frame *chain_frame(chain_kind kind, int complement);

/* What its words' rounded squares add up to in exact arithmetic. */
uint64_t chain_exact(chain_kind kind);

#endif
