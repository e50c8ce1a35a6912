/* frame_proof.c: marks and labels, which are ambiguous by themselves.
 *
 *     # torch.OutOfMemoryError: CUDA out of     proved: only a program prints
 *                                               this
 *     # memory. Tried to allocate 2.00 GiB      accepted: the line before
 *                                               begins with "# ", too
 *     |  0   N/A   4711   C   python  812MiB |  a row of a table: no mark
 *     node7: [rank0]: Traceback (most recent    proved
 *     node7: RuntimeError: ...                  accepted for LABEL_LINES more
 *                                               lines (reader.c)
 *
 * "# " may begin a comment of code, "3: " an item of a list, "node7: " a
 * sentence. So a mark or label is accepted before a text that only a program
 * begins a line with. What repeats on neighbouring lines is a prefix. No label
 * is remembered for good: how a line is read must depend on the lines near it
 * alone, since reading may begin anywhere.
 */
#include "base/limits.h"
#include "log/frame_rows.h"
#include "log/stream.h"

/* "torch.OutOfMemoryError: ", "CUDA error: " and other first words */
#define ERROR_NAME                                                            \
    "(?=%l)([A-DF-Za-z%d_.]+|(?!(Error|Exception): )E){0,57}"                 \
    "(Error|Exception): "
#define ERROR_WORD "([^ |Ee]+|(?![eE]rror: )[eE]){0,57}"
#define ERROR_WORDS ERROR_WORD " ?" ERROR_WORD "[eE]rror: (?!$)"
#define SURE                                                                  \
    "Traceback %(most recent call last%)|" ERROR_WORDS "|" ERROR_NAME

/* Texts that only a program begins a line with: behind a mark, and behind a
 * label. */
const char frame_sure[] = "  File \"|" SURE;
const char frame_unmistakable[] = "%s{2,}File \"|slurmstepd: error:|" SURE;
const char frame_block_count[] = "[^ ]+ blocks:"; /* "# GPU blocks: 123" */

static bool matches(const struct frame *f, uint16_t pattern, struct str s) {
    struct peg_match m;
    return peg_match(f->frames->pegs, pattern, s, &m);
}

/* The text behind a mark or label, without its frames. They show that a program
 * printed it. */
static struct frame inner_of(const struct frame *f, struct str s,
                             unsigned kinds) {
    struct frame inner = {.frames = f->frames,
                          .text = s,
                          .label = kinds == FRAME_WHO,
                          .kinds = kinds,
                          .who = stream_none()};
    frame_strip(&inner);
    return inner;
}

/* ---- marks ---- */

static bool has_frame(const struct frame *f, struct str s) {
    return (inner_of(f, s, FRAME_QUOTE).kinds & ~(unsigned)FRAME_QUOTE) != 0;
}

/* For a text behind "# ", which stands before comments and logs and little
 * else. */
static bool is_log_like(const struct frame *f, struct str s) {
    static const char *const signs[] = {"Traceback (most recent", "Error: ",
                                        "out of memory", "Out of memory"};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (str_find(s, str_of(signs[i])) < s.n)
            return true;
    return str_starts(s, STR("  File \"")) || has_frame(f, s);
}

/* For a text behind any other mark: code, tables and lists begin with it, too.
 */
static bool is_surely_log(const struct frame *f, struct str s) {
    return matches(f, f->frames->sure, s) || has_frame(f, s);
}

/* True if the mark belongs to the text: "# GPU blocks: 123" is printed by vLLM,
 * "|  0  N/A  1234  C  python  812MiB |" is a row of a table. A quoted row has
 * one more bar. */
static bool is_own_text(const struct frame *f, char mark, struct str rest) {
    struct str row = str_trim(rest);
    if (mark == '#')
        return matches(f, f->frames->block_count, rest);
    return mark == '|' && str_ends(row, STR("|")) && row.p[0] != '|' &&
           row.p[0] != '+';
}

bool frame_accept_mark(struct frame *f, const struct peg_match *m) {
    struct str quote = str_slice(f->text, 0, m->n);
    struct str rest = str_slice(f->text, m->n, f->text.n);
    bool is_indented = is_any(quote.p[0], " \t");
    char mark = str_trim(quote).p[0];
    if (is_own_text(f, mark, rest))
        return false;
    while (str_ends(quote, STR(" "))) /* an empty line has no blank */
        quote.n--;
    f->mark = str_hash(quote);
    bool may_stand = !is_indented || mark == '|';
    bool is_proved = may_stand && (mark == '#' ? is_log_like(f, rest)
                                               : is_surely_log(f, rest));
    bool is_accepted = is_proved || f->follows_mark == f->mark;
    if (!is_accepted) {
        f->may_follow = true;
        f->mark_columns = (uint32_t)m->n;
    }
    return is_accepted;
}

/* ---- labels ---- */

/* True for a text that only a program prints. */
static bool is_unmistakable(const struct frame *f, struct str s) {
    if (matches(f, f->frames->unmistakable, s))
        return true;
    struct frame inner = inner_of(f, s, FRAME_WHO);
    return (inner.kinds & FRAME_RECORD) != 0 || inner.who.rank >= 0 ||
           inner.who.pid >= 0;
}

bool frame_accept_label(struct frame *f, size_t row,
                        const struct peg_match *m) {
    bool is_sure = is_unmistakable(f, str_slice(f->text, m->n, f->text.n));
    bool is_accepted = is_sure || f->follows_label == row + 1;
    if ((frame_rows[row].rules & IF_COLUMN) != 0) {
        f->bar = str_hash(str_slice(f->text, 0, m->n));
        is_accepted = is_accepted || f->follows_bar == f->bar;
    }
    f->may_follow = f->may_follow || !is_accepted;
    if (is_accepted) {
        f->is_sure_label = is_sure;
        f->label = row + 1;
    }
    return is_accepted;
}
