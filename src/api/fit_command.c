/* fit_command.c: a question of `fit` as a command line or flags of an engine.
 *
 *     HF_TOKEN=x vllm serve Qwen/Qwen3-32B -tp 2 --max-model-len 32k
 *                ^ engine   ^ model         ^ flags by the engine's rows
 *
 * The command is read twice: as a log of one line, from which the patterns of
 * kb/engines find engine, release (the tag of an image), model and variables;
 * and flag by flag, by the engine's rows. A flag without a row either changes
 * no memory (`idle`), or the answer has a remark that the flag is not
 * considered.
 */
#include "api/fit_input.h"
#include "api/fit_value.h"

#include "base/near.h"
#include "corpus/engine.h"
#include "diagnose/command.h"

#define PREFIX_LEAST 5

void fit_input_set(struct fit_input *s, const struct fact *f) {
    const struct fact *old = fit_input_fact(s, f->name);
    size_t at = old != NULL ? (size_t)(old - s->at) : s->count;
    if (at == FIT_FACTS_MAX)
        arena_raise(s->a, FAIL_USAGE, "too many facts: at most %d",
                    FIT_FACTS_MAX);
    s->at[at] = *f;
    s->count += old == NULL;
}

const struct fact *fit_input_fact(const struct fit_input *s,
                                  enum fact_name name) {
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].name == name)
            return &s->at[i];
    return NULL;
}

static void fit_input_drop(struct fit_input *s, enum fact_name name) {
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->at[i].name != name)
            s->at[kept++] = s->at[i];
    s->count = kept;
}

static void remark(struct fit_input *s, const char *key, struct str first,
                   struct str second) {
    for (size_t i = 0; i < s->remark_count; i++) {
        const struct note *n = &s->remarks[i];
        if (str_eq(str_of(n->key), str_of(key)) && str_eq(n->arg[0], first))
            return;
    }
    if (s->remark_count < FIT_REMARKS) {
        s->remarks[s->remark_count++] = (struct note){
            .key = key,
            .arg = {arena_str(s->a, first), arena_str(s->a, second)},
            .count = 2};
    }
}

/* ---- flags ---- */

static bool is_listed(const struct str_list *list, struct str name) {
    for (size_t i = 0; i < list->count; i++)
        if (command_is_alike(name, list->at[i]))
            return true;
    return false;
}

/* argparse accepts an unambiguous prefix of a flag. */
static const struct flag *row_with_prefix(const struct engine *e,
                                          struct str name) {
    const struct flag *found = NULL;
    for (size_t i = 0; name.n >= PREFIX_LEAST && i < e->flag_count; i++) {
        if (str_starts(e->flags[i].flag, name)) {
            if (found != NULL)
                return NULL;
            found = &e->flags[i];
        }
    }
    return found;
}

/* The option of that name; NULL: there is none. */
static const struct option *option_of(const struct engine *e,
                                      struct str name) {
    for (size_t i = 0; e != NULL && i < e->option_count; i++)
        if (command_is_alike(name, e->options[i].flag) ||
            is_listed(&e->options[i].aliases, name))
            return &e->options[i];
    return NULL;
}

/* "--no-enable-prefix-caching" -> "--enable-prefix-caching". */
static struct str affirmed(struct arena *a, struct str name) {
    return arena_printf(a, "--%.*s",
                        STR_ARG(str_from(name, sizeof "--no-" - 1)));
}

static const struct flag *switch_negated(struct arena *a,
                                         const struct engine *e,
                                         struct str name) {
    const struct flag *row = str_starts(name, STR("--no-"))
                                 ? command_flag_row(e, affirmed(a, name))
                                 : NULL;
    return row && fact_unit(row->fact) == UNIT_BOOL ? row : NULL;
}

static bool is_number(struct str s) {
    bool has_digit = false;
    for (size_t i = 0; i < s.n; i++) {
        if (!is_digit(s.p[i]) && s.p[i] != '.')
            return false;
        has_digit = has_digit || is_digit(s.p[i]);
    }
    return has_digit;
}

/* The value with the flag's unit, if it is a bare number: "10" is "10GiB". */
static struct str with_unit(struct arena *a, struct str value,
                            struct str scale) {
    return scale.n > 0 && is_number(value)
               ? arena_printf(a, "%.*s%.*s", STR_ARG(value), STR_ARG(scale))
               : value;
}

/* A switch: with a word behind it its value, else true. */
static void take_switch(struct fit_input *s, enum fact_name fact,
                        struct str value) {
    struct fact f;
    struct str why, pair = arena_printf(s->a, "%s=%.*s", fact_spelling(fact),
                                        STR_ARG(value));
    if (str_eq_nocase(value, STR("auto")))
        return;
    if (value.n == 0 || !answer_read(s->a, pair, &f, &why)) {
        pair = arena_printf(s->a, "%s=true", fact_spelling(fact));
        answer_read(s->a, pair, &f, &why);
    }
    fit_input_set(s, &f);
}

/* A flag that sets the type of K alone leaves V at its default. */
static void take_other_half(struct fit_input *s, const struct engine *e,
                            const struct flag *row) {
    bool is_key = row->fact == FACT_kv_cache_dtype &&
                  fit_input_fact(s, FACT_value_cache_dtype) == NULL;
    if (is_key && engine_flag_of(e, FACT_value_cache_dtype) != NULL) {
        struct fact f = fact_word(FACT_value_cache_dtype, SOURCE_DEFAULT,
                                  STR("f16"));
        fit_input_set(s, &f);
    }
}

static void take_row(struct fit_input *s, const struct engine *e,
                     const struct flag *row, struct str name,
                     struct str value) {
    struct fact f;
    const struct fact *release = fit_input_fact(s, FACT_engine_version);
    struct str version = release != NULL ? release->word
                         : e != NULL     ? e->newest
                                         : STR("");
    bool has_gap = str_find_char(value, '$') < value.n || /* placeholders: */
                   str_find_char(value, '<') < value.n;   /* $TP, <n> */
    if (e != NULL &&
        version_in_range(&row->exists, version) == RANGE_OUTSIDE)
        remark(s, "fit.remark.release", name,
               arena_printf(s->a, "%.*s %.*s", STR_ARG(e->name),
                            STR_ARG(version)));
    if (has_gap) {
        remark(s, "fit.remark.gap", name, value);
    } else if (fact_unit(row->fact) == UNIT_BOOL) {
        take_switch(s, row->fact, value);
    } else if (value.n == 0) {
        arena_raise(s->a, FAIL_USAGE, "%.*s needs a value", STR_ARG(name));
    } else if (fit_value_read(s->a, row->fact,
                              with_unit(s->a, value, row->scale), &f)) {
        fit_input_set(s, &f);
        take_other_half(s, e, row);
    }
}

/* "--compilation-config.level" belongs to --compilation-config. */
static struct str before_dot(struct str name) {
    return str_slice(name, 0, str_find_char(name, '.'));
}

static bool is_idle(struct arena *a, const struct engine *e,
                    struct str name) {
    struct str whole = before_dot(name);
    return e != NULL && (is_listed(&e->idle, whole) ||
                         (str_starts(whole, STR("--no-")) &&
                          is_listed(&e->idle, affirmed(a, whole))));
}

/* True if the name only lengthens the flag's last word: "--max-model-length"
 * for "--max-model-len". */
static bool is_longer(struct str name, struct str flag) {
    return str_starts(name, flag) &&
           str_find_char(str_from(name, flag.n), '-') == name.n - flag.n;
}

/* The flag that the name is a typo of: at most two letters differ. Empty: none,
 * so it is a flag that oomkb does not know. */
static struct str flag_near(const struct engine *e, struct str name) {
    struct str best = {NULL, 0};
    size_t least = (near_enough(name) < 2 ? near_enough(name) : 2) + 1;
    for (size_t i = 0; e != NULL && i < e->flag_count; i++) {
        struct str flag = e->flags[i].flag;
        size_t d = is_longer(name, flag) ? 1 : near_distance(name, flag);
        best = d < least ? e->flags[i].flag : best;
        least = d < least ? d : least;
    }
    return best;
}

static void remark_on(struct fit_input *s, const struct engine *e,
                      struct str name) {
    const struct option *option = option_of(e, before_dot(name));
    bool is_option = option != NULL;
    if (option != NULL && option->offloads)
        s->offload = option->flag;
    struct str near = is_option || name.n < 4 ? (struct str){NULL, 0}
                                                    : flag_near(e, name);
    if (near.n > 0 && s->is_typed)
        arena_raise(s->a, FAIL_USAGE, "no flag '%.*s': did you mean %.*s?",
                    STR_ARG(name), STR_ARG(near));
    remark(s,
           is_option    ? "fit.remark.not_reckoned"
           : near.n > 0 ? "fit.remark.flag_near"
                        : "fit.remark.unknown_flag",
           name, near.n > 0 ? near : e != NULL ? e->name : STR(""));
}

void fit_take_flag(struct fit_input *s, const struct engine *e, struct str name,
                   struct str value) {
    const struct flag *row = command_flag_row(e, name);
    const struct flag *negated = switch_negated(s->a, e, name);
    enum fact_name fact;
    if (row != NULL) {
        take_row(s, e, row, name, value);
    } else if (negated != NULL) {
        take_row(s, e, negated, name, STR("false"));
    } else if (fit_fact_named(s->a, name, &fact)) {
        struct flag own = {.fact = fact};
        take_row(s, e, &own, name, value);
    } else if (!is_idle(s->a, e, name)) {
        bool is_open = e != NULL && option_of(e, name) == NULL;
        row = is_open ? row_with_prefix(e, name) : NULL;
        if (row != NULL)
            take_row(s, e, row, name, value);
        else
            remark_on(s, e, name);
    }
}

bool fit_engine_takes(struct arena *a, const struct engine *e,
                      struct str name) {
    return command_flag_row(e, name) != NULL ||
           option_of(e, before_dot(name)) != NULL || is_idle(a, e, name) ||
           switch_negated(a, e, name) != NULL ||
           row_with_prefix(e, name) != NULL;
}

/* ---- the engine of flags ---- */

static size_t count_flags(const struct engine *e, const char *const *facts) {
    size_t count = 0;
    for (; *facts != NULL; facts++) {
        struct str fact = str_of(*facts), value;
        struct str name = str_cut(fact, '=', &value);
        bool is_flag = str_starts(fact, STR("-"));
        count += is_flag && (command_flag_row(e, name) != NULL ||
                             option_of(e, name) != NULL ||
                             is_listed(&e->idle, name));
    }
    return count;
}

const struct engine *fit_engine_of_flags(struct reader *r,
                                         const char *const *facts) {
    const struct engine *best = NULL;
    size_t most = 0;
    for (const char *const *id = fit_engines; *id != NULL; id++) {
        const struct engine *e = reader_engine_by_id(r, str_of(*id));
        size_t taken = e != NULL ? count_flags(e, facts) : 0;
        best = taken > most ? e : best;
        most = taken > most ? taken : most;
    }
    return best;
}

/* ---- a command ---- */

/* True for a known setting. A context of 0 stands for the model's own. */
static bool is_setting(const struct fact *f) {
    bool is_open = f->name == FACT_context_length && f->number == 0;
    return f->known && !is_open && f->name != FACT_stage &&
           f->name != FACT_task && f->name != FACT_work;
}

static void take_context(struct fit_input *s, const struct fact_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        struct fact f = list->at[i];
        if (is_setting(&f)) {
            f.source = f.source == SOURCE_LOG ? SOURCE_USER : f.source;
            f.line = 0;
            fit_input_set(s, &f);
        }
    }
}

/* "trtllm-serve Qwen/Qwen3-8B": the first word that names a model and is not
 * the value of a flag. */
static void take_model(struct fit_input *s, const struct command *c) {
    struct argument arg;
    bool is_behind_flag = false;
    for (size_t at = c->program; argument_next(c, &at, &arg);) {
        struct str word = shell_unquoted(
            str_slice(c->sh.text, arg.from, arg.to - arg.from));
        bool is_flag = str_starts(word, STR("-"));
        if (!is_flag && !is_behind_flag &&
            reader_model(s->r, word).model != NULL) {
            struct fact f = fact_word(FACT_model, SOURCE_USER,
                                      arena_str(s->a, word));
            fit_input_set(s, &f);
            return;
        }
        is_behind_flag = is_flag && str_find_char(word, '=') == word.n;
    }
}

/* A flag that names a tokenizer, a draft or an adapter. */
static bool names_other_model(struct str flag) {
    bool is_switch = STR_HAS_ONE(flag, "skip", "enable", "no-");
    return !is_switch && (STR_HAS_ONE(flag, "tokenizer", "draft",
                                      "speculative", "lora", "adapter") ||
                          STR_IS_ONE(flag, "-md", "-hfd"));
}

/* True if that name stands in the command behind such a flag alone. */
static bool is_of_other_flag(const struct command *c, struct str model) {
    struct argument arg;
    struct str flag = {NULL, 0};
    bool is_other = false;
    for (size_t at = c->program; argument_next(c, &at, &arg);) {
        struct str value, word = shell_unquoted(
            str_slice(c->sh.text, arg.from, arg.to - arg.from));
        bool is_flag = str_starts(word, STR("-"));
        struct str name = is_flag ? str_cut(word, '=', &value) : flag;
        value = is_flag ? value : word;
        if (str_find(value, model) < value.n) {
            if (!names_other_model(name))
                return false;
            is_other = true;
        }
        flag = is_flag && value.n == 0 ? word : (struct str){NULL, 0};
    }
    return is_other;
}

static void take_flags(struct fit_input *s, const struct engine *e,
                       struct str text) {
    struct command c = command_parse(text);
    struct str name, value;
    if (c.inner_to > c.inner_from) { /* sh -c "..." */
        take_flags(s, e, str_slice(text, c.inner_from,
                                   c.inner_to - c.inner_from));
        return;
    }
    const struct fact *model = fit_input_fact(s, FACT_model);
    if (model != NULL && is_of_other_flag(&c, model->word))
        fit_input_drop(s, FACT_model);
    for (size_t at = c.args; command_flag_next(&c, &at, &name, &value);)
        fit_take_flag(s, e, name, value);
    if (fit_input_fact(s, FACT_model) == NULL)
        take_model(s, &c);
}

void fit_take_command(struct fit_input *s, const struct oomkb *kb,
                      struct str text) {
    const struct report *rep = text_report_of(s->a, kb, s->r, text);
    take_context(s, &rep->context);
    const struct fact *engine = fit_input_fact(s, FACT_engine);
    if (engine == NULL)
        arena_raise(s->a, FAIL_USAGE, "'%.*s' " FIT_NO_ENGINE ", as "
                    "`vllm serve MODEL` does",
                    STR_ARG(str_slice(str_trim(text), 0, 60)));
    take_flags(s, reader_engine_by_id(s->r, engine->word), rep->command);
}
