/* work.h: what the files of this house pass to each other. One diagnosis goes
 * down this road, one file per step:
 *
 *   hits     --sighting.c-->  sightings: one failure message at one place
 *            --engine.c, context.c, below.c--> engine, settings in force
 *            --stage.c, frames.c--> where in its life the program was, what
 *                             it did
 *            --derive.c, tensor.c--> what its numbers amount to
 *            --select.c, bounds.c--> the entry that speaks for a sighting
 *            --incident.c-->  findings: sightings of one cause
 *            --link.c-->      wrappers and consequences beside their root
 *            --kvinfo.c, advice.c, target.c, ranking.c, remark.c, question.c--> report
 *
 * Everything lives in the report's arena.
 */
#ifndef DIAGNOSE_WORK_H
#define DIAGNOSE_WORK_H

#include "diagnose/command.h"
#include "diagnose/diagnose.h"
#include "base/limits.h"
#include "memory/amount.h"

/* Hits of one pattern, in order of place. */
struct hit_run {
    const struct hit *const *at;
    size_t count;
};

/* Where a message stood: what a scope is measured against. */
struct place {
    uint32_t stream;
    uint32_t first_line, last_line, trace_first, trace_last;
    uint64_t order;
};

/* One failure message of one group of entries. The same message printed again
 * (re-raised, logged by the parent) is an echo: another place of it. */
/* How often one signature saw it. */
struct seen_by {
    uint32_t pattern;
    uint64_t count;
};

/* The line of a message that says most: quote.c. */
struct quote {
    struct str text;
    uint32_t number; /* 0: there is none */
    int telling;
};
/* That of h, if it says more. */
void quote_take(struct quote *best, const struct hit *h);

struct sighting {
    const struct hit *hit; /* the echo that says most */
    struct quote quote;
    uint32_t head;         /* least entry number of the group: its name */
    struct place *places;  /* places[0] is the hit's own */
    size_t place_count, place_cap;
    struct seen_by *by; /* a report of several lines is one event: what counts
                           is the signature that saw most */
    size_t by_count, by_cap;
    uint64_t count;
    uint32_t counted_to; /* last line of those only counted; 0: none were */
    struct fact_list facts;
    const struct signature *form; /* of the hit; NULL: not known */
    uint32_t entry;  /* chosen by select.c */
    bool is_chosen;  /* false: no entry of the group can be it */
    bool is_generic; /* only the fallback, or conditions left unknown */
    bool is_weak;    /* its signature alone proves little */
    bool is_guess;   /* and the entry that has it knows no mechanism */
    enum certainty certainty;
    struct note because;
};

struct sighting_list {
    struct sighting *at;
    size_t count, cap;
};

/* Sightings of one cause, on the way to a finding. */
struct incident {
    const struct entry *entry;
    uint32_t entry_number, head;
    struct sighting **sightings; /* in order of place */
    size_t count, cap;
    struct sighting *chosen; /* gave the entry */
    struct sighting *worst;  /* gives the facts */
    enum role role;
    struct incident *cause;  /* NULL: none */
    bool is_absorbed;        /* speaks through another incident */
    uint64_t times;
};

struct incident_list {
    struct incident **at;
    size_t count, cap;
};

/* A setting that was named and is not in force. */
struct overruled {
    struct fact named, in_force; /* in_force: or the list that lacks it */
    const char *key;             /* the remark that says so */
};

struct diagnosis {
    struct arena *a;
    struct reader *r;
    const struct scan_result *scan;
    const struct answers *answers;
    const struct hit **sorted_hits; /* by pattern, then order */
    size_t sorted_count;
    struct hit_run stage_hits; /* in order */
    struct sighting_list sightings;
    const struct engine *engine; /* NULL: not known, or not in the index */
    struct fact_list context;    /* one per name */
    struct overruled *overruled;
    size_t overruled_count;
    struct str command;          /* the user's, as the log has it */
    bool is_command_whole;       /* the log has its end */
    struct str script; /* the last whole one of a program that is no engine */
    uint32_t script_line;
    uint32_t command_line;
    bool lists_settings; /* the program does: what is not there, nobody set */
    struct incident_list incidents;
    struct finding *bare; /* of the report, before they were weighed */
    struct note machine_differs; /* from the log, and how; key NULL: it does
                                    not */
};

/* ---- hits.c ---- */
void hits_sort(struct diagnosis *d);
/* Of a run in the order of that key, the first with so much of it. */
typedef uint64_t hit_key(const struct hit *h);
size_t run_bound(const struct hit_run *run, hit_key *key, uint64_t least);
/* Does a hit of that pattern stand within the scope of any of these places?
 * *line: the first one's line. */
bool hits_within(const struct diagnosis *d, uint32_t pattern,
                 enum scope scope, const struct sighting *s, uint32_t *line);
bool hit_in_trace(const struct hit *h, const struct place *p);
/* Of nobody: without a rank, a pid and a name. */
const struct stream *stream_of_number(const struct diagnosis *d, uint32_t n);
/* Its first capture of that name; NULL: none. */
const struct capture *hit_capture(const struct hit *h, enum fact_name name);

/* The hits of a place's traceback and message, in order: `*at` is TRACE_BEGIN
 * before the first call. NULL: no more. */
#define TRACE_BEGIN SIZE_MAX
const struct hit *trace_next(const struct hit_run *run, const struct place *p,
                             size_t *at);

/* ---- facts.c ---- */
void facts_add(struct arena *a, struct fact_list *list, const struct fact *f);
/* Adds unless a known one of the same name, gpu and pid is there; true when
 * added. Names that may repeat are added unless equal. */
bool facts_add_new(struct arena *a, struct fact_list *list,
                   const struct fact *f);
struct fact_list facts_of_hit(struct diagnosis *d, const struct hit *h,
                              const struct signature *signature);
/* What follows from the facts of one message: its own process in the list of
 * processes, the sums. */
void facts_derive(struct arena *a, struct fact_list *list);
/* Context, then these, then the user's: the last one counts. */
struct fact_list facts_in_force(struct diagnosis *d,
                                const struct fact_list *own);
bool facts_same(const struct fact *x, const struct fact *y);
/* Nothing of that name any more. */
void facts_drop(struct fact_list *list, enum fact_name name);
/* What a row of the knowledge base states of a line. */
struct fact fact_stated(const struct setting *row, uint32_t line);
/* Of the failure, else of the whole log; NULL: neither tells it. */
const struct fact *fact_here(const struct diagnosis *d,
                             const struct sighting *s, enum fact_name name);
/* Adds it to those of the failure, if it is known and new. */
void sighting_tell(struct diagnosis *d, struct sighting *s, struct fact f);

/* ---- sighting.c ---- */
void sightings_find(struct diagnosis *d);

/* ---- engine.c ---- */
void engine_find(struct diagnosis *d); /* adds it to the context */
/* The row of an engine's file that a context hit came from; NULL: none. */
const struct context_pattern *context_row(const struct diagnosis *d,
                                          const struct hit *h);

/* ---- below.c ---- */
struct failure_end { /* orders of place */
    uint64_t first, last; /* of the failures; none: UINT64_MAX */
    bool has_whole_above; /* a command line or a dump of settings */
};
struct failure_end failure_end_of(const struct diagnosis *d);
bool hit_is_above(const struct diagnosis *d, const struct failure_end *end,
                  const struct hit *h);
bool hit_in_message(const struct diagnosis *d, const struct hit *h);
/* Was it typed at a prompt right below the failure: the next run's command? */
bool hit_is_typed_next(const struct diagnosis *d, const struct hit *h);
/* Was what this context hit says of that name in force when it failed? */
bool hit_may_tell(const struct diagnosis *d, const struct failure_end *end,
                  const struct hit *h, enum fact_name name);
/* Is it on a command line, and not in what the program dumped of itself? */
bool hit_is_command_form(const struct diagnosis *d, const struct hit *h);

/* ---- context.c ---- */
/* False: it is of another engine, whose flags mean something else. */
bool hit_is_ours(const struct diagnosis *d, const struct hit *h);
/* The quantization that a model's name tells; not known where it tells none. */
struct fact fact_of_packing(const struct model_match *m);
void context_find(struct diagnosis *d);

/* ---- smi.c ---- */
/* What a pasted table of nvidia-smi says of its card. */
void smi_tell(struct diagnosis *d, struct sighting *s);

/* ---- measured.c ---- */
struct breakdown measured_find(struct diagnosis *d);

/* ---- machine.c ---- */
/* Adds to the context what the log does not say and the machine does. */
void machine_take(struct diagnosis *d);

/* ---- least.c ---- */
/* Adds to the context what the log proves of settings that it does not name:
 * facts without a value, with a bound. Before defaults are added. */
void ranks_tell(struct diagnosis *d);
/* The share of the card, once stages are known: a default that is contradicted
 * leaves the context. */
void share_tell(struct diagnosis *d);
/* Such a fact; NULL: none. */
const struct fact *fact_bounded(const struct fact_list *facts,
                                enum fact_name name);

/* ---- bounds.c ---- */
/* The fact that is the version of a product; -1: none. */
int version_fact(const struct diagnosis *d, struct str product);
/* reader_when(); where it asks a version that is not known, the versions that
 * print this form of the message answer if they agree. */
struct verdict_when when_ask(struct diagnosis *d, struct str predicate,
                             const struct fact_list *facts,
                             const struct signature *form);
/* Are all versions that print this form within the range? */
enum in_range range_by_form(struct diagnosis *d, const struct signature *form,
                            const struct version_range *row);
/* facts_written(), and "torch_version < 2.1.0" where the form tells. */
struct str grounds_written(struct diagnosis *d, const enum fact_name *names,
                           size_t count, const struct fact_list *facts,
                           const struct signature *form);

/* ">= 0.10.2 < 0.18.0" */
struct str range_written(struct arena *a, const struct version_range *range);

/* ---- release.c ---- */
/* Is one of the settings in the fix's command not taken by this release? */
bool release_lacks_command(struct diagnosis *d, const struct workaround *w,
                           const struct signature *form);
/* Settings of a fix that this release of the engine does not take: what it is
 * about, or one that its steps name as well. Then why says so. */
enum lacking { LACKS_NOTHING, LACKS_PART, LACKS_IT };
enum lacking release_lacks(struct diagnosis *d, const struct workaround *w,
                           const struct signature *form,
                           const struct fact_list *facts, struct note *why);

/* ---- stage.c ---- */
/* The engine, else who prints that message (ggml's backends: llama.cpp). */
const struct engine *engine_of_failure(const struct diagnosis *d,
                                       const struct sighting *s);
void stage_find(struct diagnosis *d, struct sighting *s);

/* ---- frames.c ---- */
/* What frames tell beside the stage: work, task. After the stage. */
void frames_tell(struct diagnosis *d, struct sighting *s);

/* ---- derive.c, tensor.c ---- */
/* What follows from the numbers of a failure and from those beside it. */
/* How large the named model is, and its weights on one GPU: before the stage. */
void derive_model(struct diagnosis *d, struct sighting *s);
void derive(struct diagnosis *d, struct sighting *s);
/* More ranks than one, by a setting or by what the log prints. */
bool has_ranks(const struct diagnosis *d);
void tensor_tell(struct diagnosis *d, struct sighting *s);

/* ---- room.c ---- */
void room_tell(struct diagnosis *d, struct sighting *s);

/* ---- run.c ---- */
void run_tell(struct diagnosis *d, struct sighting *s);
/* Where the run of this failure begins: behind the failure of the same kind
 * before it. */
uint64_t run_begin(const struct diagnosis *d, const struct sighting *s);

/* ---- growth.c ---- */
void growth_tell(struct diagnosis *d, struct sighting *s);

/* ---- select.c ---- */
void entry_select(struct diagnosis *d, struct sighting *s);
/* Are its predicates false on the facts of this sighting? */
bool entry_is_ruled_out(struct diagnosis *d, uint32_t number,
                        const struct sighting *s);

/* ---- incident.c, link.c ---- */
uint32_t lines_apart(const struct sighting *x, const struct sighting *y);
void incidents_find(struct diagnosis *d);
/* Its worst and its chosen sighting, after some came or went. */
void incident_settle(struct diagnosis *d, struct incident *i);

/* report.c: causes, fixes and all that follows from its facts. */
void finding_weigh(struct diagnosis *d, struct finding *f);

/* probe.c: may an answer change the order or a verdict of the first fixes? */
bool answer_would_decide(const struct diagnosis *d, const struct finding *f,
                         const struct finding *bare, enum fact_name name);

/* quote.c */
struct quote quote_of(const struct incident *i);
void incidents_link(struct diagnosis *d);

/* ---- suspect.c ---- */
/* Incidents of suspects, in order of place: those that are told, to the front.
 * So many are left, SUSPECTS_MAX at most. */
size_t suspects_choose(struct diagnosis *d, struct incident **at, size_t count);

/* ---- success.c ---- */
struct success success_of(struct reader *r, const struct rate *rate,
                          enum mechanism m, const struct workaround *fix);
/* The user's own reports of a fix of that entry, drawn towards the rate that
 * others report, else towards the pooled one, else 1/2. */
struct own_success own_success_of(const struct diagnosis *d,
                                  const struct entry *e,
                                  const struct workaround *w,
                                  const struct success *others);
/* 90 % Wilson interval of worked in tried, in millionths. */
void wilson_interval(int64_t worked, int64_t tried, int64_t *low,
                     int64_t *high);
/* Of that fix in that mechanism over all entries, in millionths; 1/2 where
 * nobody reported. */
int64_t pooled_rate(struct reader *r, enum mechanism m,
                    const struct workaround *fix);
uint64_t square_root(__uint128_t n); /* rounded down */

/* ---- template.c ---- */
/* Fill {fact}s from the proposal, then the facts; what is unknown, and the
 * value that the fix is about to change, stands as <max_model_len>. */
struct filling {
    const struct fact_list *facts;
    const struct fact *proposed; /* known false: none */
    int acted_on;                /* fact that the fix changes; -1: none */
    bool is_command;             /* plain numbers, no units */
    const struct engine *engine; /* whose flags it speaks of; NULL: unknown */
    bool *has_gap; /* set where a value is not known; NULL: nobody asks */
    enum change change; /* which way the fix moves acted_on */
    struct str *first_try; /* the value that stands for the one in force, which
                              nobody knows; NULL: none may stand */
    bool is_in_vain; /* one step is too little wherever it was computed */
};
struct str template_fill(struct arena *a, struct str template,
                         const struct filling *f);

/* ---- wording.c ---- */
/* The texts and the command of a fix that changes the fact acted_on (-1: none). */
void texts_fill(struct diagnosis *d, struct fix *fix, const struct entry *e,
                const struct fact_list *facts, int acted_on);
/* Where no command may be told: what is lowered, from what to what. */
void name_by_value(struct diagnosis *d, struct fix *fix,
                   const struct fact_list *facts, int acted_on);

/* ---- kvinfo.c ---- */
enum shortage shortage_of(const struct entry *e, const struct fact_list *facts);
struct inputs case_of(struct diagnosis *d, const struct fact_list *own);
void memory_explain(struct diagnosis *d, struct finding *f,
                    const struct inputs *c);
/* Can the numbers of one message be true together? */
bool facts_reconcile(const struct fact_list *facts);

/* ---- target.c: what the command of a fix would set ---- */
/* The fact that a flag sets: by the engine's table, else by that of the entry's
 * component or of what runs in every log; -1: none. */
int flag_sets(struct diagnosis *d, const struct entry *entry, struct str flag);
/* The value that a filled command gives that fact; known false: none said. */
struct fact command_sets(struct diagnosis *d, const struct entry *entry,
                         struct str command, enum fact_name fact);
/* Does the fix, which goes that way, leave the value in force on the wrong
 * side? Equal values are no matter of sides. */
bool goes_astray(enum change change, const struct fact *target,
                 const struct fact *in_force);

/* ---- lever.c ---- */
/* The row of kb/programs/ of what failed; NULL: the log shows none. */
const struct program *program_of_log(const struct diagnosis *d);
/* Of the entry, and the levers of the program that failed. */
struct workaround_list {
    const struct workaround *at;
    size_t count;
};
struct workaround_list workarounds_here(struct diagnosis *d,
                                        const struct entry *e);
/* Says what to do in general, where the program that failed is known and has
 * no lever for it. */
bool fix_is_general(struct diagnosis *d, const struct entry *e,
                    const struct workaround *w);
/* A flag of the program that this command runs. */
bool lever_is_of_command(const struct diagnosis *d, const struct workaround *w,
                         struct str command);
/* A lever as the log has it in force. */
struct option_seen {
    struct str text, value; /* "--tile 128", "128"; text empty: it has not */
    uint32_t line;
    bool is_done; /* what the lever would set */
};
/* Where the lever goes down, the fix's command becomes a step from the value in
 * force; it is taken away where it would go back. */
struct option_seen option_in_force(const struct diagnosis *d, struct fix *fix);

/* ---- advice.c, deadend.c, ranking.c ---- */
void advise(struct diagnosis *d, struct finding *f, const struct inputs *c);
/* ---- belief.c ---- */
/* What filled the memory: P of each cause that the entry allows. */
void believe(struct diagnosis *d, struct finding *f);
void outlook_find(struct diagnosis *d, struct finding *f);

/* ---- ranking.c: after fixes, dead ends and remarks are known ---- */
void fixes_rank(struct diagnosis *d, struct finding *f);
void dead_ends_show(struct diagnosis *d, struct finding *f);
/* The fact that a flag sets, by the engine's table; -1: none. */
int flag_fact(const struct engine *e, struct str flag);
bool list_has(const struct str_list *list, struct str s);
const struct flag *flag_of_fact(const struct engine *e, enum fact_name n);

/* ---- contradict.c: what a dead end or a remark rules out is no fix ---- */
void contradictions_settle(struct finding *f);
/* Ends whatever other process there is. */
bool fix_ends_others(const struct workaround *w);

/* ---- remark.c, question.c ---- */
void remarks_find(struct diagnosis *d, struct finding *f);
void remark_sizes(struct diagnosis *d, struct finding *f); /* remark_sizes.c */
/* Once fixes are ranked: what the first one answers is said no more. */
void remarks_settle(struct finding *f);
void questions_ask(struct diagnosis *d, struct report *rep);

/* Holds the model against what the log prints, and says what it finds. */
void catalogue_reconcile(struct diagnosis *d, struct finding *f);

/* ---- note helpers (notes.c) ---- */
struct note note_of(const char *key);
void note_add(struct note *n, struct str arg); /* past NOTE_ARGS: dropped */
void remark_add(struct diagnosis *d, struct finding *f, struct note n);
/* Of two amounts: remark.c. */
void remark_two(struct diagnosis *d, struct finding *f, const char *key,
                int64_t x, int64_t y);

struct str written_line(struct arena *a, uint32_t line);
/* Facts as arguments of notes: their labels in whatever language it will be. */
struct str fact_called(struct arena *a, enum fact_name name);
struct str fact_names(struct arena *a, const enum fact_name *names,
                      size_t count); /* "tried_alloc, gpu_free" */
/* "tried_alloc = 2.00 GiB, stage = load": those that are known. */
struct str facts_written(struct arena *a, const enum fact_name *names,
                         size_t count, const struct fact_list *facts);

#endif
