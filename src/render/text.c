/* text.c: the answer as a person reads it on a terminal, most useful first:
 *
 *     title                                             entry id
 *     what was asked for, what was there (line)
 *     why
 *     bars: the memory, to scale
 *     Do this first    at most two fixes, each with numbers and command
 *     Not this         what people would now try
 *     Other fixes
 *     oomkb does not know    questions, each with the command that answers it
 *
 * A root speaks in full; what merely followed from it gets one line under it.
 */
#include "render/page.h"

static enum ink severity_ink(enum severity s) {
    switch (s) {
    case SEVERITY_failure: return INK_BAD;
    case SEVERITY_warning: return INK_WARN;
    case SEVERITY_recovery:
    case SEVERITY_info:
    case SEVERITY_suspect: return INK_DIM;
    case SEVERITY_COUNT_OF: return INK_PLAIN;
    }
    return INK_PLAIN;
}

/* What is no failure says so at once. */
static void write_severity(struct page *p, const struct finding *f) {
    enum severity s = f->entry->severity;
    if (s != SEVERITY_failure) {
        page_text(p, 0, severity_ink(s), said_severity(p->t, f->entry));
    }
}

static void write_why_this_entry(struct page *p, const struct finding *f) {
    bool is_doubtful = f->certainty == CERTAINTY_GENERIC;
    if (is_doubtful || p->t->o->why) {
        page_text(p, 0, INK_DIM, said_note(p->t, &f->because));
    }
}

static void write_remarks(struct page *p, const struct finding *f) {
    for (size_t i = 0; i < f->remark_count; i++) {
        page_item(p, 0, STR("! "), INK_WARN, said_note(p->t, &f->remarks[i]));
    }
}

static void write_cause(struct page *p, const struct report *rep,
                        const struct finding *f) {
    page_pair(p, 0, (struct str){NULL, 0}, INK_STRONG,
              said_text(p->t, &f->entry->title), INK_DIM, f->entry->id);
    write_severity(p, f);
    page_text(p, 0, INK_PLAIN, text_numbers(p->t, rep, f));
    page_text(p, 0, INK_PLAIN, said_text(p->t, &f->entry->root_cause));
    write_why_this_entry(p, f);
    page_text(p, 0, INK_DIM, shown_times(p->t, f));
    write_remarks(p, f);
}

/* One line for each finding that this root dragged along. */
static void write_followers(struct page *p, const struct report *rep,
                            size_t root) {
    bool is_first = true;
    for (size_t i = 0; i < rep->finding_count; i++) {
        const struct finding *f = &rep->findings[i];
        if (f->cause < 0 || (size_t)f->cause != root || i == root) {
            continue;
        }
        if (is_first) {
            page_blank(p);
        }
        is_first = false;
        struct str args[] = {said_text(p->t, &f->entry->title),
                             shown_lines(p->t, f->first_line, f->first_line)};
        page_text(p, 0, INK_DIM,
                  said_with(p->t, "report.followed_by", args, 2));
    }
}

static void write_finding(struct page *p, const struct report *rep, size_t i,
                          bool is_main) {
    const struct finding *f = &rep->findings[i];
    write_cause(p, rep, f);
    page_blank(p);
    text_bars(p, f);
    text_fixes(p, rep, f, is_main);
    write_followers(p, rep, i);
    text_sources(p, f);
}

static void write_question(struct page *p, const struct question *q) {
    struct str set =
        arena_printf(p->t->a, "--set %s=...", fact_spelling(q->fact));
    page_pair(p, 1, STR("?  "), INK_PLAIN, said_note(p->t, &q->ask), INK_DIM,
              set);
    page_command(p, 8, q->how);
}

static void write_questions(struct page *p, const struct report *rep) {
    if (rep->question_count == 0) {
        return;
    }
    page_blank(p);
    page_text(p, 0, INK_STRONG, said(p->t, "report.unknown_set"));
    for (size_t i = 0; i < rep->question_count; i++) {
        write_question(p, &rep->questions[i]);
    }
}

static void write_limits(struct page *p, const struct report *rep) {
    if (rep->truncated) {
        page_text(p, 0, INK_WARN, said(p->t, "report.truncated"));
    }
    if (rep->gave_up_patterns > 0) {
        page_text(p, 0, INK_WARN, said_gave_up(p->t, rep));
    }
}

static void write_input(struct page *p, const struct report *rep) {
    page_text(p, 0, INK_PLAIN, said_read(p->t, rep));
    write_limits(p, rep);
}

/* Looks like memory, and no entry knows it. */
static void write_suspects(struct page *p, const struct report *rep) {
    struct suspect_words words = suspect_words(p->t, &rep->suspects[0]);
    page_text(p, 0, INK_STRONG, suspect_head(p->t, rep));
    page_text(p, 4, INK_PLAIN, words.line);
    page_text(p, 0, INK_PLAIN, words.amounts);
    page_text(p, 0, INK_PLAIN, suspect_others(p->t, rep));
    page_blank(p);
    page_text(p, 0, INK_STRONG, said(p->t, "report.suspect_means"));
    page_text(p, 4, INK_PLAIN, words.means);
    if (words.would_tell.n > 0) {
        page_blank(p);
        page_text(p, 0, INK_STRONG, said(p->t, "report.to_be_sure"));
        page_item(p, 1, STR("?  "), INK_PLAIN, words.would_tell);
    }
    page_blank(p);
    page_text(p, 0, INK_PLAIN, said(p->t, "report.suspect_new"));
    write_limits(p, rep);
}

static void write_nothing(struct page *p, const struct report *rep) {
    if (rep->suspect_count > 0) {
        write_suspects(p, rep);
        return;
    }
    page_text(p, 0, INK_STRONG, said(p->t, "report.nothing"));
    write_input(p, rep);
    struct str list = shown_seen(p->t, &rep->context);
    if (list.n > 0) {
        page_text(p, 0, INK_PLAIN, said_with(p->t, "report.seen", &list, 1));
    }
    page_text(p, 0, INK_PLAIN, said(p->t, "report.nothing_next"));
}

static bool stands_alone(const struct finding *f) {
    return f->role == ROLE_root || f->cause < 0;
}

void text_report(struct arena *a, struct reader *r,
                 const struct report *report, const struct render_options *o,
                 struct buf *out) {
    struct teller t = {a, r, o, o->lang};
    struct page p = page_open(&t, out);
    const struct report *rep = report_shown(a, r, report, o);
    bool is_main = true;
    for (size_t i = 0; i < rep->finding_count; i++) {
        if (!stands_alone(&rep->findings[i])) {
            continue;
        }
        if (!is_main) {
            page_blank(&p);
            page_put(&p, INK_DIM, STR("----"));
            buf_add(out, STR("\n\n"));
        }
        write_finding(&p, rep, i, is_main);
        is_main = false;
    }
    if (is_main) {
        write_nothing(&p, rep);
    } else if (rep->truncated || rep->gave_up_patterns > 0) {
        page_blank(&p);
        write_limits(&p, rep);
    }
    write_questions(&p, rep);
}
