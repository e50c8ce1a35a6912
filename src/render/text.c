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

#include "base/utf8.h"

#define SEEN_COLUMNS 48 /* longest value of "what was seen" */

static enum ink severity_ink(enum severity s) {
    switch (s) {
    case SEVERITY_failure: return INK_BAD;
    case SEVERITY_warning: return INK_WARN;
    case SEVERITY_recovery:
    case SEVERITY_info: return INK_DIM;
    case SEVERITY_COUNT_OF: return INK_PLAIN;
    }
    return INK_PLAIN;
}

/* "line 12", "lines 12 to 40" */
static struct str lines_of(const struct teller *t, uint32_t first,
                           uint32_t last) {
    struct str ends[] = {shown_number(t, UNIT_COUNT, first),
                         shown_number(t, UNIT_COUNT, last)};
    return first == last ? said_with(t, "report.line", ends, 1)
                         : said_with(t, "report.lines", ends, 2);
}

/* What is no failure says so at once. */
static void write_severity(struct page *p, const struct finding *f) {
    enum severity s = f->entry->severity;
    if (s != SEVERITY_failure) {
        const char *word = word_spelling(WORDS_SEVERITY, (int)s);
        struct str key = arena_printf(p->t->a, "report.%s", word);
        page_text(p, 0, severity_ink(s), said(p->t, key.p));
    }
}

static void write_times(struct page *p, const struct finding *f) {
    if (f->count < 2) {
        return;
    }
    int64_t count = f->count > INT64_MAX ? INT64_MAX : (int64_t)f->count;
    uint32_t last = f->last_line;
    for (size_t i = 0; i < f->instance_count; i++) {
        if (f->instances[i].last_line > last) {
            last = f->instances[i].last_line;
        }
    }
    struct str args[] = {shown_number(p->t, UNIT_COUNT, count),
                         lines_of(p->t, f->first_line, last)};
    page_text(p, 0, INK_DIM, said_with(p->t, "report.times", args, 2));
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
    write_times(p, f);
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
                             lines_of(p->t, f->first_line, f->first_line)};
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
    page_text(p, 0, INK_STRONG, said(p->t, "report.unknown"));
    for (size_t i = 0; i < rep->question_count; i++) {
        write_question(p, &rep->questions[i]);
    }
}

/* "engine vllm, model Qwen/Qwen2.5-7B": context as one list. */
static struct str seen(const struct teller *t, const struct fact_list *facts) {
    struct buf list;
    buf_init_in(&list, t->a, 64 * 1024);
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *f = &facts->at[i];
        if (!f->known) {
            continue;
        }
        struct str pair[] = {said_fact(t, f->name),
                             shown_short(t, shown_fact(t, f), SEEN_COLUMNS)};
        if (list.n > 0) {
            buf_add(&list, said(t, "report.comma"));
        }
        buf_add(&list, said_with(t, "report.seen_fact", pair, 2));
    }
    return settled(t->a, &list);
}

static void write_input(struct page *p, const struct report *rep) {
    struct str size[] = {
        shown_number(p->t, UNIT_COUNT, (int64_t)rep->lines),
        shown_number(p->t, UNIT_BYTES, (int64_t)rep->bytes),
    };
    page_text(p, 0, INK_PLAIN, said_with(p->t, "report.read", size, 2));
    if (rep->truncated) {
        page_text(p, 0, INK_WARN, said(p->t, "report.truncated"));
    }
}

static void write_nothing(struct page *p, const struct report *rep) {
    page_text(p, 0, INK_STRONG, said(p->t, "report.nothing"));
    write_input(p, rep);
    struct str list = seen(p->t, &rep->context);
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
    bool is_main = true;
    for (size_t i = 0; i < report->finding_count; i++) {
        if (!stands_alone(&report->findings[i])) {
            continue;
        }
        if (!is_main) {
            page_blank(&p);
            page_put(&p, INK_DIM, STR("----"));
            buf_add(out, STR("\n\n"));
        }
        write_finding(&p, report, i, is_main);
        is_main = false;
    }
    if (is_main) {
        write_nothing(&p, report);
    } else if (report->truncated) {
        page_blank(&p);
        page_text(&p, 0, INK_WARN, said(&t, "report.truncated"));
    }
    write_questions(&p, report);
}
