/* contents.c: the README.md of a folder of a site, with a table of its entries.
 * GitHub shows it below the folder's files.
 *
 *     README.md            the folders of every language
 *     en/README.md         the folders, then the entries of each
 *     en/vllm/README.md    the entries
 */
#include "render/parts.h"

static struct str folder_of(const struct entry *e) {
    return str_slice(e->id, 0, str_find_char(e->id, '/'));
}

/* The number of entries from `from` on that are in one folder. */
static size_t folder_size(const struct listing *list, size_t from) {
    size_t n = 1;
    while (from + n < list->count &&
           str_eq(folder_of(list->at[from].entry),
                  folder_of(list->at[from + n].entry)))
        n++;
    return n;
}

/* where: the folder of their pages, with a slash at its end. */
static void add_entries(const struct render *t, struct block *under,
                        const struct listing *list, size_t from, size_t count,
                        struct str where) {
    struct table *table =
        TABLE(t, under, "site.entry", "site.mechanism", "site.severity");
    for (size_t i = from; i < from + count; i++) {
        const struct entry *e = list->at[i].entry;
        struct str slug;
        str_cut(e->id, '/', &slug);
        ROW(t, table, localized(t, &e->title),
            word_text(t, WORDS_MECHANISM, (int)e->mechanism),
            word_text(t, WORDS_SEVERITY, (int)e->severity))
            ->href =
            arena_printf(t->a, "%.*s%.*s.md", STR_ARG(where), STR_ARG(slug));
    }
}

/* The folders below `where`, each with the number of its entries. */
static void add_folders(const struct render *t, struct block *under,
                        const struct listing *list, struct str where) {
    struct table *table = TABLE(t, under, "site.folder", "list.column.entries");
    for (size_t i = 0, n; i < list->count; i += n) {
        struct str folder = folder_of(list->at[i].entry);
        n = folder_size(list, i);
        ROW(t, table, folder, count_text(t, (int64_t)n))->href = arena_printf(
            t->a, "%.*s%.*s/README.md", STR_ARG(where), STR_ARG(folder));
    }
}

/* Both languages on one page. */
static void add_root(const struct render *t, const struct listing *list) {
    document_title(t, TONE_PLAIN, STR("oomkb"));
    for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
        struct render in = *t;
        in.lang = (enum lang)lang;
        const char *name = lang_name(in.lang);
        struct block *under = document_section(&in, "site.language");
        document_text(t, under, tr(&in, "list.what"));
        document_link(t, under, arena_printf(t->a, "%s/README.md", name),
                      tr(&in, "list.all"));
        document_link(t, under, arena_printf(t->a, "%s/index.json", name),
                      tr(&in, "site.index"));
        add_folders(&in, under, list, arena_printf(t->a, "%s/", name));
    }
}

static void add_language(const struct render *t, const struct listing *list) {
    document_title(t, TONE_PLAIN, tr(t, "list.all"));
    document_text(t, NULL, tr(t, "list.what"));
    document_link(t, NULL, STR("index.json"), tr(t, "site.index"));
    document_link(t, NULL, arena_printf(t->a, "../%s/README.md", site_other(t)),
                  tr(t, "site.other"));
    add_folders(t, NULL, list, STR(""));
    for (size_t i = 0, n; i < list->count; i += n) {
        struct str folder = folder_of(list->at[i].entry);
        n = folder_size(list, i);
        struct block *under = document_add(
            t, NULL, (struct block){.kind = BLOCK_SECTION, .text = folder});
        add_entries(t, under, list, i, n,
                    arena_printf(t->a, "%.*s/", STR_ARG(folder)));
    }
}

static void add_folder(const struct render *t, const struct listing *list) {
    struct str folder = folder_of(list->at[0].entry);
    document_title(t, TONE_PLAIN, folder);
    document_text(
        t, NULL,
        TR(t, "site.what", folder, count_text(t, (int64_t)list->count)));
    document_link(t, NULL, STR("../README.md"), tr(t, "list.all"));
    document_link(t, NULL,
                  arena_printf(t->a, "../../%s/%.*s/README.md", site_other(t),
                               STR_ARG(folder)),
                  tr(t, "site.other"));
    add_entries(t, NULL, list, 0, list->count, STR(""));
}

const char *site_other(const struct render *t) {
    return lang_name(t->lang == LANG_ZH ? LANG_EN : LANG_ZH);
}

void contents_document(const struct render *t, const struct listing *list) {
    switch (list->contents) {
    case CONTENTS_SITE: add_root(t, list); break;
    case CONTENTS_LANGUAGE: add_language(t, list); break;
    case CONTENTS_FOLDER: add_folder(t, list); break;
    case CONTENTS_NONE: break;
    }
}
