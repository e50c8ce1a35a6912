/* json.c: an answer as JSON, made from the answer itself. The shape is an ABI
 * (kb/report.schema.json): fields are added, never renamed. `json` is indented,
 * `jsonl` is on one line.
 *
 * A list: {"schema":1,"entries":[{id, component, mechanism, severity, role,
 * title}]}; a search adds matched, score and snippet. */
#include "render/parts.h"

#define SCHEMA 1

static struct json *head(const struct render *t) {
    return JSON(t, {"schema", json_int(t->a, SCHEMA)},
                {"oomkb", json_text(t->a, t->o->version)},
                {"kb",
                 JSON(t, {"entries", json_int(t->a, (int64_t)t->o->entries)},
                      {"digest", json_text(t->a, t->o->digest)})},
                {"lang", json_spelling(t->a, lang_name(t->lang))});
}

static struct json *input(const struct render *t, const struct report *rep) {
    struct json *gave_up =
        JSON(t, {"line", json_int(t->a, rep->gave_up_line)},
             {"patterns", json_int(t->a, rep->gave_up_patterns)});
    return JSON(t, {"name", json_text(t->a, rep->input_name)},
                {"lines", json_int(t->a, (int64_t)rep->lines)},
                {"bytes", json_int(t->a, (int64_t)rep->bytes)},
                {"truncated", json_bool(t->a, rep->truncated)},
                {"gave_up", rep->gave_up_patterns > 0 ? gave_up : NULL});
}

static struct json *context(const struct render *t, const struct report *rep) {
    struct json *o = json_new_object(t->a);
    for (size_t i = 0; i < rep->context.count; i++) {
        const struct fact *f = &rep->context.at[i];
        json_set(o, fact_spelling(f->name), json_fact(t, f));
    }
    return o;
}

static struct json *questions(const struct render *t,
                              const struct report *rep) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < rep->question_count; i++) {
        const struct question *q = &rep->questions[i];
        const char *name = fact_spelling(q->fact);
        struct str set = arena_printf(t->a, "--set %s=", name);
        json_push(list, JSON(t, {"fact", json_spelling(t->a, name)},
                             {"ask", json_text(t->a, note_text(t, &q->ask))},
                             {"how", json_str_or_null(t->a, q->how)},
                             {"set", json_text(t->a, set)}));
    }
    return list;
}

static struct json *whole_report(const struct render *t,
                                 const struct report *rep) {
    struct json *top = head(t), *findings = json_new_array(t->a);
    bool has_command = rep->command_before.n > 0 || rep->command_after.n > 0;
    struct json *command =
        JSON(t, {"before", json_str_or_null(t->a, rep->command_before)},
             {"after", json_str_or_null(t->a, rep->command_after)});
    for (size_t i = 0; i < rep->finding_count; i++)
        json_push(findings, json_finding(t, &rep->findings[i]));
    JSON_ADD(top,
             {"summary", json_text(t->a, summary_of(t->a, t->r, rep, t->lang))},
             {"input", input(t, rep)}, {"context", context(t, rep)},
             {"findings", findings}, {"suspects", json_suspects(t, rep)},
             {"command", has_command ? command : json_new_null(t->a)},
             {"questions", questions(t, rep)});
    return top;
}

static struct json *whole_entry(const struct render *t,
                                const struct entry *entry) {
    struct json *top = head(t);
    json_set(top, "entry", json_entry_object(t, entry));
    return top;
}

static struct json *whole_list(const struct render *t,
                               const struct listing *list) {
    struct json *entries = json_new_array(t->a);
    for (size_t i = 0; i < list->count; i++)
        json_push(entries, json_row(t, list, i));
    return JSON(t, {"schema", json_int(t->a, SCHEMA)}, {"entries", entries});
}

static void write(struct json *top, bool is_pretty, struct buf *out) {
    json_write(top, is_pretty, out);
    buf_add_char(out, '\n');
}

static struct json *whole(const struct render *t, const struct answer *answer) {
    return answer->is_memory       ? json_memory(t, answer->report)
           : answer->report != NULL ? whole_report(t, answer->report)
           : answer->entry != NULL ? whole_entry(t, answer->entry)
           : answer->list != NULL  ? whole_list(t, answer->list)
           : answer->names != NULL ? names_json(t, answer->names)
           : answer->models != NULL ? json_models(t, answer->models)
                                    : json_fit(t, answer->fit);
}

void json_data(const struct render *t, const struct answer *answer,
               struct buf *out) {
    write(whole(t, answer), true, out);
}

/* Of a list, a line for each entry or name. */
void jsonl_data(const struct render *t, const struct answer *answer,
                struct buf *out) {
    const struct listing *list = answer->list;
    const struct names *names = answer->names;
    if (list == NULL && names == NULL)
        write(whole(t, answer), false, out);
    for (size_t i = 0; list != NULL && i < list->count; i++)
        write(json_row(t, list, i), false, out);
    for (size_t i = 0; names != NULL && i < names->row_count; i++)
        write(names_row(t, names, i), false, out);
}
