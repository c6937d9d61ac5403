#include "src/scheduler.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct worker {
    vqx_scheduler *scheduler;
    pthread_t thread;
    void *scratch;
    vqx_task *task; /* room for those that it runs at a time */
} worker;

/* A job whose parts are open to all workers; lives on the stack of the task that spreads it. */
typedef struct open_job {
    struct open_job *next;
    vqx_part_run run;
    void *job;
    size_t parts, taken, done;
} open_job;

struct vqx_scheduler {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied; /* there is something to do; there is room in the queue */
    pthread_cond_t part_done;
    vqx_task *queue; /* ring */
    size_t capacity, head, count;
    size_t most;      /* tasks at a time of a worker */
    unsigned running; /* workers with tasks */
    open_job *open;   /* jobs with parts that nobody has taken */
    bool ending;
    vqx_task_run run;
    void *owner;
    worker *worker;
    unsigned workers; /* started */
};

/* Takes and runs one part of an open job; under the lock, which is free meanwhile. */
static void run_part(vqx_scheduler *s, open_job *job, void *scratch) {
    const size_t part = job->taken++;
    if (job->taken == job->parts) {
        open_job **at = &s->open;
        while (*at != job)
            at = &(*at)->next;
        *at = job->next;
    }
    pthread_mutex_unlock(&s->lock);
    job->run(job->job, part, scratch);
    pthread_mutex_lock(&s->lock);
    if (++job->done == job->parts)
        pthread_cond_broadcast(&s->part_done);
}

static void *work(void *arg) {
    worker *me = arg;
    vqx_scheduler *s = me->scheduler;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        if (s->count) {
            size_t tasks = 0;
            while (tasks < s->most && s->count) {
                me->task[tasks++] = s->queue[s->head];
                s->head = (s->head + 1) % s->capacity;
                s->count--;
                pthread_cond_signal(&s->emptied);
            }
            s->running++;
            pthread_mutex_unlock(&s->lock);
            s->run(s->owner, me->task, tasks, me->scratch);
            for (size_t i = 0; i < tasks; i++) {
                vqx_frame_unref(&me->task[i].ref);
                vqx_frame_unref(&me->task[i].dis);
            }
            pthread_mutex_lock(&s->lock);
            if (--s->running == 0 && s->ending)
                pthread_cond_broadcast(&s->filled);
        } else if (s->open) {
            run_part(s, s->open, me->scratch);
        } else if (s->ending && !s->running) { /* a running task may still spread a job */
            break;
        } else {
            pthread_cond_wait(&s->filled, &s->lock);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Starts a worker that leaves signals to the program's own threads. 0, or a positive errno. */
static int start(worker *w) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int err = pthread_create(&w->thread, NULL, work, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

bool vqx_scheduler_idle(vqx_scheduler *s) {
    pthread_mutex_lock(&s->lock);
    const bool idle = s->count == 0;
    pthread_mutex_unlock(&s->lock);
    return idle;
}

void vqx_scheduler_spread(vqx_scheduler *s, size_t parts, vqx_part_run run, void *job, void *scratch) {
    open_job mine = {.run = run, .job = job, .parts = parts};
    if (parts == 0)
        return;
    pthread_mutex_lock(&s->lock);
    mine.next = s->open;
    s->open = &mine;
    pthread_cond_broadcast(&s->filled);
    while (mine.taken < mine.parts)
        run_part(s, &mine, scratch);
    while (mine.done < mine.parts)
        pthread_cond_wait(&s->part_done, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

int vqx_scheduler_open(vqx_scheduler **scheduler, unsigned threads, size_t most, size_t scratch, vqx_task_run run, void *owner) {
    *scheduler = NULL;
    vqx_scheduler *s = calloc(1, sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->run = run;
    s->owner = owner;
    s->most = most;
    /* as many waiting tasks as are running keep them busy; more would only hold memory */
    s->capacity = threads * most;
    if (pthread_mutex_init(&s->lock, NULL) || pthread_cond_init(&s->filled, NULL) || pthread_cond_init(&s->emptied, NULL) ||
        pthread_cond_init(&s->part_done, NULL)) {
        free(s);
        return -ENOMEM;
    }
    s->queue = calloc(s->capacity, sizeof(*s->queue));
    s->worker = calloc(threads, sizeof(*s->worker));
    if (!s->queue || !s->worker)
        goto fail;
    for (unsigned i = 0; i < threads; i++) {
        worker *w = &s->worker[i];
        w->scheduler = s;
        w->task = calloc(most, sizeof(*w->task));
        w->scratch = scratch ? aligned_alloc(64, (scratch + 63) / 64 * 64) : NULL;
        if (!w->task || (scratch && !w->scratch) || start(w)) {
            free(w->task);
            free(w->scratch);
            goto fail;
        }
        s->workers++;
    }
    *scheduler = s;
    return 0;
fail:
    vqx_scheduler_close(&s);
    return -ENOMEM;
}

void vqx_scheduler_push(vqx_scheduler *s, const vqx_task *task) {
    pthread_mutex_lock(&s->lock);
    while (s->count == s->capacity)
        pthread_cond_wait(&s->emptied, &s->lock);
    s->queue[(s->head + s->count) % s->capacity] = *task;
    s->count++;
    pthread_cond_signal(&s->filled);
    pthread_mutex_unlock(&s->lock);
}

void vqx_scheduler_close(vqx_scheduler **scheduler) {
    vqx_scheduler *s = *scheduler;
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    pthread_cond_broadcast(&s->filled);
    pthread_mutex_unlock(&s->lock);
    for (unsigned i = 0; i < s->workers; i++) {
        pthread_join(s->worker[i].thread, NULL);
        free(s->worker[i].scratch);
        free(s->worker[i].task);
    }
    pthread_cond_destroy(&s->filled);
    pthread_cond_destroy(&s->emptied);
    pthread_cond_destroy(&s->part_done);
    pthread_mutex_destroy(&s->lock);
    free(s->queue);
    free(s->worker);
    free(s);
    *scheduler = NULL; /* running tasks have looked at it until now */
}
