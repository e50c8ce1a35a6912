/* choice.c: which fixes are said first, and the words that every format has
 * for a fix and a dead end, so that text and Markdown cannot disagree. */
#include "render/parts.h"

bool fix_is_offered(const struct fix *fix) {
    return fix->applies == APPLIES_YES || fix->applies == APPLIES_IF;
}

bool fix_is_first_choice(const struct fix *fix) {
    return fix_is_offered(fix) &&
           (!fix->has_estimate || fix->estimate.verdict != VERDICT_NOT_ENOUGH);
}

enum verdict fix_verdict(const struct fix *fix) {
    return fix->has_estimate ? fix->estimate.verdict : VERDICT_NONE;
}

size_t fixes_shown(const struct teller *t, const struct finding *f) {
    size_t top = t->o->top;
    return top != 0 && top < f->fix_count ? top : f->fix_count;
}

struct str fix_condition(const struct teller *t, const struct fix *fix) {
    return fix_verdict(fix) == VERDICT_MAY_BE_ENOUGH
               ? said_note(t, &fix->estimate.condition)
               : (struct str){NULL, 0};
}

struct str fix_cost(const struct teller *t, enum effort effort,
                    enum loses loses) {
    struct str words[] = {said_word(t, WORDS_EFFORT, (int)effort),
                          said_word(t, WORDS_LOSES, (int)loses)};
    return said_with(t, "explain.costs", words, 2);
}

struct str fix_verdict_words(const struct teller *t, const struct fix *fix) {
    switch (fix_verdict(fix)) {
    case VERDICT_ENOUGH: return said(t, "verdict.enough");
    case VERDICT_MAY_BE_ENOUGH: return said(t, "verdict.may_be_enough");
    case VERDICT_NOT_ENOUGH: return said(t, "verdict.not_enough");
    case VERDICT_UNKNOWN: return said(t, "verdict.unknown");
    case VERDICT_NONE: break;
    }
    return fix_cost(t, fix->is->effort, fix->is->loses);
}

/* What is asked against the room for it, as the verdict has it. */
static struct str relation(enum verdict v) {
    switch (v) {
    case VERDICT_ENOUGH: return STR(" <= ");
    case VERDICT_NOT_ENOUGH: return STR(" > ");
    case VERDICT_MAY_BE_ENOUGH:
    case VERDICT_UNKNOWN:
    case VERDICT_NONE: return STR(" <=? ");
    }
    return STR(" ");
}

/* What a run held when it was ended, and not one request that was refused. */
static bool is_peak(enum fact_name quantity) {
    return quantity == FACT_host_rss || quantity == FACT_host_used;
}

/* A job that was ended on its way up: nothing can be held against anything,
 * so what was seen is told apart from what is only a first try. */
struct str fix_host_peak(const struct teller *t, const struct fix *fix) {
    const struct estimate *e = &fix->estimate;
    enum unit unit = fact_unit(e->quantity);
    if (fix->is->effect != EFFECT_host_memory || !e->before.known ||
        !e->after.known || !is_peak(e->quantity)) {
        return (struct str){NULL, 0};
    }
    struct str args[] = {said_fact(t, e->quantity),
                         shown_span(t, unit, e->before),
                         shown_span(t, unit, e->after),
                         shown_span(t, unit, e->limit)};
    return said_with(t, e->limit.known ? "verdict.host_of" : "verdict.host",
                     args, e->limit.known ? 4 : 3);
}

struct str fix_comparison(const struct teller *t, const struct fix *fix) {
    const struct estimate *e = &fix->estimate;
    enum unit unit = fact_unit(e->quantity);
    struct buf out;
    if (fix->is->effect == EFFECT_host_memory && is_peak(e->quantity)) {
        return (struct str){NULL, 0}; /* see fix_host_peak() */
    }
    bool is_changed = e->before.known && (e->before.low != e->after.low ||
                                          e->before.high != e->after.high);
    if (!is_changed && !e->limit.known) { /* one side alone compares nothing */
        return (struct str){NULL, 0};
    }
    buf_init_in(&out, t->a, 4096);
    struct str label = said_fact(t, e->quantity);
    buf_add(&out, said_with(t, "report.label", &label, 1));
    if (is_changed) {
        buf_add(&out, shown_span(t, unit, e->before));
        buf_add(&out, STR(" -> "));
    }
    buf_add(&out, shown_span(t, unit, e->after));
    if (e->limit.known) {
        buf_add(&out, relation(e->verdict));
        buf_add(&out, shown_span(t, unit, e->limit));
    }
    return settled(t->a, &out);
}

struct str fix_short_by(const struct teller *t, const struct fix *fix) {
    const struct estimate *e = &fix->estimate;
    if (fix_verdict(fix) != VERDICT_NOT_ENOUGH || !e->short_by.known) {
        return (struct str){NULL, 0};
    }
    struct str amount = shown_span(t, fact_unit(e->quantity), e->short_by);
    return said_with(t, "report.short_by", &amount, 1);
}

struct str fix_needs(const struct teller *t, const struct fix *fix) {
    const struct needs *needs = &fix->estimate.needs;
    if (fix_verdict(fix) != VERDICT_UNKNOWN || needs->count == 0) {
        return (struct str){NULL, 0};
    }
    struct buf list;
    buf_init_in(&list, t->a, 4096);
    for (size_t i = 0; i < needs->count; i++) {
        if (i > 0) {
            buf_add(&list, said(t, "report.comma"));
        }
        buf_add(&list, said_fact(t, needs->at[i]));
    }
    struct str names = settled(t->a, &list);
    return said_with(t, "report.needs", &names, 1);
}

/* "b: log line 3; c: default": the inputs that no log told, as they stand. */
static void add_assumed(struct buf *out, struct str sources) {
    const char *before = " [";
    while (sources.n > 0) {
        size_t end = str_find(sources, STR("; "));
        struct str one = str_slice(sources, 0, end);
        if (str_ends(one, STR(": default"))) {
            buf_add(out, str_of(before));
            buf_add(out, one);
            before = "; ";
        }
        sources = str_slice(sources, one.n + 2, sources.n);
    }
    if (before[0] == ';') {
        buf_add(out, STR("]"));
    }
}

/* "a = b x c = d [b: log line 3; ...]": where the inputs are from is told
 * under --why; which are defaults, always. */
struct str fix_formula(const struct teller *t, const struct fix *fix) {
    struct str formula = fix->estimate.formula;
    size_t at = str_find(formula, STR(" ["));
    if (t->o->why || at >= formula.n) {
        return said_formula(t, formula);
    }
    struct buf told;
    buf_init_in(&told, t->a, formula.n + 1);
    buf_add(&told, str_slice(formula, 0, at));
    struct str sources = str_slice(formula, at + 2, formula.n);
    bool is_closed = str_ends(sources, STR("]"));
    add_assumed(&told, str_slice(sources, 0, sources.n - is_closed));
    return said_formula(t, settled(t->a, &told));
}

struct str fix_up_to(const struct teller *t, const struct fix *fix) {
    const struct estimate *e = &fix->estimate;
    bool is_other = fix->has_estimate && e->verdict != VERDICT_ENOUGH &&
                    fix->is->effect == EFFECT_kv_cache_dtype &&
                    e->proposed.known &&
                    e->proposed.name == FACT_max_model_len;
    if (!is_other) {
        return (struct str){NULL, 0};
    }
    struct str n = shown_number(t, UNIT_TOKENS, e->proposed.number);
    return said_with(t, "report.enough_up_to", &n, 1);
}

struct str fix_command(const struct fix *fix) {
    return fix->has_gap ? (struct str){NULL, 0} : fix->command;
}

struct str fix_trade_off(const struct teller *t, const struct workaround *w) {
    struct str but = said_text(t, &w->trade_off);
    return but.n > 0 ? said_with(t, "report.trade_off", &but, 1) : but;
}

/* The corrected command is that of the first fix of the first finding. */
bool fix_is_in_command(const struct report *rep, const struct fix *fix) {
    return rep->command_after.n > 0 && rep->finding_count > 0 &&
           rep->findings[0].fix_count > 0 && fix == rep->findings[0].fixes;
}

static const char *unusable_key(const struct fix *fix, struct str because) {
    bool is_already = fix->applies == APPLIES_ALREADY;
    if (because.n == 0) {
        return is_already ? "report.already" : "report.does_not_apply";
    }
    return is_already ? "report.already_because"
                      : "report.does_not_apply_because";
}

bool fix_is_ruled_out_aloud(const struct teller *t, const struct fix *fix) {
    struct str key = str_of(fix->because.key ? fix->because.key : "");
    return t->o->why || !(str_eq(key, STR("diagnose.applies.no")) ||
                          str_eq(key, STR("diagnose.applies.absent")));
}

struct str fix_unusable(const struct teller *t, const struct fix *fix) {
    struct str args[] = {said_text(t, &fix->is->action),
                         said_note(t, &fix->because)};
    return said_with(t, unusable_key(fix, args[1]), args, 2);
}

struct dead_end_words dead_end_words(const struct teller *t,
                                     const struct dead_end_shown *d) {
    struct dead_end_words words = {said_note(t, &d->action),
                                   said_note(t, &d->why),
                                   {NULL, 0}};
    if (d->is != NULL) {
        words.action = said_text(t, &d->is->action);
        words.why = said_text(t, &d->is->why);
        words.instead = said_text(t, &d->is->instead);
    }
    return words;
}
