/* compile.c: from three directories to one image.
 *
 *     read --> settle --> check --> index_pack --> samples, index_of_pack
 *
 * All errors are reported in one run. Only the samples need an image, so they
 * are tried if there are no other errors. With errors there is no image. */
#include "author/check.h"
#include "author/build.h"
#include "author/files.h"
#include "match/match.h"

struct str author_sibling_dir(struct arena *a, struct str entries_dir,
                              const char *name) {
    return path_join(a, path_parent(entries_dir), str_of(name));
}

static void check_alone(struct build *d, const struct made *m) {
    check_entry(&d->c, m->src, m->node, made_entry(m), d->fact_used);
    check_translations(d, m);
    check_takes(d, m);
    check_effects(d, m);
    if (d->options->check_layout && !m->src->is_draft)
        check_layout(d, m);
}

static void add_patterns(struct build *d, const struct made *m) {
    struct engine *e = m->what;
    engine_add_patterns(d->a, e);
    if (e->has_programs)
        engine_add_programs(d, e);
}

static void check_all(struct build *d) {
    static const struct {
        enum made_kind kind;
        made_check check;
    } checks[] = {{MADE_ENTRY, check_alone},   {MADE_ENGINE, check_engine},
                  {MADE_MODEL, check_model},   {MADE_GPU, check_gpu},
                  {MADE_CAUSE, check_cause},   {MADE_RULE, check_rule},
                  {MADE_FIX, check_fix},       {MADE_ACT, check_act},
                  {MADE_PROGRAM, check_program}};
    find_settings(d);
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        build_share_each(d, checks[i].kind, checks[i].check);
    build_each(d, MADE_ENGINE, add_patterns);
    check_patterns(d);
    check_causes(d);
    check_relations(d);
    check_literals(d);
    check_phrases(d);
    check_labels(d);
    if (d->options->check_docs)
        check_docs(d);
}

static struct str build_image(struct build *d) {
    struct str prefilter = scan_rules_build(d->a, &d->patterns);
    struct str pack = index_pack(d->a, &d->corpus, &d->patterns, prefilter);
    return d->options->check_samples ? check_samples(d, pack)
                                     : index_of_pack(d->a, &d->corpus, pack);
}

/* Whoever wants a node from here on reads its file again. */
static void forget_nodes(struct build *d) {
    arena_free(d->nodes);
    for (int kind = 0; kind < MADE_KIND_COUNT_OF; kind++)
        for (size_t i = 0; i < d->made[kind].count; i++)
            d->made[kind].at[i].node = NULL;
}

struct build *build_read(struct arena *a, const struct author_options *o) {
    struct build *d = arena_alloc(a, sizeof *d);
    struct str entries = str_trim_end(o->entries_dir, '/');
    d->a = a;
    d->nodes = arena_alloc(a, sizeof *d->nodes);
    arena_init_inside(d->nodes, a, a->ceiling_bytes);
    d->options = o;
    d->c.a = d->c.scratch = a;
    d->entries_dir = entries;
    d->kb_dir = o->kb_dir.n > 0 ? o->kb_dir
                                : author_sibling_dir(a, entries, "kb");
    d->i18n_dir = o->i18n_dir.n > 0 ? o->i18n_dir
                                    : author_sibling_dir(a, entries, "i18n");
    build_read_files(d);
    build_read_i18n(d);
    build_settle(d);
    build_merge(d);
    return d;
}

const struct corpus *author_read_corpus(struct arena *a,
                                        const struct author_options *o) {
    struct build *d = build_read(a, o);
    complaints_report(&d->c, o->on_diag, o->diag_ctx);
    return &d->corpus;
}

/* Keep the complaints on the files of options->only. If only other files have
 * errors, there is no image and samples were not tried, which is a note.
 * Returns the number of entries reported on. */
static size_t keep_selected(struct build *d) {
    size_t selected = 0, errors = d->c.errors;
    const struct str_list *only = &d->options->only;
    if (only->count == 0)
        return d->corpus.entry_count;
    for (size_t i = 0; i < d->made[MADE_ENTRY].count; i++)
        selected += build_is_asked(d, &d->made[MADE_ENTRY].at[i]);
    complaints_keep(&d->c, only->at, only->count);
    bool is_untried = errors > 0 && d->c.errors == 0;
    struct diag note = {.level = DIAG_NOTE, .path = d->entries_dir,
                        .message = STR("other entries here have errors, so "
                                       "samples were not tried")};
    if (is_untried && d->options->on_diag != NULL)
        d->options->on_diag(d->options->diag_ctx, &note);
    return selected;
}

struct author_result author_compile(struct arena *a,
                                    const struct author_options *o,
                                    struct str *image) {
    struct build *d = build_read(a, o);
    check_all(d);
    *image = (struct str){0};
    if (d->c.errors == 0) {
        forget_nodes(d);
        build_add_bases(d);
        struct str built = build_image(d);
        if (d->c.errors == 0)
            *image = built;
    }
    size_t selected = keep_selected(d);
    complaints_report(&d->c, o->on_diag, o->diag_ctx);
    return (struct author_result){selected, d->c.errors,
                                  d->c.warnings, d->samples};
}
