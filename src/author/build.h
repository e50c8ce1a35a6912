/* build.h: the state of a compilation.
 *
 * Every struct that was read (an entry, an engine, a model ...) is kept with
 * its YAML node, so that later checks can report a place. The nodes, which take
 * more room than all else, go before the index is written. */
#ifndef AUTHOR_BUILD_H
#define AUTHOR_BUILD_H

#include "author/author.h"
#include "corpus/fields.h"
#include "author/read.h"

enum made_kind {
    MADE_ENTRY, MADE_ENGINE, MADE_MODEL, MADE_GPU, MADE_COMPONENT,
    MADE_CAUSE, MADE_FIX, MADE_ACT, MADE_RULE, MADE_PROGRAM,
    MADE_KIND_COUNT_OF
};

struct made {
    struct str id;
    void *what; /* struct entry, engine, model, gpu, component, cause,
                   workaround, act, lint_rule, program */
    const struct source *src;
    const struct node *node; /* its mapping; NULL: the file has none, or it is
                                forgotten */
    size_t at; /* in the list of its file */
    struct str log_path, ok_log_path; /* of an entry; or empty */
    bool is_broken; /* a part of it could not be read */
};

struct made_list {
    struct made *at; /* sorted by id after build_settle() */
    size_t count, cap;
};

struct build {
    struct arena *a, *nodes; /* nodes: of YAML */
    const struct author_options *options;
    struct str entries_dir, kb_dir, i18n_dir;
    struct complaints c;
    struct made_list made[MADE_KIND_COUNT_OF];
    const struct source *i18n_src[LANG_COUNT_OF];
    struct glossary_file glossary;
    struct banned_terms *banned_terms; /* of the glossary: glossary.c */
    struct mechanism_causes mechanisms[MECHANISM_COUNT_OF];
    const struct node *mechanism_nodes[MECHANISM_COUNT_OF];
    const struct source *causes_src;
    struct corpus corpus; /* the same structs, for index/ */
    struct str_list settings; /* that programs take, sorted */
    struct pattern_list patterns; /* of it; analyzed if there are no errors */
    struct sample_scanner *sample_scanner; /* of a thread: check_samples.c */
    size_t samples, open_phrases;
    bool fact_used[FACT_COUNT_OF]; /* by the corpus */
};

static inline struct entry *made_entry(const struct made *m) {
    return m->what;
}

/* Read a file. NULL, and a complaint: it cannot be read, is not UTF-8 or is too
 * large. */
const struct source *build_source(struct build *d, struct str path);
void build_put(struct build *d, enum made_kind kind, struct made made);
/* Call check for each of a kind. */
typedef void (*made_check)(struct build *d, const struct made *m);
void build_each(struct build *d, enum made_kind kind, made_check check);
/* share.c: Do each of count things on all processors. own is the build of a
 * thread: its complaints are added to d in the order of the things, and its
 * nodes end with those of d. */
typedef void shared_fn(struct build *own, const void *what, size_t i);
void build_share(struct build *d, size_t count, shared_fn *each,
                 const void *what);
void build_share_each(struct build *d, enum made_kind kind, made_check check);
/* True if its file is to be reported on: options->only. */
bool build_is_asked(const struct build *d, const struct made *m);
/* NULL: there is none. The lists must be settled. */
const struct made *build_find(const struct build *d, enum made_kind kind,
                             struct str id);

/* read_corpus.c, read_i18n.c: from the directories to a struct build. */
void build_read_files(struct build *d);
void build_read_i18n(struct build *d);
/* Sort, refuse duplicate ids, fill corpus. */
void build_settle(struct build *d);

/* read_corpus.c: an entry from its document. source_as_draft(): the source of
 * an entry, marked as a draft if its status is draft; to be called before
 * read_entry(). */
void read_entry(const struct reading *r, struct str id,
                const struct node *root, struct entry *e);
const struct source *source_as_draft(struct complaints *c,
                                     const struct source *src,
                                     const struct node *root);

/* merge.c: fill in what fixes and entries leave out. After build_settle(). */
void build_merge(struct build *d);
void add_conditions(struct arena *a, struct workaround *w,
                    const struct str_list *more);
/* The same for an entry alone: it must have the keys that kb/ cannot give. */
void merge_alone(struct complaints *c, const struct source *src,
                 const struct node *root, struct entry *e);

/* The id of a row of acts: "--max-model-len down", "kind upgrade". */
struct str act_key(struct arena *a, const struct acts_on *what);

/* compile.c: read, settle and merge the directories of o. */
struct build *build_read(struct arena *a, const struct author_options *o);

/* engine_patterns.c: add patterns that read an engine's flags to its
 * contexts. */
void engine_add_patterns(struct arena *a, struct engine *e);
void put_quoted(struct buf *out, struct str spelling); /* for a pattern */
/* program_patterns.c: add patterns that show programs, and levers in force, to
 * an engine's contexts. */
void engine_add_programs(struct build *d, struct engine *e);
/* merge.c: append the levers of its base to each program. After the checks,
 * since these levers are not in the program's file. */
void build_add_bases(struct build *d);

/* The checks: one file each. The first works on one entry alone. */
void check_entry(struct complaints *c, const struct source *src,
                 const struct node *root, const struct entry *e,
                 bool *fact_used);
/* All patterns of the corpus, and number i of d->patterns: none that is made of
 * settings if is_written_only. */
void check_patterns(struct build *d);
void check_pattern_at(struct build *d, const void *is_written_only, size_t i);
void check_engine(struct build *d, const struct made *m);
void check_model(struct build *d, const struct made *m);
void check_gpu(struct build *d, const struct made *m);
void check_cause(struct build *d, const struct made *m);
void check_rule(struct build *d, const struct made *m);
void check_program(struct build *d, const struct made *m);
void check_fix(struct build *d, const struct made *m); /* of kb/fixes/ */
void check_act(struct build *d, const struct made *m);
/* The causes that entries, fixes and rows name exist. */
void check_causes(struct build *d);
/* The effect of each fix goes with what the fix changes. */
void check_effects(struct build *d, const struct made *m);
/* The settings that its fixes name exist. After find_settings(), which finds
 * those of programs. */
void find_settings(struct build *d);
void check_takes(struct build *d, const struct made *m);
void check_fix_takes(struct build *d, const struct made *m,
                     const struct node *n, const struct workaround *w);
void check_fix_effect(struct build *d, const struct source *src,
                      const struct node *n, const struct workaround *w);
/* True if both are in one group, or one has a relation to the other. */
bool entries_are_related(const struct entry *a, const struct entry *b);
void check_relations(struct build *d); /* references between entries, groups */
void check_literals(struct build *d);  /* short and shared literals */
void check_translations(struct build *d, const struct made *m); /* its texts */
/* One text in both languages: the same code, flags and numbers. */
struct text_node {
    const struct source *src;
    const struct node *node;
};
void check_pair(struct build *d, struct text_node en, struct text_node zh);
/* glossary.c: prepare it after reading; check a text. */
void glossary_settle(struct build *d);
void check_glossary(struct build *d, const struct source *src,
                    const struct node *text, enum lang lang);
/* All texts of the corpus. Open phrases are counted and reported once. The
 * program's texts were checked when they were read. */
void check_phrases(struct build *d);
void check_labels(struct build *d);    /* used facts have labels in i18n */
void check_docs(struct build *d);      /* generated pages are up to date */
void check_layout(struct build *d, const struct made *m); /* of an entry */
/* And end the index: its image. */
struct str check_samples(struct build *d, struct str pack);

#endif
