/* render.h: an answer as bytes, in one of the formats. Output is valid UTF-8
 * and safe in the program that is to show it. */
#ifndef RENDER_RENDER_H
#define RENDER_RENDER_H

#include "base/arena.h"
#include "base/buf.h"
#include "diagnose/report.h"
#include "index/index.h"
#include "memory/releases.h"

struct render_options {
    enum lang lang;
    bool color;
    uint32_t width;    /* columns; kept between 60 and 120, 0: 80 */
    uint32_t top;      /* fixes shown per finding; 0: the format's default */
    bool why;          /* explains the rank of each fix */
    bool all;          /* leaves nothing out for length */
    bool redact;       /* without names of people, places and machines:
                          redact.c */
    bool is_site;      /* Markdown: entries link to each other's pages, and
                          Liquid is escaped, which GitHub Pages would run */
    bool is_part;      /* HTML: the page has a heading above it */
    struct str version; /* of oomkb, for JSON */
    struct str digest;  /* of the knowledge base */
    size_t entries;     /* in it */
};

/* Entries in the order in which they are shown. */
struct listed {
    const struct entry *entry;
    int64_t score_micro; /* of a search; 0 if it is matched */
    bool is_matched;     /* the words of the search are its message */
};
enum contents { CONTENTS_NONE, CONTENTS_SITE, CONTENTS_LANGUAGE,
                CONTENTS_FOLDER };
struct listing {
    const struct listed *at;
    size_t count;
    enum contents contents; /* of a site: the page of a folder, or of all; not
                               for JSON */
    bool is_search;
    struct str words; /* of the search */
};

/* The answer of `oomkb fit`: a fit, and others to compare it with. */
struct fit_column { /* one value of --compare */
    struct str value;
    const struct fit *fit;
};

struct fit_sheet {
    const struct fit *fit;
    const struct fit *main; /* the one of the text: fit, or one of columns */
    struct str compared; /* the fact of --compare; empty: none */
    const struct fit_column *columns;
    size_t column_count;
    struct release_steps steps; /* --compare engine_version: between columns */
    const struct fit_point *points; /* --sweep max_model_len */
    size_t point_count;
};

/* Pages about models: one model with its memory, or all models. */
struct model_on { /* one GPU */
    const struct gpu *gpu;
    const struct fit *fit;
};

/* Releases of an engine with the same arithmetic; an empty end is open. If the
 * rules are not known by release, it is the newest one: until = from. */
struct model_kv {
    struct str engine, from, until;
    struct span per_token, request; /* bytes */
};

struct model_sheet {
    const struct model *model; /* NULL: the page of all models */
    const struct fit *fit;     /* without a GPU, with all defaults */
    const struct model_on *on;
    size_t on_count;
    const struct model_kv *kv;
    size_t kv_count;
    struct release_steps steps; /* of vLLM, from the first release in kv on */
    const struct model_sheet *all; /* of that page: model and fit of each */
    size_t all_count;
};

/* A table of names in the knowledge base (names.c). */
#define NAMES_COLUMNS 4

struct cell {
    struct str text; /* empty: unknown */
    int64_t number;
    bool is_number;
};

struct names {
    const char *what;                   /* "models" */
    const char *const *columns;         /* of JSON, and of list.column.* */
    size_t column_count, row_count, cap;
    struct cell *cells; /* by rows */
    const struct machine_list *machine; /* JSON: the facts of the rows; or
                                           NULL */
};

/* The answer is the member that is not NULL. */
struct answer {
    const struct report *report;
    const struct entry *entry;
    const struct listing *list;
    const struct fit_sheet *fit;
    const struct names *names;
    const struct model_sheet *models; /* Markdown, HTML and JSON */
    bool is_memory; /* only where the memory of the report went */
};

struct format;
extern const char *const format_names[]; /* NULL-terminated */
const struct format *format_named(struct str name); /* NULL: no such format */
/* Raises FAIL_USAGE if the format is not for such an answer. */
void format_write(const struct format *f, struct arena *a, struct reader *r,
                  const struct answer *answer, const struct render_options *o,
                  struct buf *out);

/* Fills the template of a page: `{{key}}` becomes the slot of that name, else
 * the text of i18n under site.<key> as HTML; `{{=key}}` the same as the value
 * of an attribute. Raises FAIL_USAGE for a key that has neither. */
struct html_slot {
    const char *name;
    struct str html;
};
void html_fill(struct arena *a, struct reader *r, enum lang lang,
               struct str template, const struct html_slot *slots,
               size_t slot_count, struct buf *out);
/* A text of an entry in that language. */
struct str text_in(struct arena *a, enum lang lang, const struct text *text);
/* The text for an element or an attribute, without markup. */
struct str html_plain(struct arena *a, struct str text);

/* All entries of a component; empty: of all. Entries live in the reader's
 * arena. */
struct listing list_entries(struct arena *a, struct reader *r,
                            struct str component);
/* The entries that the words are a message of, by a diagnosis of the words,
 * then those of a search. */
struct listing search_entries(struct arena *a, struct reader *r,
                              struct str words, const struct report *matched);

extern const char *const names_known[]; /* "models" ..., NULL-terminated */
/* Raises FAIL_USAGE if there is no such table. */
const struct names *names_of(struct arena *a, struct reader *r, enum lang lang,
                             struct str what);

/* The facts of this machine. */
const struct names *names_of_machine(struct arena *a, struct reader *r,
                                     enum lang lang,
                                     const struct machine_list *list);
/* "Qwen--Qwen2.5-7B-Instruct": the name of its page. */
struct str model_slug(struct arena *a, const struct model *m);

/* The text of a note in that language. */
struct str say(struct arena *a, struct reader *r, enum lang lang,
               const struct note *n);
/* The title of the first finding and its numbers: at most 280 characters on one
 * line. */
struct str summary_of(struct arena *a, struct reader *r,
                      const struct report *rep, enum lang lang);

#endif
