/* fold.c: see fold.h.
 *
 *     text  --read_block()-->  small letters; bits of newlines, and of steps
 *                              that may have a run of blanks or odd bytes
 *           --fold()-------->  plain steps are copied; blanks are dropped from
 *                              the others; lines are noted
 *
 * A block is read by loops over bytes, which compilers turn into vector
 * instructions of the machine. */
#include "match/fold.h"

#include <string.h>

#include "base/plain.h"
#include "base/sort.h"

#define STEP FOLD_STEP
#define TOP_BIT (UINT64_C(1) << (STEP - 1))

void fold_clear(struct folded *f) {
    if (f->raw)
        f->raw->from = NULL;
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

PLAIN_INLINE bool is_white(unsigned char c) {
    return (unsigned char)(c - '\t') <= '\r' - '\t';
}

/* True if the byte may make its line odd. Bytes beyond ASCII are negative. */
PLAIN_INLINE int may_be_odd(signed char c, signed char next) {
    bool is_usual_white = (unsigned char)(c - '\t') <= '\n' - '\t';
    bool is_control = ((signed char)(c + 1) <= ' ') & !is_usual_white;
    bool may_be_end = ((c & ~1) == '"') &
                      ((next == ',') | (next == '}') | (next == '0'));
    bool may_be_colour =
        ((unsigned char)(c - '0') <= ';' - '0') & (next == 'm');
    return is_control | ((c | 2) == '^') | may_be_end | may_be_colour;
}

PLAIN_INLINE char fold_char(signed char c) {
    signed char large = (signed char)-((unsigned char)(c - 'A') <= 25);
    signed char white = (signed char)-is_white((unsigned char)c);
    return (char)((c & ~white) | ((large | white) & ' '));
}

/* True if a run of blanks may begin. small: folded; next: the byte behind it,
 * not folded. */
PLAIN_INLINE int may_run(char small, char next) {
    return (small == ' ') & ((unsigned char)next <= ' ');
}

/* Folds the step at p, both halves at once. *newlines: a bit for each. True if
 * it may have a run of blanks. One byte behind the step is read. */
PLAIN_INLINE bool fold_step(const char *restrict p, char *restrict out,
                            uint64_t *newlines) {
    char newline[STEP];
    plain_long flags;
    char run[STEP / 2];
    for (size_t i = 0; i < STEP / 2; i++) {
        const char *low = p + i, *high = p + STEP / 2 + i;
        out[i] = fold_char((signed char)low[0]);
        out[STEP / 2 + i] = fold_char((signed char)high[0]);
        newline[i] = (char)-(low[0] == '\n');
        newline[STEP / 2 + i] = (char)-(high[0] == '\n');
        run[i] = (char)-(may_run(out[i], low[1]) |
                         may_run(out[STEP / 2 + i], high[1]));
    }
    *newlines = plain_flags(newline);
    memcpy(&flags, run, sizeof flags);
    return plain_long_bits(&flags) != 0;
}

PLAIN_INLINE bool step_may_be_odd(const char *p) {
    plain_long flags;
    char odd[STEP / 2];
    for (size_t i = 0; i < STEP / 2; i++) {
        const signed char *low = (const signed char *)p + i;
        const signed char *high = low + STEP / 2;
        odd[i] = (char)-(may_be_odd(low[0], low[1]) |
                         may_be_odd(high[0], high[1]));
    }
    memcpy(&flags, odd, sizeof flags);
    return plain_long_bits(&flags) != 0;
}

/* A copy of the text's last step, with zeros behind it. */
static const char *last_step(struct str text, char bytes[STEP + PLAIN_STEP]) {
    memset(bytes, 0, STEP + PLAIN_STEP);
    memcpy(bytes, text.p, text.n);
    return bytes;
}

PLAIN_INLINE void read_block(struct fold_block *b, struct str text) {
    char bytes[STEP + PLAIN_STEP];
    size_t steps = (text.n - 1) / STEP; /* without the last one */
    b->runs = b->odds = 0;
    for (size_t i = 0; i < steps; i++) {
        bool has_run = fold_step(text.p + i * STEP, b->small + i * STEP,
                                 &b->newlines[i]);
        b->runs |= (uint64_t)has_run << i;
    }
    for (size_t i = 0; i < steps; i++)
        b->odds |= (uint64_t)step_may_be_odd(text.p + i * STEP) << i;
    if (steps == FOLD_STEPS)
        return;
    const char *last = last_step(str_from(text, steps * STEP), bytes);
    bool has_run =
        fold_step(last, b->small + steps * STEP, &b->newlines[steps]);
    b->runs |= (uint64_t)has_run << steps;
    b->odds |= (uint64_t)step_may_be_odd(last) << steps;
}

/* Reads a block that begins with the text, unless this one holds its first
 * byte. */
PLAIN_INLINE void find_block(struct fold_block *b, struct str text) {
    size_t most = (size_t)FOLD_STEPS * STEP;
    if (b->from && text.p >= b->from && text.p < b->from + b->n)
        return;
    b->from = text.p;
    b->n = text.n < most ? text.n : most;
    text.n = text.n > most ? most + 1 : text.n;
    read_block(b, text);
}

static struct fold_block *block_of(struct arena *a, struct fold_block **block) {
    if (!*block)
        *block = arena_alloc(a, sizeof **block);
    return *block;
}

/* A bit for each of the text's first bytes that may be odd. */
static uint64_t odd_bits(struct str text) {
    char odd[STEP], bytes[STEP + PLAIN_STEP];
    const char *p = text.n > STEP ? text.p : last_step(text, bytes);
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
static size_t up_to_odd(struct folding *w, uint64_t newlines, size_t count) {
    struct str rest = str_from(w->text, w->at);
    uint64_t odd = w->has_odd ? 1 : odd_bits(rest) & first_bits(count);
    while (odd != 0 && !w->has_odd && !is_odd(w->text, w->at + first_of(odd)))
        odd &= odd - 1;
    uint64_t ends = newlines & first_bits(count) & -(odd & -odd);
    w->has_odd = odd != 0;
    w->is_done = ends != 0;
    return w->is_done ? first_of(ends) + 1 : count;
}

/* Copies by vectors: gcc makes a loop of memcpy(), which is slow for few bytes.
 */
PLAIN_INLINE void copy_step(char *restrict out, const char *restrict from) {
#pragma GCC unroll 4
    for (size_t i = 0; i < STEP; i += PLAIN_STEP) {
        plain_bytes v = plain_load(from + i);
        memcpy(out + i, &v, sizeof v);
    }
}

/* Appends STEP bytes without those whose bits are in `drops`. */
PLAIN_INLINE void add_squeezed(struct folding *w, const char *small,
                               uint64_t drops, bool is_by_line) {
    char *out = w->f->text + w->f->n;
    size_t from = 0; /* bytes before it were appended or dropped */
    while (drops != 0) {
        size_t first = first_of(drops);
        size_t behind = first + first_of(~(drops >> first) | TOP_BIT);
        copy_step(out, small + from);
        out += first - from;
        from = behind;
        drops &= ~first_bits(behind);
        if (!is_by_line)
            note_shift(w->f, (size_t)(out - w->f->text), w->raw + w->at + from);
    }
    copy_step(out, small + from);
}

/* Notes the lines that end in the bytes from folded n on. ends, drops: a bit
 * for each byte. */
PLAIN_INLINE void add_lines(struct folding *w, size_t n, uint64_t ends,
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

/* Folds the rest of the step that holds the next byte, up to the end of an odd
 * line. */
PLAIN_INLINE void fold_rest(struct folding *w, const struct fold_block *b,
                      bool is_by_line) {
    struct folded *f = w->f;
    size_t from = (size_t)(w->text.p + w->at - b->from), n = f->n;
    size_t step = from / STEP, count = STEP - from % STEP;
    uint64_t newlines = b->newlines[step] >> from % STEP, drops = 0;
    const char *small = b->small + from;
    if (count > w->text.n - w->at)
        count = w->text.n - w->at;
    if (is_by_line && (w->has_odd || (b->odds >> step & 1) != 0))
        count = up_to_odd(w, newlines, count);
    if ((b->runs >> step & 1) != 0 || (w->has_blank && *small == ' ')) {
        uint64_t blanks = blank_bits(small);
        drops = blanks & (blanks << 1 | w->has_blank) & first_bits(count);
    }
    add_squeezed(w, small, drops, is_by_line);
    w->has_blank = small[count - 1] == ' ';
    f->n = n + count - (size_t)__builtin_popcountll(drops);
    if (is_by_line)
        add_lines(w, n, newlines & first_bits(count), drops);
    w->at += count;
}

/* Folds whole steps from the next byte on, as long as no blank is dropped and
 * no line is odd. */
PLAIN_INLINE void fold_plain_steps(struct folding *w,
                                   const struct fold_block *b,
                                   bool is_by_line) {
    struct folded *f = w->f;
    size_t from = (size_t)(w->text.p + w->at - b->from), step = from / STEP;
    size_t steps = (b->n - from) / STEP;
    uint64_t others = (b->runs | b->odds) >> step | ~first_bits(steps);
    if (from % STEP != 0 || w->has_odd ||
        (w->has_blank && b->small[from] == ' '))
        return;
    steps = others != 0 ? first_of(others) : STEP;
    for (size_t i = 0; i < steps; i++) {
        copy_step(f->text + f->n, b->small + from + i * STEP);
        if (is_by_line)
            add_lines(w, f->n, b->newlines[step + i], 0);
        f->n += STEP;
        w->at += STEP;
    }
    if (steps > 0)
        w->has_blank = f->text[f->n - 1] == ' ';
}

PLAIN_INLINE size_t fold_all(struct folded *f, struct fold_block *b,
                             struct str text, size_t raw, bool is_by_line) {
    struct folding w = {.f = f, .text = text, .raw = raw, .line = f->n,
                        .line_raw = raw,
                        .has_blank = f->n > 0 && f->text[f->n - 1] == ' '};
    make_room(f, text.n + 2 * STEP);
    if (!is_by_line)
        note_shift(f, f->n, raw);
    while (w.at < text.n && !w.is_done) {
        find_block(b, str_from(text, w.at));
        fold_plain_steps(&w, b, is_by_line);
        if (w.at < text.n && text.p + w.at < b->from + b->n)
            fold_rest(&w, b, is_by_line);
    }
    if (is_by_line && w.line_raw < raw + w.at)
        fold_line(f, w.line, w.line_raw)->is_plain = true;
    if (is_by_line && f->line_count > 0)
        f->lines[f->line_count - 1].is_simple = !w.has_odd;
    return w.at;
}

static size_t fold_any(struct folded *f, struct fold_block *b, struct str text,
                       size_t raw, bool is_by_line) {
    return fold_all(f, b, text, raw, is_by_line);
}

PLAIN_WIDE static size_t fold_wide(struct folded *f, struct fold_block *b,
                                   struct str text, size_t raw,
                                   bool is_by_line) {
    return fold_all(f, b, text, raw, is_by_line);
}

static size_t fold(struct folded *f, struct fold_block *b, struct str text,
                   size_t raw, bool is_by_line) {
    return PLAIN_HAS_WIDE ? fold_wide(f, b, text, raw, is_by_line)
                          : fold_any(f, b, text, raw, is_by_line);
}

size_t fold_lines(struct folded *f, struct str text, size_t raw) {
    return fold(f, block_of(f->a, &f->raw), text, raw, true);
}

void fold_add(struct folded *f, struct str text, size_t raw) {
    struct fold_block *b = block_of(f->a, &f->other);
    b->from = NULL;
    fold(f, b, text, raw, false);
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
