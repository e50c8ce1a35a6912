/* finder.c: where much is read, the automaton is too slow: a common word of a
 * literal makes it read all round it.
 *
 *     literal      cuda out of memory. tried
 *     gram                     "ry. "? no blank: "memo", the rarest of them
 *     beside it          ........        eight bytes compared at once
 *
 * Of every literal one gram is looked for at each place of the text. Where it
 * stands, eight bytes round it tell nearly all other words off, and the rest is
 * compared byte by byte; a blank of the literal is any run of blanks. Literals
 * that go on beyond the text are tried again when more has come.
 *
 * The tables are made at run from the literals in the index, and only where so
 * much is read that it pays.
 */
#include "match/finder.h"

#include <stdlib.h>
#include <string.h>

#include "match/literals.h"
#include "match/sieve.h"

#define BESIDE 8
#define STEP_BYTES 1024 /* places looked at before those found are tried */
#define SHARES_LOG2 16
#define SHARE_COST 64 /* of one other literal, in counts of grams.def */

struct gram_entry { /* literal's byte `at` is the gram's first */
    uint32_t gram, literal, at;
    uint32_t back; /* bytes of `value` before the gram */
    uint64_t value, mask;
    struct str rest; /* of the literal, from the gram on */
    bool is_last;    /* of those that share a bit */
    uint32_t alike;  /* so many bytes of it are those of the entry before */
};

struct finder {
    const struct prefilter *f;
    struct gram_entry *entries; /* by gram */
    size_t count, cap;
    unsigned char *bits;
    uint32_t *first; /* by hash: 1 + an entry of such a gram; 0: none */
    uint32_t log2;
};

/* ---- making it ---- */

static bool has_blank(const char *p, size_t n) {
    return memchr(p, ' ', n) != NULL;
}

/* Is the literal's byte at `i` sure to stand so far from the gram at `at`? */
static bool is_fixed(struct str s, size_t at, size_t i) {
    if (i >= s.n)
        return false;
    return i < at ? !has_blank(s.p + i, at - i)
                  : !has_blank(s.p + at, i + 1 - at);
}

/* Of the bytes that begin `back` before the gram. */
static uint32_t count_fixed(struct str s, size_t at, uint32_t back) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < BESIDE; k++)
        count += is_fixed(s, at, at - back + k);
    return count;
}

static void set_beside(struct gram_entry *e, struct str s) {
    uint32_t most = 0;
    for (uint32_t back = 0; back <= BESIDE - GRAM_BYTES; back++) {
        uint32_t count = back <= e->at ? count_fixed(s, e->at, back) : 0;
        e->back = count > most ? back : e->back;
        most = count > most ? count : most;
    }
    for (uint32_t k = 0; k < BESIDE; k++) {
        size_t i = (size_t)e->at - e->back + k;
        if (!is_fixed(s, e->at, i))
            continue;
        e->value |= (uint64_t)((unsigned char)s.p[i] | 0x20) << 8 * k;
        e->mask |= UINT64_C(0xFF) << 8 * k;
    }
}

static void add_entry(struct arena *a, struct finder *d, uint32_t gram,
                      uint32_t literal, size_t at) {
    struct str s = prefilter_literal(d->f, literal);
    struct gram_entry e = {.gram = gram, .literal = literal,
                           .at = (uint32_t)at,
                           .rest = str_slice(s, at, s.n)};
    set_beside(&e, s);
    d->entries =
        arena_grow(a, d->entries, d->count, &d->cap, sizeof *d->entries);
    d->entries[d->count++] = e;
}

/* How many grams of all literals share a hash. */
static uint32_t *count_shares(struct arena *a, const struct prefilter *f) {
    uint32_t *shares = arena_array(a, 1 << SHARES_LOG2, sizeof *shares);
    for (uint32_t k = 0; k < f->literals; k++) {
        struct str s = prefilter_literal(f, k);
        for (size_t i = 0; i + GRAM_BYTES <= s.n; i++)
            shares[gram_hash(gram_at(s.p + i)) >> (32 - SHARES_LOG2)]++;
    }
    return shares;
}

/* Logs have few of them, and literals too: where one word of a message stands,
 * its others are near. */
static uint32_t cost_of(const uint32_t *shares, const char *p) {
    uint32_t row = gram_hash(gram_at(p)) >> (32 - SHARES_LOG2);
    return gram_cost(p) + SHARE_COST * shares[row];
}

/* The rarest n bytes without a blank; s.n: there are none. */
static size_t best_place(const uint32_t *shares, struct str s, size_t n) {
    size_t best = s.n;
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i + n <= s.n; i++) {
        if (has_blank(s.p + i, n))
            continue;
        uint32_t cost = n == GRAM_BYTES ? cost_of(shares, s.p + i) : 0;
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

/* False: there is no word of three letters in it. */
static bool add_literal(struct arena *a, struct finder *d,
                        const uint32_t *shares, uint32_t literal) {
    struct str s = prefilter_literal(d->f, literal);
    size_t at = best_place(shares, s, GRAM_BYTES);
    if (at < s.n) {
        add_entry(a, d, gram_at(s.p + at), literal, at);
        return true;
    }
    at = best_place(shares, s, GRAM_BYTES - 1);
    if (at == s.n)
        return false;
    char any[GRAM_BYTES];
    memcpy(any, s.p + at, GRAM_BYTES - 1);
    for (int last = 0; last < 256; last++) {
        any[GRAM_BYTES - 1] = (char)last;
        if (((unsigned)last & 0x20) != 0) /* as grams are folded */
            add_entry(a, d, gram_at(any), literal, at);
    }
    return true;
}

static int by_gram(const void *x, const void *y) {
    const struct gram_entry *a = x, *b = y;
    uint32_t left = gram_hash(a->gram), right = gram_hash(b->gram);
    if (left != right)
        return left < right ? -1 : 1;
    int order = str_cmp(a->rest, b->rest);
    return order != 0 ? order
                      : (a->literal > b->literal) - (a->literal < b->literal);
}

static void compare_neighbours(struct finder *d) {
    for (size_t i = 1; i < d->count; i++) {
        struct str x = d->entries[i - 1].rest, y = d->entries[i].rest;
        uint32_t n = 0;
        while (n < x.n && n < y.n && x.p[n] == y.p[n])
            n++;
        d->entries[i].alike = n;
    }
}

struct finder *finder_new(struct arena *a, const struct prefilter *f) {
    struct finder *d = arena_alloc(a, sizeof *d);
    bool is_good = f->gram_log2 > 0;
    d->f = f;
    const uint32_t *shares = count_shares(a, f);
    for (uint32_t i = 0; i < f->literals; i++)
        is_good = is_good && add_literal(a, d, shares, i);
    if (!is_good)
        return NULL;
    if (d->count > 1)
        qsort(d->entries, d->count, sizeof *d->entries, by_gram);
    compare_neighbours(d);
    d->log2 = GRAM_BITS_LOG2_MIN;
    while (d->count * 32 > (size_t)1 << d->log2)
        d->log2++;
    d->bits = arena_array(a, ((size_t)1 << d->log2) / 8, 1);
    d->first = arena_array(a, (size_t)1 << d->log2, sizeof *d->first);
    for (size_t i = d->count; i-- > 0;) {
        uint32_t bit = gram_hash(d->entries[i].gram) >> (32 - d->log2);
        d->bits[bit / 8] = (unsigned char)(d->bits[bit / 8] | 1u << bit % 8);
        d->entries[i].is_last = d->first[bit] == 0;
        d->first[bit] = (uint32_t)i + 1;
    }
    return d;
}

/* ---- looking ---- */

struct hunt {
    const struct finder *d;
    struct str text;
    size_t told;    /* literals that end no later were told before, */
    size_t tried;   /* if their gram stands before this */
    size_t unended; /* the first gram of a literal that the text ends in */
    prefilter_fn found;
    void *ctx;
};

static bool is_blank(char c) {
    return fold_byte((unsigned char)c) == ' ';
}

/* How many bytes of the literal's rest stand at *at; *at: behind them. */
static size_t count_there(struct str text, size_t *at, struct str rest) {
    size_t i = 0, here = *at;
    for (; i < rest.n && here < text.n; i++) {
        char c = (char)fold_byte((unsigned char)text.p[here]);
        if (c != rest.p[i])
            break;
        here++;
        while (c == ' ' && here < text.n && is_blank(text.p[here]))
            here++;
    }
    *at = here;
    return i;
}

/* Do the literal's first i bytes stand before `at`? */
static bool comes_before(struct str text, size_t at, struct str literal,
                         size_t i) {
    while (i > 0) {
        if (at == 0)
            return false;
        char c = (char)fold_byte((unsigned char)text.p[--at]);
        if (c != literal.p[--i])
            return false;
        while (c == ' ' && at > 0 && is_blank(text.p[at - 1]))
            at--;
    }
    return true;
}

static uint64_t eight_at(const char *p) {
    const unsigned char *b = (const unsigned char *)p;
    return (uint64_t)word_at(b, 0) | (uint64_t)word_at(b, 1) << 32;
}

static bool may_be(struct str text, size_t gram, const struct gram_entry *e) {
    if (gram < e->back)
        return false;
    if (text.n - (gram - e->back) < BESIDE)
        return true;
    uint64_t here = eight_at(text.p + gram - e->back);
    return (((here | UINT64_C(0x2020202020202020)) ^ e->value) & e->mask) == 0;
}

/* Returns how many bytes of its rest there are. */
static size_t try_entry(struct hunt *h, size_t gram,
                        const struct gram_entry *e) {
    const struct prefilter *f = h->d->f;
    size_t end = gram, there = count_there(h->text, &end, e->rest);
    bool is_cut = there < e->rest.n && end == h->text.n;
    if ((there < e->rest.n && !is_cut) ||
        (end <= h->told && gram < h->tried) ||
        !comes_before(h->text, gram, prefilter_literal(f, e->literal), e->at))
        return there;
    if (is_cut) {
        h->unended = gram < h->unended ? gram : h->unended;
        return SIZE_MAX;
    }
    struct prefilter_find find = prefilter_refs(f, e->literal);
    h->found(h->ctx, &find, end);
    return there;
}

/* Where a literal went wrong, those that are like it up to there do, too. */
static void try_gram(struct hunt *h, size_t at, uint32_t gram,
                     const struct gram_entry *e) {
    const struct gram_entry *end = h->d->entries + h->d->count;
    size_t there = SIZE_MAX; /* of the one before; not known */
    while (e < end && e->gram != gram && !e->is_last)
        e++;
    for (; e < end && e->gram == gram; e++) {
        if (there >= e->alike)
            there = may_be(h->text, at, e) ? try_entry(h, at, e) : SIZE_MAX;
        if (e->is_last)
            return;
    }
}

static void try_place(struct hunt *h, size_t at, const char *p) {
    uint32_t gram = gram_at(p);
    uint32_t first = h->d->first[gram_hash(gram) >> (32 - h->d->log2)];
    if (first > 0)
        try_gram(h, at, gram, &h->d->entries[first - 1]);
}

/* All that four bytes stand at; returns the first that they do not. */
static size_t try_places(struct hunt *h, size_t from) {
    const struct finder *d = h->d;
    uint32_t room[STEP_BYTES + 8];
    size_t end = h->text.n < GRAM_BYTES ? 0 : h->text.n - GRAM_BYTES + 1;
    for (size_t to; from < end; from = to) {
        struct sieve_places places = {.at = room};
        to = end - from < STEP_BYTES ? end : from + STEP_BYTES;
        sieve_find_all_grams(d->bits, d->log2, h->text, from, to, &places);
        for (size_t i = 0; i < places.count; i++)
            try_place(h, places.at[i], h->text.p + places.at[i]);
    }
    return from;
}

void finder_scan(const struct finder *d, struct prefilter_place *place,
                 struct str text, size_t fresh, bool is_end,
                 prefilter_fn found, void *ctx) {
    size_t from = text.n - fresh;
    struct hunt h = {.d = d, .text = text, .told = from, .tried = from,
                     .unended = text.n, .found = found, .ctx = ctx};
    if (!place->is_hunted) /* nor may the automaton have */
        place->unread = GRAM_BYTES;
    h.tried -= place->unread < from ? place->unread : from;
    size_t at = place->is_hunted && place->untried < from
                    ? from - place->untried
                    : 0;
    at = try_places(&h, at);
    size_t untried = at < text.n ? text.n - at : 0;
    for (; is_end && at < text.n; at++) {
        char last[GRAM_BYTES] = {0};
        memcpy(last, text.p + at, text.n - at);
        try_place(&h, at, last);
    }
    place->unread = is_end ? 0 : untried;
    place->is_hunted = true;
    place->untried = text.n - h.unended > untried ? text.n - h.unended
                                                  : untried;
}
