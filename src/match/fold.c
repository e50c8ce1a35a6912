/* fold.c: see fold.h. Sixteen bytes at a time, up to where blanks are left out
 * or a line ends. */
#include "match/fold.h"

#include <string.h>

#include "base/plain.h"
#include "base/sort.h"

void fold_clear(struct folded *f) {
    f->n = f->shift_count = 0;
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
static inline void note_shift(struct folded *f, size_t raw) {
    if (f->shift_count > 0) {
        const struct fold_shift *last = &f->shifts[f->shift_count - 1];
        if (last->raw - last->at == (uint32_t)(raw - f->n))
            return;
    }
    *ARENA_ADD(f->a, f->shifts, f->shift_count, f->shift_cap) =
        (struct fold_shift){(uint32_t)f->n, (uint32_t)raw};
}

/* What a colour may be whose ESC is lost: "[1;36m". */
static bool may_be_colour(struct str s) {
    size_t i = 1;
    while (i < s.n && i <= 3 && is_digit(s.p[i]))
        i++;
    return i > 1 && i < s.n && (s.p[i] == ';' || s.p[i] == 'm');
}

/* One of the bytes that are_special() finds. */
static bool is_odd(struct str s) {
    char next = s.n > 1 ? s.p[1] : '\0';
    switch (s.p[0]) {
    case '"': return next == ',' || next == '}';
    case '#': return next == '0';
    case '^': return next == '[' || next == 'M';
    case '[': return may_be_colour(s);
    default: return true;
    }
}

struct step { /* of PLAIN_STEP bytes; masks have a bit for each */
    plain_bytes folded;
    uint32_t blanks, newlines, special;
};

/* Quotes, '#', '[', '^' and backslashes, and what is not printable. */
static inline plain_bytes are_special(plain_bytes v) {
    plain_bytes bad = (v < ' ') & (v != '\t') & (v != '\n');
    return bad | ((v & ~1) == '"') | (v == '[') | ((v | 2) == '^') |
           (v == 0x7F);
}

static inline struct step look_at(const char *p) {
    plain_bytes v = plain_load(p);
    plain_bytes white = (v >= '\t') & (v <= '\r');
    plain_bytes folded = v + ((v >= 'A') & (v <= 'Z') & 32);
    folded = (folded & ~white) | (white & ' ');
    return (struct step){folded, plain_bits(folded == ' '),
                         plain_bits(v == '\n'), plain_bits(are_special(v))};
}

/* The bytes behind the text are none of it. */
static struct step look_at_last(const char *p, size_t n) {
    char bytes[PLAIN_STEP] = {0};
    memcpy(bytes, p, n);
    struct step step = look_at(bytes);
    step.special &= (UINT32_C(1) << n) - 1;
    return step;
}

/* Is one of these bytes odd? */
static bool has_odd_byte(struct str s, uint32_t special) {
    for (; special != 0; special &= special - 1)
        if (is_odd(str_slice(s, (size_t)__builtin_ctz(special), s.n)))
            return true;
    return false;
}

struct fold_end {
    size_t at;             /* behind what was folded */
    bool is_done, has_odd; /* its line has ended; as fold_line() says */
};

/* Over a run of blanks, of which one has been taken. */
static void skip_blanks(struct str text, bool is_line, struct fold_end *end) {
    while (end->at < text.n && fold_is_blank(text.p[end->at]) && !end->is_done) {
        char c = text.p[end->at++];
        end->has_odd = end->has_odd || !is_any(c, " \t\n");
        end->is_done = is_line && c == '\n';
    }
}

/* What stands in the way of a step: *count of its bytes are folded; the next
 * one is left out, or ends the line. */
static void fold_stop(struct folded *f, struct str text, size_t raw,
                      bool is_line, bool is_drop, struct fold_end *end) {
    if (!is_drop) {
        f->n++;
        end->at++;
        end->is_done = true;
        return;
    }
    skip_blanks(text, is_line, end);
    note_shift(f, raw + end->at);
}

static inline __attribute__((always_inline)) struct fold_end
fold(struct folded *f, struct str text, size_t raw, bool is_line) {
    struct fold_end end = {0};
    make_room(f, text.n + PLAIN_STEP);
    note_shift(f, raw);
    uint32_t has_blank = f->n > 0 && f->text[f->n - 1] == ' ';
    while (end.at < text.n && !end.is_done) {
        size_t left = text.n - end.at, count = PLAIN_STEP;
        const char *p = text.p + end.at;
        struct step s = left < PLAIN_STEP ? look_at_last(p, left) : look_at(p);
        uint32_t drops = s.blanks & (s.blanks << 1 | has_blank);
        uint32_t stops = is_line ? drops | s.newlines : drops;
        memcpy(f->text + f->n, &s.folded, sizeof s.folded);
        has_blank = s.blanks >> (PLAIN_STEP - 1);
        if (left >= PLAIN_STEP && (stops | (is_line ? s.special : 0)) == 0) {
            f->n += PLAIN_STEP;
            end.at += PLAIN_STEP;
            continue;
        }
        count = stops != 0         ? (size_t)__builtin_ctz(stops)
                : left < PLAIN_STEP ? left
                                    : PLAIN_STEP;
        s.special &= (UINT32_C(1) << count) - 1;
        if (is_line && s.special != 0 && !end.has_odd)
            end.has_odd = has_odd_byte((struct str){p, left}, s.special);
        f->n += count;
        end.at += count;
        if (stops == 0)
            continue;
        fold_stop(f, text, raw, is_line, (drops >> count & 1) != 0, &end);
        has_blank = 0;
    }
    return end;
}

size_t fold_line(struct folded *f, struct str text, size_t raw,
                 bool *has_odd) {
    struct fold_end end = fold(f, text, raw, true);
    *has_odd = end.has_odd;
    return end.at;
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
