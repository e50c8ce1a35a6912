/* prefilter.c: reading the automaton that prefilter_build.c wrote.
 *
 *     byte --fold--> child of the state? --no--> fail link, again
 *                           | yes
 *                           v
 *                     new state --report--> literals that end here
 *
 * Text comes line by line and is folded on the way: what a literal blank of a
 * pattern may match (blanks, line ends, indentation) counts as one blank. The
 * place is kept between calls, so a literal cut by a wrap is found.
 *
 * Most text is never read that way: each literal has a gram (grams.h), and
 * only where one is met the automaton begins, as far before it as a literal
 * could, and stops when nothing that began there can still become one.
 *
 * It refuses every blob whose links could lead outside of it or in circles;
 * a blob that is merely wrong can then miss a literal, never read beyond.
 */
#include "match/prefilter.h"
#include "match/literals.h"
#include "match/sieve.h"

#include <string.h>

struct opening {
    const unsigned char *p;
    size_t n;
    uint32_t patterns;
    struct prefilter_sizes s;
    struct prefilter f;
};

static bool is_good_log2(uint32_t log2) {
    return log2 >= GRAM_BITS_LOG2_MIN && log2 <= GRAM_BITS_LOG2_MAX;
}

static bool sizes_are_good(const struct prefilter_sizes *s) {
    uint32_t log2[] = {s->sieve_log2, s->wide_log2, s->tail_log2};
    for (size_t i = 0; i < sizeof log2 / sizeof log2[0]; i++)
        if (!is_good_log2(log2[i]))
            return false;
    return (s->gram_log2 == 0 || is_good_log2(s->gram_log2)) &&
           s->slot_log2 >= 1 && s->slot_log2 <= GRAM_BITS_LOG2_MAX &&
           s->tail_slot_log2 >= 1 && s->tail_slot_log2 <= GRAM_BITS_LOG2_MAX;
}

static bool header_is_good(struct opening *o, size_t pattern_count) {
    if (o->n < 4 * WORD_COUNT_OF || o->n % 4 != 0 ||
        word_at(o->p, WORD_MAGIC) != PREFILTER_MAGIC ||
        word_at(o->p, WORD_VERSION) != PREFILTER_VERSION ||
        word_at(o->p, WORD_BYTES) != o->n)
        return false;
    o->patterns = word_at(o->p, WORD_PATTERNS);
    o->s = (struct prefilter_sizes){
        .states = word_at(o->p, WORD_STATES),
        .literals = word_at(o->p, WORD_LITERALS),
        .refs = word_at(o->p, WORD_REFS),
        .gram_log2 = word_at(o->p, WORD_GRAM_LOG2),
        .sieve_log2 = word_at(o->p, WORD_SIEVE_LOG2),
        .wide_log2 = word_at(o->p, WORD_WIDE_LOG2),
        .slot_log2 = word_at(o->p, WORD_SLOT_LOG2),
        .tail_log2 = word_at(o->p, WORD_TAIL_LOG2),
        .tail_slot_log2 = word_at(o->p, WORD_TAIL_SLOT_LOG2),
        .tails = word_at(o->p, WORD_TAILS),
        .entries = word_at(o->p, WORD_ENTRIES),
        .shorts = word_at(o->p, WORD_SHORTS),
        .literal_bytes = word_at(o->p, WORD_LITERAL_BYTES),
    };
    if (!sizes_are_good(&o->s) || o->patterns != pattern_count ||
        o->s.states < 1)
        return false;
    return prefilter_layout(&o->s).end == o->n;
}

static bool is_as_written(const struct opening *o) {
    struct prefilter_layout l = prefilter_layout(&o->s);
    return word_at(o->p, WORD_CHECK) == prefilter_check(o->p, l.sieve);
}

static void find_tables(struct opening *o) {
    struct prefilter_layout l = prefilter_layout(&o->s);
    o->f = (struct prefilter){
        .states = o->s.states, .literals = o->s.literals,
        .root = o->p + l.root, .child_from = o->p + l.child_from,
        .fail = o->p + l.fail, .report = o->p + l.report,
        .literal_of = o->p + l.literal_of, .ref_from = o->p + l.ref_from,
        .refs = o->p + l.refs, .bytes = o->p + l.bytes,
        .gram_bits = o->p + l.gram_bits, .gram_slots = o->p + l.gram_slots,
        .gram_log2 = o->s.gram_log2,
        .gram_back = word_at(o->p, WORD_GRAM_BACK),
        .shallow = word_at(o->p + l.child_from, 1),
        .sieve_bits = o->p + l.sieve_bits, .wide_bits = o->p + l.wide_bits,
        .sieve_near = o->p + l.sieve_near,
        .sieve_slots = o->p + l.sieve_slots,
        .sieve_entries = o->p + l.sieve_entries,
        .sieve_shorts = o->p + l.sieve_shorts,
        .tail_bits = o->p + l.tail_bits,
        .tail_slots = o->p + l.tail_slots, .tails = o->p + l.tails,
        .literal_from = o->p + l.literal_from,
        .literal_bytes = o->p + l.literal_bytes,
        .sieve_log2 = o->s.sieve_log2, .wide_log2 = o->s.wide_log2,
        .slot_log2 = o->s.slot_log2,
        .tail_log2 = o->s.tail_log2,
        .tail_slot_log2 = o->s.tail_slot_log2, .entries = o->s.entries,
        .shorts = o->s.shorts, .tail_count = o->s.tails,
        .all_literal_bytes = o->s.literal_bytes,
        .sieve_part = {(const char *)o->p + l.sieve, l.end - l.sieve},
        .sieve_check = word_at(o->p, WORD_SIEVE_CHECK),
    };
}

/* Children come later and in the order of their bytes; links go back. */
static bool state_is_good(const struct prefilter *f, uint32_t s) {
    uint32_t from = word_at(f->child_from, s);
    uint32_t to = word_at(f->child_from, (size_t)s + 1);
    uint32_t fail = word_at(f->fail, s), report = word_at(f->report, s);
    if (from <= s || from > to || to > f->states)
        return false;
    for (uint32_t c = from; c + 1 < to; c++)
        if (f->bytes[c] >= f->bytes[c + 1])
            return false;
    if (s > 0 ? fail >= s : fail != 0)
        return false;
    if (word_at(f->literal_of, s) > f->literals || report > s)
        return false;
    return report == 0 || word_at(f->literal_of, report) != 0;
}

static bool states_are_good(const struct prefilter *f) {
    for (uint32_t s = 0; s < f->states; s++)
        if (!state_is_good(f, s))
            return false;
    for (size_t b = 0; b < 256; b++)
        if (word_at(f->root, b) >= f->states)
            return false;
    return true;
}

static bool refs_are_good(const struct opening *o) {
    const struct prefilter *f = &o->f;
    if (word_at(f->ref_from, 0) != 0 ||
        word_at(f->ref_from, f->literals) != o->s.refs)
        return false;
    for (size_t i = 0; i < f->literals; i++)
        if (word_at(f->ref_from, i) > word_at(f->ref_from, i + 1))
            return false;
    for (size_t i = 0; i < o->s.refs; i++)
        if (word_at(f->refs, i) >= o->patterns)
            return false;
    return true;
}

static bool literals_are_good(const struct prefilter *f) {
    if (word_at(f->literal_from, f->literals) > f->all_literal_bytes)
        return false;
    for (size_t i = 0; i < f->literals; i++)
        if (word_at(f->literal_from, i) > word_at(f->literal_from, i + 1))
            return false;
    return true;
}

static bool slots_are_good(const unsigned char *slots, uint32_t log2,
                           uint32_t entries) {
    for (size_t i = 0; i < (size_t)1 << log2; i++) {
        uint32_t from = word_at(slots, 3 * i + 1);
        if (from > entries || word_at(slots, 3 * i + 2) > entries - from)
            return false;
    }
    return true;
}

static bool tails_are_good(const struct prefilter *f) {
    for (size_t i = 0; i < f->tail_count; i++) {
        uint32_t word = word_at(f->tails, i);
        if (TAIL_LITERAL(word) >= f->literals ||
            TAIL_BYTES(word) > prefilter_literal(f, TAIL_LITERAL(word)).n)
            return false;
    }
    return slots_are_good(f->tail_slots, f->tail_slot_log2, f->tail_count);
}

static bool sieve_is_good(const struct prefilter *f) {
    for (size_t i = 0; i < f->entries; i++)
        if (word_at(f->sieve_entries, ENTRY_WORDS * i) >= f->literals)
            return false;
    for (size_t i = 0; i < f->shorts; i++)
        if (word_at(f->sieve_shorts, i) >= f->literals)
            return false;
    return tails_are_good(f) &&
           slots_are_good(f->sieve_slots, f->slot_log2, f->entries);
}

static _Noreturn void refuse(struct arena *a, size_t pattern_count) {
    arena_raise(a, FAIL_INDEX, "the index is damaged: no prefilter for its %zu "
                "patterns", pattern_count);
}

struct prefilter prefilter_own(struct arena *a, struct str blob,
                               size_t pattern_count) {
    struct opening o = {.p = (const unsigned char *)blob.p, .n = blob.n};
    if (!header_is_good(&o, pattern_count))
        refuse(a, pattern_count);
    find_tables(&o);
    o.f.is_own = true;
    return o.f;
}

struct prefilter prefilter_open(struct arena *a, struct str blob,
                                size_t pattern_count) {
    struct opening o = {.p = (const unsigned char *)blob.p, .n = blob.n};
    if (!header_is_good(&o, pattern_count) || !is_as_written(&o))
        refuse(a, pattern_count);
    find_tables(&o);
    if (!states_are_good(&o.f) || !refs_are_good(&o) ||
        !literals_are_good(&o.f))
        arena_raise(a, FAIL_INDEX, "the index is damaged: the prefilter "
                    "leads nowhere");
    return o.f;
}

void prefilter_open_sieve(struct arena *a, const struct prefilter *f) {
    if (f->is_own)
        return;
    if (f->sieve_check != prefilter_check_sieve(f->sieve_part) ||
        !sieve_is_good(f))
        arena_raise(a, FAIL_INDEX, "the index is damaged: no sieve for long "
                    "logs");
}

/* ---- stepping ---- */

uint32_t prefilter_child(const struct prefilter *f, uint32_t state,
                         unsigned char byte) {
    uint32_t from = word_at(f->child_from, state);
    uint32_t n = word_at(f->child_from, (size_t)state + 1) - from;
    if (n == 0)
        return 0;
    if (f->bytes[from] == byte)
        return from;
    if (n == 1)
        return 0;
    const unsigned char *hit = memchr(f->bytes + from, byte, n);
    return hit ? (uint32_t)(hit - f->bytes) : 0;
}

uint32_t prefilter_step(const struct prefilter *f, uint32_t state,
                        unsigned char byte) {
    while (state != 0) {
        uint32_t child = prefilter_child(f, state, byte);
        if (child)
            return child;
        state = word_at(f->fail, state);
    }
    return word_at(f->root, byte);
}

struct prefilter_find prefilter_refs(const struct prefilter *f,
                                     uint32_t literal) {
    uint32_t from = word_at(f->ref_from, literal);
    uint32_t to = word_at(f->ref_from, (size_t)literal + 1);
    return (struct prefilter_find){f->refs + 4 * (size_t)from, to - from,
                                   literal};
}

/* Every literal that ends here: this state's, then its suffixes'. */
static void report(const struct prefilter *f, uint32_t state, size_t end,
                   prefilter_fn found, void *ctx) {
    uint32_t s = word_at(f->report, state);
    while (s != 0) {
        struct prefilter_find find =
            prefilter_refs(f, word_at(f->literal_of, s) - 1);
        found(ctx, &find, end);
        s = word_at(f->report, word_at(f->fail, s));
    }
}

/* Read from `at` on, and beyond `stop` only as long as more than the last byte
 * read could be the beginning of a literal. Returns where it stopped. */
static size_t read_on(const struct prefilter *f, struct prefilter_place *place,
                      struct str text, size_t at, size_t stop,
                      prefilter_fn found, void *ctx) {
    uint32_t state = place->state;
    bool is_in_blank = place->is_in_blank;
    for (; at < text.n && (at < stop || state >= f->shallow); at++) {
        unsigned char c = fold_byte((unsigned char)text.p[at]);
        if (c == ' ' && is_in_blank)
            continue;
        is_in_blank = c == ' ';
        state = prefilter_step(f, state, c);
        if (word_at(f->report, state) != 0)
            report(f, state, at + 1, found, ctx);
    }
    place->state = state;
    place->is_in_blank = is_in_blank;
    return at;
}

void prefilter_feed(const struct prefilter *f, struct prefilter_place *place,
                    struct str text, prefilter_fn found, void *ctx) {
    read_on(f, place, text, 0, text.n, found, ctx);
}

/* ---- skipping ---- */

static bool is_gram(const struct prefilter *f, uint32_t gram, uint32_t hash) {
    uint32_t mask = (1u << (f->gram_log2 - GRAM_SLOT_LOG2)) - 1;
    uint32_t at = hash >> (32 - f->gram_log2 + GRAM_SLOT_LOG2);
    for (uint32_t probe = 0; probe < GRAM_PROBES_MAX; probe++) {
        uint32_t slot = word_at(f->gram_slots, (at + probe) & mask);
        if (slot == gram || slot == 0)
            return slot == gram;
    }
    return true;
}

static bool begins_gram(const struct prefilter *f, const char *p) {
    uint32_t gram = gram_at(p), hash = gram_hash(gram);
    uint32_t bit = hash >> (32 - f->gram_log2);
    return (f->gram_bits[bit / 8] >> bit % 8 & 1) != 0 &&
           is_gram(f, gram, hash);
}

/* The next place where a gram begins; text.n: none. The last places of all
 * have no four bytes. */
static size_t next_gram(const struct prefilter *f, struct str text, size_t at,
                        bool is_end) {
    for (; at + GRAM_BYTES <= text.n; at++)
        if (begins_gram(f, text.p + at))
            return at;
    for (; is_end && at < text.n; at++) {
        char last[GRAM_BYTES] = {0};
        memcpy(last, text.p + at, text.n - at);
        if (begins_gram(f, last))
            return at;
    }
    return text.n;
}

static bool is_blank(char c) {
    return fold_byte((unsigned char)c) == ' ';
}

/* So far back that every literal with a gram at `at` begins there or later; a
 * run of blanks is one byte. Not before least. */
static size_t begin_of(const struct prefilter *f, struct str text, size_t at,
                       size_t least) {
    for (uint32_t n = 0; n < f->gram_back && at > least; n++) {
        at--;
        while (at > least && is_blank(text.p[at]) && is_blank(text.p[at - 1]))
            at--;
    }
    return at;
}

/* The automaton as if it began at a gram's literal; what it has read of it
 * already it does not read again. */
static size_t read_round(const struct prefilter *f,
                         struct prefilter_place *place, struct str text,
                         size_t gram, size_t read, prefilter_fn found,
                         void *ctx) {
    size_t begin = gram > read ? begin_of(f, text, gram, read) : read;
    if (begin > read) {
        place->state = 0;
        place->is_in_blank = false;
    }
    size_t stop = gram + GRAM_BYTES;
    read = read_on(f, place, text, begin, stop, found, ctx);
    place->is_live = read == text.n &&
                     (read < stop || place->state >= f->shallow);
    return read;
}

void prefilter_scan(const struct prefilter *f, struct prefilter_place *place,
                    struct str text, size_t fresh, bool is_end,
                    prefilter_fn found, void *ctx) {
    size_t from = text.n - fresh;
    if (f->gram_log2 == 0) {
        read_on(f, place, text, from, text.n, found, ctx);
        return;
    }
    bool is_cut = place->unread > from;
    size_t read = is_cut ? 0 : from - place->unread;
    if (is_cut)
        place->state = 0;
    size_t at = from > place->untried ? from - place->untried : 0;
    if (place->is_live) {
        read = read_round(f, place, text, from, read, found, ctx);
        at = read > at + 1 ? read - 1 : at;
    }
    while ((at = next_gram(f, text, at, is_end)) < text.n) {
        read = read_round(f, place, text, at, read, found, ctx);
        at = read > at + 2 ? read - 1 : at + 1;
    }
    place->unread = text.n - read;
    place->untried = text.n < GRAM_BYTES - 1 ? text.n : GRAM_BYTES - 1;
}

size_t prefilter_begin(const struct prefilter *f,
                       const struct prefilter_find *found, struct str text,
                       size_t end) {
    uint32_t from = word_at(f->literal_from, found->literal);
    uint32_t to = word_at(f->literal_from, (size_t)found->literal + 1);
    while (to > from && end > 0) {
        end--;
        if (f->literal_bytes[--to] == ' ')
            while (end > 0 && is_blank(text.p[end - 1]))
                end--;
    }
    return to == from ? end : SIZE_MAX;
}

uint32_t prefilter_ref(const struct prefilter_find *found, uint32_t i) {
    return word_at(found->refs, i);
}
