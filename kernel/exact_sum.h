/* The fp64 sum of terms in raster order, in parallel, to the last bit.
 *
 * As long as a running sum keeps its sign and its power of two, it is a whole number q of last places, and a term t of t' last
 * places makes it q + t' rounded to a whole number, ties to even: what is added depends on t and on whether q is even, on nothing
 * else. So terms, and any blocks of them, are pairs of integers (vqx_step), which compose in any grouping that keeps the order.
 *
 * Which power of two that is follows from bounds: with terms counted in units of 2^unit, each at most one too many, i terms add up
 * to a state within VQX_ORDERED_SLACK * i units of the count, as long as |terms| stay below 2^61 units: one for the count, and half
 * a last place of a state below 2^62 for each addition. A segment whose bounds may leave its power of two is looked at by runs, and
 * a run that may still is a stop: its terms are added one by one.
 *
 * Four kernels: ordered_bounds counts, ordered_before adds the counts up, ordered_map makes each segment's stops with the steps
 * between them, ordered_walk goes from stop to stop. Terms are fp64 bit patterns, zero or normal; `terms` of them are one sum of
 * several. */
#ifndef VQX_KERNEL_EXACT_SUM_H
#define VQX_KERNEL_EXACT_SUM_H

#include "kernel/sum.h"

#define VQX_ORDERED_RUN 32  /* terms that are placed or added one by one */
#define VQX_ORDERED_RUNS 64 /* of a segment */
#define VQX_ORDERED_SEGMENT 2048
#define VQX_ORDERED_PIECE 8    /* terms that a lane makes a step of */
#define VQX_ORDERED_PIECES 256 /* of a segment */
#define VQX_ORDERED_SLACK 257
#define VQX_ORDERED_CHUNKS 256 /* of the segments of a sum, in kernels of one group */
#define VQX_ORDERED_BATCH 32   /* stops whose terms are fetched at once */

/* What is added to a number of last places, when it is even and when it is odd. */
typedef struct vqx_step {
    i64 even, odd;
} vqx_step;

VQX_FN vqx_step vqx_step_of(i64 even, i64 odd) {
    vqx_step step;
    step.even = even;
    step.odd = odd;
    return step;
}

/* First one, then the other. */
VQX_FN vqx_step vqx_step_then(vqx_step a, vqx_step b) {
    return vqx_step_of(a.even + (a.even & 1 ? b.odd : b.even), a.odd + (a.odd & 1 ? b.even : b.odd));
}

/* A state after a step that it was placed for. Past the last number of a power of two, its bits go on to the next one. */
VQX_FN u64 vqx_step_apply(u64 state, i64 even, i64 odd) {
    return state + (u64)(state & 1 ? odd : even);
}

/* Twice the 53 bits of a term that is not zero. */
VQX_FN u64 vqx_term_twice(u64 term) {
    return ((term & 0xfffffffffffffUL) | 0x10000000000000UL) << 1;
}

/* |term| in units of 2^unit, at most one too many. */
VQX_FN u64 vqx_term_units(u64 term, i32 unit) {
    const i32 shift = 1076 + unit - (i32)(term >> 52 & 2047);
    const u64 twice = vqx_term_twice(term);
    if ((term << 1) == 0)
        return 0;
    return shift > 0 ? (twice >> (shift < 63 ? shift : 63)) + 1 : twice << (-shift & 63);
}

/* Sign and exponent (the upper 12 bits) that the state keeps all through a block: `before` it and in it, up to term number `end` of
 * the sum, terms are counted up to before + high and down to before + low. 0: unknown. The highest exponent for a block of zeros,
 * which leave any state as it is. */
VQX_FN u32 vqx_ordered_place(i64 before, u32 end, i64 high, i64 low, i32 unit) {
    const i64 wide = (i64)VQX_ORDERED_SLACK * end;
    const i64 upper = before + high + wide, lower = before + low - wide;
    const i64 least = lower > 0 ? lower : -upper, most = lower > 0 ? upper : -lower; /* of its size */
    if (high == 0 && low == 0)
        return 2046;
    if (least < 1)
        return 0;
    const i32 top = 63 - vqx_clz_u64((u64)least);
    return (u64)most <= (u64)2 << top ? (u32)(top + unit + 1023) | (lower > 0 ? 0u : 2048u) : 0;
}

/* A number of last places after one more term, in the place of the block. */
VQX_FN i64 vqx_ordered_add(i64 q, u64 term, u32 place) {
    const u64 twice = vqx_term_twice(term);
    const u32 below = (place & 2047) - (u32)(term >> 52 & 2047); /* bits below the last place */
    const u32 shift = below < 54 ? below : 54;                   /* from 54 on nothing is left, of zeros neither */
    const u64 odd = ((twice >> (shift + 1)) + (u64)q) & 1;
    const i64 places = (i64)((twice + ((u64)1 << shift) - 1 + odd) >> (shift + 1));
    return ((term >> 63) ^ (place >> 11)) & 1 ? q - places : q + places;
}

/* Counts the terms of a segment: up[s] of those above zero, net[s] above less below. Grid: segments x sums. */
VQX_BODY(ordered_bounds, vqx_local_sum) {
    const u32 first = cx.gx * VQX_ORDERED_SEGMENT, left = terms - first;
    const u64 s = (u64)cx.gy * cx.ngx + cx.gx, at = (u64)cx.gy * terms + first;
    u64 above = 0, below = 0;
    VQX_EACH(cx, i, left < VQX_ORDERED_SEGMENT ? left : VQX_ORDERED_SEGMENT) {
        const u64 t = term[at + i], units = vqx_term_units(t, unit);
        above += t >> 63 ? 0 : units;
        below += t >> 63 ? units : 0;
    }
    above = vqx_group_sum_u64(cx, &lm->red, above);
    below = vqx_group_sum_u64(cx, &lm->red, below);
    VQX_ONE(cx) {
        up[s] = above;
        net[s] = above - below;
    }
}

/* Where the segments of a chunk end that has `each` of them. */
VQX_FN u32 vqx_chunk_end(u32 c, u32 each, u32 segments) {
    return (c + 1) * each < segments ? (c + 1) * each : segments;
}

typedef struct vqx_local_before {
    u64 net[VQX_ORDERED_CHUNKS];
} vqx_local_before;

/* before[s]: the sum of net of the segments in front. Grid: sums. */
VQX_BODY(ordered_before, vqx_local_before) {
    const u32 each = (segments + VQX_ORDERED_CHUNKS - 1) / VQX_ORDERED_CHUNKS;
    const u64 at = (u64)cx.gx * segments;
    VQX_EACH(cx, c, VQX_ORDERED_CHUNKS) {
        u64 sum = 0;
        for (u32 s = c * each; s < vqx_chunk_end(c, each, segments); s++)
            sum += net[at + s];
        lm->net[c] = sum;
    }
    VQX_SYNC(cx);
    VQX_EACH(cx, c, VQX_ORDERED_CHUNKS) {
        u64 sum = 0;
        for (u32 b = 0; b < c; b++)
            sum += lm->net[b];
        for (u32 s = c * each; s < vqx_chunk_end(c, each, segments); s++) {
            before[at + s] = sum;
            sum += net[at + s];
        }
    }
}

typedef struct vqx_local_map {
    u64 t[VQX_ORDERED_SEGMENT + VQX_ORDERED_PIECES]; /* a gap behind each piece, so that lanes use different banks */
    i64 even[VQX_ORDERED_PIECES], odd[VQX_ORDERED_PIECES];
    i64 net[VQX_ORDERED_RUNS], high[VQX_ORDERED_RUNS], low[VQX_ORDERED_RUNS];
    u32 place[VQX_ORDERED_RUNS];
} vqx_local_map;

VQX_FN u32 vqx_map_slot(u32 i) {
    return i + i / VQX_ORDERED_PIECE;
}

/* Makes stops[s], the number of stops of a segment, tail[2 * s ..], the step behind the last, and for each stop its number as a run
 * and the step in front of it, from the stop before or the start of the segment: stop[3 * k ..]. Grid: segments x sums. */
VQX_BODY(ordered_map, vqx_local_map) {
    const u32 first = cx.gx * VQX_ORDERED_SEGMENT;
    const u32 count = terms - first < VQX_ORDERED_SEGMENT ? terms - first : VQX_ORDERED_SEGMENT;
    const u64 s = (u64)cx.gy * cx.ngx + cx.gx, at = (u64)cx.gy * terms + first;
    const i64 start = (i64)before[s];
    const u32 whole = vqx_ordered_place(start, first + count, (i64)up[s], (i64)(net[s] - up[s]), unit);
    VQX_EACH(cx, i, VQX_ORDERED_SEGMENT)
    lm->t[vqx_map_slot(i)] = i < count ? term[at + i] : 0;
    VQX_SYNC(cx);
    VQX_EACH(cx, r, whole ? 0 : VQX_ORDERED_RUNS) {
        i64 sum = 0, high = 0, low = 0;
        for (u32 i = r * VQX_ORDERED_RUN; i < (r + 1) * VQX_ORDERED_RUN; i++) {
            const u64 t = lm->t[vqx_map_slot(i)];
            const i64 units = (i64)vqx_term_units(t, unit);
            sum += t >> 63 ? -units : units;
            high = sum > high ? sum : high;
            low = sum < low ? sum : low;
        }
        lm->net[r] = sum;
        lm->high[r] = high;
        lm->low[r] = low;
    }
    VQX_SYNC(cx);
    VQX_EACH(cx, r, VQX_ORDERED_RUNS) {
        i64 sum = start;
        for (u32 b = 0; b < r && !whole; b++)
            sum += lm->net[b];
        lm->place[r] = whole ? whole : vqx_ordered_place(sum, first + (r + 1) * VQX_ORDERED_RUN, lm->high[r], lm->low[r], unit);
    }
    VQX_SYNC(cx);
    VQX_EACH(cx, p, VQX_ORDERED_PIECES) {
        const u32 place = lm->place[p * VQX_ORDERED_PIECE / VQX_ORDERED_RUN];
        i64 even = 0, odd = 1;
        for (u32 i = 0; i < VQX_ORDERED_PIECE && place; i++) {
            const u64 t = lm->t[vqx_map_slot(p * VQX_ORDERED_PIECE) + i];
            even = vqx_ordered_add(even, t, place);
            odd = vqx_ordered_add(odd, t, place);
        }
        lm->even[p] = even;
        lm->odd[p] = odd - 1;
    }
    VQX_SYNC(cx);
    /* a tree that keeps the order, up to the whole segment or to its runs */
    const u32 top = whole ? VQX_ORDERED_PIECES : VQX_ORDERED_RUN / VQX_ORDERED_PIECE;
    for (u32 step = 1; step < top; step *= 2) {
        VQX_EACH(cx, i, VQX_ORDERED_PIECES / 2 / step) {
            const u32 a = 2 * step * i, b = a + step;
            const vqx_step both = vqx_step_then(vqx_step_of(lm->even[a], lm->odd[a]), vqx_step_of(lm->even[b], lm->odd[b]));
            lm->even[a] = both.even;
            lm->odd[a] = both.odd;
        }
        VQX_SYNC(cx);
    }
    VQX_ONE(cx) {
        vqx_step step = vqx_step_of(0, 0);
        u32 found = 0;
        for (u32 p = 0; p < VQX_ORDERED_PIECES; p += top) {
            const u32 run = p * VQX_ORDERED_PIECE / VQX_ORDERED_RUN;
            if (lm->place[run]) {
                step = vqx_step_then(step, vqx_step_of(lm->even[p], lm->odd[p]));
                continue;
            }
            const u64 k = 3 * (s * VQX_ORDERED_RUNS + found++);
            stop[k] = step.even;
            stop[k + 1] = step.odd;
            stop[k + 2] = run;
            step = vqx_step_of(0, 0);
        }
        stops[s] = found;
        tail[2 * s] = step.even;
        tail[2 * s + 1] = step.odd;
    }
}

/* Stops of consecutive segments, and the step behind the last of them. */
typedef struct vqx_stretch {
    vqx_step tail;
    u32 stops;
} vqx_stretch;

VQX_FN vqx_stretch vqx_stretch_none(void) {
    vqx_stretch none;
    none.tail = vqx_step_of(0, 0);
    none.stops = 0;
    return none;
}

VQX_FN vqx_stretch vqx_stretch_then(vqx_stretch a, u32 stops, i64 even, i64 odd) {
    const vqx_step tail = vqx_step_of(even, odd);
    a.tail = stops ? tail : vqx_step_then(a.tail, tail);
    a.stops += stops;
    return a;
}

#define VQX_WALK_BLOCK 16 /* chunks */

typedef struct vqx_local_walk {
    i64 even[VQX_ORDERED_CHUNKS], odd[VQX_ORDERED_CHUNKS]; /* tail of a chunk */
    u32 stops[VQX_ORDERED_CHUNKS];
    i64 block_even[VQX_WALK_BLOCK], block_odd[VQX_WALK_BLOCK]; /* of VQX_WALK_BLOCK chunks */
    u32 block_stops[VQX_WALK_BLOCK];
    /* of each chunk, the stop that comes next: its number in the sum, its segment, its number there, the step in front of it */
    u32 next[VQX_ORDERED_CHUNKS], segment[VQX_ORDERED_CHUNKS], number[VQX_ORDERED_CHUNKS];
    i64 next_even[VQX_ORDERED_CHUNKS], next_odd[VQX_ORDERED_CHUNKS];
    /* the stops of a batch */
    i64 step_even[VQX_ORDERED_BATCH], step_odd[VQX_ORDERED_BATCH];
    u32 run[VQX_ORDERED_BATCH];
    u64 t[VQX_ORDERED_BATCH * VQX_ORDERED_RUN];
    u64 state;
} vqx_local_walk;

/* result[at + s]: sum s, from stop to stop. Grid: sums. */
VQX_BODY(ordered_walk, vqx_local_walk) {
    const u32 segments = (terms - 1) / VQX_ORDERED_SEGMENT + 1;
    const u32 each = (segments + VQX_ORDERED_CHUNKS - 2) / (VQX_ORDERED_CHUNKS - 1); /* the last chunk is empty: behind all */
    const u64 s0 = (u64)cx.gx * segments, t0 = (u64)cx.gx * terms;
    VQX_EACH(cx, c, VQX_ORDERED_CHUNKS) {
        vqx_stretch chunk = vqx_stretch_none();
        for (u32 s = c * each; s < vqx_chunk_end(c, each, segments); s++)
            chunk = vqx_stretch_then(chunk, stops[s0 + s], tail[2 * (s0 + s)], tail[2 * (s0 + s) + 1]);
        lm->even[c] = chunk.tail.even;
        lm->odd[c] = chunk.tail.odd;
        lm->stops[c] = chunk.stops;
    }
    VQX_ONE(cx)
    lm->state = 0;
    VQX_SYNC(cx);
    VQX_EACH(cx, b, VQX_WALK_BLOCK) {
        vqx_stretch block = vqx_stretch_none();
        for (u32 c = b * VQX_WALK_BLOCK; c < (b + 1) * VQX_WALK_BLOCK; c++)
            block = vqx_stretch_then(block, lm->stops[c], lm->even[c], lm->odd[c]);
        lm->block_even[b] = block.tail.even;
        lm->block_odd[b] = block.tail.odd;
        lm->block_stops[b] = block.stops;
    }
    VQX_SYNC(cx);
    VQX_EACH(cx, c, VQX_ORDERED_CHUNKS) {
        vqx_stretch front = vqx_stretch_none();
        for (u32 b = 0; b < c / VQX_WALK_BLOCK; b++)
            front = vqx_stretch_then(front, lm->block_stops[b], lm->block_even[b], lm->block_odd[b]);
        for (u32 d = c / VQX_WALK_BLOCK * VQX_WALK_BLOCK; d < c; d++)
            front = vqx_stretch_then(front, lm->stops[d], lm->even[d], lm->odd[d]);
        lm->next[c] = front.stops;
        lm->segment[c] = c * each;
        lm->number[c] = 0;
        lm->next_even[c] = front.tail.even;
        lm->next_odd[c] = front.tail.odd;
    }
    VQX_SYNC(cx);
    const u32 all = lm->next[VQX_ORDERED_CHUNKS - 1];
    VQX_SYNC(cx); /* before a lane writes there again */
    for (u32 batch = 0; batch < all; batch += VQX_ORDERED_BATCH) {
        const u32 count = all - batch < VQX_ORDERED_BATCH ? all - batch : VQX_ORDERED_BATCH;
        VQX_EACH(cx, c, VQX_ORDERED_CHUNKS) {
            u32 next = lm->next[c], s = lm->segment[c], number = lm->number[c];
            vqx_step step = vqx_step_of(lm->next_even[c], lm->next_odd[c]);
            while (s < vqx_chunk_end(c, each, segments) && next < batch + VQX_ORDERED_BATCH) {
                if (number < stops[s0 + s]) {
                    const u64 k = 3 * ((s0 + s) * VQX_ORDERED_RUNS + number++);
                    step = vqx_step_then(step, vqx_step_of(stop[k], stop[k + 1]));
                    lm->step_even[next - batch] = step.even;
                    lm->step_odd[next - batch] = step.odd;
                    lm->run[next - batch] = s * VQX_ORDERED_RUNS + (u32)stop[k + 2];
                    next++;
                    step = vqx_step_of(0, 0);
                } else {
                    step = vqx_step_then(step, vqx_step_of(tail[2 * (s0 + s)], tail[2 * (s0 + s) + 1]));
                    s++;
                    number = 0;
                }
            }
            lm->next[c] = next;
            lm->segment[c] = s;
            lm->number[c] = number;
            lm->next_even[c] = step.even;
            lm->next_odd[c] = step.odd;
        }
        VQX_SYNC(cx);
        VQX_EACH(cx, i, count * VQX_ORDERED_RUN) {
            const u32 t = lm->run[i / VQX_ORDERED_RUN] * VQX_ORDERED_RUN + i % VQX_ORDERED_RUN;
            lm->t[i] = t < terms ? term[t0 + t] : 0; /* a zero more changes nothing: the state is never -0 */
        }
        VQX_SYNC(cx);
        VQX_ONE(cx) {
            u64 state = lm->state;
            for (u32 k = 0; k < count; k++) {
                f64 sum = d_of_bits(vqx_step_apply(state, lm->step_even[k], lm->step_odd[k]));
                for (u32 i = 0; i < VQX_ORDERED_RUN; i++)
                    sum = d_add(sum, d_of_bits(lm->t[k * VQX_ORDERED_RUN + i]));
                state = d_bits(sum);
            }
            lm->state = state;
        }
        VQX_SYNC(cx);
    }
    VQX_ONE(cx)
    result[at + cx.gx] = vqx_step_apply(lm->state, lm->next_even[VQX_ORDERED_CHUNKS - 1], lm->next_odd[VQX_ORDERED_CHUNKS - 1]);
}

#endif
