#include "test/chain.h"

#include "dialect/cpu.h"
#include "kernel/square.h"
#include "test/direct.h"

static const vqx_format format[CHAIN_KINDS] = {
    {1920, 1200, VQX_CHROMA_400, 16}, {2048, 2000, VQX_CHROMA_400, 16}, {2560, 1700, VQX_CHROMA_400, 16}};

typedef struct picture {
    chain_kind kind;
    uint32_t flip;
    uint64_t state;
} picture;

static uint32_t word_of(picture *p, uint32_t x, uint32_t y) {
    const uint32_t noise = (uint32_t)direct_random(&p->state);
    switch (p->kind) {
    case CHAIN_CROSSING: /* 2^21 + 64 words of 65535: 2^53 - 2^23 */
        return y * 1920 + x < (1u << 21) + 64 ? 65535 : (noise & 4094) | 1;
    case CHAIN_ROWS: {
        if (y < 1030)
            return 65535;
        const uint32_t bright = 40000 + noise % 20000, dark = noise >> 16 & 4095;
        const uint32_t of_row[5] = {bright, dark & 4094, dark | 1, noise & 1 ? bright : dark, noise & 65535};
        return of_row[y % 5];
    }
    default:
        return y == 0 && x < 2 ? 1 : 65535;
    }
}

static uint32_t flipped_word(uint32_t x, uint32_t y, unsigned plane, void *cookie) {
    picture *p = cookie;
    (void)plane;
    return word_of(p, x, y) ^ p->flip;
}

vqx_frame *chain_frame(chain_kind kind, int complement) {
    picture p = {kind, complement ? 65535 : 0, 7};
    return direct_frame(&format[kind], 0, flipped_word, &p);
}

uint64_t chain_exact(chain_kind kind) {
    picture p = {kind, 0, 7};
    uint64_t sum = 0;
    for (uint32_t y = 0; y < format[kind].height; y++)
        for (uint32_t x = 0; x < format[kind].width; x++)
            sum += vqx_square_f32((i32)word_of(&p, x, y));
    return sum;
}
