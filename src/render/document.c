/* document.c: putting blocks together, and taking out what an answer can do
 * without. */
#include "render/document.h"

#define LEFT_OUT_MOST 64

static bool is_empty(const struct block *b) {
    switch (b->kind) {
    case BLOCK_TITLE:
    case BLOCK_ID:
    case BLOCK_TEXT:
    case BLOCK_ITEM:
    case BLOCK_CODE: return b->text.n == 0;
    case BLOCK_LINK: return b->href.n == 0;
    case BLOCK_BARS: return b->bars == NULL || b->bars->count == 0;
    case BLOCK_TABLE: return b->table == NULL || b->table->rows == 0;
    case BLOCK_SECTION:
    case BLOCK_RULE: break;
    }
    return false;
}

struct block *document_add(struct document *d, struct block *under,
                           struct block b) {
    struct block *made = arena_alloc(d->a, sizeof *made);
    struct block *to = under != NULL ? under : &d->top;
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

struct block *document_text(struct document *d, struct block *under,
                            enum tone tone, struct str text) {
    return document_add(d, under, (struct block){.kind = BLOCK_TEXT,
                                                 .tone = tone, .text = text});
}

struct block *document_section(struct document *d, struct str heading) {
    return document_add(d, NULL, (struct block){.kind = BLOCK_SECTION,
                                                .tone = TONE_STRONG,
                                                .text = heading});
}

struct block *document_item(struct document *d, struct block *under,
                            const char *mark, struct str text) {
    return document_add(d, under, (struct block){.kind = BLOCK_ITEM,
                                                 .mark = str_of(mark),
                                                 .text = text});
}

struct block *document_code(struct document *d, struct block *under,
                            struct str code) {
    return document_add(d, under,
                        (struct block){.kind = BLOCK_CODE, .text = code});
}

void document_title(struct document *d, enum tone tone, struct str text) {
    document_add(d, NULL, (struct block){.kind = BLOCK_TITLE, .tone = tone,
                                         .text = text});
}

struct block *document_bars(struct document *d, const struct bars *bars) {
    return document_add(d, NULL,
                        (struct block){.kind = BLOCK_BARS, .bars = bars});
}

struct block *document_link(struct document *d, struct block *under,
                            struct str href, struct str text) {
    return document_add(d, under, (struct block){.kind = BLOCK_LINK,
                                                 .href = href, .text = text});
}

struct table *document_table(struct document *d, struct block *under,
                             size_t columns, size_t rows) {
    struct table *t = arena_alloc(d->a, sizeof *t);
    *t = (struct table){
        columns, rows,
        arena_array(d->a, rows * columns, sizeof *t->cells),
        arena_array(d->a, rows, sizeof *t->tones),
        arena_array(d->a, rows, sizeof *t->hrefs),
        arena_array(d->a, rows, sizeof *t->drawn)};
    document_add(d, under, (struct block){.kind = BLOCK_TABLE, .table = t});
    return t;
}

void table_row(struct table *table, size_t row, const struct str *cells) {
    memcpy(table->cells + row * table->columns, cells,
           table->columns * sizeof *cells);
}

struct str in_backquotes(struct arena *a, struct str code) {
    size_t longest = 0;
    for (size_t at = 0, run = 0; at < code.n; at++) {
        run = code.p[at] == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    struct buf out;
    buf_init_in(&out, a, code.n + 2 * longest + 8);
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

/* The last of those that are most easily spared. */
static struct block *candidate(struct block *under, struct block *best) {
    for (struct block *b = under->first; b != NULL; b = b->next) {
        bool is_one = b->spare > 0 && !b->is_left_out;
        best = is_one && (best == NULL || b->spare >= best->spare) ? b : best;
        best = candidate(b, best);
    }
    return best;
}

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

void document_shorten(struct document *d,
                      bool (*is_short)(const void *ctx,
                                       const struct document *d),
                      const void *ctx) {
    struct block *out[LEFT_OUT_MOST];
    size_t count = 0;
    while (!is_short(ctx, d) && count < LEFT_OUT_MOST) {
        struct block *b = candidate(&d->top, NULL);
        if (b == NULL)
            break;
        b->is_left_out = true;
        out[count++] = b;
    }
    /* what left last was large: some of the others may fit again */
    while (count > 0) {
        struct block *b = out[--count];
        b->is_left_out = false;
        b->is_left_out = !is_short(ctx, d);
    }
    prune(&d->top);
}
