/* build.h: everything on the table while a corpus is compiled.
 *
 * What a file became (an entry, an engine, a model ...) is kept with the node
 * it came from, so that whatever is found wrong later still has a place. */
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
    const struct node *node; /* its mapping; NULL when the file had none */
    struct str log_path, ok_log_path; /* entries: beside it, or empty */
    bool is_broken; /* not everything in it could be read */
};

struct made_list {
    struct made *at; /* sorted by id once everything is read */
    size_t count, cap;
};

struct build {
    struct arena *a;
    const struct author_options *options;
    struct str entries_dir, kb_dir, i18n_dir;
    struct complaints c;
    struct made_list made[MADE_KIND_COUNT_OF];
    const struct source *i18n_src[LANG_COUNT_OF];
    struct glossary_file glossary;
    struct banned_terms *banned_terms; /* of it: glossary.c */
    struct mechanism_causes mechanisms[MECHANISM_COUNT_OF];
    const struct node *mechanism_nodes[MECHANISM_COUNT_OF];
    const struct source *causes_src;
    struct corpus corpus; /* the same things, as index/ wants them */
    size_t samples;
    bool fact_used[FACT_COUNT_OF]; /* somewhere in the corpus */
};

static inline struct entry *made_entry(const struct made *m) {
    return m->what;
}

/* A file as a source; NULL after a complaint when it cannot be read, is no
 * UTF-8 or too large to be YAML. */
const struct source *build_source(struct build *d, struct str path);
void build_put(struct build *d, enum made_kind kind, struct made made);
/* Each of a kind. */
typedef void (*made_check)(struct build *d, const struct made *m);
void build_each(struct build *d, enum made_kind kind, made_check check);
/* Is it one of the files that are asked about? */
bool build_is_asked(const struct build *d, const struct made *m);
/* NULL: there is none. The lists must be sorted. */
const struct made *build_find(const struct build *d, enum made_kind kind,
                             struct str id);

/* read_corpus.c, read_i18n.c: from the directories to a struct build. */
void build_read_entries(struct build *d);
void build_read_kb(struct build *d);
void build_read_i18n(struct build *d);
/* Sort, refuse ids that are taken, fill corpus. */
void build_settle(struct build *d);

/* read_corpus.c: an entry from its document. What its source is from then on:
 * a draft's, told so, where its status says it; before it is read. */
void read_entry(const struct reading *r, struct str id,
                const struct node *root, struct entry *e);
const struct source *source_as_draft(struct complaints *c,
                                     const struct source *src,
                                     const struct node *root);

/* merge.c: what fixes and entries leave out. Everything must be settled. */
void build_merge(struct build *d);
void add_conditions(struct arena *a, struct workaround *w,
                    const struct str_list *more);
/* The same for an entry alone: what no kb/ could give must stand in it. */
void merge_alone(struct complaints *c, const struct source *src,
                 const struct node *root, struct entry *e);

/* The key of a row of acts: "--max-model-len down", "kind upgrade". */
struct str act_key(struct arena *a, const struct acts_on *what);

/* compile.c: all of that, from the directories of o. */
struct build *build_read(struct arena *a, const struct author_options *o);

/* engine_patterns.c: patterns that read an engine's flags, appended to its
 * contexts. */
void engine_add_patterns(struct arena *a, struct engine *e);
void put_quoted(struct buf *out, struct str spelling); /* for a pattern */
/* program_patterns.c: patterns that show programs, and the levers that a log
 * has in force, appended to its contexts. */
void engine_add_programs(struct build *d, struct engine *e);
/* merge.c: behind the levers of each program those of its base. After
 * the checks: they are not of the file of the program. */
void build_add_bases(struct build *d);

/* The checks: one file each. The first works on one entry alone. */
void check_entry(struct complaints *c, const struct source *src,
                 const struct node *root, const struct entry *e,
                 bool *fact_used);
void check_engine(struct build *d, const struct made *m);
void check_model(struct build *d, const struct made *m);
void check_gpu(struct build *d, const struct made *m);
void check_cause(struct build *d, const struct made *m);
void check_rule(struct build *d, const struct made *m);
void check_program(struct build *d, const struct made *m);
void check_fix(struct build *d, const struct made *m); /* of kb/fixes/ */
void check_act(struct build *d, const struct made *m);
/* The causes that entries, fixes and rows name. */
void check_causes(struct build *d);
/* The arithmetic that estimates its fixes is theirs. */
void check_effects(struct build *d, const struct made *m);
/* Settings that its fixes name exist. The engines must have been settled. */
void check_takes(struct build *d, const struct made *m);
void check_fix_takes(struct build *d, const struct made *m,
                     const struct node *n, const struct workaround *w);
void check_fix_effect(struct build *d, const struct source *src,
                      const struct node *n, const struct workaround *w);
/* Of one group, or tied by a relation of either. */
bool entries_are_related(const struct entry *a, const struct entry *b);
void check_relations(struct build *d); /* entries to one another, groups */
void check_literals(struct build *d);  /* short ones, and everybody's */
void check_translations(struct build *d, const struct made *m); /* its texts */
/* One text in both languages: the same code, flags and numbers. */
struct said_in {
    const struct source *src;
    const struct node *node;
};
void check_pair(struct build *d, struct said_in en, struct said_in zh);
/* glossary.c: index it, once it is read; hold a text against it. */
void glossary_settle(struct build *d);
void check_glossary(struct build *d, const struct source *src,
                    const struct node *text, enum lang lang);
/* All texts of the corpus, by one thread: the phrases that are open are counted
 * and told of once. Those of the program were asked about when they were read. */
void check_phrases(struct build *d);
void check_labels(struct build *d);    /* facts in use against i18n */
void check_docs(struct build *d);      /* generated pages against the tables */
void check_layout(struct build *d, const struct made *m); /* an entry's */
void check_samples(struct build *d, struct str image);

#endif
