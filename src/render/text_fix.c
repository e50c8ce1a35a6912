/* text_fix.c: what to do, what not to do. The first two fixes in full, with
 * the arithmetic that shows whether they are enough; the others a line each.
 * What the log has already tried or cannot use is said last. */
#include "render/page.h"

#define FIRST_FIXES 2
#define DEAD_ENDS_SHOWN 4
#define UNDER_MARK 4    /* columns before what belongs to an item */
#define COMMAND_MORE 4  /* a command stands this much further in */

static bool is_offered(const struct fix *fix) {
    return fix->applies == APPLIES_YES || fix->applies == APPLIES_IF;
}

static bool is_first_choice(const struct fix *fix) {
    return is_offered(fix) &&
           (!fix->has_estimate || fix->estimate.verdict != VERDICT_NOT_ENOUGH);
}

static enum ink verdict_ink(enum verdict v) {
    switch (v) {
    case VERDICT_ENOUGH: return INK_GOOD;
    case VERDICT_NOT_ENOUGH: return INK_BAD;
    case VERDICT_UNKNOWN: return INK_WARN;
    case VERDICT_NONE: return INK_DIM;
    }
    return INK_PLAIN;
}

static enum verdict verdict_of(const struct fix *fix) {
    return fix->has_estimate ? fix->estimate.verdict : VERDICT_NONE;
}

/* How much the others must give back is known even where what they hold is
 * not. */
static struct str unknown_words(const struct teller *t,
                                const struct fix *fix) {
    const struct estimate *e = &fix->estimate;
    bool is_sum = fix->is->effect == EFFECT_free_other_process &&
                  e->short_by.known && e->short_by.low > 0;
    if (!is_sum) {
        return said(t, "verdict.unknown");
    }
    struct str amount = shown_span(t, fact_unit(e->quantity), e->short_by);
    return said_with(t, "verdict.if_freed", &amount, 1);
}

/* What stands at the right of a fix: its verdict, else whether it applies. */
static struct str verdict_words(const struct teller *t,
                                const struct fix *fix) {
    switch (verdict_of(fix)) {
    case VERDICT_ENOUGH: return said(t, "verdict.enough");
    case VERDICT_NOT_ENOUGH: return said(t, "verdict.not_enough");
    case VERDICT_UNKNOWN: return unknown_words(t, fix);
    case VERDICT_NONE: break;
    }
    return said_word(t, WORDS_COST, (int)fix->is->cost);
}

/* What is asked against the room for it, as the verdict has it. */
static struct str relation(enum verdict v) {
    switch (v) {
    case VERDICT_ENOUGH: return STR(" <= ");
    case VERDICT_NOT_ENOUGH: return STR(" > ");
    case VERDICT_UNKNOWN:
    case VERDICT_NONE: return STR(" <=? ");
    }
    return STR(" ");
}

/* "KV cache needed: 8.00 GiB -> 5.39 GiB <= 5.40 GiB" */
static struct str comparison(const struct teller *t,
                             const struct estimate *e) {
    enum unit unit = fact_unit(e->quantity);
    struct buf out;
    buf_init_in(&out, t->a, 4096);
    struct str label = said_fact(t, e->quantity);
    buf_add(&out, said_with(t, "report.label", &label, 1));
    bool is_changed = e->before.known && (e->before.low != e->after.low ||
                                          e->before.high != e->after.high);
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

static void write_short_by(struct page *p, const struct estimate *e) {
    if (e->verdict != VERDICT_NOT_ENOUGH || !e->short_by.known) {
        return;
    }
    struct str amount =
        shown_span(p->t, fact_unit(e->quantity), e->short_by);
    page_text(p, UNDER_MARK, INK_BAD,
              said_with(p->t, "report.short_by", &amount, 1));
}

/* "Needs to know: model, GPU" */
static void write_needs(struct page *p, const struct needs *needs) {
    if (needs->count == 0) {
        return;
    }
    struct buf list;
    buf_init_in(&list, p->t->a, 4096);
    for (size_t i = 0; i < needs->count; i++) {
        if (i > 0) {
            buf_add(&list, said(p->t, "report.comma"));
        }
        buf_add(&list, said_fact(p->t, needs->at[i]));
    }
    struct str names = settled(p->t->a, &list);
    page_text(p, UNDER_MARK, INK_DIM,
              said_with(p->t, "report.needs", &names, 1));
}

/* "a = b x c = d [b: log line 3; ...]": where the inputs are from is told
 * under --why. */
static struct str formula_shown(const struct teller *t, struct str formula) {
    size_t sources = str_find(formula, STR(" ["));
    return t->o->why ? formula : str_slice(formula, 0, sources);
}

static void write_arithmetic(struct page *p, const struct fix *fix) {
    if (!fix->has_estimate) {
        return;
    }
    const struct estimate *e = &fix->estimate;
    if (e->after.known) {
        page_text(p, UNDER_MARK, INK_PLAIN, comparison(p->t, e));
    }
    write_short_by(p, e);
    if (e->verdict == VERDICT_UNKNOWN) {
        write_needs(p, &e->needs);
    }
    page_text(p, UNDER_MARK, INK_DIM, formula_shown(p->t, e->formula));
}

static void write_places(struct page *p, const struct fix *fix) {
    if (!p->t->o->why) {
        return;
    }
    for (size_t i = 0; i < fix->place_count; i++) {
        page_item(p, UNDER_MARK, STR("- "), INK_DIM,
                  said_note(p->t, &fix->places[i]));
    }
}

static struct str number_mark(const struct teller *t, uint32_t rank) {
    return arena_printf(t->a, rank < 10 ? "%u  " : "%u ", rank);
}

static void write_trade_off(struct page *p, const struct fix *fix) {
    struct str but = said_text(p->t, &fix->is->trade_off);
    if (but.n > 0) {
        page_text(p, UNDER_MARK, INK_PLAIN,
                  said_with(p->t, "report.trade_off", &but, 1));
    }
}

/* Is this the fix that the corrected command has in it? Its flag and its
 * value both stand there, however they are joined. */
static bool is_in_command(const struct report *rep, const struct fix *fix) {
    struct str value;
    struct str after = rep->command_after;
    struct str flag = str_cut(fix->command, ' ', &value);
    bool is_enough = verdict_of(fix) == VERDICT_ENOUGH && flag.n > 0;
    return is_enough && str_find(after, flag) < after.n &&
           (value.n == 0 || str_find(after, value) < after.n);
}

/* The user's own command with the fix in it, where there is one. */
static void write_fix(struct page *p, const struct fix *fix,
                      struct str command) {
    page_pair(p, 1, number_mark(p->t, fix->rank), INK_STRONG,
              said_text(p->t, &fix->is->action), verdict_ink(verdict_of(fix)),
              verdict_words(p->t, fix));
    page_text(p, UNDER_MARK, INK_WARN, said_note(p->t, &fix->because));
    write_arithmetic(p, fix);
    page_command(p, UNDER_MARK + COMMAND_MORE, command);
    page_text(p, UNDER_MARK, INK_PLAIN, said_text(p->t, &fix->how));
    write_trade_off(p, fix);
    page_text(p, UNDER_MARK, INK_DIM, shown_rate(p->t, &fix->success));
    write_places(p, fix);
}

static void write_fix_short(struct page *p, const struct fix *fix) {
    page_pair(p, 1, number_mark(p->t, fix->rank), INK_PLAIN,
              said_text(p->t, &fix->is->action), verdict_ink(verdict_of(fix)),
              verdict_words(p->t, fix));
    if (fix->has_estimate) {
        write_short_by(p, &fix->estimate);
    }
    page_text(p, UNDER_MARK, INK_WARN, said_note(p->t, &fix->because));
    bool is_filled = str_find_char(fix->command, '<') == fix->command.n;
    if (is_filled) { /* else it names a value that nobody knows yet */
        page_command(p, UNDER_MARK + COMMAND_MORE, fix->command);
    }
    if (p->t->o->why) {
        write_arithmetic(p, fix);
        page_text(p, UNDER_MARK, INK_PLAIN, said_text(p->t, &fix->how));
        page_text(p, UNDER_MARK, INK_DIM, shown_rate(p->t, &fix->success));
    }
    write_places(p, fix);
}

/* A corrected command that none of the first fixes accounts for. */
static void write_command_after(struct page *p, struct str command) {
    if (command.n > 0) {
        page_text(p, 1, INK_PLAIN, said(p->t, "report.command"));
        page_command(p, UNDER_MARK + COMMAND_MORE, command);
    }
}

static size_t shown_count(const struct page *p, const struct finding *f) {
    size_t top = p->t->o->top;
    return top != 0 && top < f->fix_count ? top : f->fix_count;
}

/* The fixes that are offered, and not among the first ones. */
static void write_others(struct page *p, const struct finding *f,
                         size_t first_count) {
    bool is_first = true;
    size_t passed = 0;
    for (size_t i = 0; i < shown_count(p, f); i++) {
        const struct fix *fix = &f->fixes[i];
        if (is_first_choice(fix) && passed < first_count) {
            passed++;
            continue;
        }
        if (!is_offered(fix)) {
            continue;
        }
        if (is_first) {
            page_blank(p);
            page_text(p, 0, INK_STRONG, said(p->t, "report.other_fixes"));
        }
        is_first = false;
        write_fix_short(p, fix);
    }
}

static const char *unusable_key(const struct fix *fix, struct str because) {
    bool is_already = fix->applies == APPLIES_ALREADY;
    if (because.n == 0) {
        return is_already ? "report.already" : "report.does_not_apply";
    }
    return is_already ? "report.already_because"
                      : "report.does_not_apply_because";
}

/* What is in force already, and what this case rules out: a line each. */
static void write_unusable(struct page *p, const struct finding *f) {
    for (size_t i = 0; i < shown_count(p, f); i++) {
        const struct fix *fix = &f->fixes[i];
        if (is_offered(fix)) {
            continue;
        }
        struct str args[] = {said_text(p->t, &fix->is->action),
                             said_note(p->t, &fix->because)};
        page_item(p, 1, STR("-  "), INK_DIM,
                  said_with(p->t, unusable_key(fix, args[1]), args, 2));
        write_places(p, fix);
    }
}

static size_t write_first(struct page *p, const struct report *rep,
                          const struct finding *f, bool is_main) {
    size_t count = 0;
    struct str corrected =
        is_main ? rep->command_after : (struct str){NULL, 0};
    for (size_t i = 0; i < shown_count(p, f) && count < FIRST_FIXES; i++) {
        const struct fix *fix = &f->fixes[i];
        if (!is_first_choice(fix)) {
            continue;
        }
        if (count++ == 0) {
            page_blank(p);
            page_text(p, 0, INK_STRONG, said(p->t, "report.do_first"));
        }
        bool is_whole = corrected.n > 0 && is_in_command(rep, fix);
        write_fix(p, fix, is_whole ? corrected : fix->command);
        if (is_whole) {
            corrected = (struct str){NULL, 0}; /* said */
        }
    }
    write_command_after(p, corrected);
    return count;
}

static void write_one_dead_end(struct page *p,
                               const struct dead_end_shown *d) {
    struct str words[3] = {said_note(p->t, &d->action),
                           said_note(p->t, &d->why),
                           {NULL, 0}};
    if (d->is != NULL) {
        words[0] = said_text(p->t, &d->is->action);
        words[1] = said_text(p->t, &d->is->why);
        words[2] = said_text(p->t, &d->is->instead);
    }
    const char *key =
        words[2].n > 0 && p->t->o->why ? "report.dead_end_instead"
                                       : "report.dead_end";
    page_item(p, 1, STR("x  "), INK_PLAIN, said_with(p->t, key, words, 3));
}

static void write_not_this(struct page *p, const struct finding *f) {
    if (f->dead_end_count == 0) {
        return;
    }
    page_blank(p);
    page_text(p, 0, INK_STRONG, said(p->t, "report.not_this"));
    size_t shown = f->dead_end_count;
    if (shown > DEAD_ENDS_SHOWN && !p->t->o->why) {
        shown = DEAD_ENDS_SHOWN;
    }
    for (size_t i = 0; i < shown; i++) {
        write_one_dead_end(p, &f->dead_ends[i]);
    }
    if (shown < f->dead_end_count) {
        size_t left = f->dead_end_count - shown;
        struct str more[] = {shown_number(p->t, UNIT_COUNT, (int64_t)left),
                             f->entry->id};
        page_item(p, 1, STR("   "), INK_DIM,
                  said_with(p->t, "report.more_dead_ends", more, 2));
    }
}

void text_fixes(struct page *p, const struct report *rep,
                const struct finding *f, bool is_main) {
    size_t first_count = write_first(p, rep, f, is_main);
    write_not_this(p, f);
    write_others(p, f, first_count);
    write_unusable(p, f);
}
