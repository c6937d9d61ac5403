/* Worker threads behind a bounded queue of frame pairs. */
#ifndef VQX_SRC_SCHEDULER_H
#define VQX_SRC_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/vqx.h"

typedef struct vqx_scheduler vqx_scheduler;

/* One pair; the worker that ran it drops the references. */
typedef struct vqx_task {
    uint64_t index;
    vqx_frame *ref, *dis;
} vqx_task;

/* Runs tasks. Called from the workers, each with its own scratch memory (64-byte-aligned). */
typedef void (*vqx_task_run)(void *owner, const vqx_task *task, size_t tasks, void *scratch);

/* Starts `threads` workers, each of which runs up to `most` tasks at a time: those that wait when it becomes free. -ENOMEM when
 * memory or threads cannot be had. */
int vqx_scheduler_open(vqx_scheduler **scheduler, unsigned threads, size_t most, size_t scratch, vqx_task_run run, void *owner);

/* Queues a task; blocks while the queue is full. Any thread. */
void vqx_scheduler_push(vqx_scheduler *scheduler, const vqx_task *task);

/* Called by a running task: true when no task waits, so that other workers may have nothing to do. */
bool vqx_scheduler_idle(vqx_scheduler *scheduler);

/* Part `part` of a job, run once, by some worker with its scratch memory. */
typedef void (*vqx_part_run)(void *job, size_t part, void *scratch);

/* Called by a running task: runs parts 0 .. parts-1 on this worker (with the task's scratch) and on those that have nothing else to
 * do; returns when all are done. */
void vqx_scheduler_spread(vqx_scheduler *scheduler, size_t parts, vqx_part_run run, void *job, void *scratch);

/* Waits for all queued tasks, ends the workers, frees everything. NULL is fine. */
void vqx_scheduler_close(vqx_scheduler **scheduler);

#endif
