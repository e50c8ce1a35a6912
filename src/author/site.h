/* site.h: the pages of a site. Private to author/. */
#ifndef AUTHOR_SITE_H
#define AUTHOR_SITE_H

#include "author/author.h"

#include "render/render.h"

struct site_page {
    struct str path; /* below the folder: "en/vllm/kv-cache-too-small.md" */
    struct str bytes;
};

struct site_pages {
    struct site_page *at;
    size_t count, cap;
};

/* The state while pages are made. */
struct making {
    struct arena *keep; /* for the pages */
    struct arena *a;    /* for the current page: site_apart() */
    const struct oomkb *kb;
    struct reader *r;
    const struct site_wishes *wishes;
    struct render_options o;
    struct site_pages pages;
};

/* site_pages.c: all pages, in the order of their paths. */
struct site_pages site_pages_make(struct arena *a, const struct oomkb *kb,
                                  const struct site_wishes *wishes);
/* Call make with an arena that is freed afterwards; pages are kept. */
void site_apart(struct making *m, void (*make)(struct making *m, void *arg),
                void *arg);
void site_add(struct making *m, struct str path, const struct buf *bytes);
/* The answer in that format, as a page. */
void site_add_answer(struct making *m, struct str path, const char *format,
                     const struct answer *answer);

/* In m's language as Markdown, JSON and, if wished, HTML: "vllm/x". */
struct site_words;
void site_add_answers(struct making *m, struct str name, struct str markdown,
                      const struct site_words *words,
                      const struct answer *answer);

/* ---- with --html ---- */

/* site_html.c: an answer in the frame of a page. path: "en/vllm/x.html"; the
 * same page in Markdown and JSON stands beside it if words has them. */
struct site_words {
    struct str title, description;
    bool has_markdown, has_json;
};
void site_html_answer(struct making *m, struct str path,
                      const struct site_words *words,
                      const struct answer *answer);
/* Of a page: a folder's for its index.html. */
struct str site_address(struct making *m, struct str path);
/* Start, search, log and calculator in m's language. */
void site_html_language(struct making *m, const struct listing *list);
/* Files without a language: the start, 404.html, style sheet, scripts. */
void site_html_root(struct making *m);
/* Raises FAIL_USAGE where the package that is asked for is not there. */
void site_html_check(struct arena *a, const struct site_wishes *wishes);

/* site_models.c: a page for every model in every language, and a page of all.
 * The result has, for each model, what the page of all and the search need. */
struct site_models {
    struct model_sheet *at;
    size_t count;
};
struct site_models site_add_models(struct making *m);

/* site_lists.c: files for programs: search.json in m's language; sitemap.xml,
 * robots.txt and llms.txt. */
void site_add_search(struct making *m, const struct listing *list,
                     const struct site_models *models);
void site_add_lists(struct making *m, const struct listing *list);

/* web.c: the files of web/, which are built into the program. Those that end in
 * .html are templates of pages (render/html.c); the others are copied to a
 * site. */
struct web_file {
    struct str name; /* "style.css" */
    struct str bytes;
    bool is_template;
};

size_t web_file_count(void);
struct web_file web_file(size_t i);
struct str web_template(const char *name); /* empty: there is none */

#endif
