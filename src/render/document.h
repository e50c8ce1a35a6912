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

struct row {
    struct str *cells;
    enum tone tone;
    struct str href; /* of the first cell */
    int64_t drawn; /* beside it as a bar, all rows to one scale, where the page
                      has room */
};
struct table {
    size_t columns, count, cap;
    struct row *rows; /* the first one holds the titles */
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
    size_t lines_most; /* of text; 0: as many as it takes */
    bool is_page;      /* stands alone, and not in an issue or a message */
    struct block top;  /* its blocks are the document's */
};

/* Builders add to t->d. A copy of b as the last block under `under`; NULL: the
 * document's top. A block of words without words is not added. Returns the
 * block, which may then be added to; never NULL. */
struct teller; /* render/parts.h */
struct block *document_add(const struct teller *t, struct block *under,
                           struct block b);
struct block *document_text(const struct teller *t, struct block *under,
                            struct str text);
struct block *document_toned(const struct teller *t, struct block *under,
                             enum tone tone, struct str text);
/* Under the text of that key. */
struct block *document_section(const struct teller *t, const char *key);
struct block *document_item(const struct teller *t, struct block *under,
                            const char *mark, struct str text);
/* "name: value" behind a dash; none without a value. */
struct block *document_labelled(const struct teller *t, struct block *under,
                                struct str name, struct str value);
struct block *document_code(const struct teller *t, struct block *under,
                            struct str code);
void document_title(const struct teller *t, enum tone tone, struct str text);
struct block *document_bars(const struct teller *t, const struct bars *bars);
struct block *document_link(const struct teller *t, struct block *under,
                            struct str href, struct str text);
/* Texts as an array, and how many. */
#define STRS(...) ((const struct str[]){__VA_ARGS__})
#define STRS_COUNT(...) (sizeof STRS(__VA_ARGS__) / sizeof(struct str))
/* Its titles are the texts of those keys; NULL ends them. */
struct table *document_table(const struct teller *t, struct block *under,
                             const char *const *titles);
#define TABLE(t, under, ...)                                                   \
    document_table((t), (under), (const char *const[]){__VA_ARGS__, NULL})
struct row *table_add(const struct teller *t, struct table *table,
                      const struct str *cells);
#define ROW(t, table, ...) table_add((t), (table), STRS(__VA_ARGS__))
/* Of the longest run of them. */
size_t longest_backquotes(struct str s);
/* `code`, with as many backquotes as it needs. */
struct str in_backquotes(struct arena *a, struct str code);
/* Is there anything of it to be shown? */
bool block_is_shown(const struct block *b);
/* What can be spared is left out until the document is short, as much of it as
 * need be; then all that is left out goes, and sections without blocks. */
void document_shorten(const struct teller *t);

#endif
