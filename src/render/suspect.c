/* suspect.c: what is said of lines that look like memory and that no entry
 * knows. The first suspect speaks, for what follows it may follow from it; of
 * the others only the lines are named. What its words most often mean is the
 * root_cause of its entry, what would tell is the first fix of it. */
#include "render/parts.h"

#define LINE_COLUMNS 400

static struct str need_said(const struct teller *t,
                               const struct finding *f) {
    struct need_and_have of = suspect_amounts(f);
    struct str need = of.need != NULL ? shown_fact(t, of.need) : STR("");
    if (of.need == NULL || of.have == NULL) {
        return need.n > 0 ? said_with(t, "report.suspect_need", &need, 1)
                          : need;
    }
    struct comparison c = amounts_compared(t, UNIT_BYTES, of.need->number,
                                           of.have->number);
    struct str args[] = {c.need, c.have, c.short_by};
    return said_with(t, c.short_by.n > 0 ? "report.suspect_short"
                                         : "report.suspect_both",
                     args, 3);
}

static struct str suspect_others(const struct teller *t, const struct report *rep) {
    struct words lines = words_begin(t, said(t, "report.comma"));
    for (size_t i = 1; i < rep->suspect_count; i++) {
        words_add(&lines, shown_number(t, UNIT_COUNT,
                                       rep->suspects[i].first_line));
    }
    return words_said(&lines, "report.suspect_others");
}

static struct str would_tell(const struct teller *t, const struct finding *f) {
    return f->fix_count > 0 ? said_text(t, &f->fixes[0].how)
                            : STR("");
}

void add_suspects(const struct teller *t, struct document *d,
                  const struct report *rep) {
    const struct finding *f = &rep->suspects[0];
    struct str line = shown_number(t, UNIT_COUNT, f->first_line), rest;
    struct str text = str_trim(str_cut(str_trim(f->text), '\n', &rest));
    document_title(d, TONE_STRONG, said_with(t, "report.suspect", &line, 1));
    document_text(d, NULL, TONE_PLAIN,
                  in_backquotes(t->a, shown_short(t, text, LINE_COLUMNS)));
    document_text(d, NULL, TONE_PLAIN, need_said(t, f));
    document_text(d, NULL, TONE_PLAIN, suspect_others(t, rep));
    document_text(d, document_section(d, said(t, "report.suspect_means")),
                  TONE_PLAIN, said_text(t, &f->entry->root_cause));
    document_item(d, document_section(d, said(t, "report.to_be_sure")), "?",
                  would_tell(t, f));
    document_text(d, NULL, TONE_PLAIN, said(t, "report.suspect_new"));
}

static struct json *json_suspect(const struct teller *t,
                                 const struct finding *f) {
    struct need_and_have of = suspect_amounts(f);
    bool has_both = of.need != NULL && of.have != NULL;
    int64_t missing = has_both ? of.need->number - of.have->number : 0;
    return JSON(
        t, {"line", json_int(t->a, f->first_line)},
        {"text", json_text(t->a, f->text)},
        {"why_not", json_text(t->a, said(t, "report.suspect_why_not"))},
        {"would_tell", json_str_or_null(t->a, would_tell(t, f))},
        {"entry", json_text(t->a, f->entry->id)},
        {"means", json_text(t->a, said_text(t, &f->entry->root_cause))},
        {"need", of.need ? json_fact(t, of.need) : json_new_null(t->a)},
        {"have", of.have ? json_fact(t, of.have) : json_new_null(t->a)},
        {"short_by", json_int_or_null(t, missing > 0, missing)},
        {"facts", json_facts(t, f->facts.at, f->facts.count)});
}

struct json *json_suspects(const struct teller *t, const struct report *rep) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < rep->suspect_count; i++) {
        json_push(list, json_suspect(t, &rep->suspects[i]));
    }
    return list;
}
