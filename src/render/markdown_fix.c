/* markdown_fix.c: what to do, what not to do. The first two fixes in full and
 * not in a list, so that their commands stand at the left edge, ready to be
 * copied; all others a line each. */
#include "render/sheet.h"

#define DASH " \u2014 "

static void put_title(struct sheet *s, const struct fix *fix) {
    buf_printf(s->out, "**%u. ", fix->rank);
    sheet_put(s, said_text(s->t, &fix->is->action));
    sheet_raw(s, "**" DASH);
    sheet_put(s, fix_verdict_words(s->t, fix));
}

static void write_arithmetic(struct sheet *s, const struct fix *fix) {
    if (!fix->has_estimate) {
        return;
    }
    struct buf sum;
    buf_init_in(&sum, s->t->a, (size_t)1 << 20);
    struct str compared = fix_comparison(s->t, fix);
    if (fix->estimate.after.known && compared.n > 0) {
        buf_add(&sum, compared);
        buf_add_char(&sum, '\n');
    }
    sheet_text(s, fix_host_peak(s->t, fix));
    buf_add(&sum, fix_formula(s->t, fix));
    sheet_code(s, 0, "text", settled(s->t->a, &sum));
    sheet_text(s, fix_condition(s->t, fix));
    sheet_text(s, fix_short_by(s->t, fix));
    sheet_text(s, fix_needs(s->t, fix));
}

static void write_worth(struct sheet *s, const struct fix *fix,
                        const char *mark) {
    if (s->t->o->why) {
        sheet_raw(s, mark);
        sheet_put(s, said_note(s->t, &fix->worth));
        sheet_raw(s, "\n");
    }
}

static void write_fix(struct sheet *s, const struct fix *fix,
                      struct str command) {
    sheet_blank(s);
    put_title(s, fix);
    sheet_raw(s, "\n");
    sheet_text(s, said_note(s->t, &fix->because));
    write_arithmetic(s, fix);
    sheet_code(s, 0, "sh", command);
    sheet_text(s, said_text(s->t, &fix->how));
    sheet_text(s, fix_trade_off(s->t, fix->is));
    sheet_text(s, shown_rate(s->t, &fix->success));
    sheet_text(s, shown_own(s->t, &fix->own));
    if (s->t->o->why) {
        sheet_blank(s);
    }
    write_worth(s, fix, "- ");
}

/* The fixes that come first; how many. */
static size_t write_first(struct sheet *s, const struct report *rep,
                          const struct finding *f, bool is_main) {
    size_t count = 0;
    struct str corrected =
        is_main ? rep->command_after : (struct str){NULL, 0};
    for (size_t i = 0; i < fixes_shown(s->t, f) && count < FIRST_FIXES; i++) {
        const struct fix *fix = &f->fixes[i];
        if (!fix_is_first_choice(fix)) {
            continue;
        }
        if (count++ == 0) {
            sheet_heading(s, 3, said(s->t, "report.do_first"));
        }
        bool is_whole = corrected.n > 0 && fix_is_in_command(rep, fix);
        write_fix(s, fix, is_whole ? corrected : fix_command(fix));
        if (is_whole) {
            corrected = (struct str){NULL, 0}; /* said */
        }
    }
    if (corrected.n > 0) {
        sheet_text(s, said(s->t, rep->command_is_arguments ? "report.arguments"
                                                         : "report.command"));
        sheet_code(s, 0, "sh", corrected);
    }
    return count;
}

static void put_more(struct sheet *s, struct str text) {
    if (text.n > 0) {
        sheet_raw(s, DASH);
        sheet_put(s, text);
    }
}

static void write_dead_ends(struct sheet *s, const struct finding *f) {
    size_t shown = f->dead_end_count;
    if (shown == 0) {
        return;
    }
    if (shown > DEAD_ENDS_SHOWN && !s->t->o->why) {
        shown = DEAD_ENDS_SHOWN;
    }
    sheet_heading(s, 3, said(s->t, "report.not_this"));
    sheet_blank(s);
    for (size_t i = 0; i < shown; i++) {
        struct dead_end_words words = dead_end_words(s->t, &f->dead_ends[i]);
        sheet_raw(s, "- ");
        sheet_strong(s, words.action);
        put_more(s, words.why);
        if (s->t->o->why) {
            put_more(s, words.instead);
        }
        sheet_raw(s, "\n");
    }
    if (shown < f->dead_end_count) {
        size_t left = f->dead_end_count - shown;
        struct str more[] = {
            shown_number(s->t, UNIT_COUNT, (int64_t)left), f->entry->id};
        sheet_text(s, said_with(s->t, "report.more_dead_ends", more, 2));
    }
}

static void write_short(struct sheet *s, const struct fix *fix) {
    sheet_raw(s, "- ");
    put_title(s, fix);
    put_more(s, fix_short_by(s->t, fix));
    put_more(s, fix_up_to(s->t, fix));
    put_more(s, said_note(s->t, &fix->because));
    put_more(s, shown_own(s->t, &fix->own));
    if (s->t->o->why) {
        put_more(s, said_text(s->t, &fix->how));
        put_more(s, shown_rate(s->t, &fix->success));
    }
    bool has_command = fix->command.n > 0 && !fix->has_gap;
    bool is_one_line = str_find_char(fix->command, '\n') == fix->command.n;
    if (has_command && is_one_line) {
        sheet_raw(s, DASH);
        sheet_span(s, fix->command);
    }
    sheet_raw(s, "\n");
    if (has_command && !is_one_line) {
        sheet_code(s, 2, "sh", fix->command);
    }
    write_worth(s, fix, "  - ");
}

/* What is offered and not among the first ones; then what is in force
 * already, and what this case rules out. */
static void write_others(struct sheet *s, const struct finding *f,
                         size_t first_count) {
    bool is_first = true;
    size_t passed = 0;
    for (size_t i = 0; i < fixes_shown(s->t, f); i++) {
        const struct fix *fix = &f->fixes[i];
        if (fix_is_first_choice(fix) && passed < first_count) {
            passed++;
            continue;
        }
        if (!fix_is_offered(fix) && !fix_is_ruled_out_aloud(s->t, fix)) {
            continue;
        }
        if (is_first) {
            sheet_heading(s, 3, said(s->t, "report.other_fixes"));
            sheet_blank(s);
        }
        is_first = false;
        if (fix_is_offered(fix)) {
            write_short(s, fix);
        } else {
            sheet_raw(s, "- ");
            sheet_put(s, fix_unusable(s->t, fix));
            sheet_raw(s, "\n");
            write_worth(s, fix, "  - ");
        }
    }
}

void markdown_fixes(struct sheet *s, const struct report *rep,
                    const struct finding *f, bool is_main) {
    size_t first_count = write_first(s, rep, f, is_main);
    write_dead_ends(s, f);
    write_others(s, f, first_count);
}
