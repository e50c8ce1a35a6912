/* advice.c: what to do about one finding, and what not: the sections "Do this
 * first", "Or", "Do not". A fix is an item: what it is, whether it is enough,
 * what it costs; below it the command and the sum in one line. Everything else
 * that is known of it is for those who ask for all. */
#include "render/parts.h"

#define SHOWN 3       /* fixes: one first, two others */
#define SURE_ENOUGH 2 /* so many that apply: others need a sum */
#define DEAD_ENDS 2
#define ALIKE_MICRO 50000 /* gains within a twentieth: neither is better */

static bool is_open_verdict(const struct fix *fix) {
    enum verdict v = fix_verdict(fix);
    return v == VERDICT_NONE || v == VERDICT_UNKNOWN;
}

static bool are_alike(const struct fix *a, const struct fix *b) {
    int64_t gap = a->gain_micro - b->gain_micro;
    gap = gap < 0 ? -gap : gap;
    return is_open_verdict(a) && is_open_verdict(b) && a->gain_micro > 0 &&
           gap <= a->gain_micro * ALIKE_MICRO / UNITS_MICRO;
}

/* What may not apply is told where its sum is known, or little else is. */
static bool is_told(const struct fix *fix, bool also_if) {
    return fix_is_first_choice(fix) &&
           (also_if || fix->applies == APPLIES_YES || !is_open_verdict(fix));
}

struct chosen fixes_chosen(const struct teller *t, const struct finding *f) {
    struct chosen c = {.count = 0};
    bool is_all = t->o->top > 0 || t->o->all;
    size_t most = t->o->top > 0 ? t->o->top : is_all ? CHOSEN_MOST : SHOWN;
    size_t sure = 0;
    for (size_t i = 0; i < f->fix_count; i++)
        sure += fix_is_first_choice(&f->fixes[i]) &&
                f->fixes[i].applies == APPLIES_YES;
    most = most < CHOSEN_MOST ? most : CHOSEN_MOST;
    for (size_t i = 0; i < f->fix_count && c.count < most; i++)
        if (is_told(&f->fixes[i], is_all || sure < SURE_ENOUGH))
            c.at[c.count++] = &f->fixes[i];
    c.first = c.count > 0;
    while (c.first > 0 && c.first < c.count && c.first < SHOWN &&
           are_alike(c.at[0], c.at[c.first]))
        c.first++;
    return c;
}

/* The corrected command is that of the first fix of the first finding. */
static bool is_in_command(const struct report *rep, const struct fix *fix) {
    return rep->command_after.n > 0 && rep->finding_count > 0 &&
           rep->findings[0].fix_count > 0 && fix == rep->findings[0].fixes;
}

static const enum tone verdict_tones[] = {
    [VERDICT_ENOUGH] = TONE_GOOD,        [VERDICT_NOT_ENOUGH] = TONE_BAD,
    [VERDICT_MAY_BE_ENOUGH] = TONE_WARN, [VERDICT_UNKNOWN] = TONE_DIM,
    [VERDICT_NONE] = TONE_DIM,
};

/* What `--all` says of a fix besides. */
static void add_rest(const struct teller *t, struct block *item,
                     const struct fix *fix) {
    document_text(t, item, said_text(t, &fix->how));
    document_text(t, item, fix_trade_off(t, fix->workaround));
    if (fix->has_estimate)
        document_toned(t, item, TONE_DIM,
                       said_formula(t, fix->estimate.formula));
    document_toned(t, item, TONE_DIM, shown_rate(t, &fix->success));
}

/* The command, where the line of the fix does not say it already, as "Lower
 * --max-num-seqs: try 16" does. */
static bool add_command(const struct teller *t, struct block *item,
                        const struct report *rep, const struct fix *fix,
                        struct str action) {
    struct str command = fix_command(fix);
    bool is_said = fix->first_try.n > 0 || str_find(action, command) < action.n;
    bool is_whole = is_in_command(rep, fix);
    document_code(t, item,
                  is_whole  ? rep->command_after
                  : is_said ? STR("")
                            : command);
    return is_whole || !is_said;
}

/* What a run keeps whatever its step: its sum counts for more than the step's. */
static bool is_of_state(const struct note *because) {
    return because->key != NULL &&
           str_starts(str_of(because->key), STR("diagnose.applies.state"));
}

static struct block *add_fix(const struct teller *t, struct block *under,
                             const struct report *rep, const struct finding *f,
                             const struct fix *fix, bool is_first) {
    bool is_whole = is_in_command(rep, fix);
    struct str action = fix_action(t, fix);
    struct str how = said_text(t, &fix->how), sum = fix_sum(t, fix);
    struct block *item =
        document_item(t, under, fix_number(t, f, fix).p, action);
    item->column[0] = fix_verdict_words(t, fix);
    item->column[1] = fix->workaround->acts_on.kind == ACT_KIND_kill_process
                          ? said(t, "report.cost_others")
                          : fix_cost(t, fix->effort, fix->workaround->loses);
    item->column_tone = verdict_tones[fix_verdict(fix)];
    if (is_whole && rep->command_is_arguments)
        document_text(t, item, said(t, "report.arguments"));
    bool has_code = add_command(t, item, rep, fix, action);
    if (is_first && !has_code && !t->o->all) {
        struct str first = fix_step(t, fix);
        document_text(t, item, first)->spare =
            fix->first_try.n > 0 ? SPARE_DETAIL : SPARE_HOLDERS;
        sum = str_eq(first, sum) ? STR("") : sum;
    }
    bool is_doubted = is_of_state(&fix->because);
    if ((!t->o->all || !str_starts(how, sum)) && !is_doubted)
        document_text(t, item, sum);
    struct block *why =
        document_toned(t, item, TONE_WARN, said_note(t, &fix->because));
    why->spare = is_doubted ? why->spare : SPARE_DETAIL;
    document_toned(t, item, TONE_STRONG, shown_own(t, &fix->own));
    if (t->o->all)
        add_rest(t, item, fix);
    return item;
}

static void add_fixes(const struct teller *t, const struct report *rep,
                      const struct finding *f, bool is_main) {
    struct chosen c = fixes_chosen(t, f);
    struct block *under =
        document_section(t, c.first > 1 ? "report.do_one" : "report.do_first");
    under->is_open = true;
    bool is_judged = t->o->all; /* by a number, of one of them */
    for (size_t i = 0; i < c.count; i++)
        is_judged = is_judged || !is_open_verdict(c.at[i]);
    under->column[0] = is_judged ? said(t, "report.verdict") : STR("");
    under->column[1] = said(t, "report.cost");
    under->column_tone = TONE_DIM;
    bool is_said = !is_main || rep->command_after.n == 0;
    for (size_t i = 0; i < c.count; i++) {
        under = i == c.first ? document_section(t, "report.or") : under;
        struct block *item = add_fix(t, under, rep, f, c.at[i], i == 0);
        item->column[0] = is_judged ? item->column[0] : STR("");
        item->spare = i >= 2 ? SPARE_THIRD_FIX : SPARE_NEVER;
        is_said = is_said || is_in_command(rep, c.at[i]);
    }
    if (!is_said && c.count > 0) {
        const char *key = rep->command_is_arguments ? "report.arguments"
                                                    : "report.command";
        document_code(t, document_item(t, under, "$", said(t, key)),
                      rep->command_after);
    }
}

/* What entries rule out, then what the numbers do: "{action}: short by 1.2
 * GiB". */
static void add_dead_ends(const struct teller *t, const struct finding *f) {
    struct block *under = document_section(t, "report.not_this");
    size_t most = t->o->all ? SIZE_MAX : DEAD_ENDS, count = 0;
    for (; count < f->dead_end_count && count < most; count++) {
        if (f->dead_ends[count].relevance == RELEVANCE_NONE && !t->o->all)
            break; /* they come last */
        struct str text = dead_end_said(t, &f->dead_ends[count], t->o->all);
        document_item(t, under, "x", text)->spare =
            count == 0 ? SPARE_DEAD_END : SPARE_NEXT_DEAD_END;
    }
    most = t->o->top > 0 ? 0 : most;
    for (size_t i = 0; i < f->fix_count && count < most; i++) {
        const struct fix *fix = &f->fixes[i];
        struct str sum = fix_sum(t, fix);
        if (fix_is_offered(fix) && fix_verdict(fix) == VERDICT_NOT_ENOUGH) {
            document_item(t, under, "x",
                          SAID(t, "report.dead_end", fix_action(t, fix), sum))
                ->spare = SPARE_NEXT_DEAD_END;
            count++;
        }
    }
}

void add_advice(const struct teller *t, const struct report *rep,
                const struct finding *f, bool is_main) {
    add_fixes(t, rep, f, is_main);
    add_dead_ends(t, f);
}
