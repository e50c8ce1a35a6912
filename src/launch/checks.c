/* checks.c: rules of kb/lint.yaml that need code: the verdict of `fit`, flags
 * and variables of another engine or service, and services whose shares of a
 * card add up to more than the card. */
#include "launch/work.h"

#include "api/fit_input.h"
#include "api/fit_value.h"
#include "base/near.h"
#include "diagnose/command.h"
#include "base/limits.h"

#define ENV_NAME_LEAST 10
#define WHOLE_MICRO INT64_C(1000000)
#define BILLION INT64_C(1000000000)

/* ---- positions ---- */

static struct span_of_file place_of_fact(const struct target *it,
                                         enum fact_name name) {
    size_t i = word_of_fact(it, name);
    return i < it->w->words.count ? it->w->words.at[i].at : it->w->at;
}

/* ---- the verdict of fit ---- */

/* The reasons of a verdict: the numbers, each failed check, and the note if the
 * search for a fit was cut short. */
static struct str reasons_of(const struct render *t, const struct fit *fit) {
    struct str lines[FIT_FAILED_MOST];
    struct words all = sentences_begin(t);
    size_t count = fit_failed(t, fit, lines);
    words_add(&all, fit_numbers(t, fit));
    words_add(&all, fit_asked(t, fit));
    for (size_t i = 0; i < count; i++)
        words_add(&all, lines[i]);
    for (size_t i = 0; i < fit->remark_count; i++)
        if (str_eq(str_of(fit->remarks[i].key), STR(FIT_REMARK_CUT)))
            words_add(&all, note_text(t, &fit->remarks[i]));
    return words_end(&all);
}

/* The setting that the failed check is about. */
static enum fact_name fact_of_misfit(const struct fit *fit) {
    static const struct {
        int check;
        enum fact_name fact;
    } rows[] = {{CHECK_RANKS, FACT_tensor_parallel},
                {CHECK_HEADS, FACT_tensor_parallel},
                {CHECK_SPLIT, FACT_tensor_parallel},
                {CHECK_FREE, FACT_gpu_memory_utilization}};
    const char *split = fit->checks[CHECK_SPLIT].why.key;
    if (split != NULL && str_eq(str_of(split), STR(FIT_SPLIT_STAGES)))
        return FACT_pipeline_parallel;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fit->checks[rows[i].check].verdict == VERDICT_NOT_ENOUGH)
            return rows[i].fact;
    return FACT_max_model_len;
}

static struct str plan_text(const struct lint_work *k, const struct fit *fit,
                            const struct fit_plan *plan) {
    struct str changes = fit_changes(&k->render, fit, plan);
    return plan->is_likely ? TR(&k->render, "fit.plan_perhaps", changes)
                           : changes;
}

static void fill_misfit(struct lint_work *k, const struct target *it,
                        struct found *f) {
    const struct fit *fit = it->fit;
    f->at = place_of_fact(it, fact_of_misfit(fit));
    f->args[1] = fit_title(&k->render, fit);
    f->args[2] = reasons_of(&k->render, fit);
    for (size_t i = 0; f->edits == NULL && i < fit->plan_count; i++)
        if (edits_of_plan(k, it, &fit->plans[i], &f->edits, &f->edit_count))
            f->args[3] = plan_text(k, fit, &fit->plans[i]);
    if (f->args[3].n == 0 && fit->plan_count > 0)
        f->args[3] = plan_text(k, fit, &fit->plans[0]);
}

/* The name of a variable that is left in a word: "$MODEL", "${MODEL}"; empty:
 * none. */
static struct str open_name(struct str word) {
    size_t at = str_find_char(word, '$') + 1, n = 0;
    at += at < word.n && word.p[at] == '{';
    struct str rest = str_from(word, at);
    while (n < rest.n && (rest.p[n] == '_' || is_upper(rest.p[n]) ||
                          (n > 0 && is_digit(rest.p[n]))))
        n++;
    return str_slice(rest, 0, n);
}

/* True for names that any shell, or Slurm, sets. */
static bool is_of_shell(struct str name) {
    return str_starts(name, STR("SLURM_")) ||
           STR_IS_ONE(name, "HOME", "USER", "PWD", "HOSTNAME", "UID", "TMPDIR",
                      "SCRATCH", "WORK", "RANDOM");
}

/* Reports each name once, at its first word. */
static void check_open(struct lint_work *k, const struct lint_rule *rule,
                       const struct target *it) {
    const struct word_list *words = &it->w->words;
    for (size_t i = 0; i < words->count; i++) {
        struct str name = open_name(words->at[i].text);
        bool is_new = name.n > 0 && !is_of_shell(name);
        for (size_t n = 0; n < i && is_new; n++)
            is_new = !str_eq(open_name(words->at[n].text), name);
        if (is_new)
            finding_add(k, &(struct found){.rule = rule, .w = it->w,
                                           .at = words->at[i].at,
                                           .args = {it->w->name, name}});
    }
}

/* The number of parameters of so many bits that fit into the bytes, in 10^9,
 * rounded up. */
static struct str params_in(struct lint_work *k, int64_t room, int64_t bits) {
    int64_t billions = room / (BILLION / 8) / bits + 1;
    return number_text(&k->render, UNIT_COUNT, billions);
}

/* Fills a finding about the weights alone. False: there is none. */
static bool fill_weights(struct lint_work *k, struct str check,
                         const struct target *it, struct found *f) {
    bool is_alone = str_eq(check, STR("weights_alone"));
    if ((!is_alone && !str_eq(check, STR("weights_beside_experts"))) ||
        is_alone == it->is_without_experts || it->weights_bytes == 0)
        return false;
    f->at = place_of_fact(it, FACT_model);
    f->args[1] = number_text(&k->render, UNIT_BYTES, it->weights_bytes);
    f->args[2] = number_text(&k->render, UNIT_BYTES, card_most(it));
    f->args[3] = it->fit->c.in[FACT_model].word;
    return true;
}

static bool fill_room(struct lint_work *k, struct str check,
                      const struct target *it, struct found *f) {
    if (!str_eq(check, STR("room")) || it->room == 0)
        return false;
    f->it = it;
    f->at = place_of_fact(it, FACT_model);
    f->args[1] = number_text(&k->render, UNIT_BYTES, it->room);
    f->args[2] = params_in(k, it->room, 16);
    f->args[3] = params_in(k, it->room, 8);
    return true;
}

static bool fill_fit(struct lint_work *k, struct str check,
                     const struct target *it, struct found *f) {
    enum truth_fit fits = it->fit != NULL ? it->fit->fits : FIT_LIKELY;
    bool is_open = it->fits == FIT_UNKNOWN && fits == FIT_UNKNOWN &&
                   it->room == 0;
    if (str_eq(check, STR("does_not_fit")) && it->fits == FIT_NO &&
        fits == FIT_NO)
        fill_misfit(k, it, f);
    else if (str_eq(check, STR("placed")) && it->is_placed)
        f->args[1] = reasons_of(&k->render, it->fit);
    else if (str_eq(check, STR("not_decided")) && is_open)
        f->args[1] = fit_needs(&k->render, it->fit);
    else
        return false;
    return true;
}

static void check_fits(struct lint_work *k, const struct lint_rule *rule,
                       const struct target *it) {
    struct found f = {.rule = rule, .w = it->w, .at = it->w->at,
                      .args = {it->w->name}};
    bool is_bad = str_eq(rule->check, STR("bad_value")) && it->fault.n > 0;
    if (is_bad)
        f.args[1] = it->fault;
    if (is_bad || fill_weights(k, rule->check, it, &f) ||
        fill_room(k, rule->check, it, &f) ||
        fill_fit(k, rule->check, it, &f))
        finding_add(k, &f);
}

/* Reports experts that exceed host memory: at the limit, if there is one. */
static void check_host(struct lint_work *k, const struct lint_rule *rule,
                       const struct target *it) {
    const struct fact *limit = facts_last(&it->facts, FACT_host_limit);
    const struct fact *host =
        limit != NULL ? limit : facts_last(&it->facts, FACT_host_total);
    const struct lint_setting *given =
        setting_find(&it->w->keys, STR("mem_limit"));
    int64_t least = experts_least(k, it);
    if (host == NULL || !host->known || least <= host->number)
        return;
    finding_add(k, &(struct found){
                      .rule = rule, .w = it->w,
                      .at = limit != NULL && given != NULL ? given->at
                                                           : it->w->at,
                      .args = {it->w->name,
                               number_text(&k->render, UNIT_BYTES, least),
                               fact_text(&k->render, host)}});
}

/* ---- flags ---- */

/* The other engine that has this flag; NULL: none. */
static const struct engine *owner_of_flag(struct lint_work *k,
                                          const struct engine *but,
                                          struct str name) {
    for (const char *const *id = fit_engines; *id != NULL; id++) {
        const struct engine *e = reader_engine_by_id(k->r, str_of(*id));
        if (e != but && command_flag_row(e, name) != NULL)
            return e;
    }
    return NULL;
}

/* The engine's flag that is spelled similarly, by a remark of `fit`; empty:
 * none. */
static struct str flag_near(const struct target *it, struct str name) {
    for (size_t i = 0; it->fit != NULL && i < it->fit->remark_count; i++) {
        const struct note *n = &it->fit->remarks[i];
        if (str_eq(str_of(n->key), STR("fit.remark.flag_near")) &&
            str_eq(n->arg[0], name))
            return n->arg[1];
    }
    return STR("");
}

static void check_flag(struct lint_work *k, const struct lint_rule *rule,
                       const struct target *it, const struct lint_word *word) {
    struct str rest, name = str_cut(word->text, '=', &rest);
    if (!str_starts(name, STR("--")) || name.n < 5 ||
        fit_engine_takes(k->a, it->engine, name))
        return;
    const struct engine *owner = owner_of_flag(k, it->engine, name);
    struct str near = owner == NULL ? flag_near(it, name)
                                    : STR("");
    bool wants_near = str_eq(rule->check, STR("flag_meant"));
    struct found f = {.rule = rule, .w = it->w, .at = word->at,
                      .args = {name, it->engine->name,
                               owner != NULL ? owner->name : near}};
    if (wants_near ? near.n > 0 : owner != NULL)
        finding_add(k, &f);
}

/* ---- variables ---- */

static void add_name(struct str *list, size_t *count, struct str name) {
    struct str rest;
    name = str_cut(name, '=', &rest);
    if (name.n > 0 && is_upper(name.p[0]) && *count < LINT_VARIABLES_MAX)
        list[(*count)++] = name;
}

static size_t variables_known(struct lint_work *k,
                              struct str list[LINT_VARIABLES_MAX]) {
    size_t count = 0;
    for (uint32_t n = 0; n < reader_engine_count(k->r); n++) {
        const struct engine *e = reader_engine(k->r, n);
        for (size_t i = 0; i < e->option_count; i++)
            add_name(list, &count, e->options[i].flag);
        for (size_t i = 0; i < e->flag_count; i++)
            add_name(list, &count, e->flags[i].flag);
    }
    return count;
}

/* The variable that was meant: it differs by one or two letters of a long name;
 * empty: none. */
static struct str variable_meant(const struct str *list, size_t count,
                                 struct str name) {
    struct str best = STR("");
    size_t least = 3;
    for (size_t i = 0; i < count && name.n >= ENV_NAME_LEAST; i++) {
        size_t d = near_distance(name, list[i]);
        if (d == 0)
            return STR("");
        best = d < least ? list[i] : best;
        least = d < least ? d : least;
    }
    return best;
}

static bool text_refers(struct str text, struct str name) {
    for (size_t at = 0; at < text.n;) {
        size_t hit = at + str_find_char(str_from(text, at), '$');
        struct str behind = str_from(text, hit + 1);
        while (behind.n > 0 && (behind.p[0] == '{' || behind.p[0] == '$' ||
                                behind.p[0] == '('))
            behind = str_from(behind, 1);
        if (str_starts(behind, name))
            return true;
        at = hit + 1;
    }
    return false;
}

/* True if "$NAME" stands in the file, or in a file that a word of its command
 * comes from. */
static bool is_referred_to(const struct target *it, struct str name) {
    const struct word_list *words = &it->w->words;
    const struct source *last = it->w->at.src;
    if (text_refers(last->text, name))
        return true;
    for (size_t i = 0; i < words->count; i++) {
        bool is_new = words->at[i].at.src != last;
        last = words->at[i].at.src;
        if (is_new && text_refers(last->text, name))
            return true;
    }
    return false;
}

/* True for a setting of .env, which is for every service and for the compose
 * file itself. */
static bool is_shared(const struct lint_setting *s) {
    return str_eq(s->at.src->path, STR(".env")) ||
           str_ends(s->at.src->path, STR("/.env"));
}

/* The flag that a variable is spelled like ("VLLM_MAX_MODEL_LEN"); NULL:
 * none. */
static const struct flag *flag_spelled(struct lint_work *k,
                                       const struct engine *e,
                                       struct str variable) {
    struct str small = arena_lower(k->a, variable);
    struct str prefix = arena_printf(k->a, "%.*s_", STR_ARG(e->id));
    bool has_prefix = str_starts(small, prefix);
    if (has_prefix)
        small = str_from(small, prefix.n);
    struct str flag = arena_printf(k->a, "--%.*s", STR_ARG(small));
    return str_find_char(small, '_') < small.n ? command_flag_row(e, flag)
                                               : NULL;
}

static void check_variable(struct lint_work *k, const struct lint_rule *rule,
                           const struct target *it,
                           const struct lint_setting *s,
                           const struct str *known, size_t known_count) {
    struct found f = {.rule = rule, .w = it->w, .at = s->at,
                      .args = {s->name}};
    if (str_eq(rule->check, STR("env_meant"))) {
        f.args[1] = variable_meant(known, known_count, s->name);
    } else if (it->engine != NULL && !is_shared(s) &&
               !workload_is_script(it->w) &&
               flag_of_variable(it->engine, s->name) == NULL &&
               !is_referred_to(it, s->name)) {
        const struct flag *flag = flag_spelled(k, it->engine, s->name);
        f.args[1] = flag != NULL ? flag->flag : STR("");
        f.args[2] = it->engine->name;
    }
    if (f.args[1].n > 0)
        finding_add(k, &f);
}

/* True if the variable begins with the engine's name: "VLLM_...". */
static bool is_of_engine(struct lint_work *k, const struct engine *e,
                         struct str variable) {
    return str_starts(arena_lower(k->a, variable),
                      arena_printf(k->a, "%.*s_",
                                   STR_ARG(engine_short_name(e))));
}

/* Reports a variable of another service's engine. */
static void check_owner(struct lint_work *k, const struct lint_rule *rule,
                        const struct target *it, const struct lint_setting *s) {
    for (size_t i = 0; i < k->target_count; i++) {
        const struct target *other = &k->targets[i];
        if (other == it || other->engine == NULL ||
            other->engine == it->engine ||
            !is_of_engine(k, other->engine, s->name) ||
            setting_find(&other->w->env, s->name) != NULL ||
            is_referred_to(it, s->name))
            continue;
        finding_add(k, &(struct found){
                          .rule = rule, .w = it->w, .at = s->at,
                          .args = {s->name, it->w->name, other->w->name}});
        return;
    }
}

static void check_variables(struct lint_work *k, const struct lint_rule *rule,
                            const struct target *it) {
    struct str known[LINT_VARIABLES_MAX];
    size_t count = variables_known(k, known);
    for (size_t i = 0; i < it->w->env.count; i++) {
        const struct lint_setting *s = &it->w->env.at[i];
        if (str_eq(rule->check, STR("env_of_other"))) {
            /* without a known engine, its program may use the variable */
            if (it->engine != NULL && !is_shared(s))
                check_owner(k, rule, it, s);
        } else
            check_variable(k, rule, it, s, known, count);
    }
}

/* ---- shares of one card ---- */

/* The cards of a workload. CUDA_VISIBLE_DEVICES does not count in a pod: 0 is
 * another GPU in each container of Kubernetes. */
static struct str cards_named(const struct target *it) {
    return cards_listed(it->w, !it->w->is_in_pod);
}

static bool run_at_once(const struct target *x, const struct target *y) {
    return x->w->group.n == 0 || y->w->group.n == 0 ||
           str_eq(x->w->group, y->w->group);
}

/* Reports once, at the service with which the sum exceeds the card. */
static void check_shares(struct lint_work *k, const struct lint_rule *rule,
                         size_t last) {
    const struct target *it = &k->targets[last];
    const struct fact *share = share_of_card(it);
    struct str cards = cards_named(it);
    while (share != NULL && cards.n > 0) {
        struct str card = str_trim(str_cut(cards, ',', &cards));
        struct str others = STR("");
        int64_t sum = share->number;
        for (size_t i = 0; i < last; i++) {
            const struct fact *more = share_of_card(&k->targets[i]);
            struct str its_cards = cards_named(&k->targets[i]);
            if (more == NULL || !str_lists(its_cards, ',', card) ||
                !run_at_once(&k->targets[i], it))
                continue;
            sum += more->number;
            others = k->targets[i].w->name;
        }
        if (others.n > 0 && sum > WHOLE_MICRO) {
            struct found f = {.rule = rule, .w = it->w,
                              .at = place_of_fact(it, share->name),
                              .args = {it->w->name, others, card}};
            f.args[3] = number_text(&k->render, UNIT_RATIO, sum);
            finding_add(k, &f);
            return;
        }
    }
}

void checks_run(struct lint_work *k, const struct lint_rule *rule) {
    for (size_t i = 0; i < k->target_count; i++) {
        const struct target *it = &k->targets[i];
        if (str_eq(rule->check, STR("shares")))
            check_shares(k, rule, i);
        else if (str_starts(rule->check, STR("env_")))
            check_variables(k, rule, it);
        else if (it->engine != NULL && str_starts(rule->check, STR("flag_")))
            for (size_t n = 0; n < it->w->words.count; n++)
                check_flag(k, rule, it, &it->w->words.at[n]);
        else if (it->engine != NULL && it->fit != NULL &&
                 it->fits == FIT_UNKNOWN &&
                 str_eq(rule->check, STR("open_variable")))
            check_open(k, rule, it);
        else if (it->engine != NULL && str_starts(rule->check, STR("host_")))
            check_host(k, rule, it);
        else if (it->engine != NULL)
            check_fits(k, rule, it);
    }
}
