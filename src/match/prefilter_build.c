/* prefilter_build.c: chooses the grams by which literals are found; see
 * prefilter.h.
 *
 * The window of a literal is the one whose grams are least frequent in lines of
 * healthy logs and in other literals. It begins behind the literal's first
 * bytes if it can: a literal that is cut inside its window is found by these.
 *
 * A pattern without a literal is refused: the checks before have refused it
 * with its place in the file. */
#include "match/prefilter.h"

#include "index/digest.h"

#include <stdlib.h>

#define WINDOW_FROM 3 /* so that enough bytes stand before a cut inside it */
#define COUNTED_BYTES 4
#define COUNTS_LOG2 16
#define HEALTHY_COST 4096 /* of a place in a healthy line */
#define END_COST 65536   /* of a healthy line that ends as a line would that is
                            cut in the window */
#define SHARE_COST 64    /* of a place in another literal */
#define SET_BITS 64     /* for each hash in a set */
#define CUT_BITS 16     /* the same for cuts, many of which share a hash */

struct literal_ref { /* one literal of one pattern */
    struct str literal;
    uint32_t pattern;
    uint8_t front;
};

struct gram { /* an entry, and its gram's hash */
    uint64_t hash;
    uint32_t literal, at;
    char window[8];
};

struct gram_list {
    struct gram *at;
    size_t count, cap;
};

struct builder {
    struct arena *a;
    struct literal_ref *refs;
    size_t ref_count, ref_cap;
    struct str *literals;
    uint32_t *ref_from;
    uint32_t literal_count, literal_bytes;
    struct gram_list tables[TABLES];
    uint32_t *counts; /* of four bytes, by hash */
    uint32_t *ends;   /* the same at the ends of healthy lines */
};

/* ---- literals ---- */

static int by_literal(const void *x, const void *y) {
    const struct literal_ref *a = x, *b = y;
    int order = str_cmp(a->literal, b->literal);
    if (order != 0)
        return order;
    return (a->pattern > b->pattern) - (a->pattern < b->pattern);
}

static bool is_of(const struct pattern *p, enum prefilter_of which) {
    bool is_first = p->kind == PATTERN_SIGNATURE && !p->is_prose;
    return which == PREFILTER_ALL ||
           is_first == (which == PREFILTER_SIGNATURES);
}

static void collect_literals(struct builder *b, const struct pattern_list *set,
                             enum prefilter_of which) {
    for (size_t i = 0; i < set->count; i++) {
        const struct pattern *p = &set->at[i];
        if (!is_of(p, which))
            continue;
        struct str_list list = p->analysis.literals;
        if (list.count == 0)
            arena_raise(b->a, FAIL_USAGE, "pattern without a literal: %.*s",
                        (int)(p->text.n < 120 ? p->text.n : 120), p->text.p);
        for (size_t k = 0; k < list.count; k++) {
            *ARENA_ADD(b->a, b->refs, b->ref_count, b->ref_cap) =
                (struct literal_ref){list.at[k], p->id,
                                     (uint8_t)p->analysis.fronts.p[k]};
        }
    }
    if (b->ref_count > 1)
        qsort(b->refs, b->ref_count, sizeof *b->refs, by_literal);
}

/* Equal literals become one, with all their patterns. */
static void number_literals(struct builder *b) {
    b->literals = arena_array(b->a, b->ref_count + 1, sizeof *b->literals);
    b->ref_from = arena_array(b->a, b->ref_count + 1, sizeof *b->ref_from);
    for (size_t i = 0; i < b->ref_count; i++) {
        struct str s = b->refs[i].literal;
        if (b->literal_count && str_eq(s, b->literals[b->literal_count - 1]))
            continue;
        b->literals[b->literal_count] = s;
        b->ref_from[b->literal_count++] = (uint32_t)i;
        b->literal_bytes += (uint32_t)s.n;
    }
    b->ref_from[b->literal_count] = (uint32_t)b->ref_count;
}

/* ---- grams ---- */

static uint64_t hash_of(const char *p, uint32_t n) {
    char bytes[8] = {0};
    memcpy(bytes, p, n);
    return bytes_hash(bytes, n);
}

static uint32_t *count_of(uint32_t *counts, const char *p) {
    return &counts[hash_place(hash_of(p, COUNTED_BYTES), COUNTS_LOG2)];
}

static void count_text(struct builder *b, struct str s, uint32_t cost) {
    for (size_t i = 0; i + COUNTED_BYTES <= s.n; i++)
        *count_of(b->counts, s.p + i) += cost;
}

static void count_all(struct builder *b) {
    b->counts = arena_array(b->a, (size_t)1 << COUNTS_LOG2,
                            sizeof *b->counts);
    b->ends = arena_array(b->a, (size_t)1 << COUNTS_LOG2, sizeof *b->ends);
    for (struct str all = healthy_lines(), line; all.n > 0;) {
        line = str_cut(all, '\0', &all);
        count_text(b, line, HEALTHY_COST);
        *count_of(b->ends, line.p + line.n - COUNTED_BYTES) += END_COST;
    }
    for (uint32_t i = 0; i < b->literal_count; i++)
        count_text(b, b->literals[i], SHARE_COST);
}

/* The gram `back` bytes behind the beginning of the literal's window. */
static void add_gram(struct builder *b, enum gram_kind kind, uint32_t literal,
                     uint32_t at, uint32_t back) {
    struct gram_list *list = &b->tables[kind];
    const char *window = b->literals[literal].p + at;
    struct gram *g = ARENA_ADD(b->a, list->at, list->count, list->cap);
    *g = (struct gram){hash_of(window + back, gram_rules[kind].bytes),
                       literal, at | back << 16, {0}};
    memcpy(g->window, window, WINDOW_BYTES(kind));
}

static enum gram_kind kind_of(struct str s) {
    enum gram_kind kind = 0;
    while (kind < GRAM_KINDS && s.n < gram_rules[kind].least)
        kind++;
    return kind;
}

/* The literal's bytes before a cut at i, without a blank at their end. */
static size_t cut_end(struct str s, size_t i) {
    return i - (s.p[i - 1] == ' ');
}

/* How frequent each four bytes of the window are in logs and literals, and
 * lines that end as a line does that is cut in the window. */
static uint64_t window_cost(const struct builder *b, struct str s, size_t from,
                            uint32_t bytes) {
    uint64_t cost = 0;
    for (size_t i = from; i + COUNTED_BYTES <= from + bytes; i++)
        cost += *count_of(b->counts, s.p + i);
    for (size_t i = from + 1; i < from + bytes; i++)
        if (cut_end(s, i) >= COUNTED_BYTES)
            cost += *count_of(b->ends, s.p + cut_end(s, i) - COUNTED_BYTES);
    return cost;
}

/* The offset of the literal's rarest window. */
static uint32_t window_of(const struct builder *b, enum gram_kind kind,
                          struct str s) {
    size_t last = s.n - WINDOW_BYTES(kind);
    size_t best = last < WINDOW_FROM ? last : WINDOW_FROM;
    uint64_t least = UINT64_MAX;
    for (size_t i = best; i <= last; i++) {
        uint64_t cost = window_cost(b, s, i, WINDOW_BYTES(kind));
        best = cost < least ? i : best;
        least = cost < least ? cost : least;
    }
    return (uint32_t)best;
}

/* Adds the bytes before each cut inside the window, since a cut breaks grams.
 */
static void add_cuts(struct builder *b, uint32_t literal, uint32_t from,
                     uint32_t to) {
    struct gram_list *list = &b->tables[TABLE_CUTS];
    struct str s = b->literals[literal];
    for (uint32_t i = from + 1; i < to; i++) {
        uint32_t at = (uint32_t)cut_end(s, i);
        uint32_t n = at < LONG_END ? SHORT_END : LONG_END;
        bool is_twice = at < i && i > from + 1; /* the one before is the same */
        if (at < SHORT_END || is_twice)
            continue;
        *ARENA_ADD(b->a, list->at, list->count, list->cap) =
            (struct gram){hash_of(s.p + at - n, n), literal, at, {0}};
    }
}

static void choose_grams(struct builder *b, uint32_t literal, bool has_cuts) {
    struct str s = b->literals[literal];
    enum gram_kind kind = kind_of(s);
    if (kind == GRAM_KINDS)
        arena_raise(b->a, FAIL_USAGE, "a literal of fewer than 3 bytes: %.*s",
                    STR_ARG(s));
    uint32_t from = window_of(b, kind, s);
    for (uint32_t i = 0; i < gram_rules[kind].stride; i++)
        add_gram(b, kind, literal, from, i);
    if (has_cuts)
        add_cuts(b, literal, from, from + WINDOW_BYTES(kind));
}

/* ---- writing ---- */

static uint32_t log2_of(size_t count, uint32_t least) {
    uint32_t log2 = least;
    while (log2 < HASH_SET_LOG2_MAX && count > (size_t)1 << log2)
        log2++;
    return log2;
}

static void put_hash(unsigned char *bytes, uint32_t log2, uint64_t hash) {
    uint32_t bit = hash_place(hash, log2);
    bytes[bit / 8] |= (unsigned char)(1u << bit % 8);
}

static int by_hash(const void *x, const void *y) {
    const struct gram *a = x, *b = y;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    if (a->literal != b->literal)
        return a->literal < b->literal ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

/* The hash in the set. Of a cut it is that of the SHORT_END bytes before it, so
 * that one look-up is enough at most ends of lines. */
static uint64_t set_hash(const struct builder *b, int kind,
                         const struct gram *g) {
    return kind == TABLE_CUTS
               ? hash_of(b->literals[g->literal].p + g->at - SHORT_END,
                         SHORT_END)
               : g->hash;
}

static void write_table(const struct builder *b, int kind, unsigned char *out,
                        const struct prefilter_layout *l) {
    const struct gram_list *list = &b->tables[kind];
    size_t word = WORD_TABLES + (size_t)kind * WORDS_OF_TABLE;
    uint32_t set_log2 = word_at(out, word + TABLE_SET_LOG2);
    uint32_t row_log2 = word_at(out, word + TABLE_ROW_LOG2);
    uint32_t row = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct gram *g = &list->at[i];
        unsigned char *entry = out + l->entries[kind] + 4 * ENTRY_WORDS * i;
        prefilter_put(entry, ENTRY_LITERAL, g->literal);
        prefilter_put(entry, ENTRY_AT, g->at);
        memcpy(entry + 4 * ENTRY_WINDOW, g->window, sizeof g->window);
        put_hash(out + l->sets[kind], set_log2, set_hash(b, kind, g));
        while (row <= hash_place(g->hash, row_log2))
            prefilter_put(out + l->rows[kind], row++, (uint32_t)i);
    }
    while (row <= (uint32_t)1 << row_log2)
        prefilter_put(out + l->rows[kind], row++, (uint32_t)list->count);
}

static void write_literals(const struct builder *b, unsigned char *out,
                           const struct prefilter_layout *l) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < b->literal_count; i++) {
        struct str s = b->literals[i];
        prefilter_put(out + l->ref_from, i, b->ref_from[i]);
        prefilter_put(out + l->literal_from, i, at);
        memcpy(out + l->literal_bytes + at, s.p, s.n);
        at += (uint32_t)s.n;
    }
    prefilter_put(out + l->ref_from, b->literal_count, (uint32_t)b->ref_count);
    prefilter_put(out + l->literal_from, b->literal_count, at);
    for (size_t i = 0; i < b->ref_count; i++)
        prefilter_put(out + l->refs, i,
                      b->refs[i].pattern | (uint32_t)b->refs[i].front << 24);
}

static void put_sizes(struct builder *b, unsigned char *out, size_t patterns) {
    prefilter_put(out, WORD_MAGIC, PREFILTER_MAGIC);
    prefilter_put(out, WORD_VERSION, PREFILTER_VERSION);
    prefilter_put(out, WORD_PATTERNS, (uint32_t)patterns);
    prefilter_put(out, WORD_LITERALS, b->literal_count);
    prefilter_put(out, WORD_REFS, (uint32_t)b->ref_count);
    prefilter_put(out, WORD_LITERAL_BYTES, b->literal_bytes);
    for (int kind = 0; kind < TABLES; kind++) {
        struct gram_list *list = &b->tables[kind];
        size_t word = WORD_TABLES + (size_t)kind * WORDS_OF_TABLE;
        if (list->count > 1)
            qsort(list->at, list->count, sizeof *list->at, by_hash);
        uint32_t bits = kind == TABLE_CUTS ? CUT_BITS : SET_BITS;
        prefilter_put(out, word + TABLE_SET_LOG2,
                      log2_of(bits * list->count,
                              kind == GRAM_TWO ? 16 : HASH_SET_LOG2_MIN));
        prefilter_put(out, word + TABLE_ROW_LOG2, log2_of(2 * list->count, 1));
        prefilter_put(out, word + TABLE_ENTRIES, (uint32_t)list->count);
    }
}

static struct str write_blob(struct builder *b, size_t patterns) {
    unsigned char header[4 * WORD_COUNT_OF] = {0};
    put_sizes(b, header, patterns);
    struct prefilter_layout l = prefilter_layout(header);
    if (l.end > UINT32_MAX || patterns > REF_PATTERN)
        arena_raise(b->a, FAIL_CEILING, "too many patterns for a prefilter");
    unsigned char *out = arena_alloc(b->a, l.end);
    memcpy(out, header, sizeof header);
    prefilter_put(out, WORD_BYTES, (uint32_t)l.end);
    write_literals(b, out, &l);
    for (int kind = 0; kind < TABLES; kind++)
        write_table(b, kind, out, &l);
    prefilter_put(out, WORD_CHECK, prefilter_check(out, l.end));
    return (struct str){(const char *)out, l.end};
}

struct str prefilter_build(struct arena *a, const struct pattern_list *set,
                           enum prefilter_of which) {
    struct builder b = {.a = a};
    collect_literals(&b, set, which);
    number_literals(&b);
    count_all(&b);
    for (uint32_t i = 0; i < b.literal_count; i++)
        choose_grams(&b, i, which != PREFILTER_OTHERS);
    return write_blob(&b, set->count);
}
