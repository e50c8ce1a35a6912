/* Memory with a lifetime: zeroed, bounded, and given up in one way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/json.h"

/* An allocator that fails its n-th call and counts what is out. */
struct meagre {
    size_t calls, fail_at, out;
};

static void *meagre_get(void *ctx, size_t bytes) {
    struct meagre *m = ctx;
    if (++m->calls == m->fail_at)
        return NULL;
    m->out++;
    return malloc(bytes);
}

static void meagre_put(void *ctx, void *block) {
    struct meagre *m = ctx;
    m->out--;
    free(block);
}

static void alloc_much(void *arg) {
    struct arena *a = arg;
    for (size_t n = 0; n < 3000; n += 7) {
        unsigned char *p = arena_alloc(a, n);
        assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(p[i], 0);
        memset(p, 0xAB, n);
    }
    struct buf b = buf_in(a, 0);
    for (int i = 0; i < 1000; i++)
        buf_add(&b, STR("some text"));
    assert_true(str_eq(arena_printf(a, "%d-%s", 7, "x"), STR("7-x")));
    if (!buf_ok(&b))
        arena_raise(a, FAIL_MEMORY, "buffer");
}

static void memory_is_zeroed_and_aligned(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    assert_int_equal(arena_guard(&a, alloc_much, &a, NULL), FAIL_NONE);
    arena_free(&a);
    assert_int_equal(a.used_bytes, 0);
}

static void every_failure_is_raised_and_leaks_nothing(void **state) {
    (void)state;
    bool was_enough = false;
    for (size_t n = 1; n < 200 && !was_enough; n++) {
        struct meagre m = {.fail_at = n};
        struct allocator from = {meagre_get, meagre_put, &m};
        struct arena a;
        struct fault fault = {0};
        arena_init(&a, &from, 0);
        enum fail code = arena_guard(&a, alloc_much, &a, &fault);
        was_enough = m.calls < n;
        assert_int_equal(code, was_enough ? FAIL_NONE : FAIL_MEMORY);
        assert_int_equal(fault.text[0] != '\0', !was_enough);
        arena_free(&a);
        assert_int_equal(m.out, 0);
    }
    assert_true(was_enough);
}

static void a_ceiling_holds(void **state) {
    (void)state;
    struct arena a;
    struct fault fault;
    arena_init(&a, NULL, 10000);
    assert_int_equal(arena_guard(&a, alloc_much, &a, &fault), FAIL_CEILING);
    assert_true(a.used_bytes <= 10000);
    arena_free(&a);
}

static void alloc_absurdly(void *arg) {
    arena_array(arg, SIZE_MAX / 2, 3);
}

static void a_size_that_overflows_is_refused(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    assert_int_equal(arena_guard(&a, alloc_absurdly, &a, NULL), FAIL_MEMORY);
    arena_free(&a);
}

static void raise_inner(void *arg) {
    arena_raise(arg, FAIL_INDEX, "inner %d", 1);
}

static void raise_outer(void *arg) {
    struct fault fault;
    assert_int_equal(arena_guard(arg, raise_inner, arg, &fault), FAIL_INDEX);
    assert_string_equal(fault.text, "inner 1");
    arena_raise(arg, FAIL_IO, "outer");
}

static void guards_nest(void **state) {
    (void)state;
    struct arena a;
    struct fault fault;
    arena_init(&a, NULL, 0);
    assert_int_equal(arena_guard(&a, raise_outer, &a, &fault), FAIL_IO);
    assert_string_equal(fault.text, "outer");
    arena_free(&a);
}

struct trail {
    struct arena a;
    char order[8];
    size_t n;
};

static void leave_a(void *what) {
    struct trail *t = what;
    t->order[t->n++] = 'a';
}

static void leave_b(void *what) {
    struct trail *t = what;
    t->order[t->n++] = 'b';
}

static void defer_two(void *arg) {
    struct trail *t = arg;
    arena_defer(&t->a, leave_a, t);
    arena_defer(&t->a, leave_b, t);
}

static void defers_run_last_in_first_out(void **state) {
    (void)state;
    struct trail t = {.n = 0};
    arena_init(&t.a, NULL, 0);
    assert_int_equal(arena_guard(&t.a, defer_two, &t, NULL), FAIL_NONE);
    arena_free(&t.a);
    assert_string_equal(t.order, "ba");
}

static void what_cannot_be_deferred_is_released(void **state) {
    (void)state;
    struct trail t = {.n = 0};
    arena_init(&t.a, NULL, 8); /* not even the note fits */
    assert_int_equal(arena_guard(&t.a, defer_two, &t, NULL), FAIL_CEILING);
    assert_string_equal(t.order, "a");
    arena_free(&t.a);
}

static void grow_list(void *arg) {
    int *list = NULL;
    size_t cap = 0;
    for (size_t n = 0; n < 100; n++) {
        list = arena_grow(arg, list, n, &cap, sizeof *list);
        list[n] = (int)n;
    }
    for (int n = 0; n < 100; n++)
        assert_int_equal(list[n], n);
}

static void lists_grow(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    assert_int_equal(arena_guard(&a, grow_list, &a, NULL), FAIL_NONE);
    arena_free(&a);
}

/* Alone in its block a list stays where it is; what stands behind it is left
 * alone; and room that grew is zeroed, whatever was there. */
static void grow_in_place(void *arg) {
    struct arena *a = arg;
    size_t cap = 0, other_cap = 0;
    memset(arena_room(a, 3000), 'x', 3000);
    char *list = arena_grow(a, NULL, 0, &cap, 3), *first = list;
    list = arena_grow(a, list, 8, &cap, 3);
    assert_ptr_equal(list, first);
    assert_int_equal(cap, 16);
    int *other = arena_grow(a, NULL, 0, &other_cap, sizeof *other);
    other[0] = 7;
    list[47] = 'y';
    list = arena_grow(a, list, 16, &cap, 3);
    assert_ptr_not_equal(list, first);
    assert_int_equal(list[47], 'y');
    for (size_t i = 48; i < 96; i++)
        assert_int_equal(list[i], 0);
    assert_int_equal(other[0], 7);
    assert_int_equal(other[1], 0);
}

static void the_last_list_grows_in_place(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    assert_int_equal(arena_guard(&a, grow_in_place, &a, NULL), FAIL_NONE);
    arena_free(&a);
}

static void a_full_buffer_stays_failed(void **state) {
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 10);
    buf_add(&b, STR("0123456789"));
    assert_true(buf_ok(&b));
    buf_add_char(&b, '!');
    assert_false(buf_ok(&b));
    buf_clear(&b);
    buf_add_char(&b, 'x');
    assert_false(buf_ok(&b));
    assert_int_equal(buf_str(&b).n, 0);
    buf_free(&b);
}

static void check_full(void *arg) {
    struct buf b = buf_in(arg, 10);
    buf_add(&b, STR("0123456789"));
    buf_check(&b, "the answer");
    buf_add_char(&b, '!');
    buf_check(&b, "the answer");
}

static void write_long_json(void *arg) {
    struct buf b = buf_in(arg, 10);
    json_write(json_text(arg, STR("0123456789")), false, &b);
}

/* Where a ceiling is reached, the text has that ceiling. */
static void a_full_buffer_is_not_out_of_memory(void **state) {
    static void (*const fill[])(void *) = {check_full, write_long_json};
    static const char *const expected[] = {
        "the answer is longer than 10 bytes",
        "the JSON is longer than 10 bytes"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct arena a;
        struct fault fault;
        arena_init(&a, NULL, 0);
        assert_int_equal(arena_guard(&a, fill[i], &a, &fault), FAIL_CEILING);
        assert_string_equal(fault.text, expected[i]);
        arena_free(&a);
    }
}

static void buffers_drop_their_front(void **state) {
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 0);
    buf_printf(&b, "%s-%03d", "abc", 7);
    buf_fill(&b, '.', 2);
    buf_drop_front(&b, 4);
    assert_string_equal(b.p, "007..");
    buf_drop_front(&b, 99);
    assert_int_equal(b.n, 0);
    buf_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(every_failure_is_raised_and_leaks_nothing),
        cmocka_unit_test(a_ceiling_holds),
        cmocka_unit_test(a_size_that_overflows_is_refused),
        cmocka_unit_test(guards_nest),
        cmocka_unit_test(defers_run_last_in_first_out),
        cmocka_unit_test(what_cannot_be_deferred_is_released),
        cmocka_unit_test(lists_grow),
        cmocka_unit_test(the_last_list_grows_in_place),
        cmocka_unit_test(a_full_buffer_stays_failed),
        cmocka_unit_test(a_full_buffer_is_not_out_of_memory),
        cmocka_unit_test(buffers_drop_their_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
