/* prefilter.c: reads the tables that prefilter_build.c writes; see prefilter.h.
 *
 * A blob with a number that leads outside of it is refused. A blob with other
 * mistakes can miss a literal, but no byte outside of it is read.
 */
#include "match/prefilter.h"

#include "base/limits.h"
#include "index/digest.h"
#include "base/plain.h"
#include "match/few.h"

/* ---- opening ---- */

static uint64_t bytes_of_set(uint32_t log2) {
    return (UINT64_C(1) << log2) / 8;
}

static uint32_t table_word(const unsigned char *header, int table, int which) {
    return word_at(header,
                   WORD_TABLES + (size_t)(table * WORDS_OF_TABLE + which));
}

struct prefilter_layout prefilter_layout(const unsigned char *h) {
    struct prefilter_layout l = {.ref_from = 4 * WORD_COUNT_OF};
    uint64_t literals = word_at(h, WORD_LITERALS);
    l.refs = l.ref_from + 4 * (literals + 1);
    l.literal_from = l.refs + 4 * (uint64_t)word_at(h, WORD_REFS);
    uint64_t at = l.literal_from + 4 * (literals + 1);
    for (int i = 0; i < TABLES; i++) {
        l.rows[i] = at;
        at += 4 * ((UINT64_C(1) << table_word(h, i, TABLE_ROW_LOG2)) + 1);
        l.entries[i] = at;
        at += 4 * ENTRY_WORDS * (uint64_t)table_word(h, i, TABLE_ENTRIES);
        l.sets[i] = at;
        at += bytes_of_set(table_word(h, i, TABLE_SET_LOG2));
    }
    l.literal_bytes = at;
    l.end = (l.literal_bytes + word_at(h, WORD_LITERAL_BYTES) + 3) / 4 * 4;
    return l;
}

uint32_t prefilter_check(const unsigned char *blob, size_t n) {
    struct str all = {(const char *)blob, n};
    struct str head = str_slice(all, 0, 4 * WORD_CHECK);
    uint32_t before = check_of(PREFILTER_MAGIC, head);
    return check_of(before, str_slice(all, 4 * (WORD_CHECK + 1), n));
}

static bool is_good_log2(uint32_t log2) {
    return log2 >= HASH_SET_LOG2_MIN && log2 <= HASH_SET_LOG2_MAX;
}

static bool header_is_good(const unsigned char *p, size_t n, size_t patterns) {
    if (n < 4 * WORD_COUNT_OF || word_at(p, WORD_MAGIC) != PREFILTER_MAGIC ||
        word_at(p, WORD_VERSION) != PREFILTER_VERSION ||
        word_at(p, WORD_BYTES) != n || word_at(p, WORD_PATTERNS) != patterns)
        return false;
    bool is_good = true;
    for (int i = 0; i < TABLES; i++)
        is_good = is_good && is_good_log2(table_word(p, i, TABLE_SET_LOG2)) &&
                  table_word(p, i, TABLE_ROW_LOG2) >= 1 &&
                  table_word(p, i, TABLE_ROW_LOG2) <= HASH_SET_LOG2_MAX;
    return is_good && prefilter_layout(p).end == n;
}

static struct gram_table table_of(const unsigned char *p,
                                  const struct prefilter_layout *l, int i) {
    return (struct gram_table){
        .set = {p + l->sets[i], table_word(p, i, TABLE_SET_LOG2)},
        .rows = p + l->rows[i], .entries = p + l->entries[i],
        .row_log2 = table_word(p, i, TABLE_ROW_LOG2),
        .entry_count = table_word(p, i, TABLE_ENTRIES)};
}

static struct prefilter tables_of(const unsigned char *p) {
    struct prefilter_layout l = prefilter_layout(p);
    struct prefilter f = {
        .literals = word_at(p, WORD_LITERALS),
        .ref_from = p + l.ref_from, .refs = p + l.refs,
        .literal_from = p + l.literal_from,
        .literal_bytes = p + l.literal_bytes,
        .cuts = table_of(p, &l, TABLE_CUTS)};
    for (int i = 0; i < GRAM_KINDS; i++)
        f.grams[i] = table_of(p, &l, i);
    return f;
}

/* True if these `count` numbers are in ascending order, from 0 to `last`. */
static bool rise(const unsigned char *table, size_t count, uint32_t last) {
    bool is_good = word_at(table, 0) == 0 && word_at(table, count - 1) == last;
    for (size_t i = 1; is_good && i < count; i++)
        is_good = word_at(table, i - 1) <= word_at(table, i);
    return is_good;
}

/* True if the gram or cut lies inside its literal. */
static bool entry_is_good(const struct prefilter *f, const unsigned char *e,
                          int table) {
    uint32_t literal = word_at(e, ENTRY_LITERAL), at = word_at(e, ENTRY_AT);
    if (literal >= f->literals)
        return false;
    size_t n = prefilter_literal(f, literal).n;
    if (table == TABLE_CUTS)
        return at < n;
    return n >= WINDOW_BYTES(table) &&
           (at & 0xFFFF) <= n - WINDOW_BYTES(table) &&
           at >> 16 < gram_rules[table].stride;
}

static bool table_is_good(const struct prefilter *f, int table) {
    const struct gram_table *t =
        table == TABLE_CUTS ? &f->cuts : &f->grams[table];
    bool is_good =
        rise(t->rows, ((size_t)1 << t->row_log2) + 1, t->entry_count);
    for (size_t i = 0; is_good && i < t->entry_count; i++)
        is_good = entry_is_good(f, t->entries + 4 * ENTRY_WORDS * i, table);
    return is_good;
}

static bool tables_are_good(const struct prefilter *f, const unsigned char *p) {
    uint32_t refs = word_at(p, WORD_REFS), patterns = word_at(p, WORD_PATTERNS);
    if (!rise(f->ref_from, (size_t)f->literals + 1, refs) ||
        !rise(f->literal_from, (size_t)f->literals + 1,
              word_at(p, WORD_LITERAL_BYTES)))
        return false;
    for (size_t i = 0; i < refs; i++)
        if ((word_at(f->refs, i) & REF_PATTERN) >= patterns)
            return false;
    for (uint32_t i = 0; i < f->literals; i++)
        if (prefilter_literal(f, i).n > LITERAL_BYTES_MAX)
            return false;
    for (int i = 0; i < TABLES; i++)
        if (!table_is_good(f, i))
            return false;
    return true;
}

struct prefilter prefilter_open(struct arena *a, struct str blob,
                                size_t pattern_count, bool is_own) {
    const unsigned char *p = (const unsigned char *)blob.p;
    if (!header_is_good(p, blob.n, pattern_count) ||
        (!is_own && word_at(p, WORD_CHECK) != prefilter_check(p, blob.n)))
        arena_raise(a, FAIL_INDEX, "the index is damaged: no prefilter for its "
                    "%zu patterns", pattern_count);
    struct prefilter f = tables_of(p);
    if (!is_own && !tables_are_good(&f, p))
        arena_raise(a, FAIL_INDEX, "the index is damaged: the prefilter "
                    "leads nowhere");
    return f;
}

/* ---- finding ---- */

struct finding {
    const struct prefilter *f;
    struct str text;
    bool is_whole; /* only whole literals are found */
    literal_fn found;
    void *ctx;
    struct few few; /* all literals with grams of two; empty: too many */
};

static void try_entry(const struct finding *w, const unsigned char *entry,
                      size_t place) {
    uint32_t literal = word_at(entry, ENTRY_LITERAL);
    uint32_t at = word_at(entry, ENTRY_AT) & 0xFFFF;
    struct str s = prefilter_literal(w->f, literal);
    bool is_there = place >= at && w->text.n - (place - at) >= s.n &&
                    memcmp(w->text.p + (place - at), s.p, s.n) == 0;
    if (is_there || !w->is_whole)
        w->found(w->ctx, literal, at, place);
}

static void try_grams(const struct finding *w, enum gram_kind kind,
                      size_t place, uint64_t eight) {
    const struct gram_table *t = &w->f->grams[kind];
    uint64_t mask = UINT64_MAX >> (64 - 8 * WINDOW_BYTES(kind));
    size_t row = hash_place(word_hash(eight, gram_rules[kind].bytes),
                            t->row_log2);
    uint32_t end = word_at(t->rows, row + 1);
    for (size_t i = word_at(t->rows, row); i < end; i++) {
        const unsigned char *entry = t->entries + 4 * ENTRY_WORDS * i;
        size_t back = word_at(entry, ENTRY_AT) >> 16;
        if (place >= back &&
            ((eight_at(w->text.p + place - back) ^
              eight_at(entry + 4 * ENTRY_WINDOW)) & mask) == 0)
            try_entry(w, entry, place - back);
    }
}

PLAIN_INLINE bool has_gram(struct hash_set set, enum gram_kind kind,
                           uint64_t eight) {
    return hash_is_in(set, word_hash(eight, gram_rules[kind].bytes));
}

/* Finds literals with grams of a kind. */
PLAIN_INLINE void find_grams(const struct finding *w, enum gram_kind kind) {
    struct str text = w->text;
    struct hash_set set = w->f->grams[kind].set;
    for (size_t i = 0; i < text.n; i += gram_rules[kind].stride) {
        uint64_t eight = eight_at(text.p + i);
        if (has_gram(set, kind, eight))
            try_grams(w, kind, i, eight);
    }
}

/* True if all literals with grams of two are among the few. */
static bool few_of(const struct gram_table *t, struct few *few) {
    for (size_t i = 0; i < t->entry_count; i++)
        if (!few_add(few, (const char *)t->entries + 4 * ENTRY_WORDS * i +
                              4 * ENTRY_WINDOW))
            return false;
    return true;
}

/* Finds the few literals at every place, which is faster than by their grams.
 */
static void find_few(const struct finding *w) {
    const struct gram_table *t = &w->f->grams[GRAM_TWO];
    for (size_t at = 0; (at = few_find(&w->few, w->text.p, at, w->text.n)) <
                        w->text.n; at++)
        for (size_t i = 0; i < t->entry_count; i++) {
            const unsigned char *entry = t->entries + 4 * ENTRY_WORDS * i;
            if (word_at(entry, ENTRY_AT) >> 16 == 0 && /* its first gram */
                memcmp(w->text.p + at, entry + 4 * ENTRY_WINDOW,
                       WINDOW_BYTES(GRAM_TWO)) == 0)
                try_entry(w, entry, at);
        }
}

PLAIN_INLINE void find_long(const struct finding *w) {
    find_grams(w, GRAM_FIVE);
    if (w->few.count == 0)
        find_grams(w, GRAM_TWO);
}

static void find_any(const struct finding *w) {
    find_long(w);
}

PLAIN_WIDE static void find_wide(const struct finding *w) {
    find_long(w);
}

void prefilter_find(const struct prefilter *f, struct str text, bool is_whole,
                    literal_fn found, void *ctx) {
    struct finding w = {f, text, is_whole, found, ctx, {.count = 0}};
    bool is_few = few_of(&f->grams[GRAM_TWO], &w.few);
    w.few.count = is_few ? w.few.count : 0;
    if (PLAIN_HAS_WIDE)
        find_wide(&w);
    else
        find_any(&w);
    find_few(&w);
}

/* ---- cut literals ---- */

void prefilter_find_cuts(const struct prefilter *f, struct str text,
                         size_t end, cut_fn found, void *ctx) {
    const struct gram_table *t = &f->cuts;
    for (uint32_t n = SHORT_END; n <= LONG_END && n <= end; n += SHORT_END) {
        uint64_t hash = bytes_hash(text.p + end - n, n);
        size_t row = hash_place(hash, t->row_log2);
        struct cut_row entries = {word_at(t->rows, row),
                                  word_at(t->rows, row + 1)};
        if (entries.from < entries.to)
            found(ctx, entries);
    }
}
