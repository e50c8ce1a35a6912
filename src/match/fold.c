/* fold.c: see fold.h. STEP bytes at a time, by loops over bytes that compilers
 * turn into what the machine has; of each step a word of bits says where lines
 * end, where blanks stand and where something odd may be. */
#include "match/fold.h"

#include <string.h>

#include "base/plain.h"
#include "base/sort.h"

#define STEP 64
#define TOP_BIT (UINT64_C(1) << (STEP - 1))

void fold_clear(struct folded *f) {
    f->n = f->shift_count = f->line_count = 0;
}

struct str fold_str(const struct folded *f) {
    return (struct str){f->text, f->n};
}

static void make_room(struct folded *f, size_t n) {
    size_t needed = f->n + n + FOLD_SLACK;
    if (needed <= f->cap)
        return;
    size_t cap = f->cap > 0 ? 2 * f->cap : 1024;
    cap = cap > needed ? cap : needed;
    char *text = arena_room(f->a, cap);
    if (f->n > 0)
        memcpy(text, f->text, f->n);
    f->text = text;
    f->cap = cap;
}

/* Only where it says more than the one before. */
static inline void note_shift(struct folded *f, size_t at, size_t raw) {
    if (f->shift_count > 0) {
        const struct fold_shift *last = &f->shifts[f->shift_count - 1];
        if (last->raw - last->at == (uint32_t)(raw - at))
            return;
    }
    *ARENA_ADD(f->a, f->shifts, f->shift_count, f->shift_cap) =
        (struct fold_shift){(uint32_t)at, (uint32_t)raw};
}

/* ---- lines ---- */

struct folded_line *fold_line(struct folded *f, size_t at, size_t raw) {
    size_t end = f->n - (f->n > at && f->text[f->n - 1] == ' ');
    struct folded_line *l =
        ARENA_ADD(f->a, f->lines, f->line_count, f->line_cap);
    *l = (struct folded_line){.at = (uint32_t)at, .end = (uint32_t)end,
                              .raw = (uint32_t)raw};
    return l;
}

static void drop_shifts(struct folded *f, size_t from) {
    while (f->shift_count > 0 && f->shifts[f->shift_count - 1].at >= from)
        f->shift_count--;
}

void fold_drop_line(struct folded *f) {
    f->n = f->lines[--f->line_count].at;
    drop_shifts(f, f->n);
}

/* ---- steps ---- */

/* What a step has. Newlines: a bit for each. The others: anywhere in it. odd: by
 * the byte and the one behind it, the line may be. */
struct step {
    uint64_t newlines;
    bool has_odd, has_run;
};

PLAIN_INLINE bool is_white(signed char c) {
    return (unsigned char)(c - '\t') <= '\r' - '\t';
}

/* Bytes beyond ASCII are negative. */
PLAIN_INLINE bool may_be_odd(signed char c, signed char next) {
    bool is_usual_white = (unsigned char)(c - '\t') <= '\n' - '\t';
    bool is_control = ((signed char)(c + 1) <= ' ') & !is_usual_white;
    bool may_be_end = ((c & ~1) == '"') &
                      ((next == ',') | (next == '}') | (next == '0'));
    bool may_be_colour =
        ((unsigned char)(c - '0') <= ';' - '0') & (next == 'm');
    return is_control | ((c | 2) == '^') | may_be_end | may_be_colour;
}

/* One byte behind the step is read. */
PLAIN_INLINE struct step fold_step(const char *restrict p,
                                           char *restrict out) {
    char newline[STEP];
    char odd = 0, run = 0;
    for (size_t i = 0; i < STEP; i++) {
        signed char c = (signed char)p[i], next = (signed char)p[i + 1];
        signed char large = (signed char)-((unsigned char)(c - 'A') <= 25);
        signed char white = (signed char)-is_white(c);
        char small = (char)((c & ~white) | ((large | white) & ' '));
        out[i] = small;
        newline[i] = (char)-(c == '\n');
        run |= (char)-((small == ' ') & ((unsigned char)next <= ' '));
        odd |= (char)-may_be_odd(c, next);
    }
    return (struct step){plain_flags(newline), odd != 0, run != 0};
}

/* A bit for each byte of the step that may be odd. */
static uint64_t odd_bits(const char *p) {
    char odd[STEP];
    for (size_t i = 0; i < STEP; i++)
        odd[i] = (char)-may_be_odd((signed char)p[i], (signed char)p[i + 1]);
    return plain_flags(odd);
}

static uint64_t blank_bits(const char *folded) {
    char blank[STEP];
    for (size_t i = 0; i < STEP; i++)
        blank[i] = (char)-(folded[i] == ' ');
    return plain_flags(blank);
}

static inline uint64_t first_bits(size_t count) {
    return count < STEP ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

static inline size_t first_of(uint64_t bits) {
    return (size_t)__builtin_ctzll(bits);
}

/* ---- what cleaning changes, escapes, ends of strings ---- */

/* Is byte i the last one before the m of a colour whose ESC is lost:
 * "[1;36m"? */
static bool is_colour(struct str s, size_t i) {
    while (i > 0 && (is_digit(s.p[i]) || s.p[i] == ';'))
        i--;
    return s.p[i] == '[';
}

static bool is_odd(struct str s, size_t i) {
    char next = i + 1 < s.n ? s.p[i + 1] : '\0';
    switch (s.p[i]) {
    case '"': return next == ',' || next == '}';
    case '#': return next == '0';
    case '^': return next == '[' || next == 'M';
    default: return s.p[i] < '0' || s.p[i] > ';' || is_colour(s, i);
    }
}

/* ---- folding ---- */

struct folding {
    struct folded *f;
    struct str text;
    size_t raw, at;        /* of the text; in it, where the step begins */
    size_t line, line_raw; /* where the line began, folded and not */
    bool has_odd, is_done; /* the line; it has ended, too */
};

/* So much of the `count` bytes of the step at p stands up to the end of a line
 * that is odd. */
static size_t up_to_odd(struct folding *w, const char *p, uint64_t newlines,
                        size_t count) {
    uint64_t odd = w->has_odd ? 1 : odd_bits(p) & first_bits(count);
    while (odd != 0 && !w->has_odd && !is_odd(w->text, w->at + first_of(odd)))
        odd &= odd - 1;
    uint64_t ends = newlines & first_bits(count) & -(odd & -odd);
    w->has_odd = odd != 0;
    w->is_done = ends != 0;
    return w->is_done ? first_of(ends) + 1 : count;
}

/* Leaves these bytes out of the step that stands behind the folded text. */
static inline void squeeze(struct folding *w, uint64_t drops) {
    size_t at = w->f->n, raw = w->raw + w->at;
    while (drops != 0) {
        uint64_t run = drops >> first_of(drops);
        size_t gone = first_of(~run | TOP_BIT);
        char tail[STEP];
        at += first_of(drops);
        raw += first_of(drops) + gone;
        drops = run >> gone;
        memcpy(tail, w->f->text + at + gone, STEP);
        memcpy(w->f->text + at, tail, STEP);
        note_shift(w->f, at, raw);
    }
}

/* Of the step, which begins at folded n. */
static inline void add_lines(struct folding *w, size_t n, uint64_t ends,
                             uint64_t drops) {
    struct folded *f = w->f;
    for (; ends != 0; ends &= ends - 1) {
        size_t i = first_of(ends) + 1, end = n + i;
        if (drops != 0)
            end -= (size_t)__builtin_popcountll(drops & first_bits(i));
        *ARENA_ADD(f->a, f->lines, f->line_count, f->line_cap) =
            (struct folded_line){.at = (uint32_t)w->line,
                                 .end = (uint32_t)(end - (end > w->line)),
                                 .raw = (uint32_t)w->line_raw,
                                 .is_plain = true, .is_simple = true};
        w->line = end;
        w->line_raw = w->raw + w->at + i;
    }
}

/* The text's last step, and nothing behind it. */
static const char *last_step(struct str text, char bytes[STEP + PLAIN_STEP]) {
    memset(bytes, 0, STEP + PLAIN_STEP);
    memcpy(bytes, text.p, text.n);
    return bytes;
}

PLAIN_INLINE size_t fold(struct folded *f, struct str text, size_t raw,
                         bool is_by_line) {
    struct folding w = {.f = f, .text = text, .raw = raw, .line = f->n,
                        .line_raw = raw};
    bool has_blank = f->n > 0 && f->text[f->n - 1] == ' ';
    char last[STEP + PLAIN_STEP];
    make_room(f, text.n + 2 * STEP);
    note_shift(f, f->n, raw);
    while (w.at < text.n && !w.is_done) {
        size_t n = f->n, count = text.n - w.at;
        const char *p = text.p + w.at;
        if (count <= STEP)
            p = last_step(str_from(text, w.at), last);
        else
            count = STEP;
        struct step s = fold_step(p, f->text + n);
        if (is_by_line && (s.has_odd || w.has_odd))
            count = up_to_odd(&w, p, s.newlines, count);
        uint64_t drops = 0;
        if (s.has_run || (has_blank && f->text[n] == ' ')) {
            uint64_t blanks = blank_bits(f->text + n);
            drops = blanks & (blanks << 1 | has_blank) & first_bits(count);
        }
        has_blank = f->text[n + STEP - 1] == ' ';
        if (drops != 0)
            squeeze(&w, drops);
        f->n = n + count - (size_t)__builtin_popcountll(drops);
        if (is_by_line)
            add_lines(&w, n, s.newlines & first_bits(count), drops);
        w.at += count;
    }
    if (is_by_line && w.line_raw < raw + w.at)
        fold_line(f, w.line, w.line_raw)->is_plain = true;
    if (is_by_line && f->line_count > 0)
        f->lines[f->line_count - 1].is_simple = !w.has_odd;
    return w.at;
}

static size_t fold_lines_any(struct folded *f, struct str text, size_t raw) {
    return fold(f, text, raw, true);
}

PLAIN_WIDE static size_t fold_lines_wide(struct folded *f, struct str text,
                                         size_t raw) {
    return fold(f, text, raw, true);
}

size_t fold_lines(struct folded *f, struct str text, size_t raw) {
    return PLAIN_HAS_WIDE ? fold_lines_wide(f, text, raw)
                          : fold_lines_any(f, text, raw);
}

void fold_add(struct folded *f, struct str text, size_t raw) {
    fold(f, text, raw, false);
    memset(f->text + f->n, 0, FOLD_SLACK);
}

void fold_blank(struct folded *f) {
    make_room(f, 1);
    if (f->n > 0 && f->text[f->n - 1] != ' ')
        f->text[f->n++] = ' ';
    memset(f->text + f->n, 0, FOLD_SLACK);
}

static uint64_t shift_at(const void *shifts, size_t i) {
    return ((const struct fold_shift *)shifts)[i].at;
}

size_t fold_raw(const struct folded *f, size_t at) {
    const struct fold_shift *s =
        &f->shifts[last_up_to(f->shifts, f->shift_count, shift_at, at)];
    return s->raw + (at - s->at);
}
