/* text.c: a document on a terminal: indentation, colour, two columns at the
 * right edge. The only file that knows escape sequences. Everything written is
 * cleaned, so that nothing of a log reaches a terminal as it came.
 *
 *     Do this first                          verdict        cost, loses
 *      1  Reduce --max-model-len             enough         flag, capacity
 *           --max-model-len 17024            a command stands further in
 *         17,024 x 36 KiB = 598.50 MiB       what belongs to the item
 */
#include "base/limits.h"
#include "base/plain.h"
#include "base/utf8.h"
#include "render/page.h"

#define WIDTH_MIN 60
#define WIDTH_MAX 120
#define WIDTH_DEFAULT 80
#define GAP 2       /* between columns */
#define WRAPPED_MIN 20 /* columns for words that wrap */
#define ITEM_IN 1   /* before a mark */
#define CODE_IN 2   /* a command stands this much further in */

static void widest(const struct block *under, size_t widths[COLUMNS]) {
    for (const struct block *b = under->first; b != NULL; b = b->next) {
        for (size_t i = 0; i < COLUMNS && b->kind != BLOCK_ID; i++) {
            size_t width = utf8_width(b->column[i]);
            widths[i] = width > widths[i] ? width : widths[i];
        }
        widest(b, widths);
    }
}

static struct page page_open(const struct teller *t, struct buf *out) {
    uint32_t width = t->o->width == 0 ? WIDTH_DEFAULT : t->o->width;
    struct page p = {t, out, width, t->o->color, {0}};
    p.width = width < WIDTH_MIN   ? WIDTH_MIN
              : width > WIDTH_MAX ? WIDTH_MAX
                                  : width;
    widest(&t->d->top, p.columns);
    return p;
}

static const char *const escapes[] = {
    [TONE_PLAIN] = "",        [TONE_STRONG] = "\033[1m",
    [TONE_DIM] = "\033[2m",   [TONE_GOOD] = "\033[32m",
    [TONE_BAD] = "\033[31m",  [TONE_WARN] = "\033[33m",
    [TONE_CODE] = "\033[36m",
};

void page_put(struct page *p, enum tone tone, struct str text) {
    bool is_toned = p->color && tone != TONE_PLAIN && text.n > 0;
    buf_add(p->out, str_of(is_toned ? escapes[tone] : ""));
    utf8_clean(p->out, text);
    buf_add(p->out, str_of(is_toned ? "\033[0m" : ""));
}

static void newline(struct page *p) {
    buf_add_char(p->out, '\n');
}

static void blank(struct page *p) {
    struct str so_far = buf_str(p->out);
    if (so_far.n > 0 && !str_ends(so_far, STR("\n\n")))
        newline(p);
}

/* ---- words ---- */

static void put_columns(struct page *p, const struct block *b, size_t used) {
    size_t last = b->column[1].n > 0 || p->columns[1] > 0
                      ? p->columns[1]
                      : utf8_width(b->column[0]);
    size_t at[COLUMNS] = {p->width - last, p->width - last};
    if (p->columns[1] > 0)
        at[0] -= GAP + p->columns[0];
    else
        at[0] = p->width - utf8_width(b->column[0]);
    for (size_t i = 0; i < COLUMNS; i++) {
        if (b->column[i].n > 0) {
            buf_fill(p->out, ' ', at[i] > used ? at[i] - used : GAP);
            used = at[i] + utf8_width(b->column[i]);
            page_put(p, i == 0 ? b->column_tone : TONE_DIM, b->column[i]);
        }
    }
}

/* Columns that the words beside b's columns have. */
static size_t room_beside(const struct page *p, const struct block *b) {
    size_t taken = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        taken += p->columns[1] > 0 ? p->columns[i] + GAP : 0;
    if (p->columns[1] == 0)
        taken = utf8_width(b->column[0]) + GAP;
    return taken < p->width ? p->width - taken : 0;
}

/* Words of b, its mark before the first line and its columns behind it, or
 * below it where there is no room. */
static void put_words(struct page *p, const struct block *b, struct str text,
                      size_t indent, struct str mark, size_t margin) {
    bool has_columns = b->column[0].n + b->column[1].n > 0;
    size_t rest = p->width - margin, first = rest;
    if (has_columns) {
        size_t room = room_beside(p, b);
        first = room > margin ? room - margin : 0;
    }
    bool is_beside = has_columns && first >= rest / 4;
    struct str_list lines =
        wrap_text(p->t->a, text, is_beside ? first : rest, rest);
    is_beside = is_beside && lines.count > 0 &&
                utf8_width(lines.at[0]) <= first;
    for (size_t i = 0; i < lines.count; i++) {
        buf_fill(p->out, ' ', i == 0 ? indent : margin);
        if (i == 0 && mark.n > 0) {
            page_put(p, b->tone, mark);
            buf_fill(p->out, ' ', margin - indent - utf8_width(mark));
        }
        page_put(p, b->tone, lines.at[i]);
        if (i == 0 && is_beside)
            put_columns(p, b, margin + utf8_width(lines.at[0]));
        newline(p);
    }
    if (has_columns && !is_beside) {
        put_columns(p, b, 0);
        newline(p);
    }
}

/* ---- commands ---- */

#define FOLDS_KEPT 6 /* lines that the user folded a command into */

/* Behind byte at of a line: the byte behind the word that begins there, with
 * its quotes. */
static size_t word_end(struct str line, size_t at) {
    char quote = 0;
    for (; at < line.n && (quote != 0 || line.p[at] != ' '); at++) {
        char c = line.p[at];
        if (c == '\\' && quote != '\'')
            at++;
        else if (quote == 0 && (c == '\'' || c == '"'))
            quote = c;
        else if (c == quote)
            quote = 0;
    }
    return at < line.n ? at : line.n;
}

/* A blank at which a shell parts words, that leaves at most columns before it,
 * best between two commands or before a flag; behind a first word that is wider,
 * the blank after it; line.n: none. */
static size_t break_of(struct str line, size_t columns) {
    size_t best = line.n, flag = 0, end = 0;
    for (size_t at = word_end(line, 0); at + 1 < line.n;
         at = word_end(line, at + 1)) {
        if (utf8_width(str_slice(line, 0, at)) > columns) {
            best = best < line.n ? best : at;
            break;
        }
        char next = line.p[at + 1];
        best = at;
        flag = next == '-' ? at : flag;
        end = next == '&' || next == '|' ? at : end;
    }
    return end > columns / 2    ? end
           : flag > columns / 2 ? flag
                                : best;
}

/* Is it a line that a shell reads the same when it is continued? */
static bool may_be_continued(struct str line) {
    return !STR_HAS_ONE(line, " #", "<<", ":\\", "`") &&
           str_find(line, STR(" -")) < line.n;
}

/* A command of many continued lines in one: it is folded again to the page. */
static struct str unfolded(struct arena *a, struct str code) {
    static const char fold[] = " \\\n";
    size_t count = 0, at;
    struct buf out;
    for (struct str rest = code; (at = str_find(rest, str_of(fold))) < rest.n;
         rest = str_from(rest, at + 1)) {
        count++;
    }
    if (count <= FOLDS_KEPT || !may_be_continued(code))
        return code;
    buf_init_in(&out, a, code.n);
    while ((at = str_find(code, str_of(fold))) < code.n) {
        buf_add(&out, str_slice(code, 0, at));
        buf_add_char(&out, ' ');
        code = str_from(code, at + strlen(fold));
        while (code.n > 0 && (code.p[0] == ' ' || code.p[0] == '\t'))
            code = str_from(code, 1);
    }
    buf_add(&out, code);
    return arena_str(a, buf_str(&out));
}

static void put_command(struct page *p, size_t indent, struct str line) {
    size_t margin = indent;
    while (may_be_continued(line) &&
           margin + utf8_width(line) > p->width) {
        size_t at = break_of(line, p->width - margin - 2);
        if (at >= line.n)
            break;
        buf_fill(p->out, ' ', margin);
        page_put(p, TONE_CODE, str_slice(line, 0, at));
        buf_add(p->out, STR(" \\\n"));
        line = str_from(line, at + 1);
        margin = indent + CODE_IN;
    }
    buf_fill(p->out, ' ', margin);
    page_put(p, TONE_CODE, line);
    newline(p);
}

/* ---- tables ---- */

#define DRAWN_LEAST 8 /* columns: fewer show nothing */
#define DRAWN_MOST 30

static enum tone row_tone(const struct table *t, const struct row *row) {
    return row == t->rows ? TONE_STRONG : row->tone;
}

/* The amount of a row, behind its last cell; the table is `used` wide. */
static void put_drawn(struct page *p, const struct table *t,
                      const struct row *row, size_t width, size_t used) {
    size_t room = used + GAP < p->width ? p->width - used - GAP : 0;
    int64_t most = 0;
    room = room < DRAWN_MOST ? room : DRAWN_MOST;
    for (size_t i = 0; i < t->count; i++)
        most = t->rows[i].drawn > most ? t->rows[i].drawn : most;
    if (most > 0 && row->drawn > 0 && room >= DRAWN_LEAST) {
        size_t last = utf8_width(row->cells[t->columns - 1]);
        buf_fill(p->out, ' ', width - last + GAP);
        page_amount(p, row_tone(t, row), row->drawn, most, room);
    }
}

static void put_row(struct page *p, const struct table *t,
                    const struct row *row, const size_t *widths, size_t columns,
                    size_t indent) {
    enum tone tone = row_tone(t, row);
    const struct str *cells = row->cells;
    buf_fill(p->out, ' ', indent);
    for (size_t i = 0; i + 1 < columns; i++) {
        page_put(p, tone, cells[i]);
        buf_fill(p->out, ' ', widths[i] + GAP - utf8_width(cells[i]));
        indent += widths[i] + GAP;
    }
    size_t width = widths[columns - 1];
    struct str_list lines = wrap_text(p->t->a, cells[columns - 1], width,
                                      width);
    for (size_t i = 0; i < lines.count; i++) {
        buf_fill(p->out, ' ', i > 0 ? indent : 0);
        page_put(p, tone, lines.at[i]);
        if (lines.count == 1 && columns == t->columns)
            put_drawn(p, t, row, width, indent + width);
        newline(p);
    }
    if (lines.count == 0)
        newline(p);
}

/* As many columns as the page has room for; the last of them wraps. */
static void put_table(struct page *p, const struct table *t, size_t indent) {
    size_t *widths = arena_array(p->t->a, t->columns, sizeof *widths);
    for (size_t i = 0; i < t->count * t->columns; i++) {
        size_t column = i % t->columns;
        size_t width = utf8_width(t->rows[i / t->columns].cells[column]);
        widths[column] = width > widths[column] ? width : widths[column];
    }
    size_t used = indent, columns = 0;
    while (columns < t->columns && used + widths[columns] <= p->width)
        used += widths[columns++] + GAP;
    if (columns < t->columns && used + WRAPPED_MIN <= p->width)
        widths[columns++] = p->width - used;
    for (size_t i = 0; i < t->count; i++)
        put_row(p, t, &t->rows[i], widths, columns, indent);
}

/* ---- blocks ---- */

static void put_blocks(struct page *p, const struct block *under,
                       size_t indent);

static void put_link(struct page *p, const struct block *b, size_t indent) {
    struct block line = *b;
    line.tone = TONE_DIM;
    put_words(p, &line, b->href, indent, STR(""), indent);
    line.column[0] = STR("");
    put_words(p, &line, b->text, indent + 2, STR(""), indent + 2);
}

static void put_id(struct page *p, const struct block *b) {
    buf_add_char(p->out, '[');
    page_put(p, TONE_DIM, b->text);
    buf_add_char(p->out, ']');
    size_t used = utf8_width(b->text) + 2 + GAP;
    bool fits = used + utf8_width(b->column[0]) <= p->width;
    if (fits && b->column[0].n > 0) {
        buf_fill(p->out, ' ', GAP);
        page_put(p, b->tone, b->column[0]);
    }
    newline(p);
    if (!fits) {
        struct block kind = {.tone = b->tone};
        put_words(p, &kind, b->column[0], 0, STR(""), 0);
    }
}

static void put_block(struct page *p, const struct block *under,
                      const struct block *b, size_t indent) {
    struct str no_mark = STR("");
    size_t mark = b->mark.n > 0 ? utf8_width(b->mark) + 1 : 4;
    size_t margin = indent + (mark > 3 ? mark : 3);
    switch (b->kind) {
    case BLOCK_TITLE: put_words(p, b, b->text, 0, no_mark, 0); break;
    case BLOCK_ID: put_id(p, b); break;
    case BLOCK_SECTION:
        if (b->is_implied) {
            put_blocks(p, b, 0);
            break;
        }
        if (b->is_open)
            blank(p);
        put_words(p, b, b->text, 0, no_mark, 0);
        put_blocks(p, b, ITEM_IN);
        break;
    case BLOCK_TEXT: put_words(p, b, b->text, indent, no_mark, indent); break;
    case BLOCK_ITEM:
        put_words(p, b, b->text, indent, b->mark, margin);
        put_blocks(p, b, margin);
        break;
    case BLOCK_CODE:
        if (under->kind == BLOCK_SECTION) { /* a sample, not to be run */
            put_words(p, b, b->text, indent, no_mark, indent);
            break;
        }
        for (struct str code = unfolded(p->t->a, b->text); code.n > 0;)
            put_command(p, indent + CODE_IN, str_cut(code, '\n', &code));
        break;
    case BLOCK_BARS:
        blank(p);
        page_bars(p, b->bars);
        newline(p);
        break;
    case BLOCK_TABLE: put_table(p, b->table, indent); break;
    case BLOCK_LINK: put_link(p, b, indent); break;
    case BLOCK_RULE:
        blank(p);
        page_put(p, TONE_DIM, STR("----"));
        buf_add(p->out, STR("\n\n"));
        break;
    }
}

static void put_blocks(struct page *p, const struct block *under,
                       size_t indent) {
    for (const struct block *b = under->first; b != NULL; b = b->next) {
        bool is_in_section = under->kind == BLOCK_SECTION;
        if (block_is_shown(b))
            put_block(p, under, b,
                      indent + (is_in_section && b->kind != BLOCK_ITEM));
    }
}

void text_walk(const struct teller *t, struct buf *out) {
    struct page p = page_open(t, out);
    put_blocks(&p, &t->d->top, 0);
}

size_t text_lines(const struct teller *t) {
    struct buf out;
    buf_init_in(&out, t->a, PLAIN_ANSWER_BYTES_MAX);
    text_walk(t, &out);
    return plain_count(buf_str(&out), '\n');
}

struct str text_of_bars(const struct teller *t, const struct bars *bars,
                        uint32_t width) {
    struct buf out;
    buf_init_in(&out, t->a, PLAIN_ANSWER_BYTES_MAX);
    struct page p = {t, &out, width, false, {0}};
    page_bars(&p, bars);
    return buf_str(&out);
}
