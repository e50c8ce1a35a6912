/* json_fact.c: facts, amounts, rates and estimates as JSON. An amount is an
 * integer if it is exact, {low, high} if it is an interval, null if it is
 * unknown. */
#include "render/parts.h"

struct json *json_str_or_null(struct arena *a, struct str s) {
    return s.n > 0 ? json_text(a, s) : json_new_null(a);
}

struct json *json_local(const struct render *t, const struct text *text) {
    return json_str_or_null(t->a, localized(t, text));
}

struct json *json_note(const struct render *t, const struct note *n) {
    return json_str_or_null(t->a, note_text(t, n));
}

struct json *json_int_or_null(const struct render *t, bool is_known,
                              int64_t n) {
    return is_known ? json_int(t->a, n) : json_new_null(t->a);
}

struct json *json_micro_or_null(const struct render *t, int64_t micro) {
    return micro >= 0 ? json_micro(t->a, micro) : json_new_null(t->a);
}

struct json *json_truth(const struct render *t, enum truth_fit fits) {
    return fit_is_settled(fits) ? json_bool(t->a, fits == FIT_YES)
                                : json_new_null(t->a);
}

static struct json *number(const struct render *t, enum unit unit, int64_t n) {
    switch (unit) {
    case UNIT_BYTES:
    case UNIT_TOKENS:
    case UNIT_BLOCKS:
    case UNIT_COUNT: return json_int(t->a, n);
    case UNIT_RATIO:
    case UNIT_SECONDS: return json_micro(t->a, n);
    case UNIT_BOOL: return json_bool(t->a, n != 0);
    case UNIT_TEXT:
    case UNIT_VERSION: break;
    }
    return json_new_null(t->a);
}

/* NULL: it has none. */
static struct json *owner(const struct render *t, int64_t n) {
    return n != FACT_NONE ? json_int(t->a, n) : NULL;
}

static struct json *words(const struct render *t, struct str s) {
    return s.n > 0 ? json_text(t->a, s) : NULL;
}

struct json *json_fact(const struct render *t, const struct fact *f) {
    enum unit unit = fact_unit(f->name);
    bool is_word = unit == UNIT_TEXT || unit == UNIT_VERSION;
    bool is_ranged = f->known && f->ranged;
    return JSON(t, {"name", json_spelling(t->a, fact_spelling(f->name))},
                {"value", !f->known ? json_new_null(t->a)
                          : is_word ? json_text(t->a, f->word)
                                    : number(t, unit, f->number)},
                {"unit", json_spelling(t->a, unit_spelling(unit))},
                {"text", json_str_or_null(t->a, f->text)},
                {"line", json_int_or_null(t, f->line > 0, f->line)},
                {"source", json_spelling(t->a, source_spelling(f->source))},
                {"low", is_ranged ? number(t, unit, f->low) : NULL},
                {"high", is_ranged ? number(t, unit, f->high) : NULL},
                {"gpu", owner(t, f->gpu)}, {"rank", owner(t, f->rank)},
                {"pid", owner(t, f->pid)}, {"formula", words(t, f->formula)},
                {"why", words(t, f->why)});
}

struct json *json_facts(const struct render *t, const struct fact *at,
                        size_t count) {
    struct json *array = json_new_array(t->a);
    for (size_t i = 0; i < count; i++)
        json_push(array, json_fact(t, &at[i]));
    return array;
}

struct json *json_amount(const struct render *t, enum unit unit,
                         struct span s) {
    if (!s.known || s.low == s.high)
        return s.known ? number(t, unit, s.low) : json_new_null(t->a);
    return JSON(t, {"low", number(t, unit, s.low)},
                {"high", number(t, unit, s.high)});
}

struct json *json_span(const struct render *t, struct span s) {
    return json_amount(t, UNIT_BYTES, s);
}

struct json *json_hundredths(const struct render *t, struct span s) {
    return json_amount(t, UNIT_RATIO, ratio_of_hundredths(s));
}

struct json *json_maintainers(const struct render *t, int64_t worked,
                              int64_t tried) {
    return tried > 0 ? JSON(t, {"worked", json_int(t->a, worked)},
                            {"tried", json_int(t->a, tried)})
                     : NULL;
}

struct json *json_success(const struct render *t, const struct success *s,
                          const char *worked_key) {
    if (!s->known)
        return json_new_null(t->a);
    return JSON(t, {"mean", json_micro_or_null(t, s->mean)},
                {"low", json_micro_or_null(t, s->low)},
                {"high", json_micro_or_null(t, s->high)},
                {"basis", json_word(t, WORDS_BASIS, (int)s->basis)},
                {worked_key, json_int_or_null(t, s->worked >= 0, s->worked)},
                {"tried", json_int_or_null(t, s->tried >= 0, s->tried)},
                {"maintainers", json_maintainers(t, s->maintainers_worked,
                                                 s->maintainers_tried)});
}

struct json *json_needs(const struct render *t, const struct needs *needs) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < needs->count; i++)
        json_push(list, json_spelling(t->a, fact_spelling(needs->at[i])));
    return list;
}

/* A fix without an estimate has the verdict "none". */
struct json *json_estimate(const struct render *t, const struct fix *fix) {
    static const struct estimate none = {.verdict = VERDICT_NONE,
                                         .share_micro = SHARE_NONE,
                                         .capacity_micro = SHARE_NONE};
    bool has = fix->has_estimate;
    const struct estimate *e = has ? &fix->estimate : &none;
    enum unit unit = fact_unit(e->quantity);
    return JSON(
        t,
        {"quantity",
         json_spelling(t->a, has ? fact_spelling(e->quantity) : NULL)},
        {"unit", json_spelling(t->a, has ? unit_spelling(unit) : NULL)},
        {"limit", json_amount(t, unit, e->limit)},
        {"before", json_amount(t, unit, e->before)},
        {"after", json_amount(t, unit, e->after)},
        {"verdict", json_spelling(t->a, verdict_spelling(e->verdict))},
        {"share", json_micro_or_null(t, e->share_micro)},
        {"condition", json_note(t, &e->condition)},
        {"capacity", json_micro_or_null(t, e->capacity_micro)},
        {"short_by", json_amount(t, unit, e->short_by)},
        {"needs", json_needs(t, &e->needs)},
        {"formula", json_str_or_null(t->a, e->formula)});
}

struct json *json_acts_on(const struct render *t, const struct acts_on *what) {
    bool has_kind = what->kind != ACT_KIND_none;
    bool has_change = what->change != CHANGE_none;
    if (what->flag.n == 0 && !has_kind)
        return json_new_null(t->a); /* it changes nothing */
    return JSON(
        t, {"flag", words(t, what->flag)},
        {"change",
         has_change ? json_word(t, WORDS_CHANGE, (int)what->change) : NULL},
        {"kind",
         has_kind ? json_word(t, WORDS_ACT_KIND, (int)what->kind) : NULL});
}

const char *verdict_spelling(enum verdict v) {
    static const char *const words[] = {
        [VERDICT_ENOUGH] = "enough",
        [VERDICT_MAY_BE_ENOUGH] = "may_be_enough",
        [VERDICT_NOT_ENOUGH] = "not_enough",
        [VERDICT_UNKNOWN] = "unknown",
        [VERDICT_NONE] = "none"};
    return words[v];
}
