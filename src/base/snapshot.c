/* snapshot.c: a doubly linked list of blocks, each with its copy while there is
 * a snapshot.
 *
 *     block:  allocated before the snapshot   has a copy, and is kept for the
 *                                             restore if it is freed
 *             allocated since                 has none
 */
#include "base/snapshot.h"

#include <stdint.h>
#include <string.h>

struct snapshot_block {
    struct snapshot_block *next, *before;
    size_t size;
    void *copy;
    _Alignas(max_align_t) char bytes[];
};

static void *block_get(void *ctx, size_t n) {
    struct snapshot_allocator *s = ctx;
    if (n > SIZE_MAX - sizeof(struct snapshot_block))
        return NULL;
    pthread_mutex_lock(&s->lock);
    struct snapshot_block *b = s->from->get(s->from->ctx, sizeof *b + n);
    if (b) {
        *b = (struct snapshot_block){.next = s->blocks, .size = n};
        if (s->blocks)
            s->blocks->before = b;
        s->blocks = b;
    }
    pthread_mutex_unlock(&s->lock);
    return b ? b->bytes : NULL;
}

static void block_remove(struct snapshot_allocator *s,
                         struct snapshot_block *b) {
    if (b->before)
        b->before->next = b->next;
    else
        s->blocks = b->next;
    if (b->next)
        b->next->before = b->before;
    s->from->put(s->from->ctx, b);
}

static void block_put(void *ctx, void *bytes) {
    struct snapshot_allocator *s = ctx;
    if (!bytes)
        return;
    char *at = bytes;
    at -= offsetof(struct snapshot_block, bytes);
    struct snapshot_block *b = (struct snapshot_block *)(void *)at;
    pthread_mutex_lock(&s->lock);
    if (!b->copy)
        block_remove(s, b);
    pthread_mutex_unlock(&s->lock);
}

bool snapshot_init(struct snapshot_allocator *s, const struct allocator *from) {
    *s = (struct snapshot_allocator){
        .allocator = {block_get, block_put, s}, .from = from};
    return pthread_mutex_init(&s->lock, NULL) == 0;
}

void snapshot_end(struct snapshot_allocator *s) {
    pthread_mutex_destroy(&s->lock);
}

static void copy_drop(struct snapshot_allocator *s, struct snapshot_block *b) {
    if (b->copy)
        s->from->put(s->from->ctx, b->copy);
    b->copy = NULL;
}

bool snapshot_take(struct snapshot_allocator *s) {
    bool is_copied = true;
    for (struct snapshot_block *b = s->blocks; b && is_copied; b = b->next) {
        b->copy = s->from->get(s->from->ctx, b->size > 0 ? b->size : 1);
        is_copied = b->copy != NULL;
        if (is_copied)
            memcpy(b->copy, b->bytes, b->size);
    }
    for (struct snapshot_block *b = s->blocks; b && !is_copied; b = b->next)
        copy_drop(s, b);
    return is_copied;
}

void snapshot_restore(struct snapshot_allocator *s) {
    for (struct snapshot_block *b = s->blocks, *next; b; b = next) {
        next = b->next;
        if (!b->copy) {
            block_remove(s, b);
            continue;
        }
        memcpy(b->bytes, b->copy, b->size);
        copy_drop(s, b);
    }
}
