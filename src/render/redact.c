/* redact.c: a report that may be shown to strangers: a copy in which texts of
 * the log and of the user have placeholders for paths, machines, addresses,
 * mail, tokens and users. Entries, numbers and models of the catalogue stay, so
 * the answer is the same. All formats and languages are made from the copy.
 *
 * Verbatim texts come first, so that their secrets are known; they are
 * rewritten by all rules. Texts of the knowledge base with values are rewritten
 * by the known secrets alone, since they have paths and hosts that are
 * public. */
#include "render/redact.h"

#include <string.h>

/* ---- facts ---- */

bool is_known_model(struct secrets *s, struct str name) {
    if (s->reader == NULL)
        return false;
    struct model_match match = reader_model(s->reader, name);
    return match.model != NULL && !match.is_guess;
}

/* The placeholder of the whole text: a path may have blanks. */
static struct str whole(struct secrets *s, enum secret_kind kind,
                        struct str text) {
    if (text.n == 0)
        return text;
    if (!is_path(s, text))
        return secret_placeholder(s, kind, text);
    redacted(s, text); /* keeps the user whose home it is in */
    return secret_placeholder(s, SECRET_PATH, text);
}

static struct str redacted_fact(struct secrets *s, enum fact_name name,
                            struct str text) {
    if (name == FACT_pod)
        return whole(s, SECRET_POD, text);
    if (name == FACT_container)
        return whole(s, SECRET_CONTAINER, text);
    if (name == FACT_model && !is_path(s, text))
        return is_known_model(s, text) ? text : whole(s, SECRET_MODEL, text);
    return is_path(s, text) ? whole(s, SECRET_PATH, text) : redacted(s, text);
}

static void redact_fact(struct secrets *s, struct fact *f) {
    enum unit unit = fact_unit(f->name);
    if (unit == UNIT_TEXT) {
        f->word = redacted_fact(s, f->name, f->word);
        f->text = redacted_fact(s, f->name, f->text);
    } else if (unit != UNIT_VERSION) {
        f->text = redacted(s, f->text);
    }
    f->formula = redacted_known(s, f->formula);
    f->why = redacted_known(s, f->why);
}

static void *copy_of(struct arena *a, const void *from, size_t count,
                     size_t size) {
    void *to = arena_array(a, count, size);
    return count > 0 ? memcpy(to, from, count * size) : to;
}

#define COPIED(s, list, count) \
    copy_of((s)->a, (list), (count), sizeof *(list))

static void redact_facts(struct secrets *s, struct fact_list *list) {
    list->at = COPIED(s, list->at, list->count);
    list->cap = list->count;
    for (size_t i = 0; i < list->count; i++)
        redact_fact(s, &list->at[i]);
}

/* ---- the rest of a report ---- */

static void redact_note(struct secrets *s, struct note *n) {
    for (size_t i = 0; i < n->count && i < NOTE_ARGS; i++)
        n->arg[i] = redacted(s, n->arg[i]);
}

static void redact_fix(struct secrets *s, struct fix *fix) {
    redact_note(s, &fix->because);
    for (int lang = 0; lang < LANG_COUNT_OF; lang++)
        fix->how.in[lang] = redacted_known(s, fix->how.in[lang]);
    fix->command = redacted_known(s, fix->command);
    fix->estimate.formula = redacted_known(s, fix->estimate.formula);
}

static void redact_finding(struct secrets *s, struct finding *f) {
    struct budget *b = &f->budget;
    b->parts = COPIED(s, b->parts, b->count);
    for (size_t i = 0; i < b->count; i++)
        b->parts[i].source = redacted_known(s, b->parts[i].source);
    f->formulas.at = COPIED(s, f->formulas.at, f->formulas.count);
    for (size_t i = 0; i < f->formulas.count; i++)
        f->formulas.at[i] = redacted_known(s, f->formulas.at[i]);
    redact_note(s, &f->because);
    f->fixes = COPIED(s, f->fixes, f->fix_count);
    for (size_t i = 0; i < f->fix_count; i++)
        redact_fix(s, &f->fixes[i]);
    f->dead_ends = COPIED(s, f->dead_ends, f->dead_end_count);
    for (size_t i = 0; i < f->dead_end_count; i++) {
        redact_note(s, &f->dead_ends[i].action);
        redact_note(s, &f->dead_ends[i].why);
    }
    f->remarks = COPIED(s, f->remarks, f->remark_count);
    for (size_t i = 0; i < f->remark_count; i++)
        redact_note(s, &f->remarks[i]);
}

/* Rewrites verbatim texts. */
static struct finding *redact_verbatim(struct secrets *s,
                                       const struct finding *from,
                                       size_t count) {
    struct finding *list = COPIED(s, from, count);
    for (struct finding *f = list; f < list + count; f++) {
        f->text = redacted(s, f->text);
        redact_facts(s, &f->facts);
        f->instances = COPIED(s, f->instances, f->instance_count);
        for (size_t i = 0; i < f->instance_count; i++)
            redact_facts(s, &f->instances[i].facts);
    }
    return list;
}

static const struct report *redact_all(struct secrets *s,
                                       const struct report *report) {
    struct report *rep = copy_of(s->a, report, 1, sizeof *report);
    rep->input_name = redacted(s, rep->input_name);
    redact_facts(s, &rep->context);
    rep->findings = redact_verbatim(s, rep->findings, rep->finding_count);
    rep->suspects = redact_verbatim(s, rep->suspects, rep->suspect_count);
    rep->command_before = redacted(s, rep->command_before);
    rep->command_after = redacted(s, rep->command_after);
    for (size_t i = 0; i < rep->finding_count; i++)
        redact_finding(s, &rep->findings[i]);
    for (size_t i = 0; i < rep->suspect_count; i++)
        redact_finding(s, &rep->suspects[i]);
    rep->questions = COPIED(s, rep->questions, rep->question_count);
    for (size_t i = 0; i < rep->question_count; i++) {
        redact_note(s, &rep->questions[i].ask);
        rep->questions[i].how = redacted_known(s, rep->questions[i].how);
    }
    redact_note(s, &rep->summary);
    return rep;
}

/* Done twice, so that a secret found late (a user in the last path) is known to
 * earlier texts. The second time all placeholders stay the same. */
const struct report *report_shown(struct arena *a, struct reader *r,
                                  const struct report *report,
                                  const struct render_options *o) {
    if (!o->redact)
        return report;
    struct secrets s = {.a = a, .reader = r};
    redact_all(&s, report);
    return redact_all(&s, report);
}
