/* Memory that can be put back as it was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/snapshot.h"

struct purse { /* counts what is out; empty: the next call fails */
    size_t out;
    bool is_empty;
};

static void *purse_get(void *ctx, size_t bytes) {
    struct purse *p = ctx;
    if (p->is_empty)
        return NULL;
    p->out++;
    return malloc(bytes);
}

static void purse_put(void *ctx, void *block) {
    struct purse *p = ctx;
    p->out--;
    free(block);
}

static void *get(struct snapshot_allocator *l, size_t n) {
    return l->allocator.get(l->allocator.ctx, n);
}

static void put(struct snapshot_allocator *l, void *block) {
    l->allocator.put(l->allocator.ctx, block);
}

static void what_was_written_and_returned_is_there_again(void **state) {
    (void)state;
    struct purse purse = {0};
    struct allocator from = {purse_get, purse_put, &purse};
    struct snapshot_allocator l;
    assert_true(snapshot_init(&l, &from));
    char *kept = get(&l, 8), *returned = get(&l, 8), *empty = get(&l, 0);
    strcpy(kept, "before");
    strcpy(returned, "before");
    assert_true(snapshot_take(&l));
    strcpy(kept, "after");
    strcpy(returned, "after");
    put(&l, returned);
    put(&l, get(&l, 100));
    assert_non_null(get(&l, 100)); /* nobody returns it */
    snapshot_restore(&l);
    assert_string_equal(kept, "before");
    assert_string_equal(returned, "before");
    assert_int_equal(purse.out, 3);
    put(&l, kept);
    put(&l, returned);
    put(&l, empty);
    put(&l, NULL);
    assert_int_equal(purse.out, 0);
    snapshot_end(&l);
}

static void no_memory_for_copies_is_no_mark(void **state) {
    (void)state;
    struct purse purse = {0};
    struct allocator from = {purse_get, purse_put, &purse};
    struct snapshot_allocator l;
    assert_true(snapshot_init(&l, &from));
    char *block = get(&l, 8);
    purse.is_empty = true;
    assert_false(snapshot_take(&l));
    purse.is_empty = false;
    put(&l, block);
    assert_int_equal(purse.out, 0);
    snapshot_end(&l);
}

/* ---- an arena on it, with buffers that move ---- */

struct growing {
    struct arena a;
    struct buf b;
    int released;
};

static void count_release(void *what) {
    ++*(int *)what;
}

static void grow(void *arg) {
    struct growing *g = arg;
    for (int i = 0; i < 5000; i++) {
        buf_add(&g->b, STR("more "));
        arena_alloc(&g->a, 17);
    }
    arena_defer(&g->a, count_release, &g->released);
}

static void begin(void *arg) {
    struct growing *g = arg;
    g->b = buf_in(&g->a, 0);
    buf_add(&g->b, STR("first"));
    arena_defer(&g->a, count_release, &g->released);
}

static void an_arena_goes_back(void **state) {
    (void)state;
    struct purse purse = {0};
    struct allocator from = {purse_get, purse_put, &purse};
    struct snapshot_allocator l;
    struct growing g = {.released = 0};
    assert_true(snapshot_init(&l, &from));
    arena_init(&g.a, &l.allocator, 0);
    assert_int_equal(arena_guard(&g.a, begin, &g, NULL), FAIL_NONE);
    for (int i = 0; i < 3; i++) {
        struct arena before = g.a;
        struct buf text = g.b;
        assert_true(snapshot_take(&l));
        assert_int_equal(arena_guard(&g.a, grow, &g, NULL), FAIL_NONE);
        arena_release_to(&g.a, before.deferred);
        g.a = before;
        g.b = text;
        snapshot_restore(&l);
        assert_int_equal(g.released, i + 1);
        assert_true(str_eq(buf_str(&g.b), STR("first")));
    }
    arena_free(&g.a);
    assert_int_equal(g.released, 4);
    assert_int_equal(purse.out, 0);
    snapshot_end(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_and_returned_is_there_again),
        cmocka_unit_test(no_memory_for_copies_is_no_mark),
        cmocka_unit_test(an_arena_goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
