#include "src/scheduler.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

typedef struct worker {
    vqx_scheduler *scheduler;
    pthread_t thread;
    void *scratch;
} worker;

struct vqx_scheduler {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    vqx_task *queue; /* ring */
    size_t capacity, head, count;
    bool ending;
    vqx_task_run run;
    void *owner;
    worker *worker;
    unsigned workers; /* started */
};

static void *work(void *arg) {
    worker *me = arg;
    vqx_scheduler *s = me->scheduler;
    for (;;) {
        pthread_mutex_lock(&s->lock);
        while (!s->count && !s->ending)
            pthread_cond_wait(&s->filled, &s->lock);
        if (!s->count) {
            pthread_mutex_unlock(&s->lock);
            return NULL;
        }
        vqx_task task = s->queue[s->head];
        s->head = (s->head + 1) % s->capacity;
        s->count--;
        pthread_cond_signal(&s->emptied);
        pthread_mutex_unlock(&s->lock);
        s->run(s->owner, &task, me->scratch);
        vqx_frame_unref(&task.ref);
        vqx_frame_unref(&task.dis);
    }
}

int vqx_scheduler_open(vqx_scheduler **scheduler, unsigned threads, size_t scratch, vqx_task_run run, void *owner) {
    *scheduler = NULL;
    vqx_scheduler *s = calloc(1, sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->run = run;
    s->owner = owner;
    /* one waiting task per worker keeps them busy; more would only hold memory */
    s->capacity = threads;
    if (pthread_mutex_init(&s->lock, NULL) || pthread_cond_init(&s->filled, NULL) || pthread_cond_init(&s->emptied, NULL)) {
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
        if (scratch && !(w->scratch = aligned_alloc(64, (scratch + 63) / 64 * 64)))
            goto fail;
        if (pthread_create(&w->thread, NULL, work, w)) {
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
    *scheduler = NULL;
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    pthread_cond_broadcast(&s->filled);
    pthread_mutex_unlock(&s->lock);
    for (unsigned i = 0; i < s->workers; i++) {
        pthread_join(s->worker[i].thread, NULL);
        free(s->worker[i].scratch);
    }
    pthread_cond_destroy(&s->filled);
    pthread_cond_destroy(&s->emptied);
    pthread_mutex_destroy(&s->lock);
    free(s->queue);
    free(s->worker);
    free(s);
}
