/* rules.c: applies the rules of kb/lint.yaml to each workload and makes
 * findings. */
#include "launch/work.h"

#include "api/handles.h"
#include "diagnose/command.h"

/* ---- a setting of a rule ---- */

/* A condition on a setting: "x=v", "x~v" or "x". */
struct setting_condition {
    struct str name, value;
    char how; /* '=', '~', 0 */
};

static struct setting_condition condition_of(struct str text) {
    size_t equal = str_find_char(text, '='), part = str_find_char(text, '~');
    size_t cut = equal < part ? equal : part;
    return (struct setting_condition){str_slice(text, 0, cut),
                                      str_from(text, cut + 1),
                                      cut < text.n ? text.p[cut] : '\0'};
}

static bool value_is(const struct setting_condition *f, struct str value) {
    return f->how == '\0' || (f->how == '='
               ? str_eq_nocase(value, f->value)
               : str_find(value, f->value) < value.n);
}

/* True if both are spellings of one flag. */
static bool is_same_flag(const struct engine *e, struct str name,
                         struct str wanted) {
    const struct flag *row = command_flag_row(e, wanted);
    return command_is_alike(name, wanted) ||
           (row != NULL && command_flag_is(name, row));
}

static bool find_flag(const struct target *it,
                      const struct setting_condition *f,
                      struct span_of_file *at) {
    const struct workload *w = it->w;
    for (size_t i = 0; i < w->words.count; i++) {
        struct option_word o = option_at(&w->words, i);
        if (!str_starts(o.name, STR("-")) ||
            !is_same_flag(it->engine, o.name, f->name) || !value_is(f, o.value))
            continue;
        *at = w->words.at[i].at;
        return true;
    }
    return false;
}

static bool find_in(const struct setting_list *list,
                    const struct setting_condition *f,
                    struct span_of_file *at) {
    const struct lint_setting *s = setting_find(list, f->name);
    if (s == NULL || !value_is(f, s->value))
        return false;
    *at = s->at;
    return true;
}

static bool find_setting(const struct target *it, struct str text,
                         struct span_of_file *at) {
    struct setting_condition f = condition_of(text);
    if (str_eq(f.name, STR("verdict"))) {
        *at = it->w->at;
        return value_is(&f, str_of(fit_spelling(it->fits)));
    }
    if (str_starts(f.name, STR("-")))
        return find_flag(it, &f, at);
    if (str_eq(f.name, STR("image"))) {
        *at = it->w->at;
        return value_is(&f, it->w->image);
    }
    return find_in(&it->w->env, &f, at) || find_in(&it->w->keys, &f, at);
}

/* ---- findings ---- */

/* The text of a slot: {0} to {3}, or the name of a fact. */
static struct str slot_filled(struct lint_work *k, const struct found *f,
                              struct str name) {
    enum fact_name fact;
    if (name.n == 1 && name.p[0] >= '0' && name.p[0] <= '3')
        return f->args[name.p[0] - '0'];
    const struct fact *value = f->it != NULL && fact_named(name, &fact)
                                   ? facts_last(&f->it->facts, fact)
                                   : NULL;
    return value != NULL ? fact_text(&k->render, value)
                         : STR("");
}

static struct str text_filled(struct lint_work *k, struct str text,
                              const struct found *f) {
    struct buf out = buf_in(k->a, LINT_MESSAGE_BYTES_MAX);
    while (text.n > 0) {
        size_t begin = str_find_char(text, '{');
        buf_add(&out, str_slice(text, 0, begin));
        text = str_from(text, begin + (begin < text.n));
        if (text.n == 0)
            break;
        struct str rest, name = str_cut(text, '}', &rest);
        buf_add(&out, slot_filled(k, f, name));
        text = rest;
    }
    return str_trim(arena_str(k->a, buf_str(&out)));
}

void finding_add(struct lint_work *k, const struct found *f) {
    struct lint_file *file = k->file;
    struct place place = place_of_bytes(f->at);
    struct lint_finding finding = {.rule = f->rule, .edits = f->edits,
                                   .edit_count = f->edit_count};
    if (f->w != NULL)
        finding.service = f->w->name;
    finding.diag = (struct diag){
        .level = diag_level_named(f->rule->level),
        .code = arena_str(k->a, f->rule->id).p,
        .path = f->at.src->path,
        .line = place.line,
        .column = place.column,
        .width = place.width,
        .source = source_line(f->at.src, place.line),
        .message = text_filled(k, localized(&k->render, &f->rule->text), f)};
    *ARENA_ADD(k->a, file->findings, file->finding_count, k->finding_cap) =
        finding;
}

/* ---- fixes of rules ---- */

static const struct lint_edit *edit_of(struct lint_work *k,
                                       const struct lint_rule *rule,
                                       const struct workload *w,
                                       struct span_of_file at) {
    struct lint_edit *edit = arena_alloc(k->a, sizeof *edit);
    if (rule->fix.n == 0 || at.src != k->src || at.from == w->at.from)
        return NULL;
    if (str_eq(rule->fix, STR("drop"))) {
        *edit = edit_drop(w, at);
        return edit->to > edit->from ? edit : NULL;
    }
    if (!str_starts(rule->fix, STR("set ")))
        return NULL;
    *edit = (struct lint_edit){at.from, at.to, str_from(rule->fix, 4)};
    return edit;
}

/* ---- rules without code ---- */

static bool facts_hold(struct lint_work *k, const struct lint_rule *rule,
                       const struct target *it) {
    for (size_t i = 0; i < rule->when.count; i++) {
        struct verdict_when v = reader_when(k->r, rule->when.at[i], &it->facts);
        if (v.truth != TRUTH_TRUE)
            return false;
    }
    return true;
}

static bool settings_hold(const struct lint_rule *rule,
                          const struct target *it, struct span_of_file *first) {
    struct span_of_file at;
    for (size_t i = 0; i < rule->with.count; i++) {
        if (!find_setting(it, rule->with.at[i], &at))
            return false;
        if (i == 0)
            *first = at;
    }
    for (size_t i = 0; i < rule->without.count; i++)
        if (find_setting(it, rule->without.at[i], &at))
            return false;
    return true;
}

static void check_rule(struct lint_work *k, const struct lint_rule *rule,
                       const struct target *it) {
    struct span_of_file at = it->w->at;
    if (it->engine == NULL ||
        (rule->engine.n > 0 && !str_eq(rule->engine, it->engine->id)) ||
        !settings_hold(rule, it, &at) || !facts_hold(k, rule, it))
        return;
    struct found f = {.rule = rule, .w = it->w, .it = it, .at = at,
                      .args = {it->w->name}};
    struct span_of_file other;
    if (rule->at.n > 0 && find_setting(it, rule->at, &other))
        f.at = other;
    f.edits = edit_of(k, rule, it->w, f.at);
    f.edit_count = f.edits != NULL;
    finding_add(k, &f);
}

const struct lint_rule *lint_rule_at(struct reader *r, size_t i) {
    return i < reader_rule_count(r) ? reader_rule(r, (uint32_t)i) : NULL;
}

const struct lint_rule *lint_rule_of(struct arena *a, const struct oomkb *kb,
                                     size_t i) {
    return lint_rule_at(reader_new(kb->index, a), i);
}

void rules_check(struct lint_work *k) {
    const struct lint_rule *rule;
    for (size_t i = 0; (rule = lint_rule_at(k->r, i)) != NULL; i++) {
        if (rule->check.n > 0) {
            checks_run(k, rule);
            continue;
        }
        for (size_t n = 0; n < k->target_count; n++)
            check_rule(k, rule, &k->targets[n]);
    }
}
