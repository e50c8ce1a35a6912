/* author.h: the corpus compiler. It reads entries/, kb/ and i18n/ (no other
 * layer includes <yaml.h>), reports errors with a place and a caret, and makes
 * an index if there are none. Linked into the program only. */
#ifndef AUTHOR_AUTHOR_H
#define AUTHOR_AUTHOR_H

#include "base/diag.h"
#include "index/index.h"

struct author_options {
    struct str entries_dir;      /* "entries" */
    struct str kb_dir, i18n_dir; /* empty: beside entries_dir */
    bool check_samples; /* diagnose every sample with the new index */
    bool check_docs;    /* generated pages in kb/ must be up to date */
    bool check_layout;  /* entries must have the layout of `oomkb fmt` */
    bool keeps_drafts;  /* include entries with `status: draft` */
    struct str_list only; /* report on these files only, whether under
                             entries_dir or not; empty: all */
    diag_fn on_diag;
    void *diag_ctx;
};

struct author_result {
    size_t entries, errors, warnings, samples;
};

/* Compile and check. *image is empty if there are errors. */
struct author_result author_compile(struct arena *a,
                                    const struct author_options *o,
                                    struct str *image);
/* The entries folder that a file or folder belongs to, or is checked with:
 *
 *     corpus/entries/vllm/x.yaml --> corpus/entries    if kb/ is beside it
 *     corpus/entries/vllm        --> corpus/entries
 *     drafts/x.yaml              --> entries           if there is one here
 *
 * Empty: there is none; then an entry is checked alone. */
struct str author_entries_of(struct arena *a, struct str path);
/* Check one file alone, as far as that needs no other file. */
struct author_result author_check_alone(struct arena *a, struct str path,
                                        diag_fn on_diag, void *ctx);
/* Format an entry's file, or all files in a folder (layout.c). A file is
 * written only if it changes. Adds to *sums. */
struct layout_sums {
    size_t files, changed, unread; /* unread: it has errors */
};
void author_lay_out(struct arena *a, struct str path, diag_fn on_diag,
                    void *ctx, struct layout_sums *sums);
/* Code i of all diagnostics, in order. NULL: no more. */
const char *author_code(size_t i, enum diag_level *level);

/* "corpus/entries", "kb" -> "corpus/kb": the default of kb_dir and i18n_dir. */
struct str author_sibling_dir(struct arena *a, struct str entries_dir,
                              const char *name);
/* Read and merge without checks: the corpus that the index must return. */
const struct corpus *author_read_corpus(struct arena *a,
                                        const struct author_options *o);
/* Write the file atomically and synced (base/replace.h). */
void author_write_file(struct arena *a, struct str path, struct str image);

/* Write a site: every entry of kb as Markdown and JSON in both languages, and
 * an index of each; with is_html also HTML, with search, models, a calculator
 * and a page that diagnoses logs. Obsolete pages of an earlier site are
 * removed; files that no site wrote are kept. */
struct oomkb;
struct site_wishes {
    struct str dir;
    bool is_html;
    struct str base_url; /* of HTML: "https://example.org/oomkb" */
    struct str wasm_dir; /* the npm package for the log page; empty: none */
};
struct site_result {
    size_t pages, written, removed; /* written: changed pages */
};
struct site_result author_site(struct arena *a, const struct oomkb *kb,
                               const struct site_wishes *wishes);

/* Draft an entry from a log with an unknown failure: YAML with status draft, in
 * which a person fills in the empty values. Raises FAIL_INPUT if the log has no
 * line to draft from. */
struct draft_source {
    struct str log;
    uint32_t line; /* of the failure; 0: find it */
    struct str engine, engine_version; /* empty: not known */
    struct str today;                  /* YYYY-MM-DD */
};
struct str author_draft(struct arena *a, const struct draft_source *from);

/* Read one entry from YAML text. False: it has errors. For tests. */
bool author_read_entry(struct arena *a, struct str path, struct str yaml,
                       diag_fn on_diag, void *ctx, struct entry *out);

/* kb/FORMAT.md and kb/entry.schema.json, from corpus/fields.h. */
struct str author_format_page(struct arena *a);
struct str author_entry_schema(struct arena *a);

#endif
