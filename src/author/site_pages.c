/* site_pages.c: what a site consists of, made in memory before the first file
 * is touched, by the very formats of `oomkb explain` and `oomkb list`:
 *
 *     README.md                        what the site is
 *     <lang>/README.md  index.json     all entries
 *     <lang>/<folder>/README.md        those of a folder
 *     <lang>/<folder>/<slug>.md  .json
 */
#include "author/site.h"

#include "base/limits.h"

#include <stdlib.h>

#include "api/handles.h"
#include "corpus/fields.h"

struct making {
    struct arena *a;
    struct reader *r;
    struct render_options o;
    struct site_pages pages;
};

static void add_page(struct making *m, struct str path,
                     const struct buf *bytes) {
    if (!buf_ok(bytes))
        arena_raise(m->a, FAIL_CEILING, "the page %.*s is larger than 16 MiB",
                    STR_ARG(path));
    struct site_pages *p = &m->pages;
    p->at = arena_grow(m->a, p->at, p->count, &p->cap, sizeof *p->at);
    p->at[p->count++] = (struct site_page){path, buf_str(bytes)};
}

static void add(struct making *m, struct str path, const char *format,
                const struct answer *answer) {
    struct buf out;
    buf_init_in(&out, m->a, SITE_PAGE_BYTES_MAX);
    format_write(format_named(str_of(format)), m->a, m->r, answer, &m->o,
                 &out);
    add_page(m, path, &out);
}

static void add_entry(struct making *m, const struct entry *e) {
    struct answer answer = {.entry = e};
    const char *lang = lang_name(m->o.lang);
    add(m, arena_printf(m->a, "%s/%.*s.md", lang, STR_ARG(e->id)), "markdown",
        &answer);
    add(m, arena_printf(m->a, "%s/%.*s.json", lang, STR_ARG(e->id)), "json",
        &answer);
}

static void add_readme(struct making *m, struct str folder,
                       struct listing list, enum contents contents) {
    struct answer answer = {.list = &list};
    list.contents = contents;
    add(m, arena_printf(m->a, "%.*sREADME.md", STR_ARG(folder)), "markdown",
        &answer);
}

static struct str folder_of(const struct entry *e) {
    return str_slice(e->id, 0, str_find_char(e->id, '/'));
}

/* Entries come sorted: those of a folder stand together. */
static void add_folders(struct making *m, const struct listing *list) {
    for (size_t from = 0, to; from < list->count; from = to) {
        struct str folder = folder_of(list->at[from].entry);
        for (to = from; to < list->count &&
                        str_eq(folder, folder_of(list->at[to].entry)); to++)
            add_entry(m, list->at[to].entry);
        add_readme(m, arena_printf(m->a, "%s/%.*s/", lang_name(m->o.lang),
                                   STR_ARG(folder)),
                   (struct listing){.at = list->at + from, .count = to - from},
                   CONTENTS_FOLDER);
    }
}

static void add_language(struct making *m, const struct listing *list) {
    struct answer all = {.list = list};
    struct str folder = arena_printf(m->a, "%s/", lang_name(m->o.lang));
    add_folders(m, list);
    add_readme(m, folder, *list, CONTENTS_LANGUAGE);
    add(m, arena_printf(m->a, "%.*sindex.json", STR_ARG(folder)), "json",
        &all);
}

static int by_path(const void *a, const void *b) {
    const struct site_page *left = a;
    const struct site_page *right = b;
    return str_cmp(left->path, right->path);
}

struct site_pages site_pages_make(struct arena *a, const struct oomkb *kb) {
    struct making m = {.a = a, .r = reader_new(kb->index, a)};
    m.o = (struct render_options){.is_site = true,
                                  .version = str_of(OOMKB_VERSION),
                                  .digest = kb->digest,
                                  .entries = index_entry_count(kb->index)};
    struct listing list = list_entries(a, m.r, (struct str){NULL, 0});
    for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
        m.o.lang = (enum lang)lang;
        add_language(&m, &list);
    }
    add_readme(&m, STR(""), list, CONTENTS_SITE);
    if (m.pages.count > 1)
        qsort(m.pages.at, m.pages.count, sizeof *m.pages.at, by_path);
    return m.pages;
}
