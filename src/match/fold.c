/* fold.c: see fold.h.
 *
 *     text  --fold_step()-->  64 bytes in small letters; bits of their
 *                             newlines, blanks and odd bytes
 *           --fold_next()-->  of a step with a run of blanks the bytes up to
 *                             its end are taken; lines are noted
 */
#include "match/fold.h"

#include <string.h>

#include "base/plain.h"
#include "base/sort.h"

#define EACH PLAIN_EACH
#define STEP (2 * PLAIN_LONG_STEP)
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

/* A shift that is the same as the last one is not noted. */
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

void fold_drop_line(struct folded *f) {
    f->n = f->lines[--f->line_count].at;
}

const char *fold_line_place(const struct folded *f, const struct folded_line *l,
                            struct str line, size_t at) {
    bool is_blank = l->at > 0 && f->text[l->at - 1] == ' ';
    size_t i = 0, left = at - l->at;
    for (; i < line.n && left > 0; i++) {
        bool was_blank = is_blank;
        is_blank = fold_is_blank(line.p[i]);
        left -= !(was_blank && is_blank);
    }
    while (i < line.n && is_blank && fold_is_blank(line.p[i]))
        i++;
    return line.p + i;
}

/* ---- steps ---- */

struct step { /* bits of bytes of the text, the first one lowest */
    uint64_t newlines, blanks;
    uint64_t odds; /* bytes that may make their line odd */
};

/* Marks bytes that may make their line odd. next: the bytes behind each. Bytes
 * beyond ASCII are negative. */
PLAIN_INLINE void mark_odd(const plain_long *bytes, const plain_long *next,
                           plain_long *odd) {
    plain_long c = *bytes, n = *next;
    plain_long is_control =
        ((c < EACH(' ')) ^ ((c == EACH('\t')) | (c == EACH('\n')))) |
        (c == EACH('\x7F'));
    plain_long may_be_end =
        ((c & EACH(0x7E)) == EACH('"')) &
        ((n == EACH(',')) | (n == EACH('}')) | (n == EACH('0')));
    plain_long may_be_colour =
        (c > EACH('/')) & (c < EACH('<')) & (n == EACH('m'));
    *odd = is_control | ((c | EACH(2)) == EACH('^')) | may_be_end |
           may_be_colour;
}

/* Folds half a step. One byte behind it is read. */
PLAIN_INLINE void fold_half(const char *p, char *out, unsigned shift,
                            bool is_wide, struct step *step) {
    plain_long c, next, odd;
    memcpy(&c, p, sizeof c);
    memcpy(&next, p + 1, sizeof next);
    plain_long is_white = (c > EACH(8)) & (c < EACH(14));
    plain_long is_large = (c > EACH('@')) & (c < EACH('['));
    plain_long is_newline = c == EACH('\n');
    plain_long change = ((c ^ EACH(' ')) & is_white) | (EACH(' ') & is_large);
    plain_long small = c ^ change;
    plain_long is_blank = small == EACH(' ');
    mark_odd(&c, &next, &odd);
    memcpy(out, &small, sizeof small);
    step->newlines |= (uint64_t)plain_long_bits(&is_newline, is_wide) << shift;
    step->blanks |= (uint64_t)plain_long_bits(&is_blank, is_wide) << shift;
    step->odds |= (uint64_t)plain_long_bits(&odd, is_wide) << shift;
}

PLAIN_INLINE struct step fold_step(const char *p, char *out, bool is_wide) {
    struct step step = {0, 0, 0};
    fold_half(p, out, 0, is_wide, &step);
    fold_half(p + STEP / 2, out + STEP / 2, STEP / 2, is_wide, &step);
    return step;
}

static inline uint64_t first_bits(size_t count) {
    return count < STEP ? (UINT64_C(1) << count) - 1 : UINT64_MAX;
}

static inline size_t first_of(uint64_t bits) {
    return (size_t)__builtin_ctzll(bits);
}

/* ---- what cleaning changes, escapes, ends of strings ---- */

/* True if byte i is the last one before the m of a colour whose ESC is lost,
 * "[1;36m". */
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
    size_t raw;            /* place of the text */
    size_t at;             /* bytes of it that are folded */
    size_t line, line_raw; /* where the line began, folded and not */
    bool has_odd, is_done; /* the line is odd; an odd line has ended */
    bool has_blank;        /* the last folded byte is a blank */
};

/* `count`, or fewer bytes if an odd line ends within them. */
static size_t up_to_odd(struct folding *w, const struct step *step,
                        size_t count) {
    uint64_t odd = w->has_odd ? 1 : step->odds & first_bits(count);
    while (odd != 0 && !w->has_odd && !is_odd(w->text, w->at + first_of(odd)))
        odd &= odd - 1;
    uint64_t ends = step->newlines & first_bits(count) & -(odd & -odd);
    w->has_odd = odd != 0;
    w->is_done = ends != 0;
    return w->is_done ? first_of(ends) + 1 : count;
}

/* Notes the lines that end in the next bytes, of which `kept` are appended.
 * ends: a bit for each. */
PLAIN_INLINE void add_lines(struct folding *w, uint64_t ends, size_t kept) {
    struct folded *f = w->f;
    for (; ends != 0; ends &= ends - 1) {
        size_t i = first_of(ends) + 1, end = f->n + (i < kept ? i : kept);
        *ARENA_ADD(f->a, f->lines, f->line_count, f->line_cap) =
            (struct folded_line){.at = (uint32_t)w->line,
                                 .end = (uint32_t)(end - (end > w->line)),
                                 .raw = (uint32_t)w->line_raw,
                                 .is_plain = true, .is_simple = true};
        w->line = end;
        w->line_raw = w->raw + w->at + i;
    }
}

/* Folds a step at p of `count` bytes: up to the end of its first run of blanks,
 * of which one is kept, or up to the end of an odd line. */
PLAIN_INLINE void fold_next(struct folding *w, const char *p, size_t count,
                            bool is_by_line, bool is_wide) {
    struct folded *f = w->f;
    struct step step = fold_step(p, f->text + f->n, is_wide);
    uint64_t drops = step.blanks & (step.blanks << 1 | w->has_blank);
    size_t kept = count;
    if ((drops &= first_bits(count)) != 0) {
        kept = first_of(drops);
        count = kept + first_of(~(drops >> kept) | TOP_BIT);
    }
    if (is_by_line && (w->has_odd || step.odds != 0))
        count = up_to_odd(w, &step, count);
    kept = kept < count ? kept : count;
    if (is_by_line)
        add_lines(w, step.newlines & first_bits(count), kept);
    w->has_blank = (step.blanks >> (count - 1) & 1) != 0;
    w->at += count;
    f->n += kept;
    if (!is_by_line && kept < count)
        note_shift(f, f->n, w->raw + w->at);
}

/* Folds the text's last step. */
PLAIN_INLINE void fold_last(struct folding *w, bool is_by_line,
                            bool is_wide) {
    struct str rest = str_from(w->text, w->at);
    char bytes[STEP + 1] = {0};
    memcpy(bytes, rest.p, rest.n);
    fold_next(w, bytes, rest.n, is_by_line, is_wide);
}

PLAIN_INLINE size_t fold_all(struct folded *f, struct str text, size_t raw,
                             bool is_by_line, bool is_wide) {
    struct folding w = {.f = f, .text = text, .raw = raw, .line = f->n,
                        .line_raw = raw,
                        .has_blank = f->n > 0 && f->text[f->n - 1] == ' '};
    make_room(f, text.n + STEP);
    if (!is_by_line)
        note_shift(f, f->n, raw);
    while (!w.is_done && w.at + STEP < text.n)
        fold_next(&w, text.p + w.at, STEP, is_by_line, is_wide);
    while (!w.is_done && w.at < text.n)
        fold_last(&w, is_by_line, is_wide);
    if (is_by_line && w.line_raw < raw + w.at)
        fold_line(f, w.line, w.line_raw)->is_plain = true;
    if (is_by_line && f->line_count > 0)
        f->lines[f->line_count - 1].is_simple = !w.has_odd;
    return w.at;
}

static size_t fold_any(struct folded *f, struct str text, size_t raw,
                       bool is_by_line) {
    return fold_all(f, text, raw, is_by_line, false);
}

PLAIN_WIDE static size_t fold_wide(struct folded *f, struct str text,
                                   size_t raw, bool is_by_line) {
    return fold_all(f, text, raw, is_by_line, true);
}

static size_t fold(struct folded *f, struct str text, size_t raw,
                   bool is_by_line) {
    return PLAIN_HAS_WIDE ? fold_wide(f, text, raw, is_by_line)
                          : fold_any(f, text, raw, is_by_line);
}

size_t fold_lines(struct folded *f, struct str text, size_t raw) {
    return fold(f, text, raw, true);
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
