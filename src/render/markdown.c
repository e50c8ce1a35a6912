/* markdown.c: the answer for an issue, a wiki or a chat, in the order
 * of the text: what it is; the memory; the first fix with its numbers and
 * command; what does not help, a line each; the other fixes; questions.
 *
 * No tables and no nested lists: chats show neither. The bars of the text
 * format stand in a block of code, where every renderer keeps them aligned. */
#include "render/page.h"
#include "render/sheet.h"

#define BAR_COLUMNS 72
#define LINKS_SHOWN 2
#define SEPARATOR " \u00b7 "

static void write_bars(struct sheet *s, const struct finding *f) {
    struct buf bars;
    buf_init_in(&bars, s->t->a, (size_t)1 << 20);
    struct page page = {s->t, &bars, BAR_COLUMNS, false};
    text_bars(&page, f);
    sheet_code(s, 0, "text", buf_str(&bars));
}

static void write_kind(struct sheet *s, const struct entry *e) {
    sheet_blank(s);
    sheet_entry(s, e->id);
    sheet_raw(s, SEPARATOR);
    sheet_put(s, said_word(s->t, WORDS_MECHANISM, (int)e->mechanism));
    if (e->severity != SEVERITY_failure) {
        sheet_raw(s, SEPARATOR);
        sheet_put(s, said_severity(s->t, e));
    }
    sheet_raw(s, "\n");
}

static void write_cause(struct sheet *s, const struct report *rep,
                        const struct finding *f) {
    bool is_doubtful = f->certainty == CERTAINTY_GENERIC;
    sheet_heading(s, 2, said_text(s->t, &f->entry->title));
    write_kind(s, f->entry);
    sheet_text(s, text_numbers(s->t, rep, f));
    sheet_text(s, said_text(s->t, &f->entry->root_cause));
    if (is_doubtful || s->t->o->why) {
        sheet_text(s, said_note(s->t, &f->because));
    }
    sheet_text(s, shown_times(s->t, f));
    for (size_t i = 0; i < f->remark_count; i++) {
        sheet_quote(s, said_note(s->t, &f->remarks[i]));
    }
}

/* One line for each finding that this root dragged along. */
static void write_followers(struct sheet *s, const struct report *rep,
                            size_t root) {
    for (size_t i = 0; i < rep->finding_count; i++) {
        const struct finding *f = &rep->findings[i];
        if (f->cause < 0 || (size_t)f->cause != root || i == root) {
            continue;
        }
        struct str args[] = {said_text(s->t, &f->entry->title),
                             shown_lines(s->t, f->first_line, f->first_line)};
        sheet_text(s, said_with(s->t, "report.followed_by", args, 2));
    }
}

static void write_sources(struct sheet *s, const struct finding *f) {
    const struct entry *e = f->entry;
    if (e->evidence_count > 0) {
        sheet_text(s, said(s->t, "report.evidence"));
        sheet_blank(s);
    }
    for (size_t i = 0; i < e->evidence_count && i < LINKS_SHOWN; i++) {
        sheet_raw(s, "- ");
        sheet_url(s, e->evidence[i].url);
        sheet_raw(s, "\n");
    }
    sheet_text(s, said_with(s->t, "report.explain", &e->id, 1));
}

static void write_finding(struct sheet *s, const struct report *rep, size_t i,
                          bool is_main) {
    const struct finding *f = &rep->findings[i];
    write_cause(s, rep, f);
    write_bars(s, f);
    markdown_fixes(s, rep, f, is_main);
    write_followers(s, rep, i);
    write_sources(s, f);
}

/* As an answer is given, on a command line or in a chat. */
static void write_question(struct sheet *s, const struct question *q) {
    struct str set = arena_printf(s->t->a, "%s=...", fact_spelling(q->fact));
    sheet_raw(s, "- ");
    sheet_put(s, said_note(s->t, &q->ask));
    sheet_raw(s, " ");
    sheet_span(s, set);
    sheet_raw(s, "\n");
    sheet_code(s, 2, "sh", q->how);
}

static void write_questions(struct sheet *s, const struct report *rep) {
    if (rep->question_count == 0) {
        return;
    }
    sheet_heading(s, 3, said(s->t, "report.unknown"));
    sheet_blank(s);
    for (size_t i = 0; i < rep->question_count; i++) {
        write_question(s, &rep->questions[i]);
    }
}

static void write_suspects(struct sheet *s, const struct report *rep) {
    struct suspect_words words = suspect_words(s->t, &rep->suspects[0]);
    sheet_heading(s, 2, suspect_head(s->t, rep));
    sheet_code(s, 0, "text", words.line);
    sheet_text(s, words.amounts);
    sheet_text(s, suspect_others(s->t, rep));
    sheet_heading(s, 3, said(s->t, "report.suspect_means"));
    sheet_text(s, words.means);
    if (words.would_tell.n > 0) {
        sheet_heading(s, 3, said(s->t, "report.to_be_sure"));
        sheet_text(s, words.would_tell);
    }
    sheet_text(s, said(s->t, "report.suspect_new"));
}

static void write_nothing(struct sheet *s, const struct report *rep) {
    if (rep->suspect_count > 0) {
        write_suspects(s, rep);
        return;
    }
    sheet_heading(s, 2, said(s->t, "report.nothing"));
    sheet_text(s, said_read(s->t, rep));
    struct str list = shown_seen(s->t, &rep->context);
    if (list.n > 0) {
        sheet_text(s, said_with(s->t, "report.seen", &list, 1));
    }
    sheet_text(s, said(s->t, "report.nothing_next"));
}

static bool stands_alone(const struct finding *f) {
    return f->role == ROLE_root || f->cause < 0;
}

void markdown_report(struct arena *a, struct reader *r,
                     const struct report *report,
                     const struct render_options *o, struct buf *out) {
    struct teller t = {a, r, o, o->lang};
    struct sheet s = {&t, out};
    const struct report *rep = report_shown(a, r, report, o);
    bool is_main = true;
    for (size_t i = 0; i < rep->finding_count; i++) {
        if (!stands_alone(&rep->findings[i])) {
            continue;
        }
        if (!is_main) {
            sheet_blank(&s);
            sheet_raw(&s, "---\n");
        }
        write_finding(&s, rep, i, is_main);
        is_main = false;
    }
    if (is_main) {
        write_nothing(&s, rep);
    }
    if (rep->truncated) {
        sheet_quote(&s, said(&t, "report.truncated"));
    }
    if (rep->gave_up_patterns > 0) {
        sheet_quote(&s, said_gave_up(&t, rep));
    }
    write_questions(&s, rep);
}
