/* json.c: an answer as JSON, made from the answer itself. The shape is an ABI
 * (kb/report.schema.json): fields are added, never renamed. `json` is
 * indented, `jsonl` is the same on one line.
 *
 * A list: {"schema":1,"entries":[{id, component, mechanism, severity, role,
 * title}]}; a search adds matched, score and snippet. */
#include "render/names.h"
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

static struct json *whole_entry(const struct teller *t,
                                const struct entry *entry) {
    struct json *top = head(t);
    json_set(top, "entry", json_entry_object(t, entry));
    return top;
}

static struct json *whole_list(const struct teller *t,
                               const struct listing *list) {
    struct json *top = json_new_object(t->a);
    struct json *entries = json_new_array(t->a);
    for (size_t i = 0; i < list->count; i++) {
        json_push(entries, json_row(t, list, i));
    }
    json_set(top, "schema", json_int(t->a, SCHEMA));
    json_set(top, "entries", entries);
    return top;
}

static void write(const struct teller *t, const struct answer *answer,
                  bool is_pretty, struct buf *out) {
    struct json *top =
        answer->report != NULL  ? whole_report(t, answer->report)
        : answer->entry != NULL ? whole_entry(t, answer->entry)
        : answer->list != NULL  ? whole_list(t, answer->list)
        : answer->names != NULL ? names_json(t, answer->names)
                                : json_fit(t, answer->fit);
    json_write(top, is_pretty, out);
    buf_add_char(out, '\n');
}

void json_data(const struct teller *t, const struct answer *answer,
               struct buf *out) {
    write(t, answer, true, out);
}

static void write_line(struct json *row, struct buf *out) {
    json_write(row, false, out);
    buf_add_char(out, '\n');
}

/* Of a list, a line for each entry or name. */
void jsonl_data(const struct teller *t, const struct answer *answer,
                struct buf *out) {
    const struct listing *list = answer->list;
    const struct names *names = answer->names;
    if (list == NULL && names == NULL) {
        write(t, answer, false, out);
    }
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        write_line(json_row(t, list, i), out);
    }
    for (size_t i = 0; names != NULL && i < names->row_count; i++) {
        write_line(names_row(t, names, i), out);
    }
}
