/* document.h: an answer as a tree of blocks, before anyone has chosen a format.
 *
 *     report ── answer.c ──┐                    ┌── text.c      a terminal
 *     entry ─── entry.c ───┤                    ├── markdown.c  GitHub, a wiki
 *     list ──── list.c ────┼── struct document ─┼── html.c      a browser
 *     fit ───── fit.c ─────┘                    ├── chat.c      a bot's message
 *                                               └── csv.c       a spreadsheet
 *
 * A builder chooses what is said and in which order, a walker how it looks.
 * What stands in `backquotes` in a text is code: walkers that know markup show
 * it so. Texts may hold bytes of a log: walkers clean and escape them. JSON is
 * made from the answer itself; its sentences come from the same functions.
 *
 * A new format is one file with one function that walks the tree, and a row in
 * formats.c.
 */
#ifndef RENDER_DOCUMENT_H
#define RENDER_DOCUMENT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

enum block_kind {
    BLOCK_TITLE,   /* text: what the answer is about */
    BLOCK_ID,      /* text: an entry's id; column[0]: what kind of entry; links
                      of a page below */
    BLOCK_SECTION, /* text: its heading; column: titles; its blocks below */
    BLOCK_TEXT,    /* text: a paragraph */
    BLOCK_ITEM,    /* text behind mark, column: verdict and cost; blocks below */
    BLOCK_CODE,    /* text: to be copied as it is */
    BLOCK_BARS,    /* bars */
    BLOCK_TABLE,   /* table */
    BLOCK_LINK,    /* href; text: what is said of it */
    BLOCK_RULE     /* between two answers */
};

enum tone { TONE_PLAIN, TONE_STRONG, TONE_DIM, TONE_GOOD, TONE_BAD, TONE_WARN,
            TONE_CODE };

#define COLUMNS 2
#define BAR_PARTS 12

struct bar_part {
    const char *glyph;   /* one column wide; unlike its neighbours' */
    enum tone tone;
    struct str name, shown; /* "tensors", "10.26" */
    int64_t bytes;       /* more than 0: at least one glyph is drawn */
};
struct bar {
    struct str label, end; /* before and behind it: "GPU", "11.91 GiB" */
    struct bar_part part[BAR_PARTS];
    size_t count;
};
struct bars { /* to one scale; the parts of a bar of several are named below */
    struct bar bar[2];
    size_t count;
    int64_t scale_bytes; /* of a bar in full length */
};

struct table {
    size_t columns, rows;
    struct str *cells; /* row by row; the first row holds the titles */
    enum tone *tones;  /* of each row */
    struct str *hrefs; /* of each row's first cell */
    int64_t *drawn;    /* of each row: drawn beside it as bars to one scale,
                          where the page has room */
};

struct block {
    enum block_kind kind;
    enum tone tone, column_tone;
    bool is_open;       /* SECTION: a blank line before it */
    bool is_implied;    /* SECTION: its items show by themselves what they are;
                           the heading may be left out */
    bool is_left_out;   /* for length, see document_shorten() */
    uint8_t spare;      /* 0: always shown; else what is left out first where
                           an answer is too long: the largest number */
    struct str text, mark, href, column[COLUMNS];
    const char *language; /* CODE: as Markdown names it; NULL: not known */
    const struct bars *bars;
    const struct table *table;
    struct block *first, *last, *next; /* blocks below, the next one */
};

struct document {
    struct arena *a;
    size_t lines_most; /* of text; 0: as many as it takes */
    bool is_page;      /* stands alone, and not in an issue or a message */
    struct block top;  /* its blocks are the document's */
};

/* A copy of b as the last block under `under`; NULL: the document's top. A
 * block of words without words is not added. Returns the block, which may then
 * be added to; never NULL. */
struct block *document_add(struct document *d, struct block *under,
                           struct block b);
struct block *document_text(struct document *d, struct block *under,
                            enum tone tone, struct str text);
struct block *document_section(struct document *d, struct str heading);
struct block *document_item(struct document *d, struct block *under,
                            const char *mark, struct str text);
struct block *document_code(struct document *d, struct block *under,
                            struct str code);
void document_title(struct document *d, enum tone tone, struct str text);
struct block *document_bars(struct document *d, const struct bars *bars);
struct block *document_link(struct document *d, struct block *under,
                            struct str href, struct str text);
/* So many cells, to be filled row by row. */
struct table *document_table(struct document *d, struct block *under,
                             size_t columns, size_t rows);
void table_row(struct table *table, size_t row, const struct str *cells);
/* `code`, with as many backquotes as it needs. */
struct str in_backquotes(struct arena *a, struct str code);
/* Is there anything of it to be shown? */
bool block_is_shown(const struct block *b);
/* What can be spared is left out until the document is short, as much of it as
 * need be; then all that is left out goes, and sections without blocks. */
void document_shorten(struct document *d,
                      bool (*is_short)(const void *ctx,
                                       const struct document *d),
                      const void *ctx);

#endif
