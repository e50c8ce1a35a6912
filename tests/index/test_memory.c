/* Every allocation of an arena fails in turn: opening and reading raise
 * FAIL_MEMORY, release what they hold, and work when there is enough. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/corpus.h"

struct stingy {
    long left; /* allocations until it says no */
    long held;
};

static void *stingy_get(void *ctx, size_t bytes) {
    struct stingy *s = ctx;
    if (s->left-- <= 0) {
        return NULL;
    }
    void *block = malloc(bytes);
    s->held += block != NULL;
    return block;
}

static void stingy_put(void *ctx, void *block) {
    struct stingy *s = ctx;
    s->held -= block != NULL;
    free(block);
}

struct attempt {
    struct arena arena;
    struct str image;
};

static void open_and_read(void *arg) {
    struct attempt *t = arg;
    struct arena *a = &t->arena;
    struct reader *r = reader_new(index_open(a, t->image), a);
    struct fact fact = {.name = FACT_gpu_free, .known = true, .number = 1};
    struct fact_list facts = {&fact, 1, 1};
    for (uint32_t i = 0; i < 3; i++) {
        reader_entry(r, i);
    }
    reader_engine(r, 0);
    reader_model(r, STR("me/qwen3-8b-sft"));
    reader_gpu(r, STR("A100 80GB"));
    reader_when(r, STR("gpu_free > 0"), &facts);
    arena_alloc(a, 3 << 20); /* so that there is always a second block */
}

static void fail_each_allocation(struct arena *a) {
    struct str image = tiny_image(a);
    enum fail code = FAIL_MEMORY;
    long n = 0;
    for (; code != FAIL_NONE && n < 1000; n++) {
        struct stingy stingy = {n, 0};
        struct allocator from = {stingy_get, stingy_put, &stingy};
        struct attempt t = {.image = image};
        arena_init(&t.arena, &from, 0);
        code = arena_guard(&t.arena, open_and_read, &t, NULL);
        arena_free(&t.arena);
        assert_int_equal(stingy.held, 0);
        assert_true(code == FAIL_MEMORY || code == FAIL_NONE);
    }
    assert_int_equal(code, FAIL_NONE);
    assert_true(n > 5);
}

static void each_failure_is_told(void **state) {
    (void)state;
    with_arena(fail_each_allocation);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_failure_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
