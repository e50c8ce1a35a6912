/* context.c: facts of the whole log: the engine, its version, the model, the
 * card, the settings in force, measurements at start.
 *
 * Several lines may give a value for one fact. The better one, in this order:
 *
 *   1. the user's (--set)
 *   2. of two bounds of a version, the narrower one
 *   3. an operating system that is more specific than "linux"
 *   4. printed by a program, not written by a person; a model's name with a
 *      digit; the program that runs the others
 *   5. before the failure, not after it
 *   6. the finer print of one amount
 *   7. dumped by the program (key=value), not given on a command line
 *   8. nearer to the failure
 *
 * after_failure.c decides which settings below the failure count.
 * effective_settings.c finds settings that were named but are not in force.
 *
 * The engine is decided first (engine.c); flags of other engines are not read.
 */
#include "diagnose/fact_candidate.h"

#include "base/sort.h"

#include <inttypes.h>

/* ---- candidates ---- */

/* True if x is a coarser print of the same amount: 53.5 GiB beside 53.49
 * GiB. */
static bool is_coarser(const struct fact *x, const struct fact *than) {
    return x->ranged && than->ranged && x->low <= than->number &&
           than->number <= x->high &&
           x->high - x->low > than->high - than->low;
}

/* "linux" is less specific than "wsl": WSL has the paths of Linux as well. */
static bool is_less_specific(const struct fact *x, const struct fact *than) {
    return x->name == FACT_os && str_eq(x->word, STR("linux")) &&
           !str_eq(than->word, STR("linux"));
}

/* True for facts that bound a version. */
static bool is_bound(enum fact_name name) {
    return name == FACT_torch_since || name == FACT_torch_before;
}

static bool is_narrower(const struct fact *x, const struct fact *than) {
    int order = 0;
    version_compare(x->word, than->word, &order);
    return x->name == FACT_torch_since ? order > 0 : order < 0;
}

/* True for a name without a digit ("swift-robot", "./workspace"): somebody
 * chose it for the result. Names of models have a digit. */
static bool is_nickname(const struct fact *f) {
    bool has_digit = false;
    for (size_t i = 0; i < f->word.n; i++)
        has_digit = has_digit || is_digit(f->word.p[i]);
    return f->name == FACT_model && !has_digit;
}

/* Lower is better. Prose comes after lines of programs, a nickname after prose.
 * Of two programs, the one that runs the other is better. */
static int64_t source_rank(const struct fact_candidate *x) {
    return (x->is_prose ? 1000 : 0) + (is_nickname(&x->fact) ? 2000 : 0) +
           (x->fact.name == FACT_program ? x->layer : 0);
}

static bool is_better(const struct fact_candidate *x,
                      const struct fact_candidate *than) {
    if (!than->is_there)
        return true;
    if (is_bound(x->fact.name))
        return is_narrower(&x->fact, &than->fact);
    if (is_less_specific(&x->fact, &than->fact))
        return false;
    if (is_less_specific(&than->fact, &x->fact))
        return true;
    if (source_rank(x) != source_rank(than))
        return source_rank(x) < source_rank(than);
    if (x->is_before != than->is_before)
        return x->is_before;
    if (is_coarser(&x->fact, &than->fact))
        return false;
    if (x->is_dump != than->is_dump)
        return x->is_dump;
    return x->is_before || x->is_printed ? x->order >= than->order
                                         : x->order < than->order;
}

static const struct fact_candidate no_candidate = {.is_there = false};

const struct fact_candidate *candidate_best(const struct fact_candidates *w,
                                            enum fact_name name) {
    return w->best[name] ? w->best[name] : &no_candidate;
}

const struct fact_candidate *candidate_named(const struct fact_candidates *w,
                                             enum fact_name name) {
    return w->named[name] ? w->named[name] : &no_candidate;
}

static const struct fact_candidate *kept(const struct diagnosis *d,
                                         const struct fact_candidate *x) {
    struct fact_candidate *copy = arena_alloc(d->a, sizeof *copy);
    *copy = *x;
    return copy;
}

static void candidate_consider(const struct diagnosis *d,
                               struct fact_candidates *w,
                               const struct fact_candidate *x) {
    enum fact_name name = x->fact.name;
    if (is_better(x, candidate_best(w, name)))
        w->best[name] = kept(d, x);
    bool is_named = !x->is_dump || (fact_is_environment(d, name) &&
                                    !x->is_statement);
    if (is_named && is_better(x, candidate_named(w, name)))
        w->named[name] = kept(d, x);
}

/* True for the advice at the end of PyTorch's error ("try setting
 * PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"). It is printed whether the
 * setting is on or not. */
static bool is_advice(const struct diagnosis *d, const struct hit *h,
                      enum fact_name name) {
    return name == FACT_expandable_segments && hit_in_message(d, h);
}

/* Programs that may run together in one training run. */
static bool is_trainer(const struct engine *e) {
    return STR_IS_ONE(e->id, "transformers", "deepspeed", "pytorch");
}

bool hit_is_of_engine(const struct diagnosis *d, const struct hit *h) {
    const struct engine *e = reader_engine(d->r, h->owner);
    if (!e || !d->engine || e == d->engine)
        return e != NULL;
    return e->is_everywhere || (is_trainer(e) && is_trainer(d->engine));
}

/* True for the version of another engine of the same run, such as DeepSpeed
 * beside transformers. */
static bool is_version_of_another(const struct diagnosis *d,
                                  const struct hit *h, enum fact_name name) {
    return name == FACT_engine_version && d->engine != NULL &&
           reader_engine(d->r, h->owner) != d->engine;
}

/* FACT_engine is left out: engine.c has decided it. */
static void candidate_add(const struct diagnosis *d, struct fact_candidates *w,
                          const struct hit *h, const struct fact_candidate *x) {
    if (x->fact.known && x->fact.name != FACT_engine &&
        hit_may_set(d, &w->failure, h, x->fact.name))
        candidate_consider(d, w, x);
}

/* True for facts of one line only. growth.c, lever.c, measured.c, smi.c and
 * tasks.c read them. */
static bool is_line_fact(enum fact_name name) {
    return name == FACT_gpu_level || name == FACT_host_level ||
           name == FACT_program_option || name == FACT_gpu_row ||
           name == FACT_gpu_columns || name == FACT_task_row ||
           fact_is_of_one_card(name);
}

/* True if such a line names its card. That card need not be the one that
 * failed. */
static bool line_names_card(const struct fact_list *facts) {
    for (size_t i = 0; i < facts->count; i++)
        if (is_line_fact(facts->at[i].name))
            return facts_first(facts, FACT_gpu_index) != NULL;
    return false;
}

static void hit_consider(struct diagnosis *d, struct fact_candidates *w,
                         const struct hit *h) {
    struct fact_candidate x = {.is_there = true, .order = h->order,
                               .is_before = hit_is_above(d, &w->failure, h),
                               .is_dump = !hit_is_command_form(d, h)};
    struct fact_list facts = facts_of_hit(d, h, NULL);
    const struct context_pattern *row = context_row(d, h);
    bool is_of_card = line_names_card(&facts);
    x.is_prose = row && row->is_prose;
    x.is_printed = row && row->is_printed;
    x.layer = row ? row->layer : 0;
    for (size_t i = 0; i < facts.count; i++) {
        x.fact = facts.at[i];
        if (is_line_fact(x.fact.name) ||
            (is_of_card && x.fact.name == FACT_gpu_index))
            continue;
        if (x.is_prose && x.fact.why.n == 0)
            x.fact.why = STR("what somebody writes of it");
        if (!is_advice(d, h, x.fact.name) &&
            !is_version_of_another(d, h, x.fact.name))
            candidate_add(d, w, h, &x);
    }
    for (size_t i = 0; row && i < row->set_count; i++) {
        if (row->set[i].name == FACT_settings_listed)
            continue; /* a fact of the line, not of the log */
        x.fact = fact_stated(&row->set[i], h->first_line);
        x.is_statement = true;
        candidate_add(d, w, h, &x);
    }
}

/* A program may print in its own words ("Batch size: 8") what its command line
 * has (--batch-size 8). The spelling of the command line is kept. */
static void spell_as_typed(const struct diagnosis *d, struct fact_candidates *w,
                           enum fact_name name) {
    struct fact_candidate best = *w->best[name];
    const struct fact_candidate *typed = candidate_named(w, name);
    if (best.fact.spelled.n > 0 || !typed->is_there || !typed->fact.known ||
        typed->fact.number != best.fact.number)
        return;
    best.fact.spelled = typed->fact.spelled;
    w->best[name] = kept(d, &best);
}

/* True if one command is a part of the other: "docker run ... vllm/vllm-openai
 * ..." and the arguments after its image. */
static bool is_part_of(struct str part, struct str whole) {
    return part.n < whole.n && str_find(whole, part) < whole.n;
}

/* The last command before the failure is the best, else the first one after
 * it. */
static bool is_better_command(struct str known, struct str command,
                              bool is_above) {
    if (known.n == 0 || is_part_of(known, command))
        return true;
    return !is_part_of(command, known) && is_above;
}

/* True if the command is that of the run that failed and does not end within a
 * continued line. */
static bool is_failed_command(const struct diagnosis *d, const struct hit *h,
                              struct str command, bool is_above) {
    return h->kind == PATTERN_CONTEXT && command.n > 0 &&
           !str_ends(command, STR("\\")) && hit_is_of_engine(d, h) &&
           !command_is_image_alone(command) &&
           (is_above || !hit_is_typed_next(d, h));
}

/* Finds the command of an engine (d->command) and that of a script (d->script).
 * The flags of a script are not known, so nothing is added to its command; a
 * value that it has may be changed. */
static void command_find(struct diagnosis *d, const struct failure_end *end) {
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *h = &d->scan->hits.at[i];
        struct str printed = str_trim(h->command);
        struct str command = command_as_typed(d->a, printed);
        bool is_whole = command.n > 0 &&
                        (command.p != printed.p ||
                         command_in_line(h->command_line, h->command_at,
                                         &command));
        bool is_above = h->order <= end->last;
        if (!is_failed_command(d, h, command, is_above))
            continue;
        if (reader_engine(d->r, h->owner)->command.n == 0) {
            bool is_better =
                is_whole && is_better_command(d->script, command, is_above);
            d->script = is_better ? command : d->script;
            d->script_line = is_better ? h->first_line : d->script_line;
        } else if (is_better_command(d->command, command, is_above)) {
            d->command = command;
            d->is_command_whole = is_whole;
            d->command_line = h->first_line;
        }
    }
}

struct fact command_fact(const struct diagnosis *d, const struct flag *flag) {
    struct fact f = fact_blank(flag->fact, SOURCE_LOG);
    struct str value;
    if (fact_unit(flag->fact) != UNIT_BOOL &&
        command_value(d->command, flag, &value)) {
        int64_t scale = units_factor(flag->scale);
        fact_read(flag->fact, value, scale > 0 ? scale : 1, &f);
        f.line = d->command_line;
    }
    return f;
}

/* Reads flags that are too short for the scanner (--model, -tp) from the
 * command. */
static void command_read(struct diagnosis *d) {
    for (size_t i = 0; d->engine && i < d->engine->flag_count; i++) {
        struct fact f = command_fact(d, &d->engine->flags[i]);
        if (f.known && !facts_first(&d->context, f.name))
            facts_add(d->a, &d->context, &f);
    }
}

/* ---- names of the catalogue ---- */

struct fact fact_of_quantization(const struct model_match *m) {
    struct fact f =
        fact_word(FACT_quantization, SOURCE_DERIVED, m->quantization);
    f.formula = STR("read off the model's name");
    f.known = m->model != NULL && m->quantization.n > 0;
    return f;
}

static void model_name(struct diagnosis *d, struct fact *f) {
    struct model_match m = reader_model(d->r, f->word);
    if (!m.model)
        return;
    f->word = m.model->id;
    if (m.is_guess)
        f->why = STR("a guess from a shortened or repacked name");
    struct fact q = fact_of_quantization(&m);
    if (q.known && !facts_first(&d->context, FACT_quantization))
        facts_add(d->a, &d->context, &q);
}

static void catalogue_names(struct diagnosis *d) {
    for (size_t i = 0, n = d->context.count; i < n; i++) {
        struct fact f = d->context.at[i];
        if (f.name == FACT_model) {
            model_name(d, &f); /* may add a fact to the list */
        } else if (f.name == FACT_gpu_name) {
            const struct gpu *gpu = reader_gpu(d->r, f.word);
            f.word = gpu ? gpu->id : f.word;
        }
        d->context.at[i] = f;
    }
}

/* The program lists the settings that it was given, and this one is not among
 * them. So the default is known to be in force. */
static void prove_default(struct diagnosis *d, const struct fact *list,
                          struct fact *f) {
    if (f->source == SOURCE_DEFAULT && is_listed_setting(d, f->name)) {
        f->source = SOURCE_DERIVED;
        f->formula = arena_printf(
            d->a, "the default: line %" PRIu32 " lists what was set",
            list->line);
    }
}

/* Adds facts of the catalogue and defaults, where the log has no value. A
 * default that differs between releases is not added if the version is
 * unknown. */
static void defaults_add(struct diagnosis *d, const struct fact_candidates *w) {
    struct fact_list none = {0};
    struct fact list = settings_list(d, w, 0);
    d->lists_settings = list.known;
    struct inputs c;
    inputs_fill(d, &none, &c);
    for (int n = 0; n < FACT_COUNT_OF; n++) {
        const struct fact *f = &c.in[n];
        bool is_one = f->source == SOURCE_DEFAULT && f->low == f->high;
        bool is_new = f->known && (f->source == SOURCE_CATALOGUE || is_one);
        if (is_new && !facts_first(&d->context, (enum fact_name)n) &&
            !fact_bounded(&d->context, (enum fact_name)n)) {
            struct fact copy = *f;
            copy.name = (enum fact_name)n;
            copy.gpu = copy.rank = copy.pid = FACT_NONE;
            copy.text = (struct str){NULL, 0};
            if (list.known)
                prove_default(d, &list, &copy);
            facts_add(d->a, &d->context, &copy);
        }
    }
}

static int by_name(const void *x, const void *y) {
    const struct fact *a = x, *b = y;
    return (a->name > b->name) - (a->name < b->name);
}

static void answers_add(struct diagnosis *d) {
    for (size_t i = 0; d->answers && i < d->answers->count; i++) {
        facts_drop(&d->context, d->answers->at[i].name);
        facts_add(d->a, &d->context, &d->answers->at[i]);
    }
}

void context_find(struct diagnosis *d) {
    engine_find(d);
    answers_add(d);
    const struct fact *engine = facts_last(&d->context, FACT_engine);
    d->engine = engine ? reader_engine_by_id(d->r, engine->word) : NULL;
    struct fact_candidates *w = arena_alloc(d->a, sizeof *w);
    w->failure = failure_end_of(d);
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *h = &d->scan->hits.at[i];
        if (h->kind == PATTERN_CONTEXT && hit_is_of_engine(d, h))
            hit_consider(d, w, h);
    }
    for (int n = 0; n < FACT_COUNT_OF; n++) {
        bool is_known = facts_first(&d->context, (enum fact_name)n) != NULL;
        if (w->best[n] && !is_known) {
            spell_as_typed(d, w, (enum fact_name)n);
            facts_add(d->a, &d->context, &w->best[n]->fact);
        }
    }
    command_find(d, &w->failure);
    command_read(d);
    overruled_find(d, w);
    machine_facts_add(d);
    catalogue_names(d);
    ranks_bound(d);
    if (d->sightings.count > 0)
        defaults_add(d, w);
    sort_stable(d->a, d->context.at, d->context.count, sizeof *d->context.at,
                by_name);
}
