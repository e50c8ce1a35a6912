/* advice.c: the fixes and dead ends of one finding: the sections "Do this
 * first", "Or", "Do not". A fix is an item with its title, its verdict and its
 * cost; below it are the command and the sum in one line. --all has the
 * rest. */
#include "render/parts.h"

#define SHOWN 3       /* fixes: one first, two others */
#define SURE_ENOUGH 2 /* with so many fixes that apply, others need a sum */
#define DEAD_ENDS 2
#define ALIKE_MICRO 50000 /* gains that differ by a twentieth are equal */

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

/* A fix that may not apply is shown if its sum is known, or with also_if. */
static bool is_choice(const struct fix *fix, bool also_if) {
    return fix_is_first_choice(fix) &&
           (also_if || fix->applies == APPLIES_YES || !is_open_verdict(fix));
}

struct chosen fixes_chosen(const struct render *t, const struct finding *f) {
    struct chosen c = {.count = 0};
    bool is_all = t->o->top > 0 || t->o->all;
    size_t most = t->o->top > 0 ? t->o->top : is_all ? CHOSEN_MOST : SHOWN;
    size_t sure = 0;
    for (size_t i = 0; i < f->fix_count; i++)
        sure += fix_is_first_choice(&f->fixes[i]) &&
                f->fixes[i].applies == APPLIES_YES;
    most = most < CHOSEN_MOST ? most : CHOSEN_MOST;
    for (size_t i = 0; i < f->fix_count && c.count < most; i++)
        if (is_choice(&f->fixes[i], is_all || sure < SURE_ENOUGH))
            c.at[c.count++] = &f->fixes[i];
    c.first = c.count > 0;
    while (c.first > 0 && c.first < c.count && c.first < SHOWN &&
           are_alike(c.at[0], c.at[c.first]))
        c.first++;
    return c;
}

/* True for the first fix of the first finding, which the corrected command
 * has. */
static bool is_in_command(const struct report *rep, const struct fix *fix) {
    return rep->command_after.n > 0 && rep->finding_count > 0 &&
           rep->findings[0].fix_count > 0 && fix == rep->findings[0].fixes;
}

static const enum tone verdict_tones[] = {
    [VERDICT_ENOUGH] = TONE_GOOD,        [VERDICT_NOT_ENOUGH] = TONE_BAD,
    [VERDICT_MAY_BE_ENOUGH] = TONE_WARN, [VERDICT_UNKNOWN] = TONE_DIM,
    [VERDICT_NONE] = TONE_DIM,
};

/* The parts of a fix that only --all shows. */
static void add_rest(const struct render *t, struct block *item,
                     const struct fix *fix) {
    document_text(t, item, localized(t, &fix->how));
    document_text(t, item, fix_trade_off(t, fix->workaround));
    if (fix->has_estimate)
        document_toned(t, item, TONE_DIM,
                       formula_text(t, fix->estimate.formula));
    document_toned(t, item, TONE_DIM, rate_text(t, &fix->success));
}

/* Adds the command unless the title has it: "Lower --max-num-seqs: try 16".
 * False: there is none. */
static bool add_command(const struct render *t, struct block *item,
                        const struct report *rep, const struct fix *fix,
                        struct str action) {
    struct str command = fix_command(fix);
    bool is_there =
        fix->first_try.n > 0 || str_find(action, command) < action.n;
    bool is_whole = is_in_command(rep, fix);
    document_code(t, item,
                  is_whole   ? rep->command_after
                  : is_there ? STR("")
                             : command);
    return is_whole || !is_there;
}

/* True for the remark that the training state has to shrink first: then the sum
 * of a smaller step decides nothing. */
static bool is_of_state(const struct note *because) {
    return because->key != NULL &&
           str_starts(str_of(because->key), STR("diagnose.applies.state"));
}

static struct block *add_fix(const struct render *t, struct block *under,
                             const struct report *rep, const struct finding *f,
                             const struct fix *fix, bool is_first) {
    bool is_whole = is_in_command(rep, fix);
    struct str action = fix_action(t, fix);
    struct str how = localized(t, &fix->how), sum = fix_sum(t, fix);
    struct block *item =
        document_item(t, under, fix_number(t, f, fix).p, action);
    item->column[0] = fix_verdict_words(t, fix);
    item->column[1] = fix->workaround->acts_on.kind == ACT_KIND_kill_process
                          ? tr(t, "report.cost_others")
                          : fix_cost(t, fix->effort, fix->workaround->loses);
    item->column_tone = verdict_tones[fix_verdict(fix)];
    if (is_whole && rep->command_is_arguments)
        document_text(t, item, tr(t, "report.arguments"));
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
        document_toned(t, item, TONE_WARN, note_text(t, &fix->because));
    why->spare = is_doubted ? why->spare : SPARE_DETAIL;
    document_toned(t, item, TONE_STRONG, own_text(t, &fix->own));
    if (t->o->all)
        add_rest(t, item, fix);
    return item;
}

static void add_fixes(const struct render *t, const struct report *rep,
                      const struct finding *f, bool is_main) {
    struct chosen c = fixes_chosen(t, f);
    struct block *under =
        document_section(t, c.first > 1 ? "report.do_one" : "report.do_first");
    under->is_open = true;
    bool is_judged = t->o->all; /* or one of them has a verdict */
    for (size_t i = 0; i < c.count; i++)
        is_judged = is_judged || !is_open_verdict(c.at[i]);
    under->column[0] = is_judged ? tr(t, "report.verdict") : STR("");
    under->column[1] = tr(t, "report.cost");
    under->column_tone = TONE_DIM;
    bool has_command = !is_main || rep->command_after.n == 0;
    for (size_t i = 0; i < c.count; i++) {
        under = i == c.first ? document_section(t, "report.or") : under;
        struct block *item = add_fix(t, under, rep, f, c.at[i], i == 0);
        item->column[0] = is_judged ? item->column[0] : STR("");
        item->spare = i >= 2 ? SPARE_THIRD_FIX : SPARE_NEVER;
        has_command = has_command || is_in_command(rep, c.at[i]);
    }
    if (!has_command && c.count > 0) {
        const char *key = rep->command_is_arguments ? "report.arguments"
                                                    : "report.command";
        document_code(t, document_item(t, under, "$", tr(t, key)),
                      rep->command_after);
    }
}

/* The dead ends of the entry, then fixes that are not enough: "{action}: short
 * by 1.2 GiB". */
static void add_dead_ends(const struct render *t, const struct finding *f) {
    struct block *under = document_section(t, "report.not_this");
    size_t most = t->o->all ? SIZE_MAX : DEAD_ENDS, count = 0;
    for (; count < f->dead_end_count && count < most; count++) {
        if (f->dead_ends[count].relevance == RELEVANCE_NONE && !t->o->all)
            break; /* they come last */
        struct str text = dead_end_text(t, &f->dead_ends[count], t->o->all);
        document_item(t, under, "x", text)->spare =
            count == 0 ? SPARE_DEAD_END : SPARE_NEXT_DEAD_END;
    }
    most = t->o->top > 0 ? 0 : most;
    for (size_t i = 0; i < f->fix_count && count < most; i++) {
        const struct fix *fix = &f->fixes[i];
        struct str sum = fix_sum(t, fix);
        if (fix_is_offered(fix) && fix_verdict(fix) == VERDICT_NOT_ENOUGH) {
            document_item(t, under, "x",
                          TR(t, "report.dead_end", fix_action(t, fix), sum))
                ->spare = SPARE_NEXT_DEAD_END;
            count++;
        }
    }
}

void add_advice(const struct render *t, const struct report *rep,
                const struct finding *f, bool is_main) {
    add_fixes(t, rep, f, is_main);
    add_dead_ends(t, f);
}
