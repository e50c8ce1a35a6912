/* work.h: one file being linted. Private to launch/. */
#ifndef LAUNCH_WORK_H
#define LAUNCH_WORK_H

#include "launch/lint.h"
#include "launch/workload.h"

#include "render/fit_words.h"

/* A workload, and what is known of it once `fit` was asked. */
struct asked {
    const struct workload *w;
    const struct engine *engine; /* NULL: it starts none that is known */
    const struct fit *fit;       /* NULL: it could not be asked */
    struct str fault;            /* then: why, in English */
    struct fact_list facts;      /* for predicates */
    enum truth_fit fits;         /* of fit, or by what else is known */
    const char *verdict;         /* the same: fits likely does_not_fit unknown;
                                    NULL */
    struct str served;           /* the model was asked for by this name */
    int64_t room;                /* of all cards, for weights; else 0 */
    int64_t weights_bytes;       /* where these alone are too much; else 0 */
    bool is_without_experts;     /* of them; they lie in host memory */
};

struct lint_work {
    struct arena *a;
    const struct lint_options *o;
    struct reader *r;
    struct teller teller;
    const struct source *src;
    struct asked *asked;
    size_t asked_count;
    struct lint_file *file;
    size_t finding_cap;
};

struct found { /* what a finding is made of */
    const struct lint_rule *rule;
    const struct workload *w;
    const struct asked *it; /* whose facts the text may name; or NULL */
    struct span_of_file at;
    struct str args[4];
    const struct lint_edit *edits;
    size_t edit_count;
};

/* ask.c */
struct str engine_short_name(const struct engine *e); /* "llama" */
struct engine_words engines_named(struct lint_work *k);
void ask_fit(struct lint_work *k, struct asked *it);
/* Does a word spell this flag ("--tp", "--tp=2")? One that sets the fact? */
bool word_is_flag(const struct flag *flag, struct str word);
bool word_sets(const struct engine *e, struct str word, enum fact_name fact);
/* "0,1" of device_ids, or of CUDA_VISIBLE_DEVICES and the like; or empty. */
struct str cards_listed(const struct workload *w, bool has_variables);
/* That the engine reads from the environment: MODEL_ID, LLAMA_ARG_CTX_SIZE;
 * NULL: none. */
const struct flag *flag_of_variable(const struct engine *e,
                                    struct str variable);
/* /opt/run.sh, ./start.py: a program of its own, which may read variables. */
bool workload_is_script(const struct workload *w);

/* bound.c: by the model's name, that its weights alone are too much. */
void bound_by_name(struct lint_work *k, struct asked *it);
int64_t card_most(const struct asked *it); /* bytes of one; 0: not known */
/* What the engine may fill of a card; NULL: nobody says. */
const struct fact *share_of_card(const struct asked *it);
/* Bytes of host memory that experts take at least, which are kept there; 0. */
int64_t experts_least(struct lint_work *k, const struct asked *it);
/* Of a model that is not known. What the cards hold, so that no model with more
 * weights fits; 0: nobody knows. */
int64_t room_for_weights(const struct asked *it);
/* Is its size in its name small for the cards, with its cache? */
bool is_likely_by_size(struct lint_work *k, const struct asked *it);
/* The same command with the name in place of the path that it serves; NULL: the
 * catalogue does not have that name, or the path says more. */
const struct workload *workload_by_served(struct lint_work *k,
                                          const struct asked *it);

/* rules.c */
void rules_ask(struct lint_work *k);
void rule_found(struct lint_work *k, const struct found *f);

/* checks.c: the rules that are reckoned */
void checks_ask(struct lint_work *k, const struct lint_rule *rule);

/* edit.c */
struct lint_edit edit_drop(const struct workload *w, struct span_of_file at);
/* The plan's settings put in; false: one of them has no place in this file. */
bool edits_of_plan(struct lint_work *k, const struct asked *it,
                   const struct fit_plan *plan, const struct lint_edit **out,
                   size_t *count);

#endif
