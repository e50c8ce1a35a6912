/* sieve.c: a block of raw log, strip by strip.
 *
 *     strip --> breaks, suspects --> plain? --> grams --> literals
 *                                 \-> odd? --> its lines, cleaned: the same
 *
 * A strip with colours, control bytes or characters without width in it is
 * cleaned line by line first, as reading would; lines keep their order, so a
 * place in the copy is a line of the block.
 *
 * A gram that is met says which literals may stand there, and these are
 * compared byte by byte; a blank is any run of blanks. Their first bytes may be
 * missing, where a frame ends or a line begins: they may stand on the line
 * before. What is cut further behind is found at the break.
 */
#include "match/sieve_look.h"

#include <string.h>

#include "log/clean.h"
#include "log/cursor.h"
#include "log/frame.h"

#define STRIP (16 * 1024)
#define NOTED_BEFORE (STRIP / 2)
#define COPY_CEILING ((size_t)8 << 20)

struct sieve *sieve_new(struct arena *a, const struct prefilter *f) {
    prefilter_open_sieve(a, f);
    struct sieve *s = arena_alloc(a, sizeof *s);
    s->a = a;
    s->f = f;
    s->frames = frames_new(a);
    s->breaks.at = arena_array(a, STRIP + 8, sizeof(uint32_t));
    s->suspects.at = arena_array(a, STRIP + 8, sizeof(uint32_t));
    s->narrow.at = arena_array(a, STRIP / SIEVE_STRIDE + 8, sizeof(uint32_t));
    s->wide.at = arena_array(a, STRIP / SIEVE_STRIDE + 8, sizeof(uint32_t));
    s->shorts = arena_array(a, f->shorts / FEW_MAX + 1, sizeof *s->shorts);
    for (uint32_t i = 0; i < f->shorts; i++) {
        struct str literal = prefilter_literal(f, word_at(f->sieve_shorts, i));
        struct few one = {.n = (uint8_t)str_slice(literal, 0, FEW_BYTES).n};
        memcpy(one.bytes, literal.p, one.n);
        few_add(&s->shorts[i / FEW_MAX], one);
    }
    buf_init_in(&s->copy, a, COPY_CEILING);
    buf_init_in(&s->line, a, COPY_CEILING);
    return s;
}

static size_t line_start(struct str text, size_t at) {
    while (at > 0 && text.p[at - 1] != '\n')
        at--;
    return at;
}

/* ---- what was found ---- */

static size_t raw_line(const struct sieve *s, size_t copy) {
    size_t from = 0, to = s->line_count;
    while (to - from > 1) {
        size_t middle = from + (to - from) / 2;
        if (s->lines[middle].copy <= copy)
            from = middle;
        else
            to = middle;
    }
    return s->lines[from].raw;
}

void look_tell(const struct look *l, uint32_t literal, size_t at,
               bool is_whole) {
    size_t line = l->is_copy ? raw_line(l->s, at) : line_start(l->text, at);
    l->found(l->ctx, literal, line, is_whole && !l->is_copy);
}

/* ---- literals ---- */

/* Literal's bytes from `i` on at text's `at`. */
static bool goes_on(struct str text, size_t at, struct str literal, size_t i) {
    while (i < literal.n) {
        if (at >= text.n)
            return false;
        unsigned char c = fold_byte((unsigned char)text.p[at++]);
        if (c != (unsigned char)literal.p[i++])
            return false;
        while (c == ' ' && at < text.n && look_is_blank(text.p[at]))
            at++;
    }
    return true;
}

static size_t behind_blanks(struct str text, size_t at) {
    while (at < text.n && look_is_blank(text.p[at]))
        at++;
    return at;
}

/* Behind `\"`, `\n` or `\u0022`: what was escaped is one character. */
static bool is_behind_escape(struct str text, size_t at) {
    return (at > 0 && text.p[at - 1] == '\\') ||
           (at > 1 && text.p[at - 2] == '\\') ||
           (at > 5 && text.p[at - 6] == '\\' && text.p[at - 5] == 'u');
}

/* May the literal's first i bytes, that are not right before `at`, stand at the
 * end of another line? */
static bool may_stand_elsewhere(const struct look *l, size_t at,
                                struct str literal, size_t i) {
    if (is_behind_escape(l->text, at))
        return true;
    size_t begin = behind_blanks(l->text, at);
    return look_has_ended(l, begin, str_slice(literal, 0, i)) &&
           look_may_begin_line(l, begin) &&
           look_may_follow(l, begin, str_slice(literal, 0, i),
                           literal.p[i] == ' ' || literal.p[i - 1] == ' ');
}

enum comes { COMES_NOT, COMES_PARTLY, COMES_WHOLE };

/* Literal's first i bytes before text's `at`, or all that a cut may have left
 * on its line. */
static enum comes comes_from(const struct look *l, size_t at, struct str literal,
                       size_t i) {
    struct str text = l->text;
    while (i > 0) {
        bool may_miss = i <= SIEVE_LEAD && literal.n - i >= SIEVE_TAIL;
        char c = at > 0 ? (char)fold_byte((unsigned char)text.p[at - 1]) : 0;
        if (at == 0 || c != literal.p[i - 1])
            return may_miss && may_stand_elsewhere(l, at, literal, i)
                       ? COMES_PARTLY
                       : COMES_NOT;
        at--;
        i--;
        while (c == ' ' && at > 0 && look_is_blank(text.p[at - 1]))
            at--;
    }
    return COMES_WHOLE;
}

/* No newline near the literal's byte i at `at`, as far as it could reach? */
static bool is_in_line(struct str text, size_t at, struct str literal,
                       size_t i) {
    size_t from = at > i ? at - i : 0;
    struct str around = str_slice(text, from, literal.n);
    return str_find_char(around, '\n') == around.n &&
           str_find(around, STR("  ")) == around.n;
}

/* Most that have a literal's gram lack what stands round it. */
static bool may_be(const struct look *l, const unsigned char *entry,
                   size_t gram) {
    uint32_t back = word_at(entry, ENTRY_BACK);
    if (gram < back || l->text.n - gram < ENTRY_BYTES)
        return true;
    const unsigned char *p = (const unsigned char *)l->text.p + gram - back;
    uint64_t text = long_at(p, 0) | UINT64_C(0x2020202020202020);
    uint64_t value = long_at(entry + 4 * ENTRY_VALUE, 0);
    return ((text ^ value) & long_at(entry + 4 * ENTRY_MASK, 0)) == 0;
}

static void try_entry(const struct look *l, size_t gram, size_t number) {
    const struct prefilter *f = l->s->f;
    const unsigned char *entry = f->sieve_entries + 4 * ENTRY_WORDS * number;
    if (!may_be(l, entry, gram))
        return;
    uint32_t id = word_at(entry, ENTRY_LITERAL);
    int32_t place = (int32_t)word_at(entry, ENTRY_AT);
    struct str literal = prefilter_literal(f, id);
    size_t i = place < 0 ? 0 : (size_t)place;
    size_t at = place < 0 ? gram + 1 : gram;
    if (i > literal.n || !goes_on(l->text, at, literal, i))
        return;
    enum comes comes = comes_from(l, at, literal, i);
    if (comes != COMES_NOT)
        look_tell(l, id, at,
                  comes == COMES_WHOLE && is_in_line(l->text, at, literal, i));
}

static void try_gram(const struct look *l, size_t at, uint32_t hash) {
    const struct prefilter *f = l->s->f;
    uint32_t mask = (1u << f->slot_log2) - 1;
    uint32_t slot = hash >> (32 - f->slot_log2);
    for (uint32_t probe = 0; probe <= mask; probe++) {
        size_t row = 3 * (size_t)((slot + probe) & mask);
        uint32_t count = word_at(f->sieve_slots, row + 2);
        if (count == 0)
            return;
        if (word_at(f->sieve_slots, row) != hash)
            continue;
        for (uint32_t k = 0; k < count; k++)
            try_entry(l, at, word_at(f->sieve_slots, row + 1) + k);
        return;
    }
}

static void find_grams(const struct look *l, size_t from, size_t to) {
    struct sieve_places *narrow = &l->s->narrow, *wide = &l->s->wide;
    char bytes[WIDE_BYTES];
    narrow->count = wide->count = 0;
    sieve_find_grams(l->s->f, l->text, from, to, narrow, wide);
    for (size_t i = 0; i < narrow->count; i++) {
        size_t at = narrow->at[i];
        try_gram(l, at, narrow_hash(sieve_bytes(l->text, at, bytes)));
    }
    for (size_t i = 0; i < wide->count; i++) {
        size_t at = wide->at[i];
        try_gram(l, at, wide_hash(sieve_bytes(l->text, at, bytes)));
    }
}

/* Literals too short for a gram, so many of them from `first` on. */
static void find_shorts(const struct look *l, uint32_t first, size_t from,
                        size_t to) {
    const struct prefilter *f = l->s->f;
    uint32_t end = f->shorts - first < FEW_MAX ? f->shorts : first + FEW_MAX;
    for (size_t at = from; at < to; at++) {
        at = sieve_find_few(l->text, at, to, &l->s->shorts[first / FEW_MAX]);
        for (uint32_t i = first; i < end && at < to; i++) {
            uint32_t id = word_at(f->sieve_shorts, i);
            struct str literal = prefilter_literal(f, id);
            if (goes_on(l->text, at, literal, 0))
                look_tell(l, id, at, is_in_line(l->text, at, literal, 0));
        }
    }
}

/* ---- strips ---- */

/* A character that cleaning takes out or makes another. */
static bool is_odd_character(struct str text, size_t at) {
    struct str s = str_slice(text, at, 4);
    unsigned char next = s.n > 1 ? (unsigned char)s.p[1] : 0;
    if ((unsigned char)s.p[0] == 0xC2)
        return next <= 0xA0;
    bool is_nothing = str_starts(s, STR("\xE2\x80\x8B")) ||
                      str_starts(s, STR("\xEF\xBB\xBF"));
    bool is_escape = str_starts(s, STR("\xE2\x90\x9B[")) ||
                     str_starts(s, STR("\xEF\xBF\xBD["));
    return is_nothing || is_escape;
}

static bool is_odd(struct str text, const struct sieve_places *suspects) {
    for (size_t i = 0; i < suspects->count; i++) {
        size_t at = suspects->at[i];
        bool is_ascii = (unsigned char)text.p[at] < 0x80;
        if (is_ascii ? clean_is_special(text, at)
                     : is_odd_character(text, at))
            return true;
    }
    return false;
}

static bool has_written_escape(struct str text,
                               const struct sieve_places *breaks) {
    for (size_t i = 0; i < breaks->count; i++)
        if (text.p[breaks->at[i]] == '\\' &&
            clean_is_special(text, breaks->at[i]))
            return true;
    return false;
}

static void look_at_plain(const struct look *l, size_t from, size_t to) {
    look_note_ends(l->s, l->text);
    look_at_breaks(l);
    find_grams(l, from, to);
    for (uint32_t i = 0; i < l->s->f->shorts; i += FEW_MAX)
        find_shorts(l, i, from, to);
}

static void copy_line(struct sieve *s, struct str text, size_t from,
                      size_t to) {
    s->lines = arena_grow(s->a, s->lines, s->line_count, &s->line_cap,
                          sizeof *s->lines);
    s->lines[s->line_count++] = (struct line_pair){s->copy.n, from};
    while (from < to) {
        struct str rest = {text.p + from, to - from};
        size_t n = str_find_char(rest, '\r');
        n = n < rest.n ? n : str_find_char(rest, '\n');
        buf_add(&s->copy, clean_line(str_slice(rest, 0, n), &s->line));
        if (n < rest.n)
            buf_add_char(&s->copy, rest.p[n]);
        from += n + 1;
    }
}

/* The lines of text[from, to), one before and some behind, cleaned. */
static void look_at_odd(const struct look *raw, size_t from, size_t to) {
    struct sieve *s = raw->s;
    struct str text = raw->text;
    size_t at = line_start(text, from);
    at = at > 0 ? line_start(text, at - 1) : 0;
    size_t end = text.n - to > LOOK_AHEAD ? to + LOOK_AHEAD : text.n;
    buf_clear(&s->copy);
    s->line_count = 0;
    look_forget(s, 0);
    size_t stop = 0;
    while (at < end) {
        size_t next = look_next_line(text, at);
        copy_line(s, text, at, next);
        at = next;
        stop = stop == 0 && at >= to ? s->copy.n : stop;
    }
    struct look copy = *raw;
    copy.is_copy = true;
    copy.text = buf_str(&s->copy);
    for (size_t i = 0; i < stop; i += STRIP) {
        size_t n = stop - i < STRIP ? stop - i : STRIP;
        s->breaks.count = s->suspects.count = 0;
        sieve_find_breaks(copy.text, i, i + n, &s->breaks, &s->suspects);
        look_at_plain(&copy, i, i + n);
    }
    look_forget(s, to);
}

void sieve_look(struct sieve *s, struct str text, size_t from, size_t to,
                sieve_fn found, void *ctx) {
    struct look l = {.s = s, .text = text, .found = found, .ctx = ctx};
    look_forget(s, from > NOTED_BEFORE ? from - NOTED_BEFORE : 0);
    s->breaks.count = s->suspects.count = 0;
    sieve_find_breaks(text, s->noted_from, from, &s->breaks, &s->suspects);
    look_note_ends(s, text);
    for (size_t end; from < to; from = end) {
        end = to - from < STRIP ? to : from + STRIP;
        s->breaks.count = s->suspects.count = 0;
        bool odd = sieve_find_breaks(text, from, end, &s->breaks,
                                     &s->suspects);
        if (odd || is_odd(text, &s->suspects) ||
            has_written_escape(text, &s->breaks))
            look_at_odd(&l, from, end);
        else
            look_at_plain(&l, from, end);
    }
    if (!buf_ok(&s->copy) || !buf_ok(&s->line))
        arena_raise(s->a, FAIL_MEMORY, "out of memory while reading a log");
}
