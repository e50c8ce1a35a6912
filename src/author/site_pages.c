/* site_pages.c: the pages of a site, made in memory before the first file is
 * written, by the formats of `oomkb explain` and `oomkb list`:
 *
 *     README.md                        what the site is
 *     <lang>/README.md  index.json     all entries
 *     <lang>/<folder>/README.md        entries of a folder
 *     <lang>/<folder>/<slug>.md  .json
 *
 * With --html each has an .html beside it; site_html.c, site_models.c and
 * site_lists.c add further pages.
 */
#include "author/site.h"

#include "base/limits.h"

#include <stdlib.h>

#include "api/handles.h"
#include "corpus/fields.h"

void site_add(struct making *m, struct str path, const struct buf *bytes) {
    buf_check(bytes, arena_str(m->keep, path).p);
    struct site_pages *p = &m->pages;
    *ARENA_ADD(m->keep, p->at, p->count, p->cap) =
        (struct site_page){arena_str(m->keep, path),
                           arena_str(m->keep, buf_str(bytes))};
}

void site_apart(struct making *m, void (*make)(struct making *m, void *arg),
                void *arg) {
    struct making before = *m;
    m->a = arena_alloc(m->keep, sizeof *m->a);
    arena_init_inside(m->a, m->keep, 0);
    m->r = reader_new(m->kb->index, m->a);
    make(m, arg);
    arena_free(m->a);
    m->a = before.a;
    m->r = before.r;
}

void site_add_answer(struct making *m, struct str path, const char *format,
                     const struct answer *answer) {
    struct buf out = buf_in(m->a, SITE_PAGE_BYTES_MAX);
    format_write(format_named(str_of(format)), m->a, m->r, answer, &m->o,
                 &out);
    site_add(m, path, &out);
}

void site_add_answers(struct making *m, struct str name, struct str markdown,
                      const struct site_words *words,
                      const struct answer *answer) {
    const char *lang = lang_name(m->o.lang);
    site_add_answer(m, arena_printf(m->a, "%s/%.*s.md", lang,
                                    STR_ARG(markdown)), "markdown", answer);
    site_add_answer(m, arena_printf(m->a, "%s/%.*s.json", lang, STR_ARG(name)),
                    "json", answer);
    if (m->wishes->is_html)
        site_html_answer(m, arena_printf(m->a, "%s/%.*s.html", lang,
                                         STR_ARG(name)), words, answer);
}

static void add_entry(struct making *m, void *arg) {
    const struct entry *e = arg;
    struct site_words words = {text_in(m->a, m->o.lang, &e->title),
                               text_in(m->a, m->o.lang, &e->root_cause), true,
                               true};
    site_add_answers(m, e->id, e->id, &words, &(struct answer){.entry = e});
}

static struct str folder_of(const struct entry *e) {
    return str_slice(e->id, 0, str_find_char(e->id, '/'));
}

static void add_readme(struct making *m, struct str folder,
                       struct listing list, enum contents contents) {
    struct answer answer = {.list = &list};
    list.contents = contents;
    site_add_answer(m, arena_printf(m->a, "%.*sREADME.md", STR_ARG(folder)),
                    "markdown", &answer);
    if (m->wishes->is_html && contents == CONTENTS_FOLDER) {
        struct str name = folder_of(list.at[0].entry);
        struct site_words words = {name, name, true, false};
        site_html_answer(m, arena_printf(m->a, "%.*sindex.html",
                                         STR_ARG(folder)), &words, &answer);
    }
}

/* Entries are sorted, so those of a folder are consecutive. */
static void add_folders(struct making *m, const struct listing *list) {
    for (size_t from = 0, to; from < list->count; from = to) {
        struct str folder = folder_of(list->at[from].entry);
        for (to = from; to < list->count &&
                        str_eq(folder, folder_of(list->at[to].entry)); to++)
            site_apart(m, add_entry, (void *)(uintptr_t)list->at[to].entry);
        add_readme(m, arena_printf(m->a, "%s/%.*s/", lang_name(m->o.lang),
                                   STR_ARG(folder)),
                   (struct listing){.at = list->at + from, .count = to - from},
                   CONTENTS_FOLDER);
    }
}

struct chosen_list {
    const struct listing *list;
    const struct site_models *models;
};

static void add_language(struct making *m, void *arg) {
    const struct chosen_list *is = arg;
    struct answer all = {.list = is->list};
    struct str folder = arena_printf(m->a, "%s/", lang_name(m->o.lang));
    add_folders(m, is->list);
    add_readme(m, folder, *is->list, CONTENTS_LANGUAGE);
    site_add_answer(m, arena_printf(m->a, "%.*sindex.json", STR_ARG(folder)),
                    "json", &all);
    if (m->wishes->is_html) {
        site_html_language(m, is->list);
        site_add_search(m, is->list, is->models);
    }
}

static void add_root(struct making *m, void *arg) {
    const struct chosen_list *is = arg;
    add_readme(m, STR(""), *is->list, CONTENTS_SITE);
    if (m->wishes->is_html) {
        site_html_root(m);
        site_add_lists(m, is->list);
    }
}

struct site_pages site_pages_make(struct arena *a, const struct oomkb *kb,
                                  const struct site_wishes *wishes) {
    site_html_check(a, wishes);
    struct making m = {.keep = a, .a = a, .kb = kb,
                       .r = reader_new(kb->index, a), .wishes = wishes};
    m.o = (struct render_options){.is_site = true,
                                  .version = str_of(OOMKB_VERSION),
                                  .digest = kb->digest,
                                  .entries = index_entry_count(kb->index)};
    struct listing list = list_entries(a, m.r, (struct str){NULL, 0});
    struct site_models models = {NULL, 0};
    if (wishes->is_html)
        models = site_add_models(&m);
    struct chosen_list all = {&list, &models};
    for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
        m.o.lang = (enum lang)lang;
        site_apart(&m, add_language, &all);
    }
    site_apart(&m, add_root, &all);
    if (m.pages.count > 1)
        qsort(m.pages.at, m.pages.count, sizeof *m.pages.at, str_order);
    return m.pages;
}
