/* test_search.c: words find entries, whatever they are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "index/search.h"
#include "support/corpus.h"

#define LIT(s) {s, sizeof(s) - 1} /* a struct str, also in constants */

static struct entry plain_entry(const char *id, const char *en,
                                const char *zh, const char *cause) {
    return (struct entry){.id = str_of(id),
                          .component = str_of("toy"),
                          .title = {{str_of(en), str_of(zh)}},
                          .root_cause = {{str_of(cause), str_of(cause)}},
                          .provenance = {.confidence_micro = -1,
                                         .fix_rate_micro = -1,
                                         .evidence_count = -1}};
}

static struct reader *toy_reader(struct arena *a) {
    struct entry *entries = arena_array(a, 4, sizeof *entries);
    static struct signature sample = {
        .id = LIT("words"), .pattern = LIT("the toy pool is full"),
        .sample = LIT("toy.Error: the toy_pool is full (2.00 GiB of 4.00)")};
    entries[0] = plain_entry("toy/fragments", "Memory in pieces",
                             "显存碎片太多", "The allocator keeps blocks.");
    entries[1] = plain_entry("toy/pool", "The pool is full", "内存池已满",
                             "Fragmented blocks are not the reason.");
    entries[2] = plain_entry("toy/slow", "A slow card", "显卡很慢",
                             "There is no KV缓存 at all; 碎片 is no issue.");
    entries[3] = plain_entry("toy/other", "Another one", "另一个", "Unrelated.");
    entries[1].signatures = &sample;
    entries[1].signature_count = 1;
    struct component *toy = arena_alloc(a, sizeof *toy);
    *toy = (struct component){.id = STR("toy"), .name = STR("Toy")};
    struct corpus c = {.entries = entries,
                       .entry_count = 4,
                       .components = toy,
                       .component_count = 1};
    struct pattern_list set = corpus_patterns(a, &c);
    struct str image = index_write(a, &c, &set, STR(""));
    return reader_new(index_open(a, image), a);
}

/* ids, best first, blanks between. */
static void expect_found(struct arena *a, const char *words,
                         const char *expected) {
    struct reader *r = toy_reader(a);
    struct search_hits hits = reader_search(r, str_of(words), 10);
    struct buf found = buf_in(a, 4096);
    for (size_t i = 0; i < hits.count; i++) {
        buf_printf(&found, "%s%.*s", i > 0 ? " " : "",
                   STR_ARG(reader_entry(r, hits.at[i].entry)->id));
        assert_true(hits.at[i].score_micro >= 0);
    }
    if (!str_eq(buf_str(&found), str_of(expected))) {
        fail_msg("\"%s\" found \"%.*s\" instead of \"%s\"", words,
                 STR_ARG(buf_str(&found)), expected);
    }
}

static void chinese_is_found(struct arena *a) {
    expect_found(a, "碎片", "toy/fragments toy/slow"); /* title above body */
    expect_found(a, "显存碎片", "toy/fragments");
    expect_found(a, "存碎", "toy/fragments"); /* a pair across two words */
    expect_found(a, "缓存", "toy/slow");      /* behind Latin letters */
    expect_found(a, "kv缓存", "toy/slow");
    expect_found(a, "满", "toy/pool");        /* at the end of a run */
    expect_found(a, "池", "toy/pool");
    expect_found(a, "，显存、碎片。", "toy/fragments");
    expect_found(a, "片碎", "");
}

static void words_are_found(struct arena *a) {
    expect_found(a, "slow", "toy/slow");
    expect_found(a, "SLOW Card", "toy/slow");
    expect_found(a, "fragmentation", "toy/fragments toy/pool"); /* stems */
    expect_found(a, "alloc", "toy/fragments");                  /* begun */
    expect_found(a, "toy/other", "toy/other");
    expect_found(a, "nonsense", "");
    expect_found(a, "slow nonsense", "toy/slow"); /* any, where not all */
}

/* What FTS5 would take for syntax, and what is no word at all. */
static void any_paste_is_a_query(struct arena *a) {
    expect_found(a, "toy.Error: the toy_pool is full (9.50 GiB of 16.00)",
                 "toy/pool"); /* the others share an "is" and an "of" */
    static const char *const pastes[] = {
        "\"", "\"\"", "*", "a*", "(", ")", "AND", "NOT slow", "title:slow",
        "^slow", "- + {}", "NEAR(a b)", "'; DROP TABLE entry; --", "%s%n",
        "--max-model-len=4096", "\xff\xfe\x80", "\x01\x02", "、。", "🙂"};
    struct reader *r = toy_reader(a);
    for (size_t i = 0; i < sizeof pastes / sizeof *pastes; i++) {
        reader_search(r, str_of(pastes[i]), 10);
    }
    reader_search(r, (struct str){"a\0b", 3}, 10);
    assert_int_equal(reader_search(r, STR("\"*()"), 10).count, 0);
    assert_int_equal(reader_search(r, STR(""), 10).count, 0);
}

static void slips_of_the_hand_are_found(struct arena *a) {
    expect_found(a, "alocator", "toy/fragments");
    expect_found(a, "Unreleated", "toy/other");
    expect_found(a, "xq", ""); /* two letters are near to anything */
}

/* Words in the order in which a message prints them. */
static void a_cut_message_is_found(struct arena *a) {
    expect_found(a, "Error: the toy_pool is full (2.00", "toy/pool");
}

static void endless_words_are_cut(struct arena *a) {
    struct buf long_one = buf_in(a, (size_t)4 << 20);
    for (int i = 0; i < 100000; i++) {
        buf_add(&long_one, STR("slow 显存 "));
    }
    struct reader *r = toy_reader(a);
    assert_true(reader_search(r, buf_str(&long_one), 10).count > 0);
    assert_int_equal(reader_search(r, STR("slow pieces full"), 1).count, 1);
}

static void entries_are_listed_by_component(struct arena *a) {
    struct reader *r = toy_reader(a);
    assert_int_equal(reader_entries_of(r, STR("")).count, 4);
    assert_int_equal(reader_entries_of(r, STR("toy")).count, 4);
    assert_int_equal(reader_entries_of(r, STR("vllm")).count, 0);
    assert_true(reader_component_known(r, STR("toy")));
    assert_false(reader_component_known(r, STR("toys")));
    struct number_list all = reader_entries_of(r, STR(""));
    for (size_t i = 1; i < all.count; i++) { /* by id */
        assert_true(str_cmp(reader_entry(r, all.at[i - 1])->id,
                            reader_entry(r, all.at[i])->id) < 0);
    }
}

static void expect_pairs(struct arena *a, const char *run, bool is_stored,
                         const char *expected) {
    struct buf out = buf_in(a, 4096);
    search_pairs(&out, str_of(run), is_stored);
    assert_true(str_eq(buf_str(&out), str_of(expected)));
}

static void runs_become_pairs(struct arena *a) {
    expect_pairs(a, "显存不足", true, "显存 存不 不足 足");
    expect_pairs(a, "显存不足", false, "显存 存不 不足");
    expect_pairs(a, "显存", false, "显存");
    expect_pairs(a, "卡", true, "卡");
    expect_pairs(a, "卡", false, "卡");
}

#define CASE(name) \
    static void test_##name(void **state) { \
        (void)state; \
        with_arena(name); \
    }
CASE(chinese_is_found)
CASE(words_are_found)
CASE(any_paste_is_a_query)
CASE(slips_of_the_hand_are_found)
CASE(a_cut_message_is_found)
CASE(endless_words_are_cut)
CASE(entries_are_listed_by_component)
CASE(runs_become_pairs)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chinese_is_found),
        cmocka_unit_test(test_words_are_found),
        cmocka_unit_test(test_any_paste_is_a_query),
        cmocka_unit_test(test_slips_of_the_hand_are_found),
        cmocka_unit_test(test_a_cut_message_is_found),
        cmocka_unit_test(test_endless_words_are_cut),
        cmocka_unit_test(test_entries_are_listed_by_component),
        cmocka_unit_test(test_runs_become_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
