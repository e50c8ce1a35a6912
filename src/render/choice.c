/* choice.c: the texts about one fix and about one dead end, a line each. */
#include "render/parts.h"

/* ---- is a step more than the title of its fix? ----
 *
 *     Reduce the batch size or the length of a sample
 *         Halve the batch or the length.                   the same again
 *         Halve `batch_size` where the program sets it.    more
 *
 * Code and numbers are more. Else a word that is not in the title is; words of
 * the lists below do not count. The English texts decide for all languages. */
#define STEM 4 /* letters: "sample" and "samples", "lengths" and "length" */

static const char *const small[] = {
    "a",   "an",  "and", "at",    "by",   "each", "for",    "half", "halve",
    "in",  "it",  "its", "less",  "lower", "of",  "on",     "one",  "or",
    "reduce", "size", "smaller", "that", "the", "them", "then", "this", "to",
    "use", "with", "fewer", "shorten", "again", "set", "number", NULL};
/* Words of "until it fits": they add nothing to a value or a sum. */
static const char *const until[] = {"until", "fits",  "fit",   "step",
                                    "steps", "loads", "model", "starts",
                                    "start", "succeeds", NULL};

static struct str word_next(struct str *text) {
    size_t from = 0, to;
    while (from < text->n && !is_letter(text->p[from]))
        from++;
    to = from;
    while (to < text->n && is_letter(text->p[to]))
        to++;
    struct str word = str_slice(*text, from, to - from);
    *text = str_slice(*text, to, text->n);
    return word;
}

static bool stands_in(struct str word, struct str text) {
    struct str stem = str_slice(word, 0, STEM), other;
    while ((other = word_next(&text)).n > 0)
        if (str_eq_nocase(str_slice(other, 0, STEM), stem))
            return true;
    return false;
}

static bool is_more(struct str steps, struct str action, bool is_measured) {
    struct str word;
    for (size_t i = 0; i < steps.n; i++)
        if (steps.p[i] == '`' || is_digit(steps.p[i]))
            return true;
    while ((word = word_next(&steps)).n > 0) {
        bool is_small = str_in_nocase(word, small) ||
                        (is_measured && str_in_nocase(word, until));
        if (!is_small && !stands_in(word, action))
            return true;
    }
    return false;
}

bool fix_is_first_choice(const struct fix *fix) {
    /* It is not enough if the setting has its default. */
    bool fails_by_default = fix->has_estimate &&
                            str_eq(str_of(fix->estimate.condition.key),
                                   STR("verdict.if.not_default"));
    return fix_is_offered(fix) && fix_verdict(fix) != VERDICT_NOT_ENOUGH &&
           !fails_by_default;
}

struct str fix_number(const struct render *t, const struct finding *f,
                      const struct fix *fix) {
    struct chosen c = fixes_chosen(t, f);
    for (size_t i = 0; i < c.count; i++)
        if (c.at[i] == fix)
            return arena_printf(t->a, "%u", (unsigned)i + 1);
    return STR("-");
}

struct str fix_cost(const struct render *t, enum effort effort,
                    enum loses loses) {
    return TR(t, "explain.costs", word_text(t, WORDS_EFFORT, (int)effort),
              word_text(t, WORDS_LOSES, (int)loses));
}

struct str fix_verdict_words(const struct render *t, const struct fix *fix) {
    static const char *const keys[] = {
        [VERDICT_ENOUGH] = "verdict.enough",
        [VERDICT_MAY_BE_ENOUGH] = "verdict.may_be_enough",
        [VERDICT_NOT_ENOUGH] = "verdict.not_enough",
        [VERDICT_UNKNOWN] = "verdict.unknown",
        [VERDICT_NONE] = "verdict.unknown"};
    return tr(t, keys[fix_verdict(fix)]);
}

struct str fix_command(const struct fix *fix) {
    return fix->has_gap ? STR("") : fix->command;
}

/* The title for this log, else that of the entry. */
static const struct text *action_of(const struct fix *fix) {
    return fix->action.in[LANG_EN].n > 0 ? &fix->action
                                         : &fix->workaround->action;
}

struct str fix_title(const struct render *t, const struct fix *fix) {
    struct str args[] = {localized(t, action_of(fix)), fix->first_try};
    return fix->lowers.key          ? note_text(t, &fix->lowers)
           : fix->first_try.n > 0 ? tr_args(t, "report.first_try", args, 2)
                                  : args[0];
}

static struct str share_text(const struct render *t, int64_t micro) {
    int64_t hundredths = (micro + 5000) / 10000;
    return arena_printf(t->a, "%d.%02d", (int)(hundredths / 100),
                        (int)(hundredths % 100));
}

struct str fix_worth(const struct render *t, const struct fix *fix) {
    struct note n = NOTE(fix->worth, share_text(t, fix->p_micro),
                         share_text(t, fix->cost_micro),
                         share_text(t, fix->gain_micro));
    return note_text(t, &n);
}

struct str fix_action(const struct render *t, const struct fix *fix) {
    struct str action = fix_title(t, fix);
    struct str close = t->lang == LANG_ZH ? STR("）") : STR(")");
    struct str open = t->lang == LANG_ZH ? STR("（") : STR(" (");
    size_t at = str_find(action, open), from = at + open.n;
    if (!str_ends(action, close) || from + close.n >= action.n)
        return action;
    struct str inner = str_slice(action, from, action.n - close.n - from);
    struct str command = fix_command(fix);
    return str_find(command, inner) < command.n ? str_slice(action, 0, at)
                                                : action;
}

struct str fix_trade_off(const struct render *t, const struct workaround *w) {
    return tr_if(t, "report.trade_off", localized(t, &w->trade_off));
}

/* ---- the first sentence of a text ---- */

static struct str first_sentence(struct str text) {
    bool is_code = false;
    for (size_t i = 0; i < text.n; i++) {
        char next = i + 1 < text.n ? text.p[i + 1] : ' ';
        bool is_word = i >= 2 && text.p[i - 2] != '.' && text.p[i - 2] != ' ';
        struct str here = str_from(text, i);
        is_code = text.p[i] == '`' ? !is_code : is_code;
        if (!is_code && (text.p[i] == '.' || text.p[i] == '?') &&
            (next == ' ' || next == '\n') && is_word)
            return str_slice(text, 0, i + 1);
        if (!is_code && str_starts(here, STR("。")))
            return str_slice(text, 0, i + STR("。").n);
    }
    return str_trim(text);
}

/* ---- the sum of a fix, in one line ---- */

/* The last formula with a sum, without its name and the sources of its inputs:
 * "17,024 tokens x 36 KiB = 598.50 MiB". */
static struct str bare_formula(struct str formula) {
    struct str best = {NULL, 0};
    while (formula.n > 0) {
        size_t end = str_find(formula, STR(" ["));
        size_t semi = str_find(formula, STR("; "));
        struct str one = str_slice(formula, 0, semi < end ? semi : end);
        size_t name = str_find(one, STR(" = "));
        struct str sum = str_from(one, name + 3);
        if (str_find(sum, STR(" = ")) < sum.n)
            best = sum;
        if (end < semi) {
            end += str_find_char(str_from(formula, end), ']') + 1;
            semi = end;
        }
        formula = str_from(formula, semi);
        formula =
            str_starts(formula, STR("; ")) ? str_from(formula, 2) : formula;
    }
    struct str nothing = STR("about 0 bytes fixed + ");
    return str_starts(best, nothing) ? str_from(best, nothing.n) : best;
}

/* The end of an interval: "at least 599.04 MiB". */
static struct str bound(const struct render *t, enum unit unit, struct span s,
                        bool is_least) {
    struct str end = number_text(t, unit, is_least ? s.low : s.high);
    struct str exact = number_text(t, unit, is_least ? s.high : s.low);
    return str_eq(end, exact)
               ? end
               : TR(t, is_least ? "verdict.at_least" : "verdict.at_most", end);
}

#define AMPLE 8 /* times the need: a comparison is of no use */

/* The text for a sum: without an amount that the formula ends with. */
static const char *sum_key(const struct render *t, const struct estimate *e,
                           struct str formula, struct str after) {
    enum unit unit = fact_unit(e->quantity);
    bool is_plain = str_find_char(formula, '(') == formula.n; /* no ceil() */
    if (formula.n == 0 || !is_plain || e->after.low != e->after.high)
        return "verdict.sum";
    if (str_ends(formula, after))
        return "verdict.sum_room";
    return str_ends(formula, number_text(t, unit, e->limit.low)) ||
                   str_ends(formula, span_text(t, unit, e->limit))
               ? "verdict.sum_need"
               : "verdict.sum";
}

static struct str compared(const struct render *t, const struct estimate *e) {
    enum unit unit = fact_unit(e->quantity);
    bool overlap = e->limit.low < e->after.high; /* of the intervals */
    bool is_longest = e->proposed.known &&
                      e->proposed.name == FACT_max_model_len;
    if (!e->after.known || !e->limit.known)
        return STR("");
    if (e->verdict == VERDICT_ENOUGH && overlap && is_longest &&
        e->after.high - e->after.low > e->after.low / 100) {
        /* The engine printed the length; the interval of the sum is wider. */
        return tr(t, "verdict.printed");
    }
    struct str formula = formula_text(t, bare_formula(e->formula));
    struct str after = overlap ? span_text(t, unit, e->after)
                               : bound(t, unit, e->after, false);
    struct str limit = overlap ? span_text(t, unit, e->limit)
                               : bound(t, unit, e->limit, true);
    bool is_ample = e->limit.low / AMPLE >= e->after.high;
    const char *key = sum_key(t, e, formula, after);
    bool is_same = str_eq(str_of(key), STR("verdict.sum")) &&
                   str_eq(after, limit);
    if (e->verdict == VERDICT_ENOUGH && (is_ample || is_same))
        return TR(t, "verdict.fits", limit);
    return TR(t, key, after, limit, formula);
}

static struct str missing(const struct render *t, const struct needs *needs) {
    struct words names = words_begin(t, tr(t, "report.comma"));
    for (size_t i = 0; i < needs->count; i++)
        if (needs->at[i] != FACT_host_rss &&  /* its question has the way */
            needs->at[i] != FACT_tried_alloc) /* its message has no number */
            words_add(&names, label_text(t, needs->at[i]));
    return words_into(&names, "verdict.missing");
}

static struct str short_by(const struct render *t, const struct estimate *e) {
    if (!e->short_by.known)
        return STR("");
    return TR(t, "report.short_by",
              bound(t, fact_unit(e->quantity), e->short_by, true));
}

/* The length up to which a smaller KV cache is enough. */
static struct str up_to(const struct render *t, const struct fix *fix) {
    const struct fact *value = &fix->estimate.proposed;
    if (fix->workaround->effect != EFFECT_kv_cache_dtype || !value->known ||
        value->name != FACT_max_model_len)
        return STR("");
    return TR(t, "report.enough_up_to",
              number_text(t, UNIT_TOKENS, value->number));
}

struct str fix_step(const struct render *t, const struct fix *fix) {
    struct str action = action_of(fix)->in[LANG_EN];
    enum verdict v = fix_verdict(fix);
    bool is_measured = fix->first_try.n > 0 || fix->lowers.key ||
                       (v != VERDICT_NONE && v != VERDICT_UNKNOWN);
    return is_more(first_sentence(fix->how.in[LANG_EN]), action, is_measured)
               ? first_sentence(localized(t, &fix->how))
               : STR("");
}

/* True if the estimate is for half of the setting and not for the value that is
 * tried. */
static bool is_of_half(const struct fix *fix) {
    const struct estimate *e = &fix->estimate;
    struct str condition = str_of(e->condition.key);
    return fix->first_try.n > 0 && !e->proposed.known &&
           (str_eq(condition, STR("verdict.if.free")) ||
            str_eq(condition, STR("verdict.if.allowed")));
}

struct str fix_sum(const struct render *t, const struct fix *fix) {
    const struct estimate *e = &fix->estimate;
    struct str sum = {NULL, 0};
    switch (fix_verdict(fix)) {
    case VERDICT_ENOUGH: sum = compared(t, e); break;
    case VERDICT_MAY_BE_ENOUGH:
        sum = up_to(t, fix);
        if (e->is_trifle || is_of_half(fix))
            break;
        sum = sum.n > 0 ? sum : note_text(t, &e->condition);
        sum = sum.n > 0 ? sum : compared(t, e);
        break;
    case VERDICT_NOT_ENOUGH:
        sum = up_to(t, fix);
        sum = sum.n > 0 ? sum : short_by(t, e);
        break;
    case VERDICT_UNKNOWN: sum = missing(t, &e->needs); break;
    case VERDICT_NONE: break;
    }
    bool is_decided = sum.n > 0 && fix_verdict(fix) != VERDICT_UNKNOWN;
    struct str how = fix_step(t, fix);
    bool has_command = fix_command(fix).n > 0 && fix->first_try.n == 0;
    bool lists_needs = t->o->all || how.n == 0; /* else the questions do */
    if (is_decided || (has_command && sum.n == 0))
        return sum;
    return has_command && lists_needs ? sum : how;
}

/* ---- dead ends ---- */

struct str fix_unusable(const struct render *t, const struct fix *fix) {
    static const char *const keys[2][2] = {
        {"report.does_not_apply", "report.does_not_apply_because"},
        {"report.already", "report.already_because"}};
    struct str args[] = {fix_action(t, fix), note_text(t, &fix->because)};
    bool is_already = fix->applies == APPLIES_ALREADY;
    return tr_args(t, keys[is_already][args[1].n > 0], args, 2);
}

struct dead_end_words dead_end_words(const struct render *t,
                                     const struct dead_end_shown *d) {
    if (d->dead_end == NULL)
        return (struct dead_end_words){.action = note_text(t, &d->action),
                                       .why = note_text(t, &d->why)};
    return (struct dead_end_words){localized(t, &d->dead_end->action),
                                   localized(t, &d->dead_end->why),
                                   localized(t, &d->dead_end->instead)};
}

struct str dead_end_text(const struct render *t,
                         const struct dead_end_shown *d, bool is_whole) {
    struct dead_end_words w = dead_end_words(t, d);
    return TR(t,
              is_whole && w.instead.n > 0 ? "report.dead_end_instead"
                                            : "report.dead_end",
              w.action, is_whole ? w.why : first_sentence(w.why), w.instead);
}
