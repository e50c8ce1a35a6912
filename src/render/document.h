/* document.h: an answer as a tree of blocks, which all formats share.
 *
 *     report ── answer.c ──┐                    ┌── text.c      a terminal
 *     entry ─── entry.c ───┤                    ├── markdown.c  GitHub, a wiki
 *     list ──── list.c ────┼── struct document ─┼── html.c      a browser
 *     fit ───── fit.c ─────┘                    ├── chat.c      a bot's message
 *                                               └── csv.c       a spreadsheet
 *
 * A builder chooses the content and its order, a walker the look. Text in
 * `backquotes` is code; walkers with markup show it as code. Texts may hold
 * bytes of a log: walkers clean and escape them. JSON is made from the answer
 * itself; its sentences come from the same functions.
 *
 * A new format is one file with one function that walks the tree, and a row in
 * formats.c. */
#ifndef RENDER_DOCUMENT_H
#define RENDER_DOCUMENT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

enum block_kind {
    BLOCK_TITLE,   /* text: the subject of the answer */
    BLOCK_ID,      /* text: an entry's id; column[0]: its kind; first: links of
                      a page */
    BLOCK_SECTION, /* text: its heading; column: their titles; first: its
                      blocks */
    BLOCK_TEXT,    /* text: a paragraph */
    BLOCK_ITEM,    /* text behind mark; column: verdict and cost; first: its
                      blocks */
    BLOCK_CODE,    /* text: to be copied as it is */
    BLOCK_BARS,    /* bars */
    BLOCK_TABLE,   /* table */
    BLOCK_LINK,    /* href; text: a remark about it */
    BLOCK_RULE     /* a line between two answers */
};

enum tone { TONE_PLAIN, TONE_STRONG, TONE_DIM, TONE_GOOD, TONE_BAD, TONE_WARN,
            TONE_CODE };

#define COLUMNS 2
#define BAR_PARTS 12

struct bar_part {
    const char *glyph;      /* one column wide; neighbours have others */
    enum tone tone;
    struct str name, shown; /* "tensors", "10.26" */
    int64_t bytes;          /* above 0: at least one glyph is drawn */
};
struct bar {
    struct str label, end; /* before and behind it: "GPU", "11.91 GiB" */
    struct bar_part part[BAR_PARTS];
    size_t count;
};
struct bars { /* one scale; below a bar of several parts are their names */
    struct bar bar[2];
    size_t count;
    int64_t scale_bytes; /* of a bar of full length */
};

struct row {
    struct str *cells;
    enum tone tone;
    struct str href; /* of the first cell */
    int64_t drawn; /* a bar behind the row, if there is room; one scale for all
                      rows */
};
struct table {
    size_t columns, count, cap;
    struct row *rows; /* the first one has the titles */
};

struct block {
    enum block_kind kind;
    enum tone tone, column_tone;
    bool is_open;       /* SECTION: a blank line before it */
    bool is_implied;    /* SECTION: the heading may be left out */
    bool is_left_out;   /* for length, see document_shorten() */
    uint8_t spare;      /* 0: always shown; else, of an answer that is too long,
                           the block of the largest number is left out first */
    size_t lines; /* of its text on a terminal; 0: not counted yet */
    struct str text, mark, href, column[COLUMNS];
    const char *language; /* CODE: as Markdown names it; NULL: unknown */
    const struct bars *bars;
    const struct table *table;
    struct block *first, *last, *next; /* its own blocks; the block behind it */
};

struct document {
    size_t lines_most; /* of text; 0: no limit */
    bool is_page;      /* a page, not a part of an issue or a message */
    struct block top;  /* its blocks are the document's */
};

/* Builders add to t->d: a copy of b as the last block of `under`, or of the
 * document if that is NULL. A block of words without words is not added.
 * Returns the block, to which others may be added; never NULL. */
struct render; /* render/parts.h */
struct block *document_add(const struct render *t, struct block *under,
                           struct block b);
struct block *document_text(const struct render *t, struct block *under,
                            struct str text);
struct block *document_toned(const struct render *t, struct block *under,
                             enum tone tone, struct str text);
/* A section whose heading is the text of that key. */
struct block *document_section(const struct render *t, const char *key);
struct block *document_item(const struct render *t, struct block *under,
                            const char *mark, struct str text);
/* The item "name: value"; none without a value. */
struct block *document_labelled(const struct render *t, struct block *under,
                                struct str name, struct str value);
struct block *document_code(const struct render *t, struct block *under,
                            struct str code);
void document_title(const struct render *t, enum tone tone, struct str text);
struct block *document_bars(const struct render *t, const struct bars *bars);
struct block *document_link(const struct render *t, struct block *under,
                            struct str href, struct str text);
/* Texts as an array, and their number. */
#define STRS(...) ((const struct str[]){__VA_ARGS__})
#define STRS_COUNT(...) (sizeof STRS(__VA_ARGS__) / sizeof(struct str))
/* The titles are the texts of those keys; NULL ends them. */
struct table *document_table(const struct render *t, struct block *under,
                             const char *const *titles);
#define TABLE(t, under, ...)                                                   \
    document_table((t), (under), (const char *const[]){__VA_ARGS__, NULL})
struct row *table_add(const struct render *t, struct table *table,
                      const struct str *cells);
#define ROW(t, table, ...) table_add((t), (table), STRS(__VA_ARGS__))
size_t longest_backquotes(struct str s); /* the length of the longest run */
/* `code`, with as many backquotes as it needs. */
struct str in_backquotes(struct arena *a, struct str code);
/* False if it is left out, or is a section without anything to show. */
bool block_is_shown(const struct block *b);
/* Leaves out blocks that can be spared until the document has lines_most lines,
 * then removes them and sections without blocks. */
void document_shorten(const struct render *t);

#endif
