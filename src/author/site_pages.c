/* site_pages.c: what a site consists of, made in memory before the first file
 * is touched, by the very formats of `oomkb explain` and `oomkb list`:
 *
 *     <lang>/<component>/<slug>.md  .json      an entry
 *     <lang>/index.md  index.json              all of them
 */
#include "author/site.h"

#include <stdlib.h>

#include "api/handles.h"

#define PAGE_BYTES_MAX ((size_t)16 << 20)

struct making {
    struct arena *a;
    struct reader *r;
    struct render_options o;
    struct site_pages pages;
};

static void add_page(struct making *m, struct str path,
                     const struct buf *bytes) {
    if (!buf_ok(bytes)) {
        arena_raise(m->a, FAIL_CEILING, "the page %.*s is larger than 16 MiB",
                    STR_ARG(path));
    }
    struct site_pages *p = &m->pages;
    p->at = arena_grow(m->a, p->at, p->count, &p->cap, sizeof *p->at);
    p->at[p->count++] = (struct site_page){path, buf_str(bytes)};
}

static struct str path_of(struct making *m, struct str name,
                          const char *suffix) {
    return arena_printf(m->a, "%s/%.*s.%s",
                        m->o.lang == LANG_ZH ? "zh" : "en", STR_ARG(name),
                        suffix);
}

static const struct {
    const char *format, *suffix;
} kinds[] = {{"markdown", "md"}, {"json", "json"}};

static void add_entry(struct making *m, const struct entry *e) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct buf out;
        buf_init_in(&out, m->a, PAGE_BYTES_MAX);
        struct answer answer = {.entry = e};
        format_write(format_named(str_of(kinds[i].format)), m->a, m->r,
                     &answer, &m->o, &out);
        add_page(m, path_of(m, e->id, kinds[i].suffix), &out);
    }
}

static void add_index(struct making *m, const struct listing *list) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct buf out;
        buf_init_in(&out, m->a, PAGE_BYTES_MAX);
        struct answer answer = {.list = list};
        format_write(format_named(str_of(kinds[i].format)), m->a, m->r,
                     &answer, &m->o, &out);
        add_page(m, path_of(m, STR("index"), kinds[i].suffix), &out);
    }
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
        for (size_t i = 0; i < list.count; i++) {
            add_entry(&m, list.at[i].entry);
        }
        add_index(&m, &list);
    }
    if (m.pages.count > 1) {
        qsort(m.pages.at, m.pages.count, sizeof *m.pages.at, by_path);
    }
    return m.pages;
}
