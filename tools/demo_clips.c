/* Writes the pair of clips that `make demo` scores: a moving textured scene, and a copy whose 8x8 blocks went through a coarsely
 * quantised DCT. vqx-demo-clips REF.y4m DIST.y4m */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 640, HEIGHT = 360, FRAMES = 48, BLOCK = 8 };

static uint8_t plane[WIDTH * HEIGHT], coded[WIDTH * HEIGHT];

static uint8_t clip(double value) {
    return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)(value + 0.5);
}

/* Texture of waves and grain that moves to the right and turns; p is 0 for luma, else a chroma plane. */
static void paint(int frame, int p, int width, int height) {
    const double scale = (double)WIDTH / width;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            const double u = (x - 3 * frame / scale) * scale, v = y * scale;
            const uint32_t grain = ((uint32_t)(int32_t)u * 2654435761u ^ (uint32_t)(int32_t)v * 2246822519u) >> 28;
            if (p == 0)
                plane[y * width + x] =
                    clip(118 + 60 * sin(u * 0.031 + v * 0.017 + frame * 0.05) + 38 * sin(u * 0.23) * cos(v * 0.19) + grain);
            else
                plane[y * width + x] = clip(128 + 40 * sin(u * 0.013 + p + frame * 0.02) * cos(v * 0.021 * p));
        }
}

static double basis[BLOCK][BLOCK]; /* of the DCT: [frequency][position] */

static void make_basis(void) {
    for (int k = 0; k < BLOCK; k++)
        for (int n = 0; n < BLOCK; n++)
            basis[k][n] = (k ? 0.5 : sqrt(0.125)) * cos(M_PI * (2 * n + 1) * k / 16);
}

/* One dimension of the DCT (direction 1) or its inverse (-1), over 8 values that stand `step` apart. */
static void dct8(double *value, int step, int direction) {
    double out[BLOCK];
    for (int k = 0; k < BLOCK; k++) {
        out[k] = 0;
        for (int n = 0; n < BLOCK; n++)
            out[k] += value[n * step] * (direction > 0 ? basis[k][n] : basis[n][k]);
    }
    for (int k = 0; k < BLOCK; k++)
        value[k * step] = out[k];
}

static void quantise_block(int x0, int y0, int width, int height) {
    double block[BLOCK * BLOCK];
    for (int i = 0; i < BLOCK * BLOCK; i++) {
        const int x = x0 + i % BLOCK, y = y0 + i / BLOCK;
        block[i] = plane[(y < height ? y : height - 1) * width + (x < width ? x : width - 1)];
    }
    for (int i = 0; i < BLOCK; i++)
        dct8(block + i * BLOCK, 1, 1);
    for (int i = 0; i < BLOCK; i++)
        dct8(block + i, BLOCK, 1);
    for (int i = 0; i < BLOCK * BLOCK; i++) {
        const double step = 16 + 9 * (i % BLOCK + i / BLOCK); /* coarser towards the high frequencies, as codecs do */
        block[i] = step * floor(block[i] / step + 0.5);
    }
    for (int i = 0; i < BLOCK; i++)
        dct8(block + i, BLOCK, -1);
    for (int i = 0; i < BLOCK; i++)
        dct8(block + i * BLOCK, 1, -1);
    for (int i = 0; i < BLOCK * BLOCK; i++)
        if (x0 + i % BLOCK < width && y0 + i / BLOCK < height)
            coded[(y0 + i / BLOCK) * width + x0 + i % BLOCK] = clip(block[i]);
}

int main(int argc, char **argv) {
    FILE *file[2] = {NULL, NULL};
    if (argc != 3) {
        fprintf(stderr, "usage: vqx-demo-clips REF.y4m DIST.y4m\n");
        return 2;
    }
    for (int s = 0; s < 2; s++) {
        file[s] = fopen(argv[1 + s], "wb");
        if (!file[s]) {
            fprintf(stderr, "vqx-demo-clips: %s: %s\n", argv[1 + s], strerror(errno));
            return 103;
        }
        fprintf(file[s], "YUV4MPEG2 W%d H%d F24:1 Ip A1:1 C420mpeg2\n", WIDTH, HEIGHT);
    }
    make_basis();
    for (int frame = 0; frame < FRAMES; frame++) {
        for (int s = 0; s < 2; s++)
            fputs("FRAME\n", file[s]);
        for (int p = 0; p < 3; p++) {
            const int width = p ? WIDTH / 2 : WIDTH, height = p ? HEIGHT / 2 : HEIGHT;
            paint(frame, p, width, height);
            for (int y = 0; y < height; y += BLOCK)
                for (int x = 0; x < width; x += BLOCK)
                    quantise_block(x, y, width, height);
            fwrite(plane, 1, (size_t)(width * height), file[0]);
            fwrite(coded, 1, (size_t)(width * height), file[1]);
        }
    }
    int code = 0;
    for (int s = 0; s < 2; s++)
        if (ferror(file[s]) | fclose(file[s])) {
            fprintf(stderr, "vqx-demo-clips: %s: cannot be written\n", argv[1 + s]);
            code = 103;
        }
    return code;
}
