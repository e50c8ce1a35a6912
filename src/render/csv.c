/* csv.c: lists, searches and the tables of `fit` for a spreadsheet (RFC 4180):
 * a table by rows; an item as a row of its text, its columns and the blocks
 * below it. Other blocks are left out. */
#include "render/parts.h"

static void put_cell(const struct render *t, struct buf *out, struct str text,
                     bool is_first) {
    struct str cell = short_text(t, text, SIZE_MAX);
    buf_add(out, is_first ? STR("") : STR(","));
    bool is_plain = str_find_char(cell, ',') == cell.n &&
                    str_find_char(cell, '"') == cell.n;
    buf_add(out, is_plain ? STR("") : STR("\""));
    for (size_t i = 0; i < cell.n; i++) {
        buf_add(out, cell.p[i] == '"' ? STR("\"") : STR(""));
        buf_add_char(out, cell.p[i]);
    }
    buf_add(out, is_plain ? STR("") : STR("\""));
}

static void put_item(const struct render *t, struct buf *out,
                     const struct block *b) {
    put_cell(t, out, b->text, true);
    for (size_t i = 0; i < COLUMNS; i++)
        if (b->column[i].n > 0)
            put_cell(t, out, b->column[i], false);
    for (const struct block *in = b->first; in != NULL; in = in->next)
        put_cell(t, out, in->text, false);
    buf_add(out, STR("\r\n"));
}

static void put_table(const struct render *t, struct buf *out,
                      const struct table *table) {
    for (size_t row = 0; row < table->count; row++) {
        for (size_t i = 0; i < table->columns; i++)
            put_cell(t, out, table->rows[row].cells[i], i == 0);
        buf_add(out, STR("\r\n"));
    }
}

static void put_blocks(const struct render *t, struct buf *out,
                       const struct block *under) {
    for (const struct block *b = under->first; b != NULL; b = b->next) {
        if (b->kind == BLOCK_ITEM && b->mark.n == 0)
            put_item(t, out, b);
        else if (b->kind == BLOCK_TABLE)
            put_table(t, out, b->table);
        else
            put_blocks(t, out, b);
    }
}

void csv_walk(const struct render *t, struct buf *out) {
    put_blocks(t, out, &t->d->top);
}
