/* json.c: a report, and an entry, as JSON. The shape is an ABI
 * (kb/report.schema.json): fields are added, never renamed. `json` is
 * indented, `jsonl` is the same on one line. */
#include "render/parts.h"

#define SCHEMA 1

static struct json *about(const struct teller *t) {
    struct json *kb = json_new_object(t->a);
    json_set(kb, "entries", json_int(t->a, (int64_t)t->o->entries));
    json_set(kb, "digest", json_text(t->a, t->o->digest));
    return kb;
}

static struct json *head(const struct teller *t) {
    struct json *top = json_new_object(t->a);
    json_set(top, "schema", json_int(t->a, SCHEMA));
    json_set(top, "oomkb", json_text(t->a, t->o->version));
    json_set(top, "kb", about(t));
    json_set(top, "lang",
             json_text(t->a, t->lang == LANG_ZH ? STR("zh") : STR("en")));
    return top;
}

static struct json *input(const struct teller *t, const struct report *rep) {
    struct json *o = json_new_object(t->a);
    json_set(o, "name", json_text(t->a, rep->input_name));
    json_set(o, "lines", json_int(t->a, (int64_t)rep->lines));
    json_set(o, "bytes", json_int(t->a, (int64_t)rep->bytes));
    json_set(o, "truncated", json_bool(t->a, rep->truncated));
    if (rep->gave_up_patterns > 0) {
        struct json *g = json_new_object(t->a);
        json_set(g, "line", json_int(t->a, rep->gave_up_line));
        json_set(g, "patterns", json_int(t->a, rep->gave_up_patterns));
        json_set(o, "gave_up", g);
    }
    return o;
}

static struct json *context(const struct teller *t, const struct report *rep) {
    struct json *o = json_new_object(t->a);
    for (size_t i = 0; i < rep->context.count; i++) {
        const struct fact *f = &rep->context.at[i];
        json_set(o, fact_spelling(f->name), json_fact(t, f));
    }
    return o;
}

static struct json *command(const struct teller *t, const struct report *rep) {
    if (rep->command_before.n == 0 && rep->command_after.n == 0) {
        return json_new_null(t->a);
    }
    struct json *o = json_new_object(t->a);
    json_set(o, "before", json_str_or_null(t->a, rep->command_before));
    json_set(o, "after", json_str_or_null(t->a, rep->command_after));
    return o;
}

static struct json *questions(const struct teller *t,
                              const struct report *rep) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < rep->question_count; i++) {
        const struct question *q = &rep->questions[i];
        const char *name = fact_spelling(q->fact);
        struct json *o = json_new_object(t->a);
        json_set(o, "fact", json_text(t->a, str_of(name)));
        json_set(o, "ask", json_text(t->a, said_note(t, &q->ask)));
        json_set(o, "how", json_str_or_null(t->a, q->how));
        json_set(o, "set",
                 json_text(t->a, arena_printf(t->a, "--set %s=", name)));
        json_push(list, o);
    }
    return list;
}

static struct json *whole_report(const struct teller *t,
                                 const struct report *rep) {
    struct json *top = head(t);
    json_set(top, "summary",
             json_text(t->a, summary_of(t->a, t->r, rep, t->lang)));
    json_set(top, "input", input(t, rep));
    json_set(top, "context", context(t, rep));
    struct json *findings = json_new_array(t->a);
    for (size_t i = 0; i < rep->finding_count; i++) {
        json_push(findings, json_finding(t, &rep->findings[i]));
    }
    json_set(top, "findings", findings);
    json_set(top, "suspects", json_suspects(t, rep));
    json_set(top, "command", command(t, rep));
    json_set(top, "questions", questions(t, rep));
    return top;
}

static void put(struct json *value, bool pretty, struct buf *out) {
    json_write(value, pretty, out);
    buf_add_char(out, '\n');
}

static struct teller teller_of(struct arena *a, struct reader *r,
                               const struct render_options *o) {
    return (struct teller){a, r, o, o->lang};
}

void json_report(struct arena *a, struct reader *r,
                 const struct report *report, const struct render_options *o,
                 struct buf *out) {
    struct teller t = teller_of(a, r, o);
    put(whole_report(&t, report_shown(a, r, report, o)), true, out);
}

void jsonl_report(struct arena *a, struct reader *r,
                  const struct report *report, const struct render_options *o,
                  struct buf *out) {
    struct teller t = teller_of(a, r, o);
    put(whole_report(&t, report_shown(a, r, report, o)), false, out);
}

static struct json *whole_entry(const struct teller *t,
                                const struct entry *entry) {
    struct json *top = head(t);
    json_set(top, "entry", json_entry_object(t, entry));
    return top;
}

void json_entry(struct arena *a, struct reader *r, const struct entry *entry,
                const struct render_options *o, struct buf *out) {
    struct teller t = teller_of(a, r, o);
    put(whole_entry(&t, entry), true, out);
}

void jsonl_entry(struct arena *a, struct reader *r, const struct entry *entry,
                 const struct render_options *o, struct buf *out) {
    struct teller t = teller_of(a, r, o);
    put(whole_entry(&t, entry), false, out);
}
