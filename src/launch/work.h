/* work.h: the state of one file that is linted. Private to launch/. */
#ifndef LAUNCH_WORK_H
#define LAUNCH_WORK_H

#include "launch/lint.h"
#include "launch/workload.h"

#include "render/fit_words.h"

/* A workload with the answer of `fit`. */
struct target {
    const struct workload *w;
    const struct engine *engine; /* NULL: it starts no known engine */
    const struct fit *fit;       /* NULL: `fit` refused the question */
    struct str fault;            /* then: the reason, in English */
    struct fact_list facts;      /* facts for predicates */
    enum truth_fit fits;         /* verdict of `fit`, or of a bound */
    struct str served;           /* name that the model is served by, if the
                                    verdict is that of this name */
    int64_t room;                /* bytes for weights on all cards, if the model
                                    is unknown; else 0 */
    int64_t weights_bytes;       /* least bytes of weights, if these alone do
                                    not fit; else 0 */
    bool is_without_experts;     /* weights_bytes leaves out experts: they lie
                                    in host memory */
    bool is_placed;              /* the engine keeps in host memory what the
                                    cards do not hold */
};

struct lint_work {
    struct arena *a;
    const struct lint_options *o;
    struct reader *r;
    struct engine_words engines;
    struct render render;
    const struct source *src;
    struct target *targets;
    size_t target_count;
    struct lint_file *file;
    size_t finding_cap;
};

struct found { /* the parts of a finding */
    const struct lint_rule *rule;
    const struct workload *w;
    const struct target *it; /* its facts may be named in the text; NULL: no
                                facts */
    struct span_of_file at;
    struct str args[4];
    const struct lint_edit *edits;
    size_t edit_count;
};

/* ask.c */
struct str engine_short_name(const struct engine *e); /* "llama" */
struct engine_words engine_words_of(struct arena *a, struct reader *r);
void target_fit(struct lint_work *k, struct target *it);
/* The engine's flag that the word is ("--tp", "--tp=2"); NULL: none. */
const struct flag *flag_of_word(const struct engine *e, struct str word);
/* The index of the first word that sets the fact; the number of words: none. */
size_t word_of_fact(const struct target *it, enum fact_name fact);
/* The flag that the engine reads from this variable (MODEL_ID,
 * LLAMA_ARG_CTX_SIZE); NULL: none. */
const struct flag *flag_of_variable(const struct engine *e,
                                    struct str variable);
/* True for a script such as /opt/run.sh or ./start.py. It may read
 * variables. */
bool workload_is_script(const struct workload *w);

/* cards.c */
/* "0,1" of device_ids, of CUDA_VISIBLE_DEVICES or of a similar variable; empty:
 * none. */
struct str cards_listed(const struct workload *w, bool has_variables);
/* The number of machines that one engine uses; 0: unknown. */
int64_t machines_of(const struct workload *w);
/* NAME=value of the user and of the file; the last is NULL. */
const char **facts_of(struct lint_work *k, const struct workload *w);

/* bound.c: sets FIT_NO if the weights alone are too large, by the model's
 * name. */
void bound_by_name(struct lint_work *k, struct target *it);
/* Bytes of one card; 0: not known. */
int64_t card_most(const struct target *it);
/* The share of a card that the engine may use; NULL: not given. */
const struct fact *share_of_card(const struct target *it);
/* The least bytes of host memory for experts that are kept there; 0: none. */
int64_t experts_least(struct lint_work *k, const struct target *it);
/* For an unknown model: the bytes that the cards hold. No model with more
 * weights fits. 0: unknown. */
int64_t room_for_weights(const struct target *it);
/* True if the size in the model's name, with its cache, is small for the
 * cards. */
bool is_likely_by_size(struct lint_work *k, const struct target *it);
/* The same command with the served name in place of the path; NULL: the
 * catalogue does not have that name, or the path has a size. */
const struct workload *workload_by_served(struct lint_work *k,
                                          const struct target *it);

/* gap.c: the most important effect of a flag whose value is unknown: the
 * longest request, other memory, weights on a card. No verdict rests on its
 * default. */
enum gap { GAP_NONE, GAP_LENGTH, GAP_OTHER, GAP_WEIGHTS };
enum gap gap_of(const struct target *it);
const struct workload *workload_short(struct lint_work *k,
                                      const struct target *it);
/* True if the engine decides how many layers lie on the GPU. */
bool is_placed_by_engine(const struct target *it);

/* rules.c */
void rules_check(struct lint_work *k);
void finding_add(struct lint_work *k, const struct found *f);

/* checks.c: the rules that need code */
void checks_run(struct lint_work *k, const struct lint_rule *rule);

/* edit.c */
struct lint_edit edit_drop(const struct workload *w, struct span_of_file at);
/* The edits that put the plan's settings into the file. False: one of them
 * cannot be put there. */
bool edits_of_plan(struct lint_work *k, const struct target *it,
                   const struct fit_plan *plan, const struct lint_edit **out,
                   size_t *count);

#endif
