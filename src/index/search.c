/* search.c: from words as typed or pasted to an FTS5 query, and from it to
 * entries.
 *
 * A query consists of quoted phrases only, and no word contains a quote, so
 * input is never FTS5 syntax. The query matches any of the words, and any five
 * consecutive words in a title or a message, so that an excerpt of a line
 * scores higher than its single words. A word that no entry has is tried as a
 * prefix, then replaced by the nearest word of the index.
 *
 * FTS5 scores the words (bm25, by column). Two things raise a score further: a
 * component that is named, and the number of reports, since of two failures
 * that match the frequent one is more probable.
 */
#include <stdlib.h>

#include "base/near.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "index/read.h"
#include "index/search.h"

#define RUN_WORDS 5     /* consecutive words of a phrase */
#define TYPO_MIN 5      /* letters of a word that may be a typo */
#define STEM_MIN 4
#define NAMED_PERCENT 150 /* score of an entry whose component is named */
#define REPORTS_PERCENT 3 /* added to the score for twice the reports */
#define BM25 "bm25(search, 12.0, 4.0, 1.0, 0.5)" /* weights of the columns */
#define LEAST_PERCENT 20  /* of the best score: lower ones are not shown */

/* ---- the query ---- */

struct query_words { /* words for FTS5: no quotes; Han as pairs */
    struct str at[SEARCH_WORDS_MAX];
    size_t count;
};

static void add_word(struct arena *a, struct query_words *w, struct str text) {
    if (w->count < SEARCH_WORDS_MAX)
        w->at[w->count++] =
            arena_str(a, str_slice(text, 0, SEARCH_WORD_BYTES_MAX));
}

static bool is_repeated(const struct query_words *w, size_t at) {
    for (size_t i = 0; i < at; i++) {
        if (str_eq_nocase(w->at[i], w->at[at]))
            return true;
    }
    return false;
}

static void add_pairs(struct arena *a, struct query_words *w, struct str run) {
    struct buf pairs = buf_in(a, SEARCH_QUERY_BYTES_MAX);
    search_pairs(&pairs, run, false);
    for (struct str rest = buf_str(&pairs); rest.n > 0;)
        add_word(a, w, str_cut(rest, ' ', &rest));
}

static struct query_words query_words_of(struct arena *a, struct str words) {
    struct query_words w = {.count = 0};
    struct search_word word;
    while (w.count < SEARCH_WORDS_MAX && search_next(&words, &word)) {
        if (word.is_han) {
            add_pairs(a, &w, str_slice(word.text, 0, SEARCH_WORD_BYTES_MAX));
        } else {
            add_word(a, &w, word.text);
        }
    }
    return w;
}

/* The connection of this index, which its first search opens. */
static struct db *db_of(struct reader *r) {
    if (r->db == NULL) {
        struct db *db = db_open(r->arena);
        pack_check_tables(&r->ix->pack, r->arena, r->ix->tables);
        db_view(db, r->ix->tables);
        r->db = db;
    }
    return r->db;
}

/* True if an entry matches: that one, or any if entry is negative. */
static bool has_match(struct reader *r, struct str phrase, int64_t entry) {
    struct row row = db_query(db_of(r), "SELECT 1 FROM search WHERE search "
                                        "MATCH ?1 AND (?2 < 0 OR rowid = ?2) "
                                        "LIMIT 1");
    row_bind_text(&row, phrase);
    row_bind_int(&row, entry);
    bool is_found = row_next(&row);
    row_done(&row);
    return is_found;
}

/* The index has stems, so prefixes of the word are compared with the stem. */
static size_t distance_to_stem(struct str word, struct str stem) {
    size_t least = near_distance(word, stem);
    for (size_t n = stem.n - 1; stem.n >= STEM_MIN && n <= stem.n + 1; n++) {
        size_t d = near_distance(str_slice(word, 0, n), stem);
        least = d < least ? d : least;
    }
    return least;
}

/* The nearest word of the index; empty: none is near. */
static struct str nearest_term(struct reader *r, struct str word) {
    struct str best = {NULL, 0};
    size_t least = near_enough(word) + 1;
    db_run(r->db, "CREATE VIRTUAL TABLE IF NOT EXISTS temp.search_term "
                  "USING fts5vocab(main, search, row)");
    struct row row = db_query(r->db, "SELECT term FROM temp.search_term");
    while (row_next(&row)) {
        struct str term = row_text(&row);
        size_t d = distance_to_stem(word, term);
        if (d < least) {
            best = term;
            least = d;
        }
    }
    return best;
}

/* False for words with few letters or a digit: they are near to many. */
static bool may_be_typo(struct str word) {
    bool is_plain = word.n >= TYPO_MIN;
    for (size_t i = 0; i < word.n; i++)
        is_plain = is_plain && is_lower(word.p[i]);
    return is_plain;
}

/* The word, if an entry has it; else it as a prefix, else the nearest word. */
static struct str phrase_of(struct reader *r, struct str word) {
    struct arena *a = r->arena;
    struct str whole = arena_printf(a, "\"%.*s\"", STR_ARG(word));
    if (has_match(r, whole, -1))
        return whole;
    struct str prefix = arena_printf(a, "\"%.*s\"*", STR_ARG(word));
    if (has_match(r, prefix, -1))
        return prefix;
    struct str small = arena_lower(a, word), near = {NULL, 0};
    if (may_be_typo(small))
        near = nearest_term(r, small);
    return near.n > 0 ? arena_printf(a, "\"%.*s\"", STR_ARG(near)) : whole;
}

static void add_run(struct buf *out, const struct query_words *w, size_t from) {
    buf_add(out, STR(" OR {title message} : \""));
    for (size_t i = from; i < from + RUN_WORDS; i++)
        buf_printf(out, "%s%.*s", i > from ? " " : "", STR_ARG(w->at[i]));
    buf_add_char(out, '"');
}

static struct str query_of(struct reader *r, struct str words) {
    struct query_words w = query_words_of(r->arena, words);
    struct buf out = buf_in(r->arena, SEARCH_QUERY_BYTES_MAX);
    for (size_t i = 0; i < w.count; i++) {
        if (!is_repeated(&w, i)) {
            buf_add(&out, i > 0 ? STR(" OR ") : STR(""));
            buf_add(&out, phrase_of(r, w.at[i]));
        }
    }
    for (size_t i = 0; i + RUN_WORDS <= w.count; i++)
        add_run(&out, &w, i);
    return buf_ok(&out) ? buf_str(&out) : (struct str){NULL, 0};
}

/* ---- scores ---- */

static bool is_of_name(char c) { return is_digit(c) || is_lower(c); }

/* True if the name is in words as a whole word (both in small letters). */
static bool is_named(struct str words, struct str name) {
    for (size_t at = 0; name.n > 0 && at + name.n <= words.n; at++) {
        size_t end = at + name.n;
        bool is_cut = (at == 0 || !is_of_name(words.p[at - 1])) &&
                      (end == words.n || !is_of_name(words.p[end]));
        if (is_cut && str_eq(str_slice(words, at, name.n), name))
            return true;
    }
    return false;
}

/* True if this component is, or the one that it folds into. */
static bool is_component_named(struct reader *r, struct str words,
                               struct str id) {
    struct component c;
    struct str ids[] = {id, reader_component_fold(r, id)};
    for (size_t i = 0; i < 2; i++) {
        if (!reader_component(r, ids[i], &c))
            continue;
        bool is_any = is_named(words, arena_lower(r->arena, c.id)) ||
                      is_named(words, arena_lower(r->arena, c.name));
        for (size_t k = 0; k < c.aliases.count; k++)
            is_any = is_any ||
                     is_named(words, arena_lower(r->arena, c.aliases.at[k]));
        if (is_any)
            return true;
    }
    return false;
}

static int64_t reports_of(const struct entry *e) {
    int64_t count = 0;
    for (size_t i = 0; i < e->workaround_count; i++)
        count += e->workarounds[i].success.tried +
                 e->workarounds[i].success.maintainers_tried;
    for (size_t i = 0; i < e->dead_end_count; i++)
        count += e->dead_ends[i].fail.tried +
                 e->dead_ends[i].fail.maintainers_tried;
    return count;
}

static int64_t doublings(int64_t reports) {
    int64_t n = 0;
    while (reports > 0) {
        reports /= 2;
        n++;
    }
    return n;
}

static int by_score(const void *a, const void *b) {
    const struct search_hit *x = a, *y = b;
    if (x->score_micro != y->score_micro)
        return x->score_micro > y->score_micro ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

/* Entries of this index alone, without joined ones. */
static size_t own_entry_count(const struct reader *r) {
    return r->ix->pack.sections[SECTION_ENTRY].count;
}

/* row: a number and its bm25. words: in small letters. */
static struct search_hit score_row(struct reader *r, struct row *row,
                                   struct str words) {
    int64_t number = row_int(row), score = row_int(row);
    if (number < 0 || number >= (int64_t)own_entry_count(r))
        db_damaged(r->db, "what is searched is no entry");
    const struct entry *e = reader_entry(r, (uint32_t)number);
    score += score * REPORTS_PERCENT * doublings(reports_of(e)) / 100;
    if (is_component_named(r, words, e->component))
        score = score * NAMED_PERCENT / 100;
    return (struct search_hit){(uint32_t)number, score};
}

/* The number of hits to show: at most `most`, none far below the best. */
static size_t count_shown(const struct search_hits *hits, size_t most) {
    size_t count = 0;
    int64_t least =
        hits->count > 0 ? hits->at[0].score_micro * LEAST_PERCENT / 100 : 0;
    while (count < hits->count && count < most &&
           hits->at[count].score_micro >= least)
        count++;
    return count;
}

/* The number of words that the entry has. */
static int64_t words_in(struct reader *r, struct str words, uint32_t entry) {
    struct query_words w = query_words_of(r->arena, words);
    int64_t count = 0;
    for (size_t i = 0; i < w.count; i++)
        count += has_match(r, phrase_of(r, w.at[i]), entry);
    return count;
}

/* The reader of the next index; NULL: there is none. */
static struct reader *reader_next(struct reader *r) {
    if (r->next == NULL && r->ix->next != NULL)
        r->next = reader_new(r->ix->next, r->arena);
    return r->next;
}

/* bm25 depends on the other entries of an index, so scores of two indexes
 * cannot be compared. The number of matching words can: an entry of a further
 * index gets, for each word that it has, the score per word of the best entry
 * of the first index. */
struct scale {
    int64_t score_micro, words; /* of the best entry of the first index */
};

static struct scale scale_from(struct reader *first, struct str words,
                               const struct search_hits *hits) {
    struct scale scale = {1000000, 1};
    const struct search_hit *best = NULL;
    for (size_t i = 0; i < hits->count; i++) {
        bool is_better = best == NULL ||
                         hits->at[i].score_micro > best->score_micro;
        best = is_better ? &hits->at[i] : best;
    }
    if (best != NULL) {
        int64_t count = words_in(first, words, best->entry);
        scale = (struct scale){best->score_micro, count > 0 ? count : 1};
    }
    return scale;
}

static void scale_hits(struct reader *r, struct str words, uint32_t before,
                       const struct scale *scale, struct search_hits *hits,
                       size_t from) {
    for (size_t i = from; i < hits->count; i++) {
        struct search_hit *hit = &hits->at[i];
        hit->score_micro = scale->score_micro *
                           words_in(r, words, hit->entry - before) /
                           scale->words;
    }
}

static void search_index(struct reader *r, struct str words, uint32_t before,
                         struct search_hits *hits, size_t *cap) {
    struct str query = query_of(r, words);
    struct str small = arena_lower(r->arena,
                                   str_slice(words, 0, SEARCH_QUERY_BYTES_MAX));
    if (query.n == 0)
        return;
    struct row row =
        db_query(db_of(r), "SELECT rowid, CAST(round(-1000000 * " BM25 ") AS "
                           "INT) FROM search WHERE search MATCH ?1 "
                           "ORDER BY " BM25 ", rowid LIMIT ?2");
    row_bind_text(&row, query);
    row_bind_int(&row, SEARCH_WEIGHED_MAX);
    while (row_next(&row)) {
        struct search_hit hit = score_row(r, &row, small);
        hit.entry += before;
        *ARENA_ADD(r->arena, hits->at, hits->count, *cap) = hit;
    }
}

struct search_hits reader_search(struct reader *r, struct str words,
                                 size_t most) {
    struct search_hits hits = {NULL, 0};
    size_t cap = 0;
    uint32_t before = 0;
    struct scale scale = {0, 1};
    for (struct reader *at = r; at != NULL; at = reader_next(at)) {
        size_t from = hits.count;
        search_index(at, words, before, &hits, &cap);
        if (before > 0) {
            scale_hits(at, words, before, &scale, &hits, from);
        } else if (reader_next(at) != NULL) {
            scale = scale_from(at, words, &hits);
        }
        before += (uint32_t)own_entry_count(at);
    }
    if (hits.count > 1)
        qsort(hits.at, hits.count, sizeof *hits.at, by_score);
    most = most < SEARCH_FOUND_MAX ? most : SEARCH_FOUND_MAX;
    hits.count = count_shown(&hits, most);
    return hits;
}
