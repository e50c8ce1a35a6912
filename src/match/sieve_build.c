/* sieve_build.c: which grams of which literals the sieve looks for.
 *
 * Of a literal the window is taken whose grams logs have least often: all its
 * grams are written down, since any of them may fall on a multiple of the
 * stride. A window begins behind the literal's third byte where it can: a word
 * that a wrap cuts inside of the window then leaves enough of the literal
 * before the cut to be known by (tails). Grams are wide where the literal is
 * long enough for that.
 *
 * Literals too short for a window have grams with one byte of their neighbour
 * in them, any of them; those below five bytes have none and are looked for on
 * their own.
 */
#include "match/literals.h"
#include "match/sieve.h"

#include <stdlib.h>
#include <string.h>

#define SHORT_MAX 4
#define BLANK_COST 2000 /* of a short literal: it is cut there too easily */
#define WIDE_MIN (SIEVE_LEAD + SIEVE_WINDOW(WIDE_BYTES))

static void add(struct arena *a, struct sieve_choice *c, const char *gram,
                uint32_t bytes, uint32_t literal, int32_t at) {
    c->entries =
        arena_grow(a, c->entries, c->count, &c->cap, sizeof *c->entries);
    uint32_t hash = bytes == WIDE_BYTES ? wide_hash(gram) : narrow_hash(gram);
    c->entries[c->count++] = (struct sieve_entry){hash, literal, at, bytes};
}

/* Grams of which one byte, the first or the last, may be anything. */
static void add_any(struct arena *a, struct sieve_choice *c, const char *rest,
                    bool is_first, uint32_t literal, int32_t at) {
    char gram[GRAM_BYTES];
    memcpy(gram + is_first, rest, GRAM_BYTES - 1);
    for (int any = 0; any < 256; any++) {
        gram[is_first ? 0 : GRAM_BYTES - 1] = (char)any;
        if ((any & 0x20) != 0)
            add(a, c, gram, GRAM_BYTES, literal, at);
    }
}

/* A text has these bytes no more often than any four of them. */
static uint32_t cost_of(const char *p, uint32_t bytes) {
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i + GRAM_BYTES <= bytes; i++) {
        uint32_t cost = gram_cost(p + i);
        least = cost < least ? cost : least;
    }
    return least;
}

static uint32_t window_cost(const char *p, uint32_t bytes) {
    uint32_t sum = 0;
    bool is_blank_dear = bytes == GRAM_BYTES;
    for (size_t i = 0; i < SIEVE_STRIDE; i++)
        sum += is_blank_dear && memchr(p + i, ' ', GRAM_BYTES)
                   ? BLANK_COST
                   : cost_of(p + i, bytes);
    return sum;
}

/* A blank that may be a line's end does not begin a window: what stands before
 * it would be too little to be known by. */
static size_t window_of(struct str s, uint32_t bytes) {
    size_t last = s.n - SIEVE_WINDOW(bytes);
    size_t first = last < SIEVE_LEAD ? last : SIEVE_LEAD;
    first += first < last && s.p[first] == ' ';
    size_t best = first;
    uint32_t least = UINT32_MAX;
    for (size_t i = first; i <= last; i++) {
        uint32_t cost = window_cost(s.p + i, bytes);
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

static void choose_short(struct arena *a, struct sieve_choice *c,
                         uint32_t literal) {
    struct str s = c->literals[literal];
    for (size_t i = 0; i + GRAM_BYTES <= s.n; i++)
        add(a, c, s.p + i, GRAM_BYTES, literal, (int32_t)i);
    add_any(a, c, s.p, true, literal, -1);
    if (s.n == SHORT_MAX + 1)
        add_any(a, c, s.p + 2, false, literal, 2);
}

static void choose_one(struct arena *a, struct sieve_choice *c,
                       uint32_t literal) {
    struct str s = c->literals[literal];
    if (s.n <= SHORT_MAX) {
        c->shorts[c->short_count++] = literal;
    } else if (s.n < SIEVE_WINDOW(GRAM_BYTES)) {
        choose_short(a, c, literal);
    } else {
        bool is_wide = s.n > WIDE_MIN ||
                       (s.n == WIDE_MIN && s.p[SIEVE_LEAD] != ' ');
        uint32_t bytes = is_wide ? WIDE_BYTES : GRAM_BYTES;
        size_t from = window_of(s, bytes);
        for (size_t i = from; i < from + SIEVE_STRIDE; i++)
            add(a, c, s.p + i, bytes, literal, (int32_t)i);
    }
}

static int by_hash(const void *x, const void *y) {
    const struct sieve_entry *a = x, *b = y;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    if (a->literal != b->literal)
        return a->literal < b->literal ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static int by_tail(const void *x, const void *y) {
    const struct sieve_tail *a = x, *b = y;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return (a->word > b->word) - (a->word < b->word);
}

static size_t common_bytes(struct str x, struct str y) {
    size_t n = 0;
    while (n < x.n && n < y.n && x.p[n] == y.p[n])
        n++;
    return n;
}

/* Literals are sorted: what two of them begin with is taken once. */
static void add_tails(struct arena *a, struct sieve_choice *c,
                      uint32_t literal) {
    struct str s = c->literals[literal];
    size_t i = literal > 0 ? common_bytes(c->literals[literal - 1], s) + 1 : 0;
    for (i = i < SIEVE_TAIL ? SIEVE_TAIL : i; i < s.n; i++) {
        const char *end = s.p + i;
        uint32_t hash = i < WIDE_BYTES ? tail_hash(end) : long_tail_hash(end);
        c->tails = arena_grow(a, c->tails, c->tail_count, &c->tail_cap,
                              sizeof *c->tails);
        c->tails[c->tail_count++] =
            (struct sieve_tail){hash, literal << 9 | (uint32_t)i};
    }
}

void sieve_choose(struct arena *a, struct sieve_choice *c,
                  const struct str *literals, uint32_t count, bool is_sieved) {
    *c = (struct sieve_choice){.literals = literals, .literal_count = count};
    c->shorts = arena_array(a, count, sizeof *c->shorts);
    for (uint32_t i = 0; i < count; i++) {
        c->literal_bytes += (uint32_t)literals[i].n;
        if (!is_sieved)
            continue;
        choose_one(a, c, i);
        add_tails(a, c, i);
    }
    if (c->tail_count > 1)
        qsort(c->tails, c->tail_count, sizeof *c->tails, by_tail);
    if (c->count > 1)
        qsort(c->entries, c->count, sizeof *c->entries, by_hash);
    for (size_t i = 0; i < c->count; i++) {
        const struct sieve_entry *e = &c->entries[i];
        if (i > 0 && e->hash == e[-1].hash)
            continue;
        c->gram_count++;
        c->wide_count += e->bytes == WIDE_BYTES;
    }
}

/* ---- writing ---- */

static uint32_t log2_of(size_t count, uint32_t least) {
    uint32_t log2 = least;
    while (log2 < GRAM_BITS_LOG2_MAX && count > (size_t)1 << log2)
        log2++;
    return log2;
}

void sieve_measure(const struct sieve_choice *c, struct prefilter_sizes *s) {
    s->sieve_log2 =
        log2_of(64 * (c->gram_count - c->wide_count), GRAM_BITS_LOG2_MIN);
    s->wide_log2 = log2_of(64 * c->wide_count, GRAM_BITS_LOG2_MIN);
    s->slot_log2 = log2_of(2 * c->gram_count + 1, 1);
    /* many a word ends several beginnings */
    s->tail_log2 = log2_of(4 * c->tail_count, GRAM_BITS_LOG2_MIN);
    s->tail_slot_log2 = log2_of(2 * c->tail_count + 1, 1);
    s->tails = (uint32_t)c->tail_count;
    s->entries = (uint32_t)c->count;
    s->shorts = c->short_count;
    s->literal_bytes = c->literal_bytes;
}

static void add_near(unsigned char *near, size_t i, struct str s, int64_t at) {
    bool is_known = at >= SIEVE_LEAD && at < (int64_t)s.n;
    uint32_t mask = is_known ? 1u << near_class(s.p[at]) : UINT32_MAX;
    prefilter_put(near, i, word_at(near, i) | mask);
}

static void write_near(const struct sieve_choice *c, unsigned char *near) {
    for (size_t k = 0; k < c->count; k++) {
        const struct sieve_entry *e = &c->entries[k];
        if (e->bytes != GRAM_BYTES)
            continue;
        size_t row = e->hash >> (32 - SIEVE_NEAR_LOG2);
        struct str s = c->literals[e->literal];
        add_near(near, 2 * row, s, (int64_t)e->at - 1);
        add_near(near, 2 * row + 1, s, (int64_t)e->at + GRAM_BYTES);
    }
}

static void set_bit(unsigned char *bits, uint32_t i) {
    bits[i / 8] = (unsigned char)(bits[i / 8] | 1u << i % 8);
}

static void put_slot(unsigned char *slots, uint32_t log2, uint32_t hash,
                     uint32_t from, uint32_t count) {
    uint32_t mask = (1u << log2) - 1, at = hash >> (32 - log2);
    while (word_at(slots, 3 * (size_t)at + 2) != 0)
        at = (at + 1) & mask;
    prefilter_put(slots, 3 * (size_t)at, hash);
    prefilter_put(slots, 3 * (size_t)at + 1, from);
    prefilter_put(slots, 3 * (size_t)at + 2, count);
}

/* Is literal's byte at `at` sure to stand so far from its gram at `gram`? A
 * blank may be many. */
static bool is_fixed(struct str s, const struct sieve_entry *e, int64_t at) {
    if (at < SIEVE_LEAD || at >= (int64_t)s.n)
        return false;
    for (int64_t i = at; i < e->at; i++)
        if (s.p[i] == ' ')
            return false;
    for (int64_t i = e->at + (int64_t)e->bytes; i <= at; i++)
        if (s.p[i] == ' ')
            return false;
    return true;
}

static void put_entry(const struct sieve_choice *c,
                      const struct sieve_entry *e, unsigned char *out) {
    struct str s = c->literals[e->literal];
    uint32_t best = 0, back = 0;
    unsigned char value[ENTRY_BYTES] = {0}, mask[ENTRY_BYTES] = {0};
    for (uint32_t try = 0; try <= ENTRY_BYTES - GRAM_BYTES; try++) {
        uint32_t count = 0;
        for (int64_t k = 0; k < ENTRY_BYTES; k++)
            count += is_fixed(s, e, e->at - (int64_t)try + k);
        back = count > best ? try : back;
        best = count > best ? count : best;
    }
    for (int64_t k = 0; k < ENTRY_BYTES; k++) {
        int64_t at = e->at - (int64_t)back + k;
        if (!is_fixed(s, e, at))
            continue;
        value[k] = (unsigned char)(s.p[at] | 0x20);
        mask[k] = 0xFF;
    }
    prefilter_put(out, ENTRY_LITERAL, e->literal);
    prefilter_put(out, ENTRY_AT, (uint32_t)e->at);
    prefilter_put(out, ENTRY_BACK, back);
    memcpy(out + 4 * ENTRY_VALUE, value, ENTRY_BYTES);
    memcpy(out + 4 * ENTRY_MASK, mask, ENTRY_BYTES);
}

static void write_entries(const struct sieve_choice *c,
                          const struct prefilter_sizes *s,
                          const struct prefilter_layout *l,
                          unsigned char *out) {
    for (size_t i = 0, end; i < c->count; i = end) {
        uint32_t hash = c->entries[i].hash;
        for (end = i; end < c->count && c->entries[end].hash == hash; end++) {
            const struct sieve_entry *e = &c->entries[end];
            put_entry(c, e, out + l->sieve_entries + 4 * ENTRY_WORDS * end);
            if (e->bytes == WIDE_BYTES)
                set_bit(out + l->wide_bits, hash >> (32 - s->wide_log2));
            else
                set_bit(out + l->sieve_bits, hash >> (32 - s->sieve_log2));
        }
        put_slot(out + l->sieve_slots, s->slot_log2, hash, (uint32_t)i,
                 (uint32_t)(end - i));
    }
}

static void set_tail(unsigned char *bits, uint32_t log2, uint32_t hash) {
    size_t at = tail_word(hash, log2);
    uint64_t word = long_at(bits, at) | tail_mask(hash);
    prefilter_put(bits, 2 * at, (uint32_t)word);
    prefilter_put(bits, 2 * at + 1, (uint32_t)(word >> 32));
}

/* Wherever a literal may be cut, the bytes before. */
static void write_tails(const struct sieve_choice *c,
                        const struct prefilter_sizes *s,
                        const struct prefilter_layout *l, unsigned char *out) {
    for (size_t i = 0, end; i < c->tail_count; i = end) {
        uint32_t hash = c->tails[i].hash;
        for (end = i; end < c->tail_count && c->tails[end].hash == hash;
             end++) {
            uint32_t word = c->tails[end].word;
            struct str literal = c->literals[TAIL_LITERAL(word)];
            prefilter_put(out + l->tails, end, word);
            set_tail(out + l->tail_bits, s->tail_log2,
                     tail_hash(literal.p + TAIL_BYTES(word)));
        }
        put_slot(out + l->tail_slots, s->tail_slot_log2, hash, (uint32_t)i,
                 (uint32_t)(end - i));
    }
}

void sieve_write(const struct sieve_choice *c, const struct prefilter_sizes *s,
                 const struct prefilter_layout *l, unsigned char *out) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < c->literal_count; i++) {
        struct str one = c->literals[i];
        prefilter_put(out + l->literal_from, i, at);
        if (one.n > 0)
            memcpy(out + l->literal_bytes + at, one.p, one.n);
        at += (uint32_t)one.n;
    }
    prefilter_put(out + l->literal_from, c->literal_count, at);
    write_entries(c, s, l, out);
    for (uint32_t i = 0; i < c->short_count; i++)
        prefilter_put(out + l->sieve_shorts, i, c->shorts[i]);
    write_near(c, out + l->sieve_near);
    write_tails(c, s, l, out);
}
