/* fold.c: see fold.h. Sixteen bytes at a time where no run of blanks is. */
#include "match/fold.h"

#include <string.h>

#include "log/plain.h"

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

static inline void note_shift(struct folded *f, size_t raw) {
    if (f->shift_count == f->shift_cap)
        f->shifts = arena_grow(f->a, f->shifts, f->shift_count, &f->shift_cap,
                               sizeof *f->shifts);
    f->shifts[f->shift_count++] =
        (struct fold_shift){(uint32_t)f->n, (uint32_t)raw};
}

static inline plain_bytes fold_bytes(plain_bytes v) {
    return v + ((v >= 'A') & (v <= 'Z') & 32);
}

/* Bytes that mean something to cleaning, or do with the next one, and those of
 * JSON. */
static inline plain_bytes are_odd(plain_bytes v, plain_bytes next) {
    return ((v == '[') & (next >= '0') & (next <= '9')) |
           ((v == '#') & (next == '0')) | ((v == '^') & (next == '[')) |
           (v == '\\') | (v == '"');
}

static bool is_odd(char c) {
    return (c < ' ' && c != '\t') || c == 0x7F || c == '[' || c == '\\' ||
           c == '^' || c == '#' || c == '"';
}

static char fold_char(char c) {
    return (char)fold_byte((unsigned char)c);
}

static bool is_blank(char c) {
    return fold_char(c) == ' ';
}

/* Folds PLAIN_STEP bytes, behind which one more stands; false: a run of blanks
 * is in them, or what is not printable. */
static inline bool fold_step(char *out, const char *p, plain_bytes *odd) {
    plain_bytes v = plain_load(p), next = plain_load(p + 1);
    plain_bytes runs = (v == ' ') & (next == ' ');
    if (plain_any(runs | plain_is_unprintable(v)))
        return false;
    *odd |= are_odd(v, next);
    v = fold_bytes(v);
    memcpy(out, &v, sizeof v);
    return true;
}

/* Folds text's first bytes, and says how many: up to a run of blanks, of which
 * one is taken, or where it pays to begin anew. */
static size_t fold_piece(char *out, struct str text, bool *has_odd) {
    size_t i = 0, stop;
    plain_bytes odd = {0};
    while (i + PLAIN_STEP < text.n && fold_step(out + i, text.p + i, &odd))
        i += PLAIN_STEP;
    size_t last = text.n - PLAIN_STEP - 1; /* what ends there, once more */
    if (i > 0 && i + PLAIN_STEP >= text.n &&
        fold_step(out + last, text.p + last, &odd))
        i = text.n - 1;
    *has_odd = *has_odd || plain_any(odd);
    stop = text.n - i > PLAIN_STEP ? i + PLAIN_STEP : text.n;
    for (; i < stop; i++) {
        if (i > 0 && out[i - 1] == ' ' && is_blank(text.p[i]))
            break;
        *has_odd = *has_odd || is_odd(text.p[i]);
        out[i] = fold_char(text.p[i]);
    }
    return i;
}

void fold_blank(struct folded *f) {
    make_room(f, 1);
    if (f->n > 0 && f->text[f->n - 1] != ' ')
        f->text[f->n++] = ' ';
    memset(f->text + f->n, 0, FOLD_SLACK);
}

bool fold_add(struct folded *f, struct str text, size_t raw) {
    bool is_shifted = true, has_odd = false;
    make_room(f, text.n);
    for (size_t i = 0; i < text.n;) {
        if (f->n > 0 && f->text[f->n - 1] == ' ' && is_blank(text.p[i])) {
            has_odd = has_odd || is_odd(text.p[i]);
            is_shifted = true;
            i++;
            continue;
        }
        if (is_shifted)
            note_shift(f, raw + i);
        is_shifted = false;
        size_t n = fold_piece(f->text + f->n, str_slice(text, i, text.n),
                              &has_odd);
        f->n += n;
        i += n;
    }
    memset(f->text + f->n, 0, FOLD_SLACK);
    return !has_odd;
}

size_t fold_raw(const struct folded *f, size_t at) {
    size_t from = 0, to = f->shift_count;
    while (to - from > 1) {
        size_t middle = from + (to - from) / 2;
        if (f->shifts[middle].at <= at)
            from = middle;
        else
            to = middle;
    }
    return f->shifts[from].raw + (at - f->shifts[from].at);
}
