/* document.c: builds a document, and shortens it. */
#include "render/parts.h"

#define LEFT_OUT_MOST 64
#define COLUMNS_MOST 8 /* of a table */

static bool is_empty(const struct block *b) {
    bool is_of_words = b->kind != BLOCK_TABLE && b->kind != BLOCK_SECTION &&
                       b->kind != BLOCK_RULE;
    return b->kind == BLOCK_LINK   ? b->href.n == 0
           : b->kind == BLOCK_BARS ? b->bars->count == 0
                                   : is_of_words && b->text.n == 0;
}

struct block *document_add(const struct render *t, struct block *under,
                           struct block b) {
    struct block *made = arena_alloc(t->a, sizeof *made);
    struct block *to = under != NULL ? under : &t->d->top;
    *made = b;
    if (is_empty(made))
        return made;
    if (to->last != NULL)
        to->last->next = made;
    else
        to->first = made;
    to->last = made;
    return made;
}

static struct block *add(const struct render *t, struct block *under,
                         enum block_kind kind, enum tone tone,
                         struct str text) {
    return document_add(
        t, under, (struct block){.kind = kind, .tone = tone, .text = text});
}

struct block *document_text(const struct render *t, struct block *under,
                            struct str text) {
    return add(t, under, BLOCK_TEXT, TONE_PLAIN, text);
}

struct block *document_toned(const struct render *t, struct block *under,
                             enum tone tone, struct str text) {
    return add(t, under, BLOCK_TEXT, tone, text);
}

struct block *document_section(const struct render *t, const char *key) {
    return add(t, NULL, BLOCK_SECTION, TONE_STRONG, tr(t, key));
}

struct block *document_item(const struct render *t, struct block *under,
                            const char *mark, struct str text) {
    struct block *item = add(t, under, BLOCK_ITEM, TONE_PLAIN, text);
    item->mark = str_of(mark);
    return item;
}

struct block *document_labelled(const struct render *t, struct block *under,
                                struct str name, struct str value) {
    struct str label = value.n > 0 ? TR(t, "report.label", name) : value;
    return document_item(t, under, "-",
                         arena_printf(t->a, "%.*s%.*s", STR_ARG(label),
                                      STR_ARG(value)));
}

struct block *document_code(const struct render *t, struct block *under,
                            struct str code) {
    return add(t, under, BLOCK_CODE, TONE_PLAIN, code);
}

void document_title(const struct render *t, enum tone tone, struct str text) {
    add(t, NULL, BLOCK_TITLE, tone, text);
}

struct block *document_bars(const struct render *t, const struct bars *bars) {
    return document_add(t, NULL,
                        (struct block){.kind = BLOCK_BARS, .bars = bars});
}

struct block *document_link(const struct render *t, struct block *under,
                            struct str href, struct str text) {
    return document_add(
        t, under,
        (struct block){.kind = BLOCK_LINK, .href = href, .text = text});
}

struct table *document_table(const struct render *t, struct block *under,
                             const char *const *titles) {
    struct table *table = arena_alloc(t->a, sizeof *table);
    struct str cells[COLUMNS_MOST];
    while (titles[table->columns] != NULL) {
        cells[table->columns] = tr(t, titles[table->columns]);
        table->columns++;
    }
    table_add(t, table, cells);
    document_add(t, under, (struct block){.kind = BLOCK_TABLE, .table = table});
    return table;
}

struct row *table_add(const struct render *t, struct table *table,
                      const struct str *cells) {
    struct row *row = ARENA_ADD(t->a, table->rows, table->count, table->cap);
    *row =
        (struct row){.cells = arena_array(t->a, table->columns, sizeof *cells)};
    memcpy(row->cells, cells, table->columns * sizeof *cells);
    return row;
}

size_t longest_backquotes(struct str s) {
    size_t longest = 0;
    for (size_t at = 0, run = 0; at < s.n; at++) {
        run = s.p[at] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

struct str in_backquotes(struct arena *a, struct str code) {
    size_t longest = longest_backquotes(code);
    struct buf out = buf_in(a, code.n + 2 * longest + 8);
    bool is_padded = code.n > 0 && (code.p[0] == '`' ||
                                    code.p[code.n - 1] == '`');
    const char *pad = is_padded ? " " : "";
    buf_fill(&out, '`', longest + 1);
    buf_printf(&out, "%s%.*s%s", pad, STR_ARG(code), pad);
    buf_fill(&out, '`', longest + 1);
    return code.n > 0 ? buf_str(&out) : code;
}

/* ---- length ---- */

bool block_is_shown(const struct block *b) {
    bool is_shown = b->kind != BLOCK_SECTION;
    for (const struct block *in = b->first; in != NULL && !is_shown;
         in = in->next) {
        is_shown = block_is_shown(in);
    }
    return is_shown && !b->is_left_out;
}

/* The block to leave out next: the last one of the largest `spare`. */
static struct block *candidate(struct block *under, struct block *best) {
    for (struct block *b = under->first; b != NULL; b = b->next) {
        bool is_one = b->spare > 0 && !b->is_left_out;
        best = is_one && (best == NULL || b->spare >= best->spare) ? b : best;
        best = candidate(b, best);
    }
    return best;
}

/* Removes blocks that are not shown. */
static void prune(struct block *under) {
    struct block *before = NULL;
    for (struct block *b = under->first; b != NULL; b = b->next) {
        prune(b);
        if (block_is_shown(b))
            before = b;
        else if (before != NULL)
            before->next = b->next;
        else
            under->first = b->next;
    }
    under->last = before;
}

static bool is_short(const struct render *t) {
    return t->d->lines_most == 0 || text_lines(t) <= t->d->lines_most;
}

void document_shorten(const struct render *t) {
    struct block *out[LEFT_OUT_MOST];
    size_t count = 0;
    while (!is_short(t) && count < LEFT_OUT_MOST) {
        struct block *b = candidate(&t->d->top, NULL);
        if (b == NULL)
            break;
        b->is_left_out = true;
        out[count++] = b;
    }
    /* The last one was large, so that others may fit again. */
    while (count > 0) {
        struct block *b = out[--count];
        b->is_left_out = false;
        b->is_left_out = !is_short(t);
    }
    prune(&t->d->top);
}
