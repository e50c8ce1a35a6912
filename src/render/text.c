/* text.c: a document for a terminal: indentation, colour, two columns at the
 * right edge. Only this file knows escape sequences. All text is cleaned, so
 * that no control character of a log reaches a terminal.
 *
 *     Do this first                          verdict        cost, loses
 *      1  Reduce --max-model-len             enough         flag, capacity
 *           --max-model-len 17024            commands are indented more
 *         17,024 x 36 KiB = 598.50 MiB       a block of the item
 */
#include "base/limits.h"
#include "base/plain.h"
#include "base/utf8.h"
#include "render/text_writer.h"

#define WIDTH_MIN 60
#define WIDTH_MAX 120
#define WIDTH_DEFAULT 80
#define GAP 2       /* between columns */
#define WRAPPED_MIN 20 /* columns for words that wrap */
#define ITEM_IN 1   /* before a mark */
#define CODE_IN 2   /* before a command */

static void widest(const struct block *under, size_t widths[COLUMNS]) {
    for (const struct block *b = under->first; b != NULL; b = b->next) {
        for (size_t i = 0; i < COLUMNS && b->kind != BLOCK_ID; i++) {
            size_t width = utf8_width(b->column[i]);
            widths[i] = width > widths[i] ? width : widths[i];
        }
        widest(b, widths);
    }
}

static struct text_writer writer_open(const struct render *t, struct buf *out) {
    uint32_t width = t->o->width == 0 ? WIDTH_DEFAULT : t->o->width;
    width = width < WIDTH_MIN ? WIDTH_MIN : width;
    width = width > WIDTH_MAX ? WIDTH_MAX : width;
    struct text_writer w = {t, out, width, t->o->color, {0}, false};
    widest(&t->d->top, w.columns);
    return w;
}

static const char *const escapes[] = {
    [TONE_PLAIN] = "",        [TONE_STRONG] = "\033[1m",
    [TONE_DIM] = "\033[2m",   [TONE_GOOD] = "\033[32m",
    [TONE_BAD] = "\033[31m",  [TONE_WARN] = "\033[33m",
    [TONE_CODE] = "\033[36m",
};

void text_put(struct text_writer *w, enum tone tone, struct str text) {
    bool is_toned = w->color && tone != TONE_PLAIN && text.n > 0;
    buf_add(w->out, str_of(is_toned ? escapes[tone] : ""));
    utf8_clean(w->out, text);
    buf_add(w->out, str_of(is_toned ? "\033[0m" : ""));
}

static void blank(struct text_writer *w) {
    struct str so_far = buf_str(w->out);
    if (so_far.n > 0 && !str_ends(so_far, STR("\n\n")))
        buf_add_char(w->out, '\n');
}

/* ---- words ---- */

static size_t columns_width(const struct text_writer *w,
                            const struct block *b) {
    return w->columns[1] > 0 ? w->columns[0] + GAP + w->columns[1]
                             : utf8_width(b->column[0]);
}

static void put_columns(struct text_writer *w, const struct block *b,
                        size_t used) {
    size_t at[COLUMNS] = {w->width - columns_width(w, b),
                          w->width - w->columns[1]};
    for (size_t i = 0; i < COLUMNS; i++) {
        if (b->column[i].n > 0) {
            buf_fill(w->out, ' ', at[i] > used ? at[i] - used : GAP);
            used = at[i] + utf8_width(b->column[i]);
            text_put(w, i == 0 ? b->column_tone : TONE_DIM, b->column[i]);
        }
    }
}

/* Writes words with the mark before the first line and b's columns behind it,
 * or below if there is no room. */
static void put_words(struct text_writer *w, const struct block *b,
                      struct str text, size_t indent, struct str mark,
                      size_t margin) {
    bool has_columns = b->column[0].n + b->column[1].n > 0;
    size_t rest = w->width - margin, taken = columns_width(w, b) + GAP;
    size_t first = taken < rest ? rest - taken : 0;
    bool is_beside = has_columns && first >= rest / 4;
    struct str_list lines =
        wrap_text(w->t->a, text, is_beside ? first : rest, rest);
    is_beside = is_beside && lines.count > 0 &&
                utf8_width(lines.at[0]) <= first;
    for (size_t i = 0; i < lines.count; i++) {
        buf_fill(w->out, ' ', i == 0 ? indent : margin);
        if (i == 0 && mark.n > 0) {
            text_put(w, b->tone, mark);
            buf_fill(w->out, ' ', margin - indent - utf8_width(mark));
        }
        text_put(w, b->tone, lines.at[i]);
        if (i == 0 && is_beside)
            put_columns(w, b, margin + utf8_width(lines.at[0]));
        buf_add_char(w->out, '\n');
    }
    if (has_columns && !is_beside) {
        put_columns(w, b, 0);
        buf_add_char(w->out, '\n');
    }
}

/* The block's own text. It has as many lines whatever other blocks are shown,
 * so it is wrapped once to be counted. */
static void put_text(struct text_writer *w, struct block *b, size_t indent,
                     struct str mark, size_t margin) {
    size_t from = w->out->n;
    if (w->counts && b->lines > 0) {
        for (size_t i = 0; i < b->lines; i++)
            buf_add(w->out, STR(".\n"));
        return;
    }
    put_words(w, b, b->text, indent, mark, margin);
    b->lines = plain_count(str_from(buf_str(w->out), from), '\n');
}

/* ---- commands ---- */

#define FOLDS_KEPT 6 /* a command with more continued lines is folded anew */

/* The byte behind the word that begins at `at`, with its quotes. */
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

/* The blank at which to break a command: it leaves at most these columns before
 * it, and is best between two commands or before a flag; behind a first word
 * that is wider, the blank behind that. line.n: none. */
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

/* True if a shell reads the line the same with continuations. */
static bool may_be_continued(struct str line) {
    return !STR_HAS_ONE(line, " #", "<<", ":\\", "`") &&
           str_find(line, STR(" -")) < line.n;
}

/* A command of many continued lines as one line, to be folded anew. */
static struct str unfolded(struct arena *a, struct str code) {
    static const char fold[] = " \\\n";
    size_t count = 0, at;
    for (struct str rest = code; (at = str_find(rest, str_of(fold))) < rest.n;
         rest = str_from(rest, at + 1)) {
        count++;
    }
    if (count <= FOLDS_KEPT || !may_be_continued(code))
        return code;
    struct buf out = buf_in(a, code.n);
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

static void put_command(struct text_writer *w, size_t indent, struct str line) {
    size_t margin = indent;
    while (may_be_continued(line) && margin + utf8_width(line) > w->width) {
        size_t at = break_of(line, w->width - margin - 2);
        if (at >= line.n)
            break;
        buf_fill(w->out, ' ', margin);
        text_put(w, TONE_CODE, str_slice(line, 0, at));
        buf_add(w->out, STR(" \\\n"));
        line = str_from(line, at + 1);
        margin = indent + CODE_IN;
    }
    buf_fill(w->out, ' ', margin);
    text_put(w, TONE_CODE, line);
    buf_add_char(w->out, '\n');
}

/* ---- tables ---- */

#define DRAWN_LEAST 8 /* columns: a shorter bar is of no use */
#define DRAWN_MOST 30

static enum tone row_tone(const struct table *t, const struct row *row) {
    return row == t->rows ? TONE_STRONG : row->tone;
}

/* Writes the bar of a row behind its last cell; the table has `used`
 * columns. */
static void put_drawn(struct text_writer *w, const struct table *t,
                      const struct row *row, size_t width, size_t used) {
    size_t room = used + GAP < w->width ? w->width - used - GAP : 0;
    int64_t most = 0;
    room = room < DRAWN_MOST ? room : DRAWN_MOST;
    for (size_t i = 0; i < t->count; i++)
        most = t->rows[i].drawn > most ? t->rows[i].drawn : most;
    if (most > 0 && row->drawn > 0 && room >= DRAWN_LEAST) {
        size_t last = utf8_width(row->cells[t->columns - 1]);
        buf_fill(w->out, ' ', width - last + GAP);
        text_amount(w, row_tone(t, row), row->drawn, most, room);
    }
}

static void put_row(struct text_writer *w, const struct table *t,
                    const struct row *row, const size_t *widths, size_t columns,
                    size_t indent) {
    enum tone tone = row_tone(t, row);
    const struct str *cells = row->cells;
    buf_fill(w->out, ' ', indent);
    for (size_t i = 0; i + 1 < columns; i++) {
        text_put(w, tone, cells[i]);
        buf_fill(w->out, ' ', widths[i] + GAP - utf8_width(cells[i]));
        indent += widths[i] + GAP;
    }
    size_t width = widths[columns - 1];
    struct str_list lines = wrap_text(w->t->a, cells[columns - 1], width,
                                      width);
    for (size_t i = 0; i < lines.count; i++) {
        buf_fill(w->out, ' ', i > 0 ? indent : 0);
        text_put(w, tone, lines.at[i]);
        if (lines.count == 1 && columns == t->columns)
            put_drawn(w, t, row, width, indent + width);
        buf_add_char(w->out, '\n');
    }
    if (lines.count == 0)
        buf_add_char(w->out, '\n');
}

/* Writes as many columns as there is room for; the last one wraps. */
static void put_table(struct text_writer *w, const struct table *t,
                      size_t indent) {
    size_t *widths = arena_array(w->t->a, t->columns, sizeof *widths);
    for (size_t i = 0; i < t->count * t->columns; i++) {
        size_t column = i % t->columns;
        size_t width = utf8_width(t->rows[i / t->columns].cells[column]);
        widths[column] = width > widths[column] ? width : widths[column];
    }
    size_t used = indent, columns = 0;
    while (columns < t->columns && used + widths[columns] <= w->width)
        used += widths[columns++] + GAP;
    if (columns < t->columns && used + WRAPPED_MIN <= w->width)
        widths[columns++] = w->width - used;
    for (size_t i = 0; i < t->count; i++)
        put_row(w, t, &t->rows[i], widths, columns, indent);
}

/* ---- blocks ---- */

static void put_blocks(struct text_writer *w, const struct block *under,
                       size_t indent);

static void put_link(struct text_writer *w, const struct block *b,
                     size_t indent) {
    struct block line = *b;
    line.tone = TONE_DIM;
    put_words(w, &line, b->href, indent, STR(""), indent);
    line.column[0] = STR("");
    put_words(w, &line, b->text, indent + 2, STR(""), indent + 2);
}

static void put_id(struct text_writer *w, const struct block *b) {
    buf_add_char(w->out, '[');
    text_put(w, TONE_DIM, b->text);
    buf_add_char(w->out, ']');
    size_t used = utf8_width(b->text) + 2 + GAP;
    bool fits = used + utf8_width(b->column[0]) <= w->width;
    if (fits && b->column[0].n > 0) {
        buf_fill(w->out, ' ', GAP);
        text_put(w, b->tone, b->column[0]);
    }
    buf_add_char(w->out, '\n');
    if (!fits) {
        struct block kind = {.tone = b->tone};
        put_words(w, &kind, b->column[0], 0, STR(""), 0);
    }
}

static void put_block(struct text_writer *w, const struct block *under,
                      struct block *b, size_t indent) {
    struct str no_mark = STR("");
    size_t mark = b->mark.n > 0 ? utf8_width(b->mark) + 1 : 4;
    size_t margin = indent + (mark > 3 ? mark : 3);
    switch (b->kind) {
    case BLOCK_TITLE: put_text(w, b, 0, no_mark, 0); break;
    case BLOCK_ID: put_id(w, b); break;
    case BLOCK_SECTION:
        if (b->is_implied) {
            put_blocks(w, b, 0);
            break;
        }
        if (b->is_open)
            blank(w);
        put_text(w, b, 0, no_mark, 0);
        put_blocks(w, b, ITEM_IN);
        break;
    case BLOCK_TEXT: put_text(w, b, indent, no_mark, indent); break;
    case BLOCK_ITEM:
        put_text(w, b, indent, b->mark, margin);
        put_blocks(w, b, margin);
        break;
    case BLOCK_CODE:
        if (under->kind == BLOCK_SECTION) { /* a sample, no command */
            put_text(w, b, indent, no_mark, indent);
            break;
        }
        for (struct str code = unfolded(w->t->a, b->text); code.n > 0;)
            put_command(w, indent + CODE_IN, str_cut(code, '\n', &code));
        break;
    case BLOCK_BARS:
        blank(w);
        text_bars(w, b->bars);
        buf_add_char(w->out, '\n');
        break;
    case BLOCK_TABLE: put_table(w, b->table, indent); break;
    case BLOCK_LINK: put_link(w, b, indent); break;
    case BLOCK_RULE:
        blank(w);
        text_put(w, TONE_DIM, STR("----"));
        buf_add(w->out, STR("\n\n"));
        break;
    }
}

static void put_blocks(struct text_writer *w, const struct block *under,
                       size_t indent) {
    for (struct block *b = under->first; b != NULL; b = b->next) {
        bool is_in_section = under->kind == BLOCK_SECTION;
        if (block_is_shown(b))
            put_block(w, under, b,
                      indent + (is_in_section && b->kind != BLOCK_ITEM));
    }
}

void text_walk(const struct render *t, struct buf *out) {
    struct text_writer w = writer_open(t, out);
    put_blocks(&w, &t->d->top, 0);
}

size_t text_lines(const struct render *t) {
    struct buf out = buf_in(t->a, PLAIN_ANSWER_BYTES_MAX);
    struct text_writer w = writer_open(t, &out);
    w.counts = true;
    put_blocks(&w, &t->d->top, 0);
    return plain_count(buf_str(&out), '\n');
}

struct str text_of_bars(const struct render *t, const struct bars *bars,
                        uint32_t width) {
    struct buf out = buf_in(t->a, PLAIN_ANSWER_BYTES_MAX);
    struct text_writer w = {t, &out, width, false, {0}, false};
    text_bars(&w, bars);
    return buf_str(&out);
}
