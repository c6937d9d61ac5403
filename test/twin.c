#include "test/twin.h"

#include <stdio.h>

int twin_sums(const vqx_feature *feature, vqx_device *device, vqx_frame *const pair[2], uint64_t ordered, uint64_t *sums,
              unsigned *again) {
    const vqx_metric *metric = feature->metric;
    const uint32_t at = 5; /* other features' words stand before ours */
    vqx_message_text message = {""};
    vqx_work *work = NULL;
    int err = device->backend->prepare(device, metric->programs, &message);
    if (err == 0)
        err = vqx_work_open(&work, device, &feature->format, feature->planes, &message);
    if (err < 0)
        goto fail;
    for (unsigned side = 0; side < 2; side++) {
        vqx_plane plane[VQX_MAX_PLANES];
        for (unsigned p = 0; p < VQX_MAX_PLANES; p++)
            plane[p] = vqx_frame_plane(pair[side], p);
        vqx_work_upload(work, side, feature->planes, plane, false);
    }
    for (uint64_t open = ordered; err == 0;) {
        metric->launch(feature, work, at, open);
        err = vqx_work_wait(work, at + feature->words);
        if (err < 0) {
            message = work->message;
            break;
        }
        if (!metric->settle) {
            memcpy(sums, work->words + at, feature->sums * sizeof(*sums));
            break;
        }
        open = metric->settle(feature, work->words + at, open, sums);
        if (!open)
            break;
        *again += (unsigned)__builtin_popcountll(open);
    }
fail:
    vqx_work_close(&work);
    if (err < 0)
        fprintf(stderr, "%s: %s\n", metric->name, message.text);
    return err;
}
