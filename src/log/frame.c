/* frame.c: the loop over the table of frames.
 *
 *     2024-05-20T10:47:37.123456789Z stdout F (Worker pid=402) ERROR 05-20 ...
 *     '------ FRAME_TRANSPORT -------------' '- FRAME_WHO ---' '- FRAME_RECORD
 *
 * Frames nest in any order, so the table is tried again from its top after each
 * success, a bounded number of times. Only rows that may begin with the text's
 * first bytes are tried: for most lines none. A frame is removed only if it
 * cannot be part of the message: a frame too many does little harm, text that
 * is removed is lost. */
#include "log/frame_rows.h"

#include "base/limits.h"

#define HEAD_BYTES 128 /* IF_TAB, IF_BAR, IF_COLUMN: of the text */

/* ---- compiling the table ---- */

static void add_row(struct frames *t, size_t row) {
    const struct frame_row *r = &frame_rows[row];
    uint64_t bit = UINT64_C(1) << row;
    t->patterns[row] = peg_add(t->pegs, r->pattern);
    peg_index_add(&t->rows, t->pegs, t->patterns[row], (unsigned)row);
    if ((r->rules & IF_STAMPED) != 0)
        t->stamped |= bit;
    if ((r->rules & IS_LABEL) != 0)
        t->labels |= bit;
    if ((r->rules & (IF_BAR | IF_COLUMN)) != 0)
        t->bars |= bit;
    if ((r->rules & IF_COLUMN) != 0)
        t->columns |= bit;
}

struct frames *frames_new(struct arena *a) {
    struct frames *t = arena_alloc(a, sizeof *t);
    t->pegs = peg_set_new(a, 1024);
    for (size_t i = 0; i < FRAME_ROWS_MAX && frame_rows[i].name != NULL; i++)
        add_row(t, i);
    t->sure = peg_add(t->pegs, frame_sure);
    t->unmistakable = peg_add(t->pegs, frame_unmistakable);
    t->block_count = peg_add(t->pegs, frame_block_count);
    t->begins_record =
        peg_add(t->pegs, "Traceback %(most recent call last%)|"
                         "(ERROR|WARNING|CRITICAL|FATAL|INFO|DEBUG):");
    return t;
}

/* ---- one row ---- */

static bool is_due(const struct frame *f, const struct frame_row *r) {
    struct str head = str_slice(f->text, 0, HEAD_BYTES);
    return ((r->rules & IF_OUTERMOST) == 0 || f->kinds == 0) &&
           ((r->rules & IF_TAB) == 0 || str_find_char(head, '\t') < head.n) &&
           ((r->rules & IF_NO_RECORD) == 0 || (f->kinds & FRAME_RECORD) == 0) &&
           ((r->rules & IF_NO_LEVEL) == 0 || !f->has_level) &&
           ((r->rules & IF_NO_PROCESS) == 0 || f->who.process.n == 0) &&
           ((r->rules & IF_NO_SOURCE) == 0 || f->who.container.n == 0);
}

static int64_t number_of(struct str text) {
    int64_t number;
    return str_to_int(text, &number) ? number : -1;
}

static void note_capture(struct frame *f, struct str name, struct str text) {
    if (str_eq(name, STR("rank")))
        f->who.rank = number_of(text);
    else if (str_eq(name, STR("pid")))
        f->who.pid = number_of(text);
    else if (str_eq(name, STR("process")))
        f->who.process = text;
    else if (str_eq(name, STR("container")))
        f->who.container = text;
    else if (str_eq(name, STR("pod")))
        f->who.pod = text;
    else if (str_eq(name, STR("stderr")))
        f->is_stderr = true;
    else if (str_eq(name, STR("partial")))
        f->is_partial = true;
    else
        f->prefix = text;
}

static void take(struct frame *f, size_t row, const struct peg_match *m) {
    const struct frame_row *r = &frame_rows[row];
    for (size_t i = 0; i < m->capture_count; i++)
        note_capture(f, m->captures[i].name, m->captures[i].text);
    f->repeats_surely = f->prefix.n > 0;
    f->kinds |= (unsigned)r->kind;
    f->rows |= UINT64_C(1) << row;
    f->has_stamp = f->has_stamp || (r->rules & IS_STAMP) != 0;
    f->has_level = f->has_level || (r->rules & IS_LEVEL) != 0;
    f->is_record = (f->is_record || (r->rules & IS_RECORD) != 0) &&
                   (r->rules & NO_RECORD) == 0;
    if ((r->rules & OWN_BLANK) != 0)
        f->columns = f->text.p[m->n - 1] == ' ';
    f->text = str_slice(f->text, m->n, f->text.n);
}

static bool take_row(struct frame *f, size_t row) {
    const struct frame_row *r = &frame_rows[row];
    struct peg_match m;
    if (!is_due(f, r) ||
        !peg_match(f->frames->pegs, f->frames->patterns[row], f->text, &m) ||
        ((r->rules & IS_LABEL) != 0 && !frame_accept_label(f, row, &m)) ||
        ((r->rules & IS_MARK) != 0 && !frame_accept_mark(f, &m)))
        return false;
    take(f, row, &m);
    return true;
}

bool frame_take_cri(struct frame *f) {
    size_t row = 0;
    while (!str_eq(str_of(frame_rows[row].name), STR("CRI")))
        row++;
    return take_row(f, row);
}

/* ---- all rows ---- */

/* The rows that want another bar than the text has. */
static uint64_t unlike_bars(const struct frames *t, struct str text) {
    struct str head = str_slice(text, 0, HEAD_BYTES);
    size_t at = str_find_char(head, '|');
    if (at == head.n)
        return t->bars;
    return at > 0 && is_any(head.p[at - 1], " \t") ? 0 : t->columns;
}

static bool take_one(struct frame *f) {
    const struct frames *t = f->frames;
    if (f->text.n == 0)
        return false;
    uint64_t rows = peg_index_find(&t->rows, f->text);
    if (!f->has_stamp)
        rows &= ~t->stamped;
    if (f->label != 0 || f->has_level)
        rows &= ~t->labels;
    if ((rows & t->bars) != 0)
        rows &= ~unlike_bars(t, f->text);
    for (; rows != 0; rows &= rows - 1)
        if (take_row(f, (size_t)__builtin_ctzll(rows)))
            return true;
    return false;
}

static void note_prefix(struct frame *f, const char *prefix) {
    size_t n = (size_t)(f->text.p - prefix);
    f->columns = (uint32_t)n;
    if (f->is_record && f->prefix.n == 0)
        f->prefix = (struct str){prefix, n};
}

void frame_strip(struct frame *f) {
    const char *prefix = NULL; /* where the record's prefix begins */
    struct peg_match m;
    for (int round = 0; round < FRAME_ROUNDS_MAX; round++) {
        const char *before = f->text.p;
        if (!take_one(f))
            break;
        if (prefix == NULL && (f->kinds & FRAME_RECORD) != 0)
            prefix = before;
    }
    if (prefix != NULL)
        note_prefix(f, prefix);
    f->is_record = f->is_record || peg_match(f->frames->pegs,
                                             f->frames->begins_record, f->text,
                                             &m);
}
