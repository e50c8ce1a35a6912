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
static void add_entries(const struct teller *t, struct document *d,
                        struct block *under, const struct listing *list,
                        size_t from, size_t count, struct str where) {
    struct table *table = document_table(d, under, 3, count + 1);
    table_row(table, 0, (struct str[]){said(t, "site.entry"),
                                       said(t, "site.mechanism"),
                                       said(t, "site.severity")});
    for (size_t i = 0; i < count; i++) {
        const struct entry *e = list->at[from + i].entry;
        struct str slug;
        str_cut(e->id, '/', &slug);
        table_row(table, i + 1,
                  (struct str[]){
                      said_text(t, &e->title),
                      said_word(t, WORDS_MECHANISM, (int)e->mechanism),
                      said_word(t, WORDS_SEVERITY, (int)e->severity)});
        table->hrefs[i + 1] = arena_printf(t->a, "%.*s%.*s.md", STR_ARG(where),
                                           STR_ARG(slug));
    }
}

/* The folders and how much is in each; they stand in `where`. */
static void add_folders(const struct teller *t, struct document *d,
                        struct block *under, const struct listing *list,
                        struct str where) {
    size_t row = 0;
    for (size_t i = 0; i < list->count; i += folder_size(list, i))
        row++;
    struct table *table = document_table(d, under, 2, row + 1);
    table_row(table, 0, (struct str[]){said(t, "site.folder"),
                                       said(t, "list.column.entries")});
    row = 1;
    for (size_t i = 0, n; i < list->count; i += n, row++) {
        struct str folder = folder_of(list->at[i].entry);
        n = folder_size(list, i);
        table_row(table, row,
                  (struct str[]){folder, shown_number(t, UNIT_COUNT,
                                                      (int64_t)n)});
        table->hrefs[row] = arena_printf(t->a, "%.*s%.*s/README.md",
                                         STR_ARG(where), STR_ARG(folder));
    }
}

/* Both languages on one page. */
static void tell_root(const struct teller *t, const struct listing *list,
                      struct document *d) {
    document_title(d, TONE_PLAIN, STR("oomkb"));
    for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
        struct teller in = *t;
        in.lang = (enum lang)lang;
        const char *name = lang_name(in.lang);
        struct block *under = document_section(d, said(&in, "site.language"));
        document_text(d, under, TONE_PLAIN, said(&in, "list.what"));
        document_link(d, under, arena_printf(t->a, "%s/README.md", name),
                      said(&in, "list.all"));
        document_link(d, under, arena_printf(t->a, "%s/index.json", name),
                      said(&in, "site.index"));
        add_folders(&in, d, under, list, arena_printf(t->a, "%s/", name));
    }
}

static void tell_language(const struct teller *t, const struct listing *list,
                          struct document *d) {
    document_title(d, TONE_PLAIN, said(t, "list.all"));
    document_text(d, NULL, TONE_PLAIN, said(t, "list.what"));
    document_link(d, NULL, STR("index.json"), said(t, "site.index"));
    document_link(d, NULL,
                  arena_printf(t->a, "../%s/README.md", site_other(t)),
                  said(t, "site.other"));
    add_folders(t, d, NULL, list, STR(""));
    for (size_t i = 0, n; i < list->count; i += n) {
        struct str folder = folder_of(list->at[i].entry);
        n = folder_size(list, i);
        add_entries(t, d, document_section(d, folder), list, i, n,
                    arena_printf(t->a, "%.*s/", STR_ARG(folder)));
    }
}

static void tell_folder(const struct teller *t, const struct listing *list,
                        struct document *d) {
    struct str name[] = {folder_of(list->at[0].entry),
                         shown_number(t, UNIT_COUNT, (int64_t)list->count)};
    document_title(d, TONE_PLAIN, name[0]);
    document_text(d, NULL, TONE_PLAIN, said_with(t, "site.what", name, 2));
    document_link(d, NULL, STR("../README.md"), said(t, "list.all"));
    document_link(d, NULL,
                  arena_printf(t->a, "../../%s/%.*s/README.md", site_other(t),
                               STR_ARG(name[0])),
                  said(t, "site.other"));
    add_entries(t, d, NULL, list, 0, list->count, STR(""));
}

const char *site_other(const struct teller *t) {
    return lang_name(t->lang == LANG_ZH ? LANG_EN : LANG_ZH);
}

void contents_document(const struct teller *t, const struct listing *list,
                       struct document *d) {
    d->is_page = true;
    switch (list->contents) {
    case CONTENTS_SITE: tell_root(t, list, d); break;
    case CONTENTS_LANGUAGE: tell_language(t, list, d); break;
    case CONTENTS_FOLDER: tell_folder(t, list, d); break;
    case CONTENTS_NONE: break;
    }
}
