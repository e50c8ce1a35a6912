/* text_fix.c: what to do, what not to do. The first two fixes in full, with
 * the arithmetic that shows whether they are enough; the others a line each.
 * What the log has already tried or cannot use is said last. */
#include "render/page.h"

#define FIRST_FIXES 2
#define DEAD_ENDS_SHOWN 4
#define UNDER_MARK 4    /* columns before what belongs to an item */
#define COMMAND_MORE 4  /* a command stands this much further in */

static enum ink verdict_ink(enum verdict v) {
    switch (v) {
    case VERDICT_ENOUGH: return INK_GOOD;
    case VERDICT_NOT_ENOUGH: return INK_BAD;
    case VERDICT_UNKNOWN: return INK_WARN;
    case VERDICT_NONE: return INK_DIM;
    }
    return INK_PLAIN;
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
