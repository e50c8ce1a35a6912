/* author.h: the corpus compiler. Reads entries/, kb/ and i18n/ (the only house
 * with <yaml.h>), refuses what cannot be true with a place and a caret, and
 * writes an index, whole or not at all. Linked into the program only. */
#ifndef AUTHOR_AUTHOR_H
#define AUTHOR_AUTHOR_H

#include "base/diag.h"
#include "index/index.h"

struct author_options {
    struct str entries_dir;      /* "entries" */
    struct str kb_dir, i18n_dir; /* empty: beside it */
    bool check_samples; /* run every sample through the engine */
    bool check_docs;    /* generated pages in kb/ must be this compiler's */
    bool check_layout;  /* entries must lie as `oomkb fmt` lays them out */
    bool keeps_drafts;  /* entries with `status: draft` as well */
    struct str_list only; /* these files alone are asked about, whether under
                             entries_dir or not; empty: all */
    diag_fn on_diag;
    void *diag_ctx;
};

struct author_result {
    size_t entries, errors, warnings, samples;
};

/* Compile and check. image is empty when there were errors. */
struct author_result author_compile(struct arena *a,
                                    const struct author_options *o,
                                    struct str *image);
/* The entries that a file or folder is one of, or is held against:
 *
 *     corpus/entries/vllm/x.yaml --> corpus/entries    kb/ lies beside it
 *     corpus/entries/vllm        --> corpus/entries
 *     drafts/x.yaml              --> entries           if that is here
 *
 * Empty: there are none; an entry is then checked alone. */
struct str author_entries_of(struct arena *a, struct str path);
/* One file alone: all that needs no other. */
struct author_result author_check_alone(struct arena *a, struct str path,
                                        diag_fn on_diag, void *ctx);
/* An entry's file, or all in a folder, in the one layout (layout.c): written
 * where it differs. Adds to the sums. */
struct layout_sums {
    size_t files, changed, unread; /* unread: after diagnostics */
};
void author_lay_out(struct arena *a, struct str path, diag_fn on_diag,
                    void *ctx, struct layout_sums *sums);
/* All codes, in order. NULL: no more. */
const char *author_code(size_t i, enum diag_level *level);

/* "corpus/entries", "kb" -> "corpus/kb": where kb/ stands unless said. */
struct str author_sibling_dir(struct arena *a, struct str entries_dir,
                              const char *name);
/* Read and merge, and check nothing: what the index is to give back. */
const struct corpus *author_read_corpus(struct arena *a,
                                        const struct author_options *o);
/* Write image to path: a temporary file beside it, fsync, rename. */
void author_write_file(struct arena *a, struct str path, struct str image);

/* Make the folder a site: every entry of kb as Markdown and JSON in both
 * languages, and an index of each; with is_html as HTML as well, with search,
 * models, a calculator and a page that reads logs. Pages of an earlier site
 * that are no more are removed; files that no site wrote are left alone. */
struct oomkb;
struct site_wishes {
    struct str dir;
    bool is_html;
    struct str base_url; /* of HTML: "https://example.org/oomkb" */
    struct str wasm_dir; /* the npm package whose files the log page runs;
                            empty: none */
};
struct site_result {
    size_t pages, written, removed; /* written: those that changed */
};
struct site_result author_site(struct arena *a, const struct oomkb *kb,
                               const struct site_wishes *wishes);

/* An entry drafted from a log that no entry knows: YAML of status draft, whose
 * empty values are for a person. Raises FAIL_INPUT when the log has no line to
 * draft from. */
struct draft_source {
    struct str log;
    uint32_t line; /* where the failure stands; 0: to be found */
    struct str engine, engine_version; /* empty: not known */
    struct str today;                  /* YYYY-MM-DD */
};
struct str author_draft(struct arena *a, const struct draft_source *from);

/* Read one entry from YAML text; false after diagnostics. For tests too. */
bool author_read_entry(struct arena *a, struct str path, struct str yaml,
                       diag_fn on_diag, void *ctx, struct entry *out);

/* kb/FORMAT.md and kb/entry.schema.json, from the one table of fields. */
struct str author_format_page(struct arena *a);
struct str author_entry_schema(struct arena *a);

#endif
