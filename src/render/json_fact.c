/* json_fact.c: the small objects of the JSON: facts, amounts, rates,
 * estimates. An amount is an integer when it is exact, {low, high} when it is
 * an interval, null when it is not known. */
#include "render/parts.h"

struct json *json_str_or_null(struct arena *a, struct str s) {
    return s.n > 0 ? json_text(a, s) : json_new_null(a);
}

struct json *json_said(const struct teller *t, const struct text *text) {
    return json_str_or_null(t->a, said_text(t, text));
}

static struct json *number(const struct teller *t, enum unit unit, int64_t n) {
    switch (unit) {
    case UNIT_BYTES:
    case UNIT_TOKENS:
    case UNIT_BLOCKS:
    case UNIT_COUNT: return json_int(t->a, n);
    case UNIT_RATIO:
    case UNIT_SECONDS: return json_micro(t->a, n);
    case UNIT_BOOL: return json_bool(t->a, n != 0);
    case UNIT_TEXT:
    case UNIT_VERSION: return json_new_null(t->a);
    }
    return json_new_null(t->a);
}

static struct json *value(const struct teller *t, const struct fact *f) {
    enum unit unit = fact_unit(f->name);
    if (!f->known) {
        return json_new_null(t->a);
    }
    if (unit == UNIT_TEXT || unit == UNIT_VERSION) {
        return json_text(t->a, f->word);
    }
    return number(t, unit, f->number);
}

static void set_owner(const struct teller *t, struct json *o, const char *key,
                      int64_t n) {
    if (n != FACT_NONE) {
        json_set(o, key, json_int(t->a, n));
    }
}

static void set_words(const struct teller *t, struct json *o, const char *key,
                      struct str s) {
    if (s.n > 0) {
        json_set(o, key, json_text(t->a, s));
    }
}

struct json *json_fact(const struct teller *t, const struct fact *f) {
    enum unit unit = fact_unit(f->name);
    struct json *o = json_new_object(t->a);
    json_set(o, "name", json_text(t->a, str_of(fact_spelling(f->name))));
    json_set(o, "value", value(t, f));
    json_set(o, "unit", json_text(t->a, str_of(unit_spelling(unit))));
    json_set(o, "text", json_str_or_null(t->a, f->text));
    json_set(o, "line", f->line > 0 ? json_int(t->a, f->line)
                                    : json_new_null(t->a));
    json_set(o, "source", json_text(t->a, str_of(source_spelling(f->source))));
    if (f->known && f->ranged) {
        json_set(o, "low", number(t, unit, f->low));
        json_set(o, "high", number(t, unit, f->high));
    }
    set_owner(t, o, "gpu", f->gpu);
    set_owner(t, o, "rank", f->rank);
    set_owner(t, o, "pid", f->pid);
    set_words(t, o, "formula", f->formula);
    set_words(t, o, "why", f->why);
    return o;
}

struct json *json_facts(const struct teller *t, const struct fact_list *list) {
    struct json *array = json_new_array(t->a);
    for (size_t i = 0; i < list->count; i++) {
        json_push(array, json_fact(t, &list->at[i]));
    }
    return array;
}

/* An amount in that unit. */
static struct json *amount(const struct teller *t, enum unit unit,
                           struct span s) {
    if (!s.known) {
        return json_new_null(t->a);
    }
    if (s.low == s.high) {
        return number(t, unit, s.low);
    }
    struct json *o = json_new_object(t->a);
    json_set(o, "low", number(t, unit, s.low));
    json_set(o, "high", number(t, unit, s.high));
    return o;
}

struct json *json_span(const struct teller *t, struct span s) {
    return amount(t, UNIT_BYTES, s);
}

static struct json *micro_or_null(const struct teller *t, int64_t micro) {
    return micro >= 0 ? json_micro(t->a, micro) : json_new_null(t->a);
}

static struct json *count_or_null(const struct teller *t, int64_t n) {
    return n >= 0 ? json_int(t->a, n) : json_new_null(t->a);
}

struct json *json_worked(const struct teller *t, int64_t worked,
                         int64_t tried) {
    struct json *o = json_new_object(t->a);
    json_set(o, "worked", json_int(t->a, worked));
    json_set(o, "tried", json_int(t->a, tried));
    return o;
}

struct json *json_success(const struct teller *t, const struct success *s,
                          const char *worked_key) {
    if (!s->known) {
        return json_new_null(t->a);
    }
    struct json *o = json_new_object(t->a);
    json_set(o, "mean", micro_or_null(t, s->mean));
    json_set(o, "low", micro_or_null(t, s->low));
    json_set(o, "high", micro_or_null(t, s->high));
    const char *basis = word_spelling(WORDS_BASIS, (int)s->basis);
    json_set(o, "basis", json_text(t->a, str_of(basis)));
    json_set(o, worked_key, count_or_null(t, s->worked));
    json_set(o, "tried", count_or_null(t, s->tried));
    if (s->maintainers_tried > 0) {
        json_set(o, "maintainers", json_worked(t, s->maintainers_worked,
                                               s->maintainers_tried));
    }
    return o;
}

struct json *json_needs(const struct teller *t, const struct needs *needs) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < needs->count; i++) {
        struct str name = str_of(fact_spelling(needs->at[i]));
        json_push(list, json_text(t->a, name));
    }
    return list;
}

/* A fix that no arithmetic estimates has the verdict "none". */
static struct json *no_estimate(const struct teller *t) {
    static const char *const empty[] = {"quantity", "unit", "limit", "before",
                                        "after"};
    struct json *o = json_new_object(t->a);
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        json_set(o, empty[i], json_new_null(t->a));
    }
    json_set(o, "verdict", json_text(t->a, STR("none")));
    json_set(o, "share", json_new_null(t->a));
    json_set(o, "condition", json_new_null(t->a));
    json_set(o, "capacity", json_new_null(t->a));
    json_set(o, "short_by", json_new_null(t->a));
    json_set(o, "needs", json_new_array(t->a));
    json_set(o, "formula", json_new_null(t->a));
    return o;
}

struct json *json_estimate(const struct teller *t, const struct fix *fix) {
    if (!fix->has_estimate) {
        return no_estimate(t);
    }
    const struct estimate *e = &fix->estimate;
    enum unit unit = fact_unit(e->quantity);
    struct json *o = json_new_object(t->a);
    json_set(o, "quantity",
             json_text(t->a, str_of(fact_spelling(e->quantity))));
    json_set(o, "unit", json_text(t->a, str_of(unit_spelling(unit))));
    json_set(o, "limit", amount(t, unit, e->limit));
    json_set(o, "before", amount(t, unit, e->before));
    json_set(o, "after", amount(t, unit, e->after));
    json_set(o, "verdict",
             json_text(t->a, str_of(verdict_spelling(e->verdict))));
    json_set(o, "share", micro_or_null(t, e->share_micro));
    json_set(o, "condition",
             json_str_or_null(t->a, said_note(t, &e->condition)));
    json_set(o, "capacity", micro_or_null(t, e->capacity_micro));
    json_set(o, "short_by", amount(t, unit, e->short_by));
    json_set(o, "needs", json_needs(t, &e->needs));
    json_set(o, "formula", json_str_or_null(t->a, e->formula));
    return o;
}

struct json *json_acts_on(const struct teller *t, const struct acts_on *what) {
    if (what->flag.n == 0 && what->kind == ACT_KIND_none) {
        return json_new_null(t->a); /* a look, not a change */
    }
    struct json *o = json_new_object(t->a);
    set_words(t, o, "flag", what->flag);
    if (what->change != CHANGE_none) {
        const char *word = word_spelling(WORDS_CHANGE, (int)what->change);
        json_set(o, "change", json_text(t->a, str_of(word)));
    }
    if (what->kind != ACT_KIND_none) {
        const char *word = word_spelling(WORDS_ACT_KIND, (int)what->kind);
        json_set(o, "kind", json_text(t->a, str_of(word)));
    }
    return o;
}
