/* text_fix.c: what to do, what not to do. The first two fixes in full, with
 * the arithmetic that shows whether they are enough; the others a line each.
 * What the log has already tried or cannot use is said last. */
#include "render/page.h"

#define UNDER_MARK 4    /* columns before what belongs to an item */
#define COMMAND_MORE 4  /* a command stands this much further in */

static enum ink verdict_ink(enum verdict v) {
    switch (v) {
    case VERDICT_ENOUGH: return INK_GOOD;
    case VERDICT_NOT_ENOUGH: return INK_BAD;
    case VERDICT_MAY_BE_ENOUGH:
    case VERDICT_UNKNOWN: return INK_WARN;
    case VERDICT_NONE: return INK_DIM;
    }
    return INK_PLAIN;
}

static void write_arithmetic(struct page *p, const struct fix *fix) {
    if (!fix->has_estimate) {
        return;
    }
    const struct estimate *e = &fix->estimate;
    if (e->after.known) {
        page_text(p, UNDER_MARK, INK_PLAIN, fix_comparison(p->t, fix));
        page_text(p, UNDER_MARK, INK_PLAIN, fix_host_peak(p->t, fix));
    }
    page_text(p, UNDER_MARK, INK_WARN, fix_condition(p->t, fix));
    page_text(p, UNDER_MARK, INK_BAD, fix_short_by(p->t, fix));
    page_text(p, UNDER_MARK, INK_DIM, fix_needs(p->t, fix));
    page_text(p, UNDER_MARK, INK_DIM, fix_formula(p->t, fix));
}

static void write_worth(struct page *p, const struct fix *fix) {
    if (p->t->o->why) {
        page_item(p, UNDER_MARK, STR("- "), INK_DIM,
                  said_note(p->t, &fix->worth));
    }
}

static struct str number_mark(const struct teller *t, uint32_t rank) {
    return arena_printf(t->a, rank < 10 ? "%u  " : "%u ", rank);
}

/* What follows the image of a container cannot be run as it stands. */
static void write_command(struct page *p, struct str command,
                          bool is_arguments) {
    if (is_arguments) {
        page_text(p, UNDER_MARK, INK_PLAIN, said(p->t, "report.arguments"));
    }
    page_command(p, UNDER_MARK + COMMAND_MORE, command);
}

/* The user's own command with the fix in it, where there is one. */
static void write_fix(struct page *p, const struct fix *fix,
                      struct str command, bool is_arguments) {
    page_pair(p, 1, number_mark(p->t, fix->rank), INK_STRONG,
              said_text(p->t, &fix->is->action), verdict_ink(fix_verdict(fix)),
              fix_verdict_words(p->t, fix));
    page_text(p, UNDER_MARK, INK_WARN, said_note(p->t, &fix->because));
    write_arithmetic(p, fix);
    write_command(p, command, is_arguments);
    page_text(p, UNDER_MARK, INK_PLAIN, said_text(p->t, &fix->how));
    page_text(p, UNDER_MARK, INK_PLAIN, fix_trade_off(p->t, fix->is));
    page_text(p, UNDER_MARK, INK_DIM, shown_rate(p->t, &fix->success));
    page_text(p, UNDER_MARK, INK_STRONG, shown_own(p->t, &fix->own));
    write_worth(p, fix);
}

static void write_fix_short(struct page *p, const struct fix *fix) {
    page_pair(p, 1, number_mark(p->t, fix->rank), INK_PLAIN,
              said_text(p->t, &fix->is->action), verdict_ink(fix_verdict(fix)),
              fix_verdict_words(p->t, fix));
    page_text(p, UNDER_MARK, INK_WARN, fix_condition(p->t, fix));
    page_text(p, UNDER_MARK, INK_BAD, fix_short_by(p->t, fix));
    page_text(p, UNDER_MARK, INK_PLAIN, fix_up_to(p->t, fix));
    page_text(p, UNDER_MARK, INK_WARN, said_note(p->t, &fix->because));
    if (!fix->has_gap) {
        page_command(p, UNDER_MARK + COMMAND_MORE, fix->command);
    }
    page_text(p, UNDER_MARK, INK_STRONG, shown_own(p->t, &fix->own));
    if (p->t->o->why) {
        write_arithmetic(p, fix);
        page_text(p, UNDER_MARK, INK_PLAIN, said_text(p->t, &fix->how));
        page_text(p, UNDER_MARK, INK_DIM, shown_rate(p->t, &fix->success));
    }
    write_worth(p, fix);
}

/* A corrected command that none of the first fixes accounts for. */
static void write_command_after(struct page *p, struct str command,
                                bool is_arguments) {
    if (command.n > 0) {
        page_text(p, 1, INK_PLAIN,
                  said(p->t, is_arguments ? "report.arguments"
                                          : "report.command"));
        page_command(p, UNDER_MARK + COMMAND_MORE, command);
    }
}

/* The fixes that are offered, and not among the first ones. */
static void write_others(struct page *p, const struct finding *f,
                         size_t first_count) {
    bool is_first = true;
    size_t passed = 0;
    for (size_t i = 0; i < fixes_shown(p->t, f); i++) {
        const struct fix *fix = &f->fixes[i];
        if (fix_is_first_choice(fix) && passed < first_count) {
            passed++;
            continue;
        }
        if (!fix_is_offered(fix)) {
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
    for (size_t i = 0; i < fixes_shown(p->t, f); i++) {
        const struct fix *fix = &f->fixes[i];
        if (fix_is_offered(fix) || !fix_is_ruled_out_aloud(p->t, fix)) {
            continue;
        }
        page_item(p, 1, STR("-  "), INK_DIM, fix_unusable(p->t, fix));
        write_worth(p, fix);
    }
}

static size_t write_first(struct page *p, const struct report *rep,
                          const struct finding *f, bool is_main) {
    size_t count = 0;
    struct str corrected =
        is_main ? rep->command_after : (struct str){NULL, 0};
    for (size_t i = 0; i < fixes_shown(p->t, f) && count < FIRST_FIXES; i++) {
        const struct fix *fix = &f->fixes[i];
        if (!fix_is_first_choice(fix)) {
            continue;
        }
        if (count++ == 0) {
            page_blank(p);
            page_text(p, 0, INK_STRONG, said(p->t, "report.do_first"));
        }
        bool is_whole = corrected.n > 0 && fix_is_in_command(rep, fix);
        write_fix(p, fix, is_whole ? corrected : fix_command(fix),
                  is_whole && rep->command_is_arguments);
        if (is_whole) {
            corrected = (struct str){NULL, 0}; /* said */
        }
    }
    write_command_after(p, corrected, rep->command_is_arguments);
    return count;
}

static void write_one_dead_end(struct page *p,
                               const struct dead_end_shown *d) {
    struct dead_end_words is = dead_end_words(p->t, d);
    struct str words[] = {is.action, is.why, is.instead};
    const char *key = is.instead.n > 0 && p->t->o->why
                          ? "report.dead_end_instead"
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
