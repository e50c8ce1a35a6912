/* test_merge.c: what a fix leaves out comes from the fix that it uses, then
 * from the row of its acts_on; what an entry leaves out, from its mechanism. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "author/author.h"
#include "support/corpus.h"

static const struct entry *entry_of(struct arena *a, const char *id) {
    struct author_options o = {.entries_dir = STR("tests/good/entries")};
    const struct corpus *c = author_read_corpus(a, &o);
    for (size_t i = 0; i < c->entry_count; i++) {
        if (str_eq(c->entries[i].id, str_of(id))) {
            return &c->entries[i];
        }
    }
    fail_msg("no entry %s", id);
    return NULL;
}

static void expect_cure(const struct workaround *w, const char *cause,
                        enum strength strength) {
    assert_int_equal(w->cure_count, 1);
    assert_true(str_eq(w->cures[0].cause, str_of(cause)));
    assert_int_equal(w->cures[0].strength, strength);
}

static void own_words_win(struct arena *a) {
    const struct entry *e = entry_of(a, "pytorch/no-room-on-shared-card");
    const struct workaround *w = &e->workarounds[1];
    assert_true(str_eq(w->id, STR("shorter")));
    assert_true(str_eq(w->use, STR("shorter-requests")));
    assert_int_equal(w->loses, LOSES_speed);
    expect_cure(w, "other_process", STRENGTH_some);
    /* of the fix that it uses */
    assert_true(str_eq(w->acts_on.flag, STR("--max-model-len")));
    assert_true(str_starts(w->action.in[LANG_EN], STR("Promise shorter")));
    /* of the row of that flag */
    assert_int_equal(w->effort, EFFORT_flag);
    assert_int_equal(w->frees, FREES_kv_need);
}

static void a_row_gives_the_rest(struct arena *a) {
    const struct entry *e = entry_of(a, "pytorch/no-room-on-shared-card");
    const struct workaround *w = &e->workarounds[0];
    assert_int_equal(w->use.n, 0);
    assert_int_equal(w->effort, EFFORT_restart);
    assert_int_equal(w->frees, FREES_others);
    expect_cure(w, "other_process", STRENGTH_most);
}

static void causes_are_the_entry_s_or_its_mechanism_s(struct arena *a) {
    const struct entry *own = entry_of(a, "pytorch/no-room-on-shared-card");
    assert_int_equal(own->cause_count, 2);
    assert_true(str_eq(own->causes[1].cause, STR("own_ranks")));
    assert_int_equal(own->causes[1].share_micro, 200000);
    const struct entry *head = entry_of(a, "pytorch/no-room");
    assert_true(head->cause_count > 2);
    assert_true(str_eq(head->causes[0].cause, STR("one_step")));
}

#define WITH_ARENA(body) \
    static void test_##body(void **state) { \
        (void)state; \
        with_arena(body); \
    }
WITH_ARENA(own_words_win)
WITH_ARENA(a_row_gives_the_rest)
WITH_ARENA(causes_are_the_entry_s_or_its_mechanism_s)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own_words_win),
        cmocka_unit_test(test_a_row_gives_the_rest),
        cmocka_unit_test(test_causes_are_the_entry_s_or_its_mechanism_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
