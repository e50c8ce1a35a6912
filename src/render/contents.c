/* contents.c: the README.md of a folder of a site: what is here, and a table
 * of the entries. GitHub shows it below the folder's files.
 *
 *     README.md            the folders of every language
 *     en/README.md         the folders, then the entries of each
 *     en/vllm/README.md    the entries
 */
#include "render/parts.h"

enum { COLUMNS_OF_ENTRY = 3, COLUMNS_OF_FOLDER = 2 };

static struct str folder_of(const struct entry *e) {
    return str_slice(e->id, 0, str_find_char(e->id, '/'));
}

/* Entries from `from` on that stand in one folder. */
static size_t folder_size(const struct listing *list, size_t from) {
    size_t n = 1;
    while (from + n < list->count &&
           str_eq(folder_of(list->at[from].entry),
                  folder_of(list->at[from + n].entry))) {
        n++;
    }
    return n;
}

static size_t folder_count(const struct listing *list) {
    size_t n = 0;
    for (size_t i = 0; i < list->count; i += folder_size(list, i)) {
        n++;
    }
    return n;
}

static void add_table(struct document *d, struct block *under,
                      struct table table) {
    struct table *made = arena_alloc(d->a, sizeof *made);
    *made = table;
    document_add(d, under,
                 (struct block){.kind = BLOCK_TABLE, .table = made});
}

static void add_link(struct document *d, struct block *under, struct str href,
                     struct str text) {
    document_add(d, under, (struct block){.kind = BLOCK_LINK, .href = href,
                                          .text = text});
}

/* Their pages stand in the folder `where`, which ends with a slash. */
static void add_entries(const struct teller *t, struct document *d,
                        struct block *under, const struct listing *list,
                        size_t from, size_t count, struct str where) {
    struct str *cells = arena_array(t->a, (count + 1) * COLUMNS_OF_ENTRY,
                                    sizeof *cells);
    struct str *hrefs = arena_array(t->a, count + 1, sizeof *hrefs);
    static const char *const titles[] = {"site.entry", "site.mechanism",
                                         "site.severity"};
    for (size_t i = 0; i < COLUMNS_OF_ENTRY; i++) {
        cells[i] = said(t, titles[i]);
    }
    hrefs[0] = (struct str){NULL, 0};
    for (size_t i = 0; i < count; i++) {
        const struct entry *e = list->at[from + i].entry;
        struct str *row = &cells[(i + 1) * COLUMNS_OF_ENTRY];
        struct str slug = str_slice(e->id, str_find_char(e->id, '/') + 1,
                                    e->id.n);
        hrefs[i + 1] = arena_printf(t->a, "%.*s%.*s.md", STR_ARG(where),
                                    STR_ARG(slug));
        row[0] = said_text(t, &e->title);
        row[1] = said_word(t, WORDS_MECHANISM, (int)e->mechanism);
        row[2] = said_word(t, WORDS_SEVERITY, (int)e->severity);
    }
    add_table(d, under, (struct table){.columns = COLUMNS_OF_ENTRY,
                                       .rows = count + 1, .cells = cells,
                                       .hrefs = hrefs});
}

/* The folders and how much is in each; they stand in `where`. */
static void add_folders(const struct teller *t, struct document *d,
                        struct block *under, const struct listing *list,
                        struct str where) {
    size_t rows = folder_count(list) + 1, row = 1;
    struct str *cells = arena_array(t->a, rows * COLUMNS_OF_FOLDER,
                                    sizeof *cells);
    struct str *hrefs = arena_array(t->a, rows, sizeof *hrefs);
    cells[0] = said(t, "site.folder");
    cells[1] = said(t, "list.column.entries");
    hrefs[0] = (struct str){NULL, 0};
    for (size_t i = 0; i < list->count; row++) {
        struct str folder = folder_of(list->at[i].entry);
        size_t n = folder_size(list, i);
        cells[row * COLUMNS_OF_FOLDER] = folder;
        cells[row * COLUMNS_OF_FOLDER + 1] = shown_number(t, UNIT_COUNT,
                                                          (int64_t)n);
        hrefs[row] = arena_printf(t->a, "%.*s%.*s/README.md", STR_ARG(where),
                                  STR_ARG(folder));
        i += n;
    }
    add_table(d, under, (struct table){.columns = COLUMNS_OF_FOLDER,
                                       .rows = rows, .cells = cells,
                                       .hrefs = hrefs});
}

static void add_title(struct document *d, struct str text) {
    document_add(d, NULL, (struct block){.kind = BLOCK_TITLE, .text = text});
}

/* Both languages on one page. */
static void tell_root(const struct teller *t, const struct listing *list,
                      struct document *d) {
    add_title(d, STR("oomkb"));
    for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
        struct teller in = *t;
        in.lang = (enum lang)lang;
        const char *name = lang_name(in.lang);
        struct block *under = document_section(d, said(&in, "site.language"));
        document_text(d, under, TONE_PLAIN, said(&in, "list.what"));
        add_link(d, under, arena_printf(t->a, "%s/README.md", name),
                 said(&in, "list.all"));
        add_link(d, under, arena_printf(t->a, "%s/index.json", name),
                 said(&in, "site.index"));
        add_folders(&in, d, under, list, arena_printf(t->a, "%s/", name));
    }
}

static void tell_language(const struct teller *t, const struct listing *list,
                          struct document *d) {
    add_title(d, said(t, "list.all"));
    document_text(d, NULL, TONE_PLAIN, said(t, "list.what"));
    add_link(d, NULL, STR("index.json"), said(t, "site.index"));
    add_link(d, NULL, arena_printf(t->a, "../%s/README.md",
                                   site_other(t)), said(t, "site.other"));
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
    add_title(d, name[0]);
    document_text(d, NULL, TONE_PLAIN, said_with(t, "site.what", name, 2));
    add_link(d, NULL, STR("../README.md"), said(t, "list.all"));
    add_link(d, NULL, arena_printf(t->a, "../../%s/%.*s/README.md",
                                   site_other(t), STR_ARG(name[0])),
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
