/* choice.c: what is said of one fix and of one dead end, in a line each. */
#include "render/parts.h"

/* Does a sentence of steps say more than the name of its fix?
 *
 *     Reduce the batch size or the length of a sample
 *         Halve the batch or the length.                says it again
 *         Halve `batch_size` where the program sets it.    says where
 *
 * What has code or a number says more. Else its words are looked for in the
 * name; "reduce" and "halve" are one, and small words count for nothing. English
 * decides for both languages, since both say the same. */
#define STEM 4 /* letters: "sample" and "samples", "lengths" and "length" */

static const char *const small[] = {
    "a",   "an",  "and", "at",    "by",   "each", "for",    "half", "halve",
    "in",  "it",  "its", "less",  "lower", "of",  "on",     "one",  "or",
    "reduce", "size", "smaller", "that", "the", "them", "then", "this", "to",
    "use", "with", "fewer", "shorten", "again", "set", "number", NULL};
/* Until when: it says nothing where a value or a sum says how far. */
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

static bool has_code(struct str text) {
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] == '`' || (text.p[i] >= '0' && text.p[i] <= '9'))
            return true;
    return false;
}

static bool says_more(struct str steps, struct str action, bool is_measured) {
    struct str word;
    if (has_code(steps))
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
    /* not enough with the value that is there where nobody says */
    bool fails_by_default = fix->has_estimate &&
                            str_eq(str_of(fix->estimate.condition.key),
                                   STR("verdict.if.not_default"));
    return fix_is_offered(fix) && fix_verdict(fix) != VERDICT_NOT_ENOUGH &&
           !fails_by_default;
}

struct str fix_number(const struct teller *t, const struct finding *f,
                      const struct fix *fix) {
    struct chosen c = fixes_chosen(t, f);
    for (size_t i = 0; i < c.count; i++)
        if (c.at[i] == fix)
            return arena_printf(t->a, "%u", (unsigned)i + 1);
    return STR("-");
}

struct str fix_cost(const struct teller *t, enum effort effort,
                    enum loses loses) {
    return SAID(t, "explain.costs", said_word(t, WORDS_EFFORT, (int)effort),
                said_word(t, WORDS_LOSES, (int)loses));
}

struct str fix_verdict_words(const struct teller *t, const struct fix *fix) {
    static const char *const keys[] = {
        [VERDICT_ENOUGH] = "verdict.enough",
        [VERDICT_MAY_BE_ENOUGH] = "verdict.may_be_enough",
        [VERDICT_NOT_ENOUGH] = "verdict.not_enough",
        [VERDICT_UNKNOWN] = "verdict.unknown",
        [VERDICT_NONE] = "verdict.unknown"};
    return said(t, keys[fix_verdict(fix)]);
}

struct str fix_command(const struct fix *fix) {
    return fix->has_gap ? STR("") : fix->command;
}

/* Its own name in this log, else the entry's. */
static const struct text *action_of(const struct fix *fix) {
    return fix->action.in[LANG_EN].n > 0 ? &fix->action
                                         : &fix->workaround->action;
}

struct str fix_title(const struct teller *t, const struct fix *fix) {
    struct str args[] = {said_text(t, action_of(fix)), fix->first_try};
    return fix->lowers.key          ? said_note(t, &fix->lowers)
           : fix->first_try.n > 0 ? said_with(t, "report.first_try", args, 2)
                                  : args[0];
}

struct str fix_action(const struct teller *t, const struct fix *fix) {
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

struct str fix_trade_off(const struct teller *t, const struct workaround *w) {
    return said_of(t, "report.trade_off", said_text(t, &w->trade_off));
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

/* The last of the formulas that has a sum in it, without its name and without
 * where its inputs are from: "17,024 tokens x 36 KiB = 598.50 MiB". */
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

/* A bound is said to be one: "at least 599.04 MiB". */
static struct str bound(const struct teller *t, enum unit unit, struct span s,
                        bool is_least) {
    struct str end = shown_number(t, unit, is_least ? s.low : s.high);
    struct str exact = shown_number(t, unit, is_least ? s.high : s.low);
    return str_eq(end, exact)
               ? end
               : SAID(t, is_least ? "verdict.at_least" : "verdict.at_most",
                      end);
}

#define AMPLE 8 /* times what is needed: no comparison is of use */

/* Where the formula says one of the two amounts already, it is said once. */
static const char *sum_key(const struct teller *t, const struct estimate *e,
                           struct str formula, struct str after) {
    enum unit unit = fact_unit(e->quantity);
    bool is_plain = str_find_char(formula, '(') == formula.n; /* no ceil() */
    if (formula.n == 0 || !is_plain || e->after.low != e->after.high)
        return "verdict.sum";
    if (str_ends(formula, after))
        return "verdict.sum_room";
    return str_ends(formula, shown_number(t, unit, e->limit.low)) ||
                   str_ends(formula, shown_span(t, unit, e->limit))
               ? "verdict.sum_need"
               : "verdict.sum";
}

static struct str compared(const struct teller *t, const struct estimate *e) {
    enum unit unit = fact_unit(e->quantity);
    bool overlap = e->limit.low < e->after.high; /* in their roundings */
    bool is_longest = e->proposed.known && e->proposed.name == FACT_max_model_len;
    if (!e->after.known || !e->limit.known)
        return STR("");
    if (e->verdict == VERDICT_ENOUGH && overlap && is_longest &&
        e->after.high - e->after.low > e->after.low / 100) {
        /* the engine itself computed it: the sum beside it is wider */
        return said(t, "verdict.printed");
    }
    struct str formula = said_formula(t, bare_formula(e->formula));
    struct str after = overlap ? shown_span(t, unit, e->after)
                               : bound(t, unit, e->after, false);
    struct str limit = overlap ? shown_span(t, unit, e->limit)
                               : bound(t, unit, e->limit, true);
    bool is_ample = e->limit.low / AMPLE >= e->after.high;
    const char *key = sum_key(t, e, formula, after);
    bool is_same = str_eq(str_of(key), STR("verdict.sum")) &&
                   str_eq(after, limit);
    if (e->verdict == VERDICT_ENOUGH && (is_ample || is_same))
        return SAID(t, "verdict.fits", limit);
    return SAID(t, key, after, limit, formula);
}

static struct str missing(const struct teller *t, const struct needs *needs) {
    struct words names = words_begin(t, said(t, "report.comma"));
    for (size_t i = 0; i < needs->count; i++) {
        /* a peak: the question says how to find it; a request: its message
         * has no number */
        if (needs->at[i] != FACT_host_rss && needs->at[i] != FACT_tried_alloc)
            words_add(&names, said_fact(t, needs->at[i]));
    }
    return words_said(&names, "verdict.missing");
}

static struct str short_by(const struct teller *t, const struct estimate *e) {
    if (!e->short_by.known)
        return STR("");
    return SAID(t, "report.short_by",
                bound(t, fact_unit(e->quantity), e->short_by, true));
}

/* Not enough by itself, but up to a length. */
static struct str up_to(const struct teller *t, const struct fix *fix) {
    const struct fact *value = &fix->estimate.proposed;
    bool is_other = fix->workaround->effect == EFFECT_kv_cache_dtype &&
                    value->known && value->name == FACT_max_model_len;
    if (!is_other)
        return STR("");
    return SAID(t, "report.enough_up_to",
                shown_number(t, UNIT_TOKENS, value->number));
}

struct str fix_step(const struct teller *t, const struct fix *fix) {
    struct str action = action_of(fix)->in[LANG_EN];
    enum verdict v = fix_verdict(fix);
    bool is_measured = fix->first_try.n > 0 || fix->lowers.key ||
                       (v != VERDICT_NONE && v != VERDICT_UNKNOWN);
    return says_more(first_sentence(fix->how.in[LANG_EN]), action, is_measured)
               ? first_sentence(said_text(t, &fix->how))
               : STR("");
}

/* True for what half of the setting needs: it is no figure of the value that is
 * tried. */
static bool is_of_half(const struct fix *fix) {
    const struct estimate *e = &fix->estimate;
    struct str condition = str_of(e->condition.key);
    return fix->first_try.n > 0 && !e->proposed.known &&
           (str_eq(condition, STR("verdict.if.free")) ||
            str_eq(condition, STR("verdict.if.allowed")));
}

struct str fix_sum(const struct teller *t, const struct fix *fix) {
    const struct estimate *e = &fix->estimate;
    struct str sum = {NULL, 0};
    switch (fix_verdict(fix)) {
    case VERDICT_ENOUGH: sum = compared(t, e); break;
    case VERDICT_MAY_BE_ENOUGH:
        sum = up_to(t, fix);
        if (e->is_trifle || is_of_half(fix))
            break;
        sum = sum.n > 0 ? sum : said_note(t, &e->condition);
        sum = sum.n > 0 ? sum : compared(t, e);
        break;
    case VERDICT_NOT_ENOUGH:
        sum = up_to(t, fix);
        sum = sum.n > 0 ? sum : short_by(t, e);
        break;
    case VERDICT_UNKNOWN: sum = missing(t, &e->needs); break;
    case VERDICT_NONE: break;
    }
    bool says_enough = sum.n > 0 && fix_verdict(fix) != VERDICT_UNKNOWN;
    struct str how = fix_step(t, fix);
    bool has_command = fix_command(fix).n > 0 && fix->first_try.n == 0;
    bool lists_needs = t->o->all || how.n == 0; /* else the questions do */
    if (says_enough || (has_command && sum.n == 0))
        return sum;
    return has_command && lists_needs ? sum : how;
}

/* ---- what is not to be done ---- */

struct str fix_unusable(const struct teller *t, const struct fix *fix) {
    static const char *const keys[2][2] = {
        {"report.does_not_apply", "report.does_not_apply_because"},
        {"report.already", "report.already_because"}};
    struct str args[] = {fix_action(t, fix), said_note(t, &fix->because)};
    bool is_already = fix->applies == APPLIES_ALREADY;
    return said_with(t, keys[is_already][args[1].n > 0], args, 2);
}

struct dead_end_words dead_end_words(const struct teller *t,
                                     const struct dead_end_shown *d) {
    if (d->dead_end == NULL)
        return (struct dead_end_words){.action = said_note(t, &d->action),
                                       .why = said_note(t, &d->why)};
    return (struct dead_end_words){said_text(t, &d->dead_end->action),
                                   said_text(t, &d->dead_end->why),
                                   said_text(t, &d->dead_end->instead)};
}

struct str dead_end_said(const struct teller *t,
                         const struct dead_end_shown *d, bool is_whole) {
    struct dead_end_words w = dead_end_words(t, d);
    return SAID(t,
                is_whole && w.instead.n > 0 ? "report.dead_end_instead"
                                            : "report.dead_end",
                w.action, is_whole ? w.why : first_sentence(w.why), w.instead);
}
