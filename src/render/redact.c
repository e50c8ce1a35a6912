/* redact.c: a report that may be shown to strangers. What the log or the user
 * said is copied without paths, machines, addresses, mail, tokens and names of
 * users; entries, numbers and models of the catalogue stay, so the answer does
 * too. Every format and language is then made of the copy.
 *
 * First everything verbatim is gone through once, so that all secrets are
 * known; then all texts are rewritten: what the log said by every rule, what
 * is ours with values filled in by the known secrets alone, for our own words
 * name paths and hosts that are nobody's.
 */
#include "render/redact.h"

#include <string.h>

struct redaction {
    struct secrets secrets;
    struct reader *r;
};

/* ---- facts ---- */

/* A name that the catalogue has, as it stands there. */
static bool is_known_model(struct redaction *d, struct str name) {
    if (is_path(&d->secrets, name)) {
        return false;
    }
    struct model_match match = reader_model(d->r, name);
    return match.model != NULL && !match.is_guess;
}

/* text as one secret, whole: blanks in a path are a part of it. */
static struct str whole(struct redaction *d, enum secret_kind kind,
                        struct str text) {
    bool is_one_path = is_path(&d->secrets, text);
    if (is_one_path) {
        redacted(&d->secrets, text); /* to learn whose home it is in */
    }
    return text.n == 0 ? text
                       : secret_placeholder(
                             &d->secrets, is_one_path ? SECRET_PATH : kind,
                             text);
}

static struct str fact_text(struct redaction *d, enum fact_name name,
                            struct str text) {
    if (name == FACT_pod) {
        return whole(d, SECRET_POD, text);
    }
    if (name == FACT_container) {
        return whole(d, SECRET_CONTAINER, text);
    }
    if (name == FACT_model && !is_known_model(d, text)) {
        return whole(d, SECRET_MODEL, text);
    }
    if (name == FACT_model) {
        return text;
    }
    return is_path(&d->secrets, text) ? whole(d, SECRET_PATH, text)
                         : redacted(&d->secrets, text);
}

static void redact_fact(struct redaction *d, struct fact *f) {
    enum unit unit = fact_unit(f->name);
    if (unit == UNIT_TEXT) {
        f->word = fact_text(d, f->name, f->word);
        f->text = fact_text(d, f->name, f->text);
    } else if (unit != UNIT_VERSION) {
        f->text = redacted(&d->secrets, f->text);
    }
    f->formula = redacted_known(&d->secrets, f->formula);
    f->why = redacted_known(&d->secrets, f->why);
}

static void *copy_of(struct arena *a, const void *from, size_t count,
                     size_t size) {
    void *to = arena_array(a, count, size);
    return count > 0 ? memcpy(to, from, count * size) : to;
}

#define COPIED(d, list, count) \
    copy_of((d)->secrets.a, (list), (count), sizeof *(list))

static void redact_facts(struct redaction *d, struct fact_list *list) {
    list->at = COPIED(d, list->at, list->count);
    list->cap = list->count;
    for (size_t i = 0; i < list->count; i++) {
        redact_fact(d, &list->at[i]);
    }
}

/* ---- the rest of a report ---- */

static void redact_note(struct redaction *d, struct note *n) {
    for (size_t i = 0; i < n->count && i < NOTE_ARGS; i++) {
        n->arg[i] = redacted(&d->secrets, n->arg[i]);
    }
}

static void redact_fix(struct redaction *d, struct fix *fix) {
    struct secrets *s = &d->secrets;
    redact_note(d, &fix->because);
    for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
        fix->how.in[lang] = redacted_known(s, fix->how.in[lang]);
    }
    fix->command = redacted_known(s, fix->command);
    fix->estimate.formula = redacted_known(s, fix->estimate.formula);
}

static void redact_memory(struct redaction *d, struct finding *f) {
    struct budget *b = &f->budget;
    b->parts = COPIED(d, b->parts, b->count);
    for (size_t i = 0; i < b->count; i++) {
        b->parts[i].source = redacted_known(&d->secrets, b->parts[i].source);
    }
    f->formulas.at = COPIED(d, f->formulas.at, f->formulas.count);
    for (size_t i = 0; i < f->formulas.count; i++) {
        f->formulas.at[i] = redacted_known(&d->secrets, f->formulas.at[i]);
    }
}

static void redact_advice(struct redaction *d, struct finding *f) {
    redact_note(d, &f->because);
    f->fixes = COPIED(d, f->fixes, f->fix_count);
    for (size_t i = 0; i < f->fix_count; i++) {
        redact_fix(d, &f->fixes[i]);
    }
    f->dead_ends = COPIED(d, f->dead_ends, f->dead_end_count);
    for (size_t i = 0; i < f->dead_end_count; i++) {
        redact_note(d, &f->dead_ends[i].action);
        redact_note(d, &f->dead_ends[i].why);
    }
    f->remarks = COPIED(d, f->remarks, f->remark_count);
    for (size_t i = 0; i < f->remark_count; i++) {
        redact_note(d, &f->remarks[i]);
    }
}

/* What is verbatim comes first: it teaches the names. */
static void redact_sight(struct redaction *d, struct finding *f) {
    f->text = redacted(&d->secrets, f->text);
    redact_facts(d, &f->facts);
    f->instances = COPIED(d, f->instances, f->instance_count);
    for (size_t i = 0; i < f->instance_count; i++) {
        redact_facts(d, &f->instances[i].facts);
    }
}

static struct finding *redact_sights(struct redaction *d,
                                     const struct finding *from,
                                     size_t count) {
    struct finding *list = COPIED(d, from, count);
    for (size_t i = 0; i < count; i++) {
        redact_sight(d, &list[i]);
    }
    return list;
}

static void redact_findings(struct redaction *d, struct finding *list,
                            size_t count) {
    for (size_t i = 0; i < count; i++) {
        redact_memory(d, &list[i]);
        redact_advice(d, &list[i]);
    }
}

static void redact_questions(struct redaction *d, struct report *rep) {
    rep->questions = COPIED(d, rep->questions, rep->question_count);
    for (size_t i = 0; i < rep->question_count; i++) {
        redact_note(d, &rep->questions[i].ask);
        rep->questions[i].how =
            redacted_known(&d->secrets, rep->questions[i].how);
    }
}

static void redact_all(struct redaction *d, struct report *rep) {
    struct secrets *s = &d->secrets;
    rep->input_name = redacted(s, rep->input_name);
    redact_facts(d, &rep->context);
    rep->findings = redact_sights(d, rep->findings, rep->finding_count);
    rep->suspects = redact_sights(d, rep->suspects, rep->suspect_count);
    rep->command_before = redacted(s, rep->command_before);
    rep->command_after = redacted(s, rep->command_after);
    redact_findings(d, rep->findings, rep->finding_count);
    redact_findings(d, rep->suspects, rep->suspect_count);
    redact_questions(d, rep);
    redact_note(d, &rep->summary);
}

/* Twice: what is learned late (a user in the last path) is then known to what
 * came early. Placeholders of the first time stay what they are. */
const struct report *report_shown(struct arena *a, struct reader *r,
                                  const struct report *report,
                                  const struct render_options *o) {
    if (!o->redact) {
        return report;
    }
    struct redaction d = {{.a = a}, r};
    struct report *learning = copy_of(a, report, 1, sizeof *report);
    redact_all(&d, learning);
    struct report *shown = copy_of(a, report, 1, sizeof *report);
    redact_all(&d, shown);
    return shown;
}
