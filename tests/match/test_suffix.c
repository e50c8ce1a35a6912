/* test_suffix.c: a pattern from its literal on, and that no match of the corpus
 * is denied by the suffix of its pattern. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "author/files.h"
#include "match/literals.h"
#include "match/pattern.h"
#include "match/suffix.h"
#include "support/corpus.h"

static struct str suffix_in(struct arena *a, struct str pattern,
                          struct pattern_text *text) {
    struct pattern_error error;
    assert_true(pattern_text_prepare(a, pattern, text, &error));
    struct literals literals = literals_of(a, text);
    return suffix_of(a, text, &literals.best);
}

static void expect_suffix(struct arena *a, const char *pattern,
                        const char *expected) {
    struct pattern_text text;
    struct str suffix = suffix_in(a, str_of(pattern), &text);
    if (!str_eq(suffix, str_of(expected))) {
        fail_msg("%s: \"%.*s\" instead of \"%s\"", pattern, STR_ARG(suffix),
                 expected);
    }
}

static void begin_at_the_literal(struct arena *a) {
    expect_suffix(a, "^(?:\\d+ )?[Kk]illed_by(?: the)? oom",
                "[Kk]illed_by(?:\\s+the)?\\s+oom");
    expect_suffix(a, "\\b(?:Failed_to_alloc|bad_alloc)\\(\\d+\\)",
                "(?:Failed_to_alloc|bad_alloc)\\(\\d+\\)");
    expect_suffix(a, "x*(?<gpu>\\d+) free_memory=(?<free>\\d+)",
                "free_memory=(?<free>\\d+)");
    expect_suffix(a, "a(?i:\\w+ Out_of_memory)\\b", "(?i:Out_of_memory)\\b");
    expect_suffix(a, "one_literal_here|other_literal_here",
                "one_literal_here|other_literal_here");
    expect_suffix(a, "(?>a+|b)the_literal(?=x)", "the_literal(?=x)");
}

static void is_not_known_of_all(struct arena *a) {
    expect_suffix(a, "(?i)the_literal", "");         /* options go on */
    expect_suffix(a, "(a)the_literal\\1", "");       /* what was matched */
    expect_suffix(a, "(?:the_literal)+ \\d", "");    /* which of them? */
    expect_suffix(a, "the_literal(?<=xyz) \\d", ""); /* what stands before? */
    expect_suffix(a, "(?:the_literal|\\d)", ""); /* no literal at all */
}

/* ---- the corpus ---- */

struct denials {
    struct arena *a;
    struct matcher *matcher;
    struct regex *whole, *suffix;
    size_t matches;
};

/* Does the suffix match somewhere in the match? */
static bool stands_in(struct denials *d, struct str log, struct text_range range) {
    for (size_t at = range.from; at < range.to; at++) {
        struct search here = {.subject = log, .from = at, .latest = at};
        if (regex_may_match(d->matcher, d->suffix, &here)) {
            return true;
        }
    }
    return false;
}

static void try_log(struct denials *d, struct str log, struct str pattern) {
    struct text_range range;
    struct search search = {.subject = log, .latest = log.n};
    if (!regex_find(d->matcher, d->whole, &search, &range)) {
        return;
    }
    d->matches++;
    if (!stands_in(d, log, range)) {
        fail_msg("the suffix denies a match of %.*s", STR_ARG(pattern));
    }
}

static struct str_list sample_logs(struct arena *a) {
    struct str_list files = files_under(a, STR("entries"));
    struct str_list logs = {arena_array(a, files.count, sizeof(struct str)), 0};
    for (size_t i = 0; i < files.count; i++) {
        if (str_ends(files.at[i], STR(".log"))) {
            logs.at[logs.count++] = file_bytes(a, files.at[i].p);
        }
    }
    return logs;
}

static void denies_no_match(struct arena *a) {
    struct denials d = {.a = a, .matcher = matcher_new(a)};
    const struct index *ix = index_open(a, file_bytes(a, SHIPPED_INDEX));
    struct reader *r = reader_new(ix, a);
    struct str_list logs = sample_logs(a);
    size_t known = 0, asked = 0;
    for (uint32_t i = 0; i < index_pattern_count(ix); i++) {
        struct pattern_error error;
        struct pattern_text text;
        struct str pattern = reader_pattern(r, i)->text;
        if (!is_asked(pattern, 4)) {
            continue;
        }
        asked++;
        struct str suffix = suffix_in(a, pattern, &text);
        if (suffix.n == 0) {
            continue;
        }
        text = pattern_text_prepared(a, suffix, text.needs_utf);
        text.is_anchored = true;
        known++;
        d.whole = regex_of(d.matcher, pattern, &error);
        d.suffix = regex_compile(d.matcher, &text, &error);
        assert_non_null(d.suffix);
        for (size_t k = 0; k < logs.count; k++) {
            try_log(&d, logs.at[k], pattern);
        }
    }
    assert_true(known > asked / 2);
    assert_true(d.matches > 200);
}

#define TESTS(X)                                                               \
    X(begin_at_the_literal)                                                    \
    X(is_not_known_of_all)                                                     \
    X(denies_no_match)

#define IN_ARENA(name)                                                         \
    static void test_##name(void **state) {                                    \
        (void)state;                                                           \
        with_arena(name);                                                      \
    }
TESTS(IN_ARENA)

int main(void) {
#define X(name) cmocka_unit_test(test_##name),
    const struct CMUnitTest tests[] = {TESTS(X)};
#undef X
    return cmocka_run_group_tests(tests, NULL, NULL);
}
