#include "test/hip_cpu.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { MOST_LANES = 256, LEAST_WAVE = 32, STACK = 1 << 16 };

/* A place where lanes wait for each other. */
typedef struct meeting {
    unsigned arrived, turn;
} meeting;

hip_cpu_index hip_cpu_thread, hip_cpu_block, hip_cpu_grid;

/* Fibers stay: between groups they wait for the next one. They begin by setcontext(), then longjmp() is faster. */
static struct {
    ucontext_t context;
    jmp_buf at;
    bool begun;
    _Alignas(16) char stack[STACK];
} fiber[MOST_LANES];
static jmp_buf at_end; /* of a group */
static unsigned current, group, ended, wave;
static const hip_cpu_kernel *kernel;
static const void *arguments;
static meeting all, of_wave[MOST_LANES / LEAST_WAVE];
static uint64_t given[MOST_LANES];

static void go(unsigned lane) {
    current = hip_cpu_thread.x = lane;
    if (fiber[lane].begun)
        _longjmp(fiber[lane].at, 1);
    fiber[lane].begun = true;
    setcontext(&fiber[lane].context);
}

static void go_on(void) { /* with the next lane */
    if (!_setjmp(fiber[current].at))
        go((current + (wave == LEAST_WAVE ? 1 : kernel->lanes - 1)) % kernel->lanes);
}

static void meet(meeting *m, unsigned members) {
    const unsigned turn = m->turn;
    if (ended) {
        fprintf(stderr, "hip_cpu: a lane waits for others that are at their end\n");
        abort();
    }
    if (++m->arrived == members) {
        m->arrived = 0;
        m->turn++;
    }
    while (m->turn == turn)
        go_on();
}

static void live(void) {
    for (;;) {
        const unsigned this = group;
        kernel->lane(arguments);
        if (++ended == kernel->lanes && !_setjmp(fiber[current].at))
            _longjmp(at_end, 1);
        while (group == this)
            go_on();
    }
}

static void begin(void) {
    const char *size = getenv("FAKE_HIP_WAVE");
    wave = size ? (unsigned)atoi(size) : LEAST_WAVE;
    for (unsigned lane = 0; lane < MOST_LANES; lane++) {
        getcontext(&fiber[lane].context);
        fiber[lane].context.uc_stack.ss_sp = fiber[lane].stack;
        fiber[lane].context.uc_stack.ss_size = STACK;
        makecontext(&fiber[lane].context, live, 0);
    }
}

void hip_cpu_run(const hip_cpu_kernel *what, uint32_t gx, uint32_t gy, uint32_t gz, const void *sets) {
    if (!wave)
        begin();
    kernel = what;
    arguments = sets;
    hip_cpu_grid = (hip_cpu_index){gx, gy, gz};
    hip_cpu_block = (hip_cpu_index){0, 0, 0};
    for (; hip_cpu_block.z < gz; hip_cpu_block.z++)
        for (hip_cpu_block.y = 0; hip_cpu_block.y < gy; hip_cpu_block.y++)
            for (hip_cpu_block.x = 0; hip_cpu_block.x < gx; hip_cpu_block.x++) {
                group++;
                ended = 0;
                if (!_setjmp(at_end))
                    go(0);
            }
}

void hip_cpu_barrier(void) {
    meet(&all, kernel->lanes);
}

uint64_t hip_cpu_shuffle_down(uint64_t value, unsigned step, unsigned width) {
    const unsigned lane = current, end = (lane / wave + 1) * wave, from = lane % width + step < width ? lane + step : lane;
    meeting *m = &of_wave[lane / wave];
    given[lane] = value;
    meet(m, wave);
    value = from < end ? given[from] : ~value;
    meet(m, wave);
    return value;
}
