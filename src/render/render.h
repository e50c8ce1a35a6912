/* render.h: an answer as bytes. One table of formats for reports, entries,
 * lists and `fit`. Output is valid UTF-8 and safe where it is meant to be
 * shown. */
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
    uint32_t top;      /* fixes shown per finding; 0: the format's own choice */
    bool why;          /* explain every place */
    bool all;          /* nothing is left out for length */
    bool redact;       /* names of people, places and machines: redact.c */
    bool is_site;      /* Markdown: entries link to each other's pages, and no
                          Liquid stands in them, which GitHub Pages would run */
    bool is_part;      /* HTML: below a heading of the page that it stands in */
    struct str version; /* of oomkb, as JSON names it */
    struct str digest;  /* of the knowledge base */
    size_t entries;     /* in it */
};

/* Entries in the order in which they are shown. */
struct listed {
    const struct entry *entry;
    int64_t score_micro; /* of a search; of what is matched: 0 */
    bool is_matched;     /* what was searched for is its message */
};
enum contents { CONTENTS_NONE, CONTENTS_SITE, CONTENTS_LANGUAGE,
                CONTENTS_FOLDER };
struct listing {
    const struct listed *at;
    size_t count;
    enum contents contents; /* of a site: it is of one folder, or of all; not
                               for JSON */
    bool is_search;
    struct str words; /* that were searched for */
};

/* What `oomkb fit` answers: a fit, and others beside it. */
struct fit_column { /* one value of --compare */
    struct str value;
    const struct fit *fit;
};

struct fit_sheet {
    const struct fit *fit;
    const struct fit *told; /* that people read of: fit, or one compared */
    struct str compared; /* the fact that differs; empty: nothing compared */
    const struct fit_column *columns;
    size_t column_count;
    struct release_steps steps; /* --compare engine_version: between them */
    const struct fit_point *points; /* --sweep max_model_len */
    size_t point_count;
};

/* Pages on models: one model with what it takes, or all of them. */
struct model_on { /* a GPU, alone */
    const struct gpu *gpu;
    const struct fit *fit;
};

/* Releases of an engine that reckon alike; an end that is empty is open. Of an
 * engine whose rules are not known by release, the newest alone: until = from. */
struct model_kv {
    struct str engine, from, until;
    struct span per_token, request; /* bytes */
};

struct model_sheet {
    const struct model *model; /* NULL: a page of all */
    const struct fit *fit;     /* on no GPU, with every default */
    const struct model_on *on;
    size_t on_count;
    const struct model_kv *kv;
    size_t kv_count;
    struct release_steps steps; /* of vLLM, from the first release in kv on */
    const struct model_sheet *all; /* of a page of all, each with model, fit */
    size_t all_count;
};

/* A list of what can be named, beside entries (names.c). */
#define NAMES_COLUMNS 4

struct cell {
    struct str text; /* empty: not known */
    int64_t number;
    bool is_number;
};

struct names {
    const char *what;                   /* "models" */
    const char *const *columns;         /* of JSON, and of list.column.* */
    size_t column_count, row_count, cap;
    struct cell *cells; /* row by row */
    const struct machine_list *machine; /* JSON: a row is one of these; or NULL */
};

/* What is written: the member that is not NULL. */
struct answer {
    const struct report *report;
    const struct entry *entry;
    const struct listing *list;
    const struct fit_sheet *fit;
    const struct names *names;
    const struct model_sheet *models; /* Markdown, HTML and JSON */
    bool is_memory; /* of the report where its memory went, and nothing else */
};

struct format;
extern const char *const format_names[]; /* NULL-terminated */
const struct format *format_named(struct str name); /* NULL: no such format */
/* Raises FAIL_USAGE where the format is not made for such an answer. */
void format_write(const struct format *f, struct arena *a, struct reader *r,
                  const struct answer *answer, const struct render_options *o,
                  struct buf *out);

/* A page whose words are not ours: `{{key}}` in its template gives the text of
 * i18n under site.<key> as HTML, `{{=key}}` the same as the value of an
 * attribute; slots come first, as they are. Raises FAIL_USAGE for a key that
 * has neither. */
struct html_slot {
    const char *name;
    struct str html;
};
void html_fill(struct arena *a, struct reader *r, enum lang lang,
               struct str template, const struct html_slot *slots,
               size_t slot_count, struct buf *out);
/* A text of an entry in that language. */
struct str text_in(struct arena *a, enum lang lang, const struct text *text);
/* Text for an element or an attribute, nothing in it is markup. */
struct str html_plain(struct arena *a, struct str text);

/* What list and search show: every entry of a component (empty: all); those
 * whose message the words are, as a diagnosis of them says, then those that a
 * search finds. Entries live in the reader's arena. */
struct listing list_entries(struct arena *a, struct reader *r,
                            struct str component);
struct listing search_entries(struct arena *a, struct reader *r,
                              struct str words, const struct report *matched);

extern const char *const names_known[]; /* "models" ..., NULL-terminated */
/* Raises FAIL_USAGE for what is no such list. */
const struct names *names_of(struct arena *a, struct reader *r, enum lang lang,
                             struct str what);

/* What is known of the machine at hand. */
const struct names *names_of_machine(struct arena *a, struct reader *r,
                                     enum lang lang,
                                     const struct machine_list *list);
/* "Qwen--Qwen2.5-7B-Instruct": the name of its page. */
struct str model_slug(struct arena *a, const struct model *m);

/* i18n: the text of a note in that language. */
struct str say(struct arena *a, struct reader *r, enum lang lang,
               const struct note *n);
/* At most 280 characters, one line. */
struct str summary_of(struct arena *a, struct reader *r,
                      const struct report *rep, enum lang lang);

#endif
