/* test_brute.c: the fast way through a log finds what the slow way finds. All
 * samples of the corpus stand among healthy lines, or hard on each other, many
 * of them in disguise; every signature of the index is run by PCRE2 over the
 * whole text of every stream, with no prefilter, no selector and no ranges, and
 * each of its matches must be a hit of the scan and the other way round.
 *
 * By design the scan does not find a match that reaches further than SIGNATURE_REACH
 * from its literal, nor one beyond a place where PCRE2 passes a limit on work.
 * No log of the corpus comes to either, so nothing is left out here: a sample
 * that does is an entry to be mended. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "author/files.h"
#include "match/pattern.h"
#include "support/corpus.h"
#include "support/disguise.h"
#include "support/sameness.h"

#define SAMPLES_PER_LOG 40
#define PIECE 262144

/* ---- the text of each stream ---- */

struct line_at {
    size_t offset;
    uint32_t number;
};

struct joined { /* as match/window.c joins lines, but all of them */
    struct buf text;
    struct line_at *lines;
    size_t count, cap;
};

struct listener {
    struct arena *a;
    struct joined *streams[LOG_STREAMS_MAX];
};

static void on_line(void *ctx, const struct line *line) {
    struct listener *l = ctx;
    uint32_t last = LOG_STREAMS_MAX - 1;
    struct joined **to =
        &l->streams[line->stream < last ? line->stream : last];
    if (*to == NULL) {
        *to = arena_alloc(l->a, sizeof **to);
        (*to)->text = buf_in(l->a, (size_t)64 << 20);
    }
    struct joined *j = *to;
    if (j->count > 0 && !line->is_joined) {
        buf_add_char(&j->text, '\n');
    }
    j->lines = arena_grow(l->a, j->lines, j->count, &j->cap,
                          sizeof *j->lines);
    j->lines[j->count++] = (struct line_at){j->text.n, line->number};
    buf_add(&j->text, line->text);
    assert_true(buf_ok(&j->text));
}

static void listen(struct listener *l, struct str log) {
    struct log_reader *r = log_open(l->a, log_tables_new(l->a), 0, on_line, l);
    for (size_t i = 0; i < log.n; i += PIECE) {
        log_feed(r, str_slice(log, i, PIECE));
    }
    log_end(r);
}

static uint32_t line_number(const struct joined *j, size_t offset) {
    size_t from = 0, to = j->count;
    while (to - from > 1) {
        size_t middle = from + (to - from) / 2;
        if (j->lines[middle].offset <= offset) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return j->lines[from].number;
}

/* ---- matches ---- */

struct match {
    uint32_t pattern, line;
};

struct match_list {
    struct match *at;
    size_t count, cap;
};

static void add_match(struct arena *a, struct match_list *list,
                      struct match m) {
    list->at = arena_grow(a, list->at, list->count, &list->cap,
                          sizeof *list->at);
    list->at[list->count++] = m;
}

static int by_pattern(const void *x, const void *y) {
    const struct match *a = x, *b = y;
    if (a->pattern != b->pattern) {
        return a->pattern < b->pattern ? -1 : 1;
    }
    return (a->line > b->line) - (a->line < b->line);
}

/* ---- brute force ---- */

struct brute {
    struct arena *a;
    const struct index *index;
    struct matcher *matcher;
    struct regex **regexes; /* by pattern; NULL: no signature */
    const struct pattern **patterns;
    size_t count;
};

static struct brute brute_new(struct arena *a, struct str image) {
    struct brute b = {.a = a, .index = index_open(a, image),
                      .matcher = matcher_new(a)};
    struct reader *r = reader_new(b.index, a);
    b.count = index_pattern_count(b.index);
    b.regexes = arena_array(a, b.count, sizeof(struct regex *));
    b.patterns = arena_array(a, b.count, sizeof(struct pattern *));
    for (uint32_t i = 0; i < b.count; i++) {
        struct pattern_error error;
        b.patterns[i] = reader_pattern(r, i);
        if (b.patterns[i]->kind == PATTERN_SIGNATURE &&
            !b.patterns[i]->is_prose) {
            b.regexes[i] = regex_of(b.matcher, b.patterns[i]->text, &error);
            assert_non_null(b.regexes[i]);
        }
    }
    return b;
}

static void match_stream(const struct brute *b, struct arena *a,
                         uint32_t pattern, const struct joined *j,
                         struct match_list *out) {
    struct search search = {.subject = buf_str(&j->text)};
    search.latest = search.subject.n;
    struct text_range range;
    while (search.from <= search.latest &&
           regex_find(b->matcher, b->regexes[pattern], &search, &range)) {
        add_match(a, out, (struct match){pattern, line_number(j, range.from)});
        search.from = range.to > range.from ? range.to : range.to + 1;
    }
    if (regex_gave_up(b->matcher)) {
        fail_msg("a limit on work is passed: %.*s",
                 STR_ARG(b->patterns[pattern]->text));
    }
}

static struct match_list brute_matches(const struct brute *b, struct arena *a,
                                       struct str log) {
    struct match_list list = {0};
    struct listener heard = {.a = a};
    listen(&heard, log);
    for (uint32_t i = 0; i < b->count; i++) {
        for (size_t k = 0; b->regexes[i] && k < LOG_STREAMS_MAX; k++) {
            if (heard.streams[k] != NULL) {
                match_stream(b, a, i, heard.streams[k], &list);
            }
        }
    }
    return list;
}

static struct match_list scan_matches(struct arena *a, struct str image,
                                      struct str log) {
    struct match_list list = {0};
    const struct scan_result *found =
        scan_so(a, image, log, (struct scanning){SCAN_STRICT, PIECE, 1, true});
    assert_int_equal(found->uncounted, 0);
    for (size_t i = 0; i < found->hits.count; i++) {
        const struct hit *h = &found->hits.at[i];
        if (h->kind == PATTERN_SIGNATURE) {
            add_match(a, &list, (struct match){h->pattern, h->first_line});
        }
    }
    return list;
}

/* ---- both ---- */

static void sort(struct match_list *list) {
    if (list->count > 1) {
        qsort(list->at, list->count, sizeof *list->at, by_pattern);
    }
}

static void fail_at(const struct brute *b, const struct match *m,
                    const char *who, uint32_t seed) {
    fail_msg("seed %u: only %s finds pattern %u in line %u: %.*s", seed, who,
             m->pattern, m->line, STR_ARG(b->patterns[m->pattern]->text));
}

static void expect_same(const struct brute *b, const struct match_list *slow,
                        const struct match_list *fast, uint32_t seed) {
    size_t i = 0, k = 0;
    while (i < slow->count || k < fast->count) {
        int order = i == slow->count   ? 1
                    : k == fast->count ? -1
                                       : by_pattern(&slow->at[i],
                                                    &fast->at[k]);
        if (order < 0) {
            fail_at(b, &slow->at[i], "brute force", seed);
        } else if (order > 0) {
            fail_at(b, &fast->at[k], "the scan", seed);
        }
        i++;
        k++;
    }
}

/* How many matches there are. */
static size_t compare(const struct brute *b, struct str image, struct str log,
                      uint32_t seed) {
    struct arena a;
    arena_init(&a, NULL, 0);
    struct match_list slow = brute_matches(b, &a, log);
    struct match_list fast = scan_matches(&a, image, log);
    sort(&slow);
    sort(&fast);
    expect_same(b, &slow, &fast, seed);
    size_t count = slow.count;
    arena_free(&a);
    return count;
}

/* ---- logs ---- */

static struct str_list read_samples(struct arena *a) {
    struct str_list files = files_under(a, STR("entries"));
    struct str_list list = {arena_array(a, files.count, sizeof(struct str)),
                            0};
    for (size_t i = 0; i < files.count; i++) {
        if (str_ends(files.at[i], STR(".log"))) {
            list.at[list.count++] = file_bytes(a, files.at[i].p);
        }
    }
    assert_true(list.count > 20);
    return list;
}

static void shuffle(struct str_list *list, uint32_t *seed) {
    for (size_t i = list->count; i > 1; i--) {
        size_t k = disguise_roll(seed, (uint32_t)i);
        struct str other = list->at[k];
        list->at[k] = list->at[i - 1];
        list->at[i - 1] = other;
    }
}

/* Every second sample as it is, the others as somebody else would write them;
 * now and then so much between them that the selector may pass over it. */
static struct str log_of(struct arena *a, const struct str_list *samples,
                         size_t first, uint32_t *seed) {
    struct buf log = buf_in(a, (size_t)64 << 20);
    for (size_t i = first;
         i < samples->count && i < first + SAMPLES_PER_LOG; i++) {
        bool is_plain = disguise_roll(seed, 2) == 0;
        enum disguise as = (enum disguise)disguise_roll(seed, DISGUISE_COUNT);
        static const uint32_t gaps[] = {1, 1, 2000, 2000, 2000, 40000};
        uint32_t gap = gaps[disguise_roll(seed, 6)];
        buf_add(&log, healthy_log(a, disguise_roll(seed, gap), seed));
        buf_add(&log, disguised(a, samples->at[i],
                                is_plain ? DISGUISE_NONE : as, seed));
    }
    assert_true(buf_ok(&log));
    return buf_str(&log);
}

static void the_scan_finds_what_brute_force_finds(struct arena *a) {
    struct str image = file_bytes(a, SHIPPED_INDEX);
    size_t count = 0;
    struct brute b = brute_new(a, image);
    struct str_list samples = read_samples(a);
    uint32_t rounds = cases_asked(1, 4), seed = 1;
    for (uint32_t r = 0; r < rounds; r++) {
        shuffle(&samples, &seed);
        for (size_t i = 0; i < samples.count; i += SAMPLES_PER_LOG) {
            uint32_t began = seed;
            struct arena log;
            arena_init(&log, NULL, 0);
            struct str text = log_of(&log, &samples, i, &seed);
            count += compare(&b, image, text, began);
            arena_free(&log);
        }
    }
    assert_true(count > 500 * (size_t)rounds);
}

#define TESTS(X) X(the_scan_finds_what_brute_force_finds)

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
