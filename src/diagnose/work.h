/* work.h: data and functions that the files of this layer share. A diagnosis
 * goes through these steps, one file for each:
 *
 *   hits     --sighting.c-->  sightings: one failure message at one place
 *            --engine.c, context.c, after_failure.c,
 *              effective_settings.c--> engine, settings in force
 *            --stage.c, frames.c--> the stage of the run, the operation
 *            --derive.c, tensor.c--> facts computed from printed numbers
 *            --select.c, version_inference.c--> the entry that explains it
 *            --incident.c-->  incidents: sightings of one cause
 *            --link.c-->      wrappers and consequences linked to their root
 *            --memory_inputs.c, advice.c, target.c, ranking.c,
 *              remark.c, question.c--> report
 *
 * Everything lives in the report's arena.
 */
#ifndef DIAGNOSE_WORK_H
#define DIAGNOSE_WORK_H

#include "diagnose/command.h"
#include "diagnose/diagnose.h"
#include "base/limits.h"
#include "memory/amount.h"

/* A sorted range of hits. */
struct hit_run {
    const struct hit *const *at;
    size_t count;
};

/* The position of a message. Scopes of conditions are relative to it. */
struct place {
    uint32_t stream;
    uint32_t first_line, last_line, trace_first, trace_last;
    uint64_t order;
};

/* The number of hits of one signature. */
struct seen_by {
    uint32_t pattern;
    uint64_t count;
};

/* The most informative line of a message: quote.c. */
struct quote {
    struct str text;
    uint32_t number; /* 0: no line */
    int rank;
};
/* Replaces *best by a line of h that is more informative. */
void quote_update(struct quote *best, const struct hit *h);

/* One failure message of one group of entries. The same message printed again
 * (re-raised, or logged by the parent) is another place of it. */
struct sighting {
    const struct hit *hit; /* the most informative one of the equal messages */
    struct quote quote;
    uint32_t head;         /* least entry number of the group; identifies it */
    struct place *places;  /* places[0] is that of the first hit */
    size_t place_count, place_cap;
    struct seen_by *by; /* hits by signature: a report of several lines is one
                           event, so the largest count is taken */
    size_t by_count, by_cap;
    uint64_t count;
    uint32_t counted_to; /* last line of the messages that were counted and not
                            kept; 0: none */
    struct fact_list facts;
    const struct signature *form; /* signature of the hit; NULL: not known */
    uint32_t entry;  /* chosen by select.c */
    bool is_chosen;  /* false: every entry of the group is ruled out */
    bool is_generic; /* chosen as the fallback, or with a condition whose truth
                        is unknown */
    bool is_weak;    /* all of its signatures are weak evidence */
    bool is_guess;   /* and its entry has no specified mechanism */
    enum certainty certainty;
    struct note because;
};

struct sighting_list {
    struct sighting *at;
    size_t count, cap;
};

/* Sightings of one cause. It becomes a finding. */
struct incident {
    const struct entry *entry;
    uint32_t entry_number, head;
    struct sighting **sightings; /* in order of position in the log */
    size_t count, cap;
    struct sighting *chosen; /* the one that chose the entry */
    struct sighting *worst;  /* the one with the least free memory; provides the
                                facts */
    enum role role;
    struct incident *cause;  /* NULL: none */
    bool is_merged;        /* merged into another incident, or dropped */
    uint64_t times;
};

struct incident_list {
    struct incident **at;
    size_t count, cap;
};

/* A setting that was named but is not in force. */
struct overruled {
    struct fact named, in_force; /* in_force: the other value, or the list that
                                    lacks the setting */
    const char *key;             /* key of the remark about it */
};

struct diagnosis {
    struct arena *a;
    struct reader *r;
    const struct scan_result *scan;
    const struct answers *answers;
    const struct hit **sorted_hits; /* by pattern, then order */
    size_t sorted_count;
    struct hit_run stage_hits; /* in order of position */
    struct hit_run with_fact[FACT_COUNT_OF]; /* hits that capture the fact, in
                                                order of position */
    struct sighting_list sightings;
    const struct engine *engine; /* NULL: unknown, or not in the index */
    struct fact_list context;    /* one per name */
    struct overruled *overruled;
    size_t overruled_count, overruled_cap;
    struct str command;          /* the user's command, as it stands in the
                                    log */
    bool is_command_whole;       /* the log contains its end */
    struct str script; /* the last complete command of a program that is no
                          engine */
    uint32_t script_line;
    uint32_t command_line;
    bool lists_settings; /* the program lists its settings: a setting that is
                            not listed was not set */
    struct incident_list incidents;
    bool is_trial; /* of an answer: probe.c compares fixes and verdicts only */
    struct finding *bare; /* findings of the report before finding_weigh() */
    struct note machine_differs; /* how the machine differs from the log's; key
                                    NULL: it does not */
};

/* ---- hits.c ---- */
void hits_sort(struct diagnosis *d);
/* The index of the first hit whose key is at least `least`. The run is sorted
 * by that key. */
typedef uint64_t hit_key(const struct hit *h);
size_t run_bound(const struct hit_run *run, hit_key *key, uint64_t least);
/* True if a hit of the pattern lies within the scope of one of the sighting's
 * places. *line: the line of the first such hit. */
bool hits_within(const struct diagnosis *d, uint32_t pattern,
                 enum scope scope, const struct sighting *s, uint32_t *line);
bool hit_in_trace(const struct hit *h, const struct place *p);
/* The stream of this number. Unknown numbers give a stream without rank, pid
 * and name. */
const struct stream *stream_of_number(const struct diagnosis *d, uint32_t n);
/* The first capture of that name; NULL: none. */
const struct capture *hit_capture(const struct hit *h, enum fact_name name);

/* Iterates over the hits in a place's traceback and message, in order. `*at` is
 * TRACE_BEGIN before the first call. NULL: no more. */
#define TRACE_BEGIN SIZE_MAX
const struct hit *trace_next(const struct hit_run *run, const struct place *p,
                             size_t *at);

/* ---- facts.c ---- */
void facts_add(struct arena *a, struct fact_list *list, const struct fact *f);
/* With room for so many more. */
struct fact_list fact_list_copy(struct arena *a, const struct fact_list *list,
                                size_t more);
/* Adds the fact, or replaces an unknown one of the same name and gpu. False if
 * a known one is there, or if both are unknown. other_in_use may repeat: it is
 * added unless an equal one of the same pid is there. */
bool facts_add_new(struct arena *a, struct fact_list *list,
                   const struct fact *f);
struct fact_list facts_of_hit(struct diagnosis *d, const struct hit *h,
                              const struct signature *signature);
/* Derives facts from those of one message: which listed process is its own, and
 * sums. */
void facts_derive(struct arena *a, struct fact_list *list);
/* The facts of the context, then `own`, then those of the user. The last one of
 * a name is in force. */
struct fact_list facts_in_force(struct diagnosis *d,
                                const struct fact_list *own);
bool facts_same(const struct fact *x, const struct fact *y);
/* Removes all facts of that name. */
void facts_drop(struct fact_list *list, enum fact_name name);
/* The fact that a `set` of the knowledge base states for a line. */
struct fact fact_stated(const struct setting *row, uint32_t line);
/* The kind of device whose tools are named: that of the failure, that of the
 * log, a Jetson, or by the maker of the GPU that the log names. */
struct str device_of(struct diagnosis *d, const struct fact_list *facts);
/* The fact of the failure, else that of the context; NULL: neither is known. */
const struct fact *fact_here(const struct diagnosis *d,
                             const struct sighting *s, enum fact_name name);
/* Adds the fact to those of the failure if it is known and new. */
void sighting_add_fact(struct diagnosis *d, struct sighting *s, struct fact f);

/* ---- sighting.c ---- */
void sightings_find(struct diagnosis *d);

/* ---- engine.c ---- */
void engine_find(struct diagnosis *d); /* adds the engine to the context */
/* The row of kb/engines/ that a context hit came from; NULL: none. */
const struct context_pattern *context_row(const struct diagnosis *d,
                                          const struct hit *h);

/* ---- after_failure.c ---- */
struct failure_end { /* positions in the log */
    uint64_t first, last; /* of the failures; UINT64_MAX: no failure */
    bool has_whole_above; /* a command line or a dump of settings stands above
                             the failure */
};
struct failure_end failure_end_of(const struct diagnosis *d);
bool hit_is_above(const struct diagnosis *d, const struct failure_end *end,
                  const struct hit *h);
bool hit_in_message(const struct diagnosis *d, const struct hit *h);
/* True if it was typed at a prompt right below the failure: it is the command
 * of the next run. */
bool hit_is_typed_next(const struct diagnosis *d, const struct hit *h);
/* True if the value that this context hit has for that name may have been in
 * force at the failure. */
bool hit_may_set(const struct diagnosis *d, const struct failure_end *end,
                 const struct hit *h, enum fact_name name);
/* True if the pattern matches a command line, and not a dump of the program's
 * settings. */
bool hit_is_command_form(const struct diagnosis *d, const struct hit *h);

/* ---- context.c ---- */
/* False if the hit belongs to another engine, whose flags mean something
 * else. */
bool hit_is_of_engine(const struct diagnosis *d, const struct hit *h);
/* The quantization in a model's name; not known if it has none. */
struct fact fact_of_quantization(const struct model_match *m);
void context_find(struct diagnosis *d);

/* ---- smi.c ---- */
/* Adds facts of the card from a pasted table of nvidia-smi. */
void smi_derive(struct diagnosis *d, struct sighting *s);
void tasks_derive(struct diagnosis *d, struct sighting *s);

/* ---- measured.c ---- */
/* True for amounts of one card that a line at start prints. */
static inline bool fact_is_of_one_card(enum fact_name name) {
    return name >= FACT_device_total && name <= FACT_free_after_pool;
}
struct breakdown measured_find(struct diagnosis *d);

/* ---- machine.c ---- */
/* Adds facts of the machine to the context, if the log does not have them. */
void machine_facts_add(struct diagnosis *d);

/* ---- setting_bounds.c ---- */
/* Adds bounds to the context that the log proves for settings which it does
 * not name: facts without a value, with a range. Called before defaults are
 * added. */
void ranks_bound(struct diagnosis *d);
/* Adds a bound for the share of the card. Called once stages are known. A
 * default that the bound contradicts is removed from the context. */
void share_bound(struct diagnosis *d);
/* The bound of that name; NULL: none. */
const struct fact *fact_bounded(const struct fact_list *facts,
                                enum fact_name name);

/* ---- version_inference.c ---- */
/* The fact that holds the version of a product; -1: none. */
int version_fact(const struct diagnosis *d, struct str product);
/* Evaluates a predicate as reader_when() does. If it needs a version that is
 * not known, it is evaluated for the versions that print this form of the
 * message; their answer counts if they agree. */
struct verdict_when when_truth(struct diagnosis *d, struct str predicate,
                               const struct fact_list *facts,
                               const struct signature *form);
/* RANGE_INSIDE if all versions that print this form are within the range,
 * RANGE_OUTSIDE if none is. */
enum in_range range_by_form(struct diagnosis *d, const struct signature *form,
                            const struct version_range *row);
/* facts_written(), with "torch_version < 2.1.0" where the form of the message
 * gives a range. */
struct str grounds_written(struct diagnosis *d, const enum fact_name *names,
                           size_t count, const struct fact_list *facts,
                           const struct signature *form);

/* ">= 0.10.2 < 0.18.0" */
struct str range_written(struct arena *a, const struct version_range *range);

/* ---- release.c ---- */
/* True if this release does not take one of the settings in the fix's
 * command. */
bool release_lacks_command(struct diagnosis *d, const struct workaround *w,
                           const struct signature *form);
/* LACKS_IT: this release of the engine does not take a setting that the fix
 * changes or types. LACKS_PART: it does not take a setting that the steps of
 * the fix mention, or the steps name what to type instead. *why gives the
 * reason. */
enum lacking { LACKS_NOTHING, LACKS_PART, LACKS_IT };
enum lacking release_lacks(struct diagnosis *d, const struct workaround *w,
                           const struct signature *form,
                           const struct fact_list *facts, struct note *why);

/* ---- stage.c ---- */
/* The engine, else the program that prints that message (ggml's backends:
 * llama.cpp). */
const struct engine *engine_of_failure(const struct diagnosis *d,
                                       const struct sighting *s);
void stage_find(struct diagnosis *d, struct sighting *s);
/* The row of kb/engines/ that a hit of a stage came from; NULL: none. */
const struct stage_anchor *stage_row(const struct diagnosis *d,
                                     const struct hit *h);
bool engine_has_stage(const struct engine *e, const char *stage);

/* ---- frames.c ---- */
/* Adds facts from frames besides the stage: work, task. Called after
 * stage_find(). */
void frames_derive(struct diagnosis *d, struct sighting *s);

/* ---- derive.c, tensor.c ---- */
/* Adds the size of the named model, and of its weights on one GPU. Called
 * before the stage is known. */
void model_size_derive(struct diagnosis *d, struct sighting *s);
/* Adds what follows from the numbers of a failure and of those beside it. */
void failure_derive(struct diagnosis *d, struct sighting *s);
/* True if a setting or a printed line shows more than one rank. */
bool has_ranks(const struct diagnosis *d);
void tensor_derive(struct diagnosis *d, struct sighting *s);

/* ---- free_memory.c ---- */
void free_memory_derive(struct diagnosis *d, struct sighting *s);
/* What was free before the weights were loaded, from a line that says what was
 * free behind it and what they took. */
void free_before_load_derive(struct diagnosis *d, struct sighting *s);

/* ---- run_time.c ---- */
void run_time_derive(struct diagnosis *d, struct sighting *s);
/* The position where the run of this failure begins: after the previous failure
 * of the same kind. */
uint64_t run_begin(const struct diagnosis *d, const struct sighting *s);

/* ---- growth.c ---- */
void growth_derive(struct diagnosis *d, struct sighting *s);

/* ---- select.c ---- */
void entry_select(struct diagnosis *d, struct sighting *s);
/* True if a predicate of the entry is false on the facts of this sighting. */
bool entry_is_ruled_out(struct diagnosis *d, uint32_t number,
                        const struct sighting *s);

/* ---- incident.c, link.c ---- */
uint32_t lines_apart(const struct sighting *x, const struct sighting *y);
void incidents_find(struct diagnosis *d);
/* Finds the worst and the chosen sighting again after sightings were added or
 * removed. */
void incident_settle(struct diagnosis *d, struct incident *i);

/* report.c: adds the causes and the ranked fixes, which follow from the facts
 * of the finding and the context. *c: the inputs of their arithmetic. */
void finding_weigh(struct diagnosis *d, struct finding *f, struct inputs *c);

/* probe.c: true if an answer may change the order or a verdict of the first
 * fixes. */
bool answer_would_decide(const struct diagnosis *d, const struct finding *f,
                         const struct finding *bare, enum fact_name name);

/* quote.c */
struct quote quote_of(const struct incident *i);
void incidents_link(struct diagnosis *d);

/* ---- suspect.c ---- */
/* Moves the suspects that are reported to the front. `at` is in order of
 * position. Returns their number, at most SUSPECTS_MAX. */
size_t suspects_choose(struct diagnosis *d, struct incident **at, size_t count);

/* ---- success.c ---- */
struct success success_of(struct reader *r, const struct rate *rate,
                          enum mechanism m, const struct workaround *fix);
/* The user's own reports of a fix of that entry. The mean is shrunk towards the
 * rate that others report, else towards the pooled rate, else towards 1/2. */
struct own_success own_success_of(const struct diagnosis *d,
                                  const struct entry *e,
                                  const struct workaround *w,
                                  const struct success *others);
/* The 90 % Wilson interval of worked/tried, in millionths. */
void wilson_interval(int64_t worked, int64_t tried, int64_t *low,
                     int64_t *high);
/* The success rate of that fix in that mechanism over all entries, in
 * millionths; 1/2 if there are no reports. */
int64_t pooled_rate(struct reader *r, enum mechanism m,
                    const struct workaround *fix);
uint64_t square_root(__uint128_t n); /* rounded down */

/* ---- template.c ---- */
/* Fills {fact} slots from the proposal, then from the facts. An unknown value,
 * and the value that the fix is about to change, becomes a placeholder:
 * <max_model_len>. */
struct filling {
    const struct fact_list *facts;
    const struct fact *proposed; /* known false: none */
    int acted_on;                /* the fact that the fix changes; -1: none */
    bool is_command;             /* plain numbers, no units */
    const struct engine *engine; /* the engine whose flags the template has;
                                    NULL: unknown */
    bool *has_gap; /* set to true if a value is not known; may be NULL */
    enum change change; /* the direction in which the fix changes acted_on */
    struct str *first_try; /* receives a first value where the value in force is
                              not known; NULL: no such value may be used */
    bool is_step_too_small; /* by the arithmetic */
    struct str device; /* whose tools are named; empty: by the facts */
};
struct str template_fill(struct arena *a, struct str template,
                         const struct filling *f);

/* ---- wording.c ---- */
/* Fills the texts and the command of a fix that changes the fact acted_on (-1:
 * none). */
void texts_fill(struct diagnosis *d, struct fix *fix, const struct entry *e,
                const struct fact_list *facts, int acted_on);
/* For a fix without a command: sets `lowers`, the name of a setting with its
 * value and a lower one. */
void title_by_value(struct diagnosis *d, struct fix *fix,
                    const struct fact_list *facts, int acted_on);

/* ---- memory_inputs.c ---- */
enum shortage shortage_of(const struct entry *e, const struct fact_list *facts);
void inputs_fill(struct diagnosis *d, const struct fact_list *own,
                 struct inputs *out);
void memory_explain(struct diagnosis *d, struct finding *f,
                    const struct inputs *c);
/* False if the numbers of one message contradict each other. */
bool facts_reconcile(const struct fact_list *facts);

/* ---- target.c: what the command of a fix would set ---- */
/* The fact that a flag sets: by the engine's table, else by the tables of the
 * entry's component, of PyTorch and of programs that run in every log; -1:
 * none. */
int flag_sets(struct diagnosis *d, const struct entry *entry, struct str flag);
/* The value that a filled command gives to that fact; known false: none. */
struct fact command_sets(struct diagnosis *d, const struct entry *entry,
                         struct str command, enum fact_name fact);
/* True if the target value of a fix lies on the wrong side of the value in
 * force. Equal values are on the wrong side. */
bool is_wrong_direction(enum change change, const struct fact *target,
                        const struct fact *in_force);

/* ---- lever.c ---- */
/* The row of kb/programs/ of the program that failed; NULL: unknown. */
const struct program *program_of_log(const struct diagnosis *d);
struct workaround_list {
    const struct workaround *at;
    size_t count;
};
/* The workarounds of the entry and the levers of the program that failed. */
struct workaround_list workarounds_here(struct diagnosis *d,
                                        const struct entry *e);
/* True if the fix gives general advice although the program that failed is
 * known by its row of kb/programs/. */
bool fix_is_general(struct diagnosis *d, const struct entry *e,
                    const struct workaround *w);
/* True if the lever is a flag of the program that this command runs. */
bool lever_is_of_command(const struct diagnosis *d, const struct workaround *w,
                         struct str command);
/* A lever as it stands in the log. */
struct option_seen {
    struct str text, value; /* "--tile 128", "128"; text empty: not in the
                               log */
    uint32_t line;
    bool is_done; /* it has the value that the lever would set */
};
/* If the lever lowers a value, the fix's command becomes a step from the value
 * in force. The command is removed if it would go in the wrong direction. */
struct option_seen option_in_force(const struct diagnosis *d, struct fix *fix);

/* ---- advice.c ---- */
void fixes_find(struct diagnosis *d, struct finding *f, const struct inputs *c);
/* ---- belief.c ---- */
/* Computes the probability of each cause that the entry allows. */
void beliefs_find(struct diagnosis *d, struct finding *f);
void outlook_find(struct diagnosis *d, struct finding *f);

/* ---- deadend.c ---- */
void dead_ends_show(struct diagnosis *d, struct finding *f);

/* ---- ranking.c: called after fixes, dead ends and remarks are known ---- */
void fixes_rank(struct diagnosis *d, struct finding *f);

/* ---- advice.c ---- */
/* The fact that a flag sets by the engine's table; -1: none. */
int flag_fact(const struct engine *e, struct str flag);

/* ---- contradict.c: rules out fixes that the report warns of ---- */
void contradictions_resolve(struct finding *f);
/* True if the fix is to end other processes. */
bool fix_ends_others(const struct workaround *w);

/* ---- remark.c, question.c ---- */
/* Those on the numbers of the message: they may rule out a fix. */
void remarks_find(struct diagnosis *d, struct finding *f);
void remarks_by_rules(struct diagnosis *d, struct finding *f);
/* Called once fixes are ranked: removes remarks that the first fix answers, and
 * adds all others. */
void remarks_complete(struct diagnosis *d, struct finding *f,
                      const struct inputs *c);
void questions_find(struct diagnosis *d, struct report *rep);

/* Compares the model's arithmetic with the amounts in the log and adds a remark
 * on the result. */
void catalogue_reconcile(struct diagnosis *d, struct finding *f,
                         const struct inputs *c);

/* ---- note helpers (notes.c) ---- */
struct note note_of(const char *key);
void note_add(struct note *n, struct str arg); /* arguments beyond NOTE_ARGS are
                                                  dropped */
void remark_add(struct diagnosis *d, struct finding *f, struct note n);

struct str written_line(struct arena *a, uint32_t line);
/* A fact as an argument of a note: its label is chosen once the language is
 * known. */
struct str fact_label(struct arena *a, enum fact_name name);
struct str fact_names(struct arena *a, const enum fact_name *names,
                      size_t count); /* "tried_alloc, gpu_free" */
/* "tried_alloc = 2.00 GiB, stage = load": the known facts of these names. */
struct str facts_written(struct arena *a, const enum fact_name *names,
                         size_t count, const struct fact_list *facts);

#endif
