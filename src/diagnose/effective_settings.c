/* effective_settings.c: finds settings that were named but are not in force.
 *
 * A fix that "did not help" often never reached the process. Where the log
 * shows the settings in force, the named ones are compared with them:
 *
 *   another value    a later line of the program has another value; flags that
 *                    are too short for the scanner are compared too
 *   not listed       the program lists its settings (all of them, or all that
 *                    are not the default) after the command, and this one is
 *                    not in the list: the flag was dropped
 *   not passed       the program lists the variables that its workers get, and
 *                    the variable is not in the list
 *   user differs     --set has one value, the log shows another
 *
 * Which line is such a list is data: a row of kb/engines/ sets settings_listed
 * to `all`, `non_default` or `environment`. A setting that was not listed
 * leaves the context: a fix that sets it is no longer "already" done, and
 * arithmetic uses the default. The list also proves which settings were not
 * set: context.c takes that from settings_list().
 */
#include "diagnose/fact_candidate.h"

bool fact_is_environment(const struct diagnosis *d, enum fact_name name) {
    const struct flag *flag = engine_flag_of(d->engine, name);
    char first = flag != NULL && flag->flag.n > 0 ? flag->flag.p[0] : '\0';
    return name == FACT_expandable_segments || is_upper(first);
}

static void overruled_add(struct diagnosis *d, const char *key,
                     const struct fact *named, const struct fact *in_force) {
    for (size_t i = 0; i < d->overruled_count; i++)
        if (d->overruled[i].named.name == named->name)
            return;
    *ARENA_ADD(d->a, d->overruled, d->overruled_count, d->overruled_cap) =
        (struct overruled){*named, *in_force, key};
}

/* True if the values differ. "fp8" and "fp8_e4m3" are equal, and so are 99
 * layers and all layers that there are. Names of models, types and versions are
 * not compared: they have too many spellings. */
static bool values_differ(const struct fact *x, const struct fact *y) {
    enum unit unit = fact_unit(x->name);
    if (x->name == FACT_gpu_layers && x->number > y->number && y->number > 0)
        return false;
    if (unit != UNIT_TEXT && unit != UNIT_VERSION)
        return !facts_same(x, y);
    bool is_choice = x->name == FACT_kv_cache_dtype ||
                     x->name == FACT_quantization;
    return is_choice && !str_starts(x->word, y->word) &&
           !str_starts(y->word, x->word);
}

/* ---- another value ---- */

static void find_other_values(struct diagnosis *d,
                              const struct fact_candidates *w) {
    for (int n = 0; n < FACT_COUNT_OF; n++) {
        const struct fact_candidate *named =
            candidate_named(w, (enum fact_name)n);
        const struct fact_candidate *best =
            candidate_best(w, (enum fact_name)n);
        if (named->is_there && best->is_dump && named->is_before &&
            named->order <= best->order &&
            values_differ(&named->fact, &best->fact))
            overruled_add(d, "diagnose.remark.not_in_force", &named->fact,
                          &best->fact);
    }
}

/* Example: -c 32768 in the command, n_ctx = 4096 in the log. */
static void find_short_flags(struct diagnosis *d,
                             const struct fact_candidates *w) {
    for (size_t i = 0; d->engine && i < d->engine->flag_count; i++) {
        const struct flag *flag = &d->engine->flags[i];
        const struct fact_candidate *best = candidate_best(w, flag->fact);
        struct fact f = command_fact(d, flag);
        if (f.known && best->is_there && best->is_dump &&
            best->fact.line >= d->command_line &&
            values_differ(&f, &best->fact))
            overruled_add(d, "diagnose.remark.not_in_force", &f, &best->fact);
    }
}

/* ---- not listed, not passed ---- */

/* The last such list before the failure that stands after position `order` (0:
 * anywhere); known false: there is none. */
static struct fact list_after(const struct diagnosis *d,
                              const struct fact_candidates *w, const char *kind,
                              uint64_t order) {
    struct fact list = fact_blank(FACT_settings_listed, SOURCE_LOG);
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *h = &d->scan->hits.at[i];
        const struct context_pattern *row =
            h->kind == PATTERN_CONTEXT ? context_row(d, h) : NULL;
        for (size_t k = 0; row && k < row->set_count; k++) {
            if (row->set[k].name == FACT_settings_listed &&
                str_eq(row->set[k].value, str_of(kind)) &&
                (order == 0 || h->order > order) &&
                hit_is_above(d, &w->failure, h)) {
                list.known = true;
                list.word = row->set[k].value;
                list.line = h->first_line;
            }
        }
    }
    return list;
}

struct fact settings_list(const struct diagnosis *d,
                          const struct fact_candidates *w, uint64_t order) {
    struct fact list = list_after(d, w, "all", order);
    return list.known ? list : list_after(d, w, "non_default", order);
}

/* True if the value is the engine's default in some version, or if its
 * default is not known. A list of settings that differ from the default
 * leaves it out. */
static bool may_be_default(const struct diagnosis *d,
                           const struct fact *named) {
    bool is_known = false;
    for (size_t i = 0; i < d->engine->default_count; i++) {
        const struct engine_default *row = &d->engine->defaults[i];
        struct fact f = fact_blank(row->fact, SOURCE_DEFAULT);
        if (row->fact != named->name)
            continue;
        is_known = true;
        fact_read(row->fact, row->value, 1, &f);
        if (!f.known || !values_differ(named, &f))
            return true;
    }
    return !is_known;
}

bool is_listed_setting(const struct diagnosis *d, enum fact_name name) {
    const struct flag *flag = engine_flag_of(d->engine, name);
    return flag != NULL && flag->keys.count > 0 &&
           !fact_is_environment(d, name);
}

static void find_not_listed(struct diagnosis *d,
                            const struct fact_candidates *w,
                            enum fact_name name) {
    const struct fact_candidate *named = candidate_named(w, name);
    const struct fact_candidate *best = candidate_best(w, name);
    bool is_listed = best->is_dump && best->order >= named->order;
    if (!named->is_there || !named->is_before || is_listed ||
        !is_listed_setting(d, name))
        return;
    struct fact list = settings_list(d, w, named->order);
    const struct fact *is = facts_first(&d->context, name);
    if (!list.known || is == NULL || is->source == SOURCE_USER ||
        (!str_eq(list.word, STR("all")) && may_be_default(d, &named->fact)))
        return;
    facts_drop(&d->context, name);
    overruled_add(d, "diagnose.remark.not_listed", &named->fact, &list);
}

static void find_not_passed(struct diagnosis *d,
                            const struct fact_candidates *w,
                            enum fact_name name) {
    const struct fact_candidate *named = candidate_named(w, name);
    if (!named->is_there || !fact_is_environment(d, name))
        return;
    struct fact list = list_after(d, w, "environment", 0);
    const struct fact *is = facts_first(&d->context, name);
    if (list.known && is != NULL && is->source != SOURCE_USER) {
        facts_drop(&d->context, name);
        overruled_add(d, "diagnose.remark.not_passed", &named->fact, &list);
    }
}

/* ---- set by the user ---- */

static void find_user_differs(struct diagnosis *d,
                              const struct fact_candidates *w) {
    for (size_t i = 0; d->answers && i < d->answers->count; i++) {
        const struct fact *user = &d->answers->at[i];
        const struct fact_candidate *best = candidate_best(w, user->name);
        bool is_setting = user->name == FACT_expandable_segments ||
                          engine_flag_of(d->engine, user->name) != NULL;
        if (is_setting && user->known && best->is_there && best->is_dump &&
            best->is_before && values_differ(user, &best->fact))
            overruled_add(d, "diagnose.remark.user_says_other", user,
                          &best->fact);
    }
}

void overruled_find(struct diagnosis *d, const struct fact_candidates *w) {
    find_other_values(d, w);
    find_short_flags(d, w);
    for (int n = 0; n < FACT_COUNT_OF; n++) {
        find_not_listed(d, w, (enum fact_name)n);
        find_not_passed(d, w, (enum fact_name)n);
    }
    find_user_differs(d, w);
}
