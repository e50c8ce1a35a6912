/* contents.c: the README.md of a folder of a site: what is here, and a table
 * of the entries. GitHub shows it below the folder's files.
 *
 *     README.md            the folders of every language
 *     en/README.md         the folders, then the entries of each
 *     en/vllm/README.md    the entries
 */
#include "render/parts.h"

static struct str folder_of(const struct entry *e) {
    return str_slice(e->id, 0, str_find_char(e->id, '/'));
}

/* Entries from `from` on that stand in one folder. */
static size_t folder_size(const struct listing *list, size_t from) {
    size_t n = 1;
    while (from + n < list->count &&
           str_eq(folder_of(list->at[from].entry),
                  folder_of(list->at[from + n].entry)))
        n++;
    return n;
}

/* Their pages stand in the folder `where`, which ends with a slash. */
static void add_entries(const struct teller *t, struct block *under,
                        const struct listing *list, size_t from, size_t count,
                        struct str where) {
    struct table *table =
        TABLE(t, under, "site.entry", "site.mechanism", "site.severity");
    for (size_t i = from; i < from + count; i++) {
        const struct entry *e = list->at[i].entry;
        struct str slug;
        str_cut(e->id, '/', &slug);
        ROW(t, table, said_text(t, &e->title),
            said_word(t, WORDS_MECHANISM, (int)e->mechanism),
            said_word(t, WORDS_SEVERITY, (int)e->severity))
            ->href =
            arena_printf(t->a, "%.*s%.*s.md", STR_ARG(where), STR_ARG(slug));
    }
}

/* The folders and how much is in each; they stand in `where`. */
static void add_folders(const struct teller *t, struct block *under,
                        const struct listing *list, struct str where) {
    struct table *table = TABLE(t, under, "site.folder", "list.column.entries");
    for (size_t i = 0, n; i < list->count; i += n) {
        struct str folder = folder_of(list->at[i].entry);
        n = folder_size(list, i);
        ROW(t, table, folder, shown_count(t, (int64_t)n))->href = arena_printf(
            t->a, "%.*s%.*s/README.md", STR_ARG(where), STR_ARG(folder));
    }
}

/* Both languages on one page. */
static void tell_root(const struct teller *t, const struct listing *list) {
    document_title(t, TONE_PLAIN, STR("oomkb"));
    for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
        struct teller in = *t;
        in.lang = (enum lang)lang;
        const char *name = lang_name(in.lang);
        struct block *under = document_section(&in, "site.language");
        document_text(t, under, said(&in, "list.what"));
        document_link(t, under, arena_printf(t->a, "%s/README.md", name),
                      said(&in, "list.all"));
        document_link(t, under, arena_printf(t->a, "%s/index.json", name),
                      said(&in, "site.index"));
        add_folders(&in, under, list, arena_printf(t->a, "%s/", name));
    }
}

static void tell_language(const struct teller *t, const struct listing *list) {
    document_title(t, TONE_PLAIN, said(t, "list.all"));
    document_text(t, NULL, said(t, "list.what"));
    document_link(t, NULL, STR("index.json"), said(t, "site.index"));
    document_link(t, NULL, arena_printf(t->a, "../%s/README.md", site_other(t)),
                  said(t, "site.other"));
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

static void tell_folder(const struct teller *t, const struct listing *list) {
    struct str folder = folder_of(list->at[0].entry);
    document_title(t, TONE_PLAIN, folder);
    document_text(
        t, NULL,
        SAID(t, "site.what", folder, shown_count(t, (int64_t)list->count)));
    document_link(t, NULL, STR("../README.md"), said(t, "list.all"));
    document_link(t, NULL,
                  arena_printf(t->a, "../../%s/%.*s/README.md", site_other(t),
                               STR_ARG(folder)),
                  said(t, "site.other"));
    add_entries(t, NULL, list, 0, list->count, STR(""));
}

const char *site_other(const struct teller *t) {
    return lang_name(t->lang == LANG_ZH ? LANG_EN : LANG_ZH);
}

void contents_document(const struct teller *t, const struct listing *list) {
    switch (list->contents) {
    case CONTENTS_SITE: tell_root(t, list); break;
    case CONTENTS_LANGUAGE: tell_language(t, list); break;
    case CONTENTS_FOLDER: tell_folder(t, list); break;
    case CONTENTS_NONE: break;
    }
}
