/* frame_proof.c: marks and labels, which prove nothing alone.
 *
 *     # torch.OutOfMemoryError: CUDA out of     proved: nobody else writes this
 *     # memory. Tried to allocate 2.00 GiB      believed: the line before
 *                                               began with "# " as well
 *     |  0   N/A   4711   C   python  812MiB |  a table's row: left alone
 *     node7: [rank0]: Traceback (most recent    proved, and believed for a
 *     node7: RuntimeError: ...                  while (reader.c)
 *
 * "# " may begin a comment of code, "3: " an item of a list, "node7: " a
 * sentence. So one has to stand before what nobody but a program begins a line
 * with. What repeats on neighbouring lines is a prefix, whatever it was meant
 * as. It refuses to learn labels by their text alone: a line's meaning must be
 * found out by what stands near, wherever reading begins.
 */
#include "base/limits.h"
#include "log/frame_rows.h"

/* "torch.OutOfMemoryError: ", "CUDA error: " and other first words */
#define ERROR_NAME                                                            \
    "(?=%l)([A-DF-Za-z%d_.]+|(?!(Error|Exception): )E){0,57}"                 \
    "(Error|Exception): "
#define ERROR_WORD "([^ |Ee]+|(?![eE]rror: )[eE]){0,57}"
#define ERROR_WORDS ERROR_WORD " ?" ERROR_WORD "[eE]rror: (?!$)"
#define SURE                                                                  \
    "Traceback %(most recent call last%)|" ERROR_WORDS "|" ERROR_NAME

/* What nobody but a program begins a line with, behind a mark, and behind a
 * label. */
const char frame_sure[] = "  File \"|" SURE;
const char frame_unmistakable[] = "%s{2,}File \"|slurmstepd: error:|" SURE;
const char frame_block_count[] = "[^ ]+ blocks:"; /* "# GPU blocks: 123" */

static bool matches(const struct frame *f, uint16_t pattern, struct str s) {
    struct peg_match m;
    return peg_match(f->frames->pegs, pattern, s, &m);
}

/* With its frames, which alone say that a program wrote it. */
static struct frame inner_of(const struct frame *f, struct str s,
                             unsigned kinds) {
    struct frame inner = {.frames = f->frames,
                          .text = s,
                          .label = kinds == FRAME_WHO,
                          .kinds = kinds,
                          .who = {.rank = -1, .pid = -1}};
    frame_strip(&inner);
    return inner;
}

/* ---- marks ---- */

static bool has_frame(const struct frame *f, struct str s) {
    return (inner_of(f, s, FRAME_QUOTE).kinds & ~(unsigned)FRAME_QUOTE) != 0;
}

/* Behind "# ", which few write before anything but a comment or a log. */
static bool is_log_like(const struct frame *f, struct str s) {
    static const char *const signs[] = {"Traceback (most recent", "Error: ",
                                        "out of memory", "Out of memory"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (str_find(s, str_of(signs[i])) < s.n)
            return true;
    return str_starts(s, STR("  File \"")) || has_frame(f, s);
}

/* Behind any other mark, which code, tables and lists begin with as well. */
static bool is_surely_log(const struct frame *f, struct str s) {
    return matches(f, f->frames->sure, s) || has_frame(f, s);
}

/* "# GPU blocks: 123" is vLLM's own; "|  0  N/A  1234  C  python  812MiB |" a
 * table's row, which has one more bar where it is quoted. */
static bool is_own_text(const struct frame *f, char mark, struct str rest) {
    struct str row = str_trim(rest);
    if (mark == '#')
        return matches(f, f->frames->block_count, rest);
    return mark == '|' && str_ends(row, STR("|")) && row.p[0] != '|' &&
           row.p[0] != '+';
}

bool frame_believe_mark(struct frame *f, const struct peg_match *m) {
    struct str quote = str_slice(f->text, 0, m->n);
    struct str rest = str_slice(f->text, m->n, f->text.n);
    bool is_indented = is_any(quote.p[0], " \t");
    char mark = str_trim(quote).p[0];
    if (is_own_text(f, mark, rest))
        return false;
    while (str_ends(quote, STR(" "))) /* there is none at a line's end */
        quote.n--;
    f->mark = str_hash(quote);
    bool may_stand = !is_indented || mark == '|';
    bool is_proved = may_stand && (mark == '#' ? is_log_like(f, rest)
                                               : is_surely_log(f, rest));
    bool is_believed = is_proved || f->follows_mark == f->mark;
    if (!is_believed) {
        f->may_follow = true;
        f->mark_columns = (uint32_t)m->n;
    }
    return is_believed;
}

/* ---- labels ---- */

/* A text that nobody but a program begins with. */
static bool is_unmistakable(const struct frame *f, struct str s) {
    if (matches(f, f->frames->unmistakable, s))
        return true;
    struct frame inner = inner_of(f, s, FRAME_WHO);
    return (inner.kinds & FRAME_RECORD) != 0 || inner.who.rank >= 0 ||
           inner.who.pid >= 0;
}

bool frame_believe_label(struct frame *f, size_t row,
                         const struct peg_match *m) {
    bool is_sure = is_unmistakable(f, str_slice(f->text, m->n, f->text.n));
    bool is_believed = is_sure || f->follows_label == row + 1;
    if ((frame_rows[row].rules & IF_BAR) != 0) {
        f->bar = str_hash(str_slice(f->text, 0, m->n));
        is_believed = is_believed || f->follows_bar == f->bar;
    }
    f->may_follow = f->may_follow || !is_believed;
    if (is_believed) {
        f->is_sure_label = is_sure;
        f->label = row + 1;
    }
    return is_believed;
}
