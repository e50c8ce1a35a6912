/* ledger.c: blocks in a ring, each with its copy while a mark is set.
 *
 *     block:  lent before the mark   it has a copy
 *             lent since             it has none
 *             returned since         is_back: kept, for it may come back
 */
#include "base/ledger.h"

#include <stdint.h>
#include <string.h>

struct ledger_block {
    struct ledger_block *next, *before;
    size_t size;
    void *copy;
    bool is_back;
    _Alignas(max_align_t) char bytes[];
};

static void *lend(void *ctx, size_t n) {
    struct ledger *l = ctx;
    if (n > SIZE_MAX - sizeof(struct ledger_block))
        return NULL;
    pthread_mutex_lock(&l->lock);
    struct ledger_block *b = l->from->get(l->from->ctx, sizeof *b + n);
    if (b) {
        *b = (struct ledger_block){.next = l->blocks, .size = n};
        if (l->blocks)
            l->blocks->before = b;
        l->blocks = b;
    }
    pthread_mutex_unlock(&l->lock);
    return b ? b->bytes : NULL;
}

static void drop(struct ledger *l, struct ledger_block *b) {
    if (b->before)
        b->before->next = b->next;
    else
        l->blocks = b->next;
    if (b->next)
        b->next->before = b->before;
    l->from->put(l->from->ctx, b);
}

static void take_back(void *ctx, void *bytes) {
    struct ledger *l = ctx;
    if (!bytes)
        return;
    char *at = bytes;
    at -= offsetof(struct ledger_block, bytes);
    struct ledger_block *b = (struct ledger_block *)(void *)at;
    pthread_mutex_lock(&l->lock);
    if (b->copy)
        b->is_back = true;
    else
        drop(l, b);
    pthread_mutex_unlock(&l->lock);
}

bool ledger_init(struct ledger *l, const struct allocator *from) {
    *l = (struct ledger){.lends = {lend, take_back, l}, .from = from};
    return pthread_mutex_init(&l->lock, NULL) == 0;
}

void ledger_end(struct ledger *l) {
    pthread_mutex_destroy(&l->lock);
}

static void unmark(struct ledger *l, struct ledger_block *b) {
    if (b->copy)
        l->from->put(l->from->ctx, b->copy);
    b->copy = NULL;
    b->is_back = false;
}

bool ledger_mark(struct ledger *l) {
    bool is_copied = true;
    for (struct ledger_block *b = l->blocks; b && is_copied; b = b->next) {
        b->copy = l->from->get(l->from->ctx, b->size > 0 ? b->size : 1);
        is_copied = b->copy != NULL;
        if (is_copied)
            memcpy(b->copy, b->bytes, b->size);
    }
    for (struct ledger_block *b = l->blocks; b && !is_copied; b = b->next)
        unmark(l, b);
    return is_copied;
}

void ledger_restore(struct ledger *l) {
    for (struct ledger_block *b = l->blocks, *next; b; b = next) {
        next = b->next;
        if (!b->copy) {
            drop(l, b);
            continue;
        }
        memcpy(b->bytes, b->copy, b->size);
        unmark(l, b);
    }
}
