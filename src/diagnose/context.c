/* context.c: what holds for the whole log: the engine, its version, the model,
 * the card, the settings in force, what was measured at start.
 *
 * A name has many witnesses. Of two, the one from before the failure beats the
 * one from after it; what the program itself dumped (key=value) beats what
 * stands on a command line; the finer print of one amount beats the coarser;
 * nearer the failure beats farther; and what the user says (--set) beats all. What counts of what stands below the failure is
 * below.c's to say, and what was named and is not in force, force.c's.
 *
 * The engine is decided first (engine.c); flags of another one are not read.
 */
#include "diagnose/witness.h"

#include "base/sort.h"

#include <inttypes.h>

/* ---- witnesses ---- */

/* 53.5 GiB, where the other says 53.49 of the same. */
static bool says_less(const struct fact *x, const struct fact *than) {
    return x->ranged && than->ranged && x->low <= than->number &&
           than->number <= x->high &&
           x->high - x->low > than->high - than->low;
}

/* WSL has the paths of Linux as well. */
static bool is_vaguer(const struct fact *x, const struct fact *than) {
    return x->name == FACT_os && str_eq(x->word, STR("linux")) &&
           !str_eq(than->word, STR("linux"));
}

/* Of two bounds of a version the one that leaves less. */
static bool is_bound(enum fact_name name) {
    return name == FACT_torch_since || name == FACT_torch_before;
}

static bool is_narrower(const struct fact *x, const struct fact *than) {
    int order = 0;
    version_compare(x->word, than->word, &order);
    return x->name == FACT_torch_since ? order > 0 : order < 0;
}

/* "swift-robot", "./workspace": what somebody calls the result; models have a
 * number. */
static bool is_nickname(const struct fact *f) {
    bool has_digit = false;
    for (size_t i = 0; i < f->word.n; i++)
        has_digit = has_digit || is_digit(f->word.p[i]);
    return f->name == FACT_model && !has_digit;
}

/* What programs say comes before what people write of them, but for a nickname;
 * of two programs, the one that runs the other is meant. */
static int64_t place_of(const struct witness *x) {
    return (x->is_prose ? 1000 : 0) + (is_nickname(&x->fact) ? 2000 : 0) +
           (x->fact.name == FACT_program ? x->layer : 0);
}

static bool is_better(const struct witness *x, const struct witness *than) {
    if (!than->is_there)
        return true;
    if (is_bound(x->fact.name))
        return is_narrower(&x->fact, &than->fact);
    if (is_vaguer(&x->fact, &than->fact))
        return false;
    if (is_vaguer(&than->fact, &x->fact))
        return true;
    if (place_of(x) != place_of(than))
        return place_of(x) < place_of(than);
    if (x->is_before != than->is_before)
        return x->is_before;
    if (says_less(&x->fact, &than->fact))
        return false;
    if (x->is_dump != than->is_dump)
        return x->is_dump;
    return x->is_before || x->is_printed ? x->order >= than->order
                                         : x->order < than->order;
}

static void testify(const struct diagnosis *d, struct witnesses *w,
                    const struct witness *x) {
    enum fact_name name = x->fact.name;
    if (is_better(x, &w->best[name]))
        w->best[name] = *x;
    bool is_named = !x->is_dump || (fact_is_environment(d, name) &&
                                    !x->is_statement);
    if (is_named && is_better(x, &w->named[name]))
        w->named[name] = *x;
}

/* "try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True" at the end of
 * PyTorch's error is advice, printed whether it is set or not. */
static bool is_advice(const struct diagnosis *d, const struct hit *h,
                      enum fact_name name) {
    for (size_t i = 0; name == FACT_expandable_segments &&
                       i < d->sightings.count; i++) {
        const struct sighting *s = &d->sightings.at[i];
        for (size_t k = 0; k < s->place_count; k++) {
            const struct place *p = &s->places[k];
            if (h->stream == p->stream && h->first_line >= p->first_line &&
                h->first_line <= p->last_line)
                return true;
        }
    }
    return false;
}

/* Programs that drive one another in one training run. */
static bool is_trainer(const struct engine *e) {
    return STR_IS_ONE(e->id, "transformers", "deepspeed", "pytorch");
}

bool hit_is_ours(const struct diagnosis *d, const struct hit *h) {
    const struct engine *e = reader_engine(d->r, h->owner);
    if (!e || !d->engine || e == d->engine)
        return e != NULL;
    return e->is_everywhere || (is_trainer(e) && is_trainer(d->engine));
}

/* DeepSpeed's version is not that of transformers. */
static bool is_version_of_another(const struct diagnosis *d,
                                  const struct hit *h, enum fact_name name) {
    return name == FACT_engine_version && d->engine != NULL &&
           reader_engine(d->r, h->owner) != d->engine;
}

/* The engine has been decided before. */
static void speak(const struct diagnosis *d, struct witnesses *w,
                  const struct hit *h, const struct witness *x) {
    if (x->fact.known && x->fact.name != FACT_engine &&
        hit_may_tell(d, &w->failure, h, x->fact.name))
        testify(d, w, x);
}

/* What holds for one line of the log and no longer: growth.c, lever.c,
 * measured.c and smi.c read it. */
static bool is_of_line(enum fact_name name) {
    return name == FACT_gpu_level || name == FACT_host_level ||
           name == FACT_program_option || name == FACT_gpu_row ||
           name == FACT_gpu_columns ||
           (name >= FACT_device_total && name <= FACT_free_after_pool);
}

/* The card that such a line is about is not one that failed. */
static bool is_line_of_card(const struct fact_list *facts) {
    for (size_t i = 0; i < facts->count; i++)
        if (is_of_line(facts->at[i].name))
            return facts_first(facts, FACT_gpu_index) != NULL;
    return false;
}

static void hear(struct diagnosis *d, struct witnesses *w,
                 const struct hit *h) {
    struct witness x = {.is_there = true, .order = h->order,
                        .is_before = hit_is_above(d, &w->failure, h),
                        .is_dump = !hit_is_command_form(d, h)};
    struct fact_list facts = facts_of_hit(d, h, NULL);
    const struct context_pattern *row = context_row(d, h);
    bool is_of_card = is_line_of_card(&facts);
    x.is_prose = row && row->is_prose;
    x.is_printed = row && row->is_printed;
    x.layer = row ? row->layer : 0;
    for (size_t i = 0; i < facts.count; i++) {
        x.fact = facts.at[i];
        if (is_of_line(x.fact.name) ||
            (is_of_card && x.fact.name == FACT_gpu_index))
            continue;
        if (x.is_prose && x.fact.why.n == 0)
            x.fact.why = STR("what somebody writes of it");
        if (!is_advice(d, h, x.fact.name) &&
            !is_version_of_another(d, h, x.fact.name))
            speak(d, w, h, &x);
    }
    for (size_t i = 0; row && i < row->set_count; i++) {
        if (row->set[i].name == FACT_settings_listed)
            continue; /* of the line, not of the log: force.c reads it */
        x.fact = fact_stated(&row->set[i], h->first_line);
        x.is_statement = true;
        speak(d, w, h, &x);
    }
}

/* A program repeats in words of its own ("Batch size: 8") what its command line
 * said (--batch-size 8): that is how one types it. */
static void spell_as_typed(struct witnesses *w, int name) {
    struct fact *best = &w->best[name].fact;
    const struct witness *typed = &w->named[name];
    bool is_same = typed->is_there && typed->fact.known &&
                   typed->fact.number == best->number;
    if (best->spelled.n == 0 && is_same)
        best->spelled = typed->fact.spelled;
}

/* "docker run ... vllm/vllm-openai ..." and the arguments after its image are
 * one command, seen twice. */
static bool is_part_of(struct str part, struct str whole) {
    return part.n < whole.n && str_find(whole, part) < whole.n;
}

/* The last one before the failure, else the first one after it. */
static bool is_better_command(struct str known, struct str command,
                              bool is_above) {
    if (known.n == 0 || is_part_of(known, command))
        return true;
    return !is_part_of(command, known) && is_above;
}

/* It has all its lines, and is the command of what failed. */
static bool is_ours(const struct diagnosis *d, const struct hit *h,
                    struct str command, bool is_above) {
    return h->kind == PATTERN_CONTEXT && command.n > 0 &&
           !str_ends(command, STR("\\")) && hit_is_ours(d, h) &&
           !command_is_image_alone(command) &&
           (is_above || !hit_is_typed_next(d, h));
}

/* A script's own flags are not known well enough to add one to its command: a
 * value that stands there may be changed. */
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
        if (!is_ours(d, h, command, is_above))
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

/* Flags too short for the scanner (--model, -tp) are read off the command. */
static void command_read(struct diagnosis *d) {
    for (size_t i = 0; d->engine && i < d->engine->flag_count; i++) {
        struct fact f = command_fact(d, &d->engine->flags[i]);
        if (f.known && !facts_first(&d->context, f.name))
            facts_add(d->a, &d->context, &f);
    }
}

/* ---- names that the catalogue knows better ---- */

struct fact fact_of_packing(const struct model_match *m) {
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
    struct fact q = fact_of_packing(&m);
    if (q.known && !facts_first(&d->context, FACT_quantization))
        facts_add(d->a, &d->context, &q);
}

static void catalogue_names(struct diagnosis *d) {
    for (size_t i = 0, n = d->context.count; i < n; i++) {
        struct fact f = d->context.at[i];
        if (f.name == FACT_model) {
            model_name(d, &f); /* may grow the list */
        } else if (f.name == FACT_gpu_name) {
            const struct gpu *gpu = reader_gpu(d->r, f.word);
            f.word = gpu ? gpu->id : f.word;
        }
        d->context.at[i] = f;
    }
}

/* The program lists what it was given, and this is not there: so its default
 * is in force, and that is no assumption. */
static void prove_default(struct diagnosis *d, const struct fact *list,
                          struct fact *f) {
    if (f->source == SOURCE_DEFAULT && is_listed_setting(d, f->name)) {
        f->source = SOURCE_DERIVED;
        f->formula = arena_printf(
            d->a, "the default: line %" PRIu32 " lists what was set",
            list->line);
    }
}

/* What catalogue and defaults add where nobody says. A default that changed
 * between releases, and a version that is not known, make no value in force. */
static void defaults_add(struct diagnosis *d, const struct witnesses *w) {
    struct fact_list none = {0};
    struct fact list = settings_list(d, w);
    d->lists_settings = list.known;
    struct inputs c = case_of(d, &none);
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

static void answers_take(struct diagnosis *d) {
    for (size_t i = 0; d->answers && i < d->answers->count; i++) {
        facts_drop(&d->context, d->answers->at[i].name);
        facts_add(d->a, &d->context, &d->answers->at[i]);
    }
}

void context_find(struct diagnosis *d) {
    engine_find(d);
    answers_take(d);
    const struct fact *engine = facts_last(&d->context, FACT_engine);
    d->engine = engine ? reader_engine_by_id(d->r, engine->word) : NULL;
    struct witnesses *w = arena_alloc(d->a, sizeof *w);
    w->failure = failure_end_of(d);
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *h = &d->scan->hits.at[i];
        if (h->kind == PATTERN_CONTEXT && hit_is_ours(d, h))
            hear(d, w, h);
    }
    for (int n = 0; n < FACT_COUNT_OF; n++) {
        bool is_said = facts_first(&d->context, (enum fact_name)n) != NULL;
        if (w->best[n].is_there && !is_said) {
            spell_as_typed(w, n);
            facts_add(d->a, &d->context, &w->best[n].fact);
        }
    }
    command_find(d, &w->failure);
    command_read(d);
    force_find(d, w);
    machine_take(d);
    catalogue_names(d);
    ranks_tell(d);
    if (d->sightings.count > 0)
        defaults_add(d, w);
    sort_stable(d->a, d->context.at, d->context.count, sizeof *d->context.at,
                by_name);
}
