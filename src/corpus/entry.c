/* entry.c: are two entries the same, field by field?
 *
 * Each struct of entry.h has one function here that compares every field of
 * it and names the first that differs. The test read(write(e)) == e rests on
 * this: a field that is added to entry.h and forgotten here would be lost
 * unseen, so the list of each function follows the order of the header.
 */
#include "corpus/entry.h"

struct compared {
    const char *field;
    bool is_same;
};

/* The first field that differs, or NULL. */
static const char *first_difference(const struct compared *fields,
                                    size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!fields[i].is_same) {
            return fields[i].field;
        }
    }
    return NULL;
}

static bool same_text(const struct text *a, const struct text *b) {
    for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
        if (!str_eq(a->in[lang], b->in[lang])) {
            return false;
        }
    }
    return true;
}

static bool same_strings(const struct str_list *a, const struct str_list *b) {
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++) {
        same = str_eq(a->at[i], b->at[i]);
    }
    return same;
}

static bool same_range(const struct version_range *a,
                       const struct version_range *b) {
    bool same =
        str_eq(a->product, b->product) && a->event_count == b->event_count;
    for (size_t i = 0; same && i < a->event_count; i++) {
        same = a->events[i].is_fixed == b->events[i].is_fixed &&
               str_eq(a->events[i].version, b->events[i].version);
    }
    return same;
}

static bool same_ranges(const struct version_range *a, size_t a_count,
                        const struct version_range *b, size_t b_count) {
    bool same = a_count == b_count;
    for (size_t i = 0; same && i < a_count; i++) {
        same = same_range(&a[i], &b[i]);
    }
    return same;
}

static bool same_settings(const struct setting *a, size_t a_count,
                          const struct setting *b, size_t b_count) {
    bool same = a_count == b_count;
    for (size_t i = 0; same && i < a_count; i++) {
        same = a[i].name == b[i].name && str_eq(a[i].value, b[i].value);
    }
    return same;
}

static bool same_cures(const struct workaround *a,
                       const struct workaround *b) {
    bool same = a->cure_count == b->cure_count;
    for (size_t i = 0; same && i < a->cure_count; i++) {
        same = str_eq(a->cures[i].cause, b->cures[i].cause) &&
               a->cures[i].strength == b->cures[i].strength;
    }
    return same;
}

static bool same_causes(const struct entry *a, const struct entry *b) {
    bool same = a->cause_count == b->cause_count;
    for (size_t i = 0; same && i < a->cause_count; i++) {
        same = str_eq(a->causes[i].cause, b->causes[i].cause) &&
               a->causes[i].share_micro == b->causes[i].share_micro;
    }
    return same;
}

static bool same_acts_on(const struct acts_on *a, const struct acts_on *b) {
    return str_eq(a->flag, b->flag) && a->change == b->change &&
           a->kind == b->kind;
}

static bool same_rate(const struct rate *a, const struct rate *b) {
    return a->basis == b->basis && a->worked == b->worked &&
           a->tried == b->tried &&
           a->maintainers_worked == b->maintainers_worked &&
           a->maintainers_tried == b->maintainers_tried &&
           a->rate_micro == b->rate_micro &&
           same_text(&a->because, &b->because) &&
           str_eq(a->source, b->source) && same_strings(&a->links, &b->links);
}

static const char *signature_difference(const struct signature *a,
                                        const struct signature *b) {
    const struct compared fields[] = {
        {"signatures.id", str_eq(a->id, b->id)},
        {"signatures.pattern", str_eq(a->pattern, b->pattern)},
        {"signatures.weak", a->is_weak == b->is_weak},
        {"signatures.versions", same_ranges(a->versions, a->version_count,
                                            b->versions, b->version_count)},
        {"signatures.set",
         same_settings(a->set, a->set_count, b->set, b->set_count)},
        {"signatures.extract", same_strings(&a->extract, &b->extract)},
        {"signatures.sample", str_eq(a->sample, b->sample)},
    };
    return first_difference(fields, sizeof fields / sizeof fields[0]);
}

static const char *condition_difference(const struct condition *a,
                                        const struct condition *b) {
    const struct compared fields[] = {
        {"conditions.pattern", str_eq(a->pattern, b->pattern)},
        {"conditions.scope", a->scope == b->scope},
        {"conditions.none_of", a->is_none_of == b->is_none_of},
        {"conditions.weak", a->is_weak == b->is_weak},
    };
    return first_difference(fields, sizeof fields / sizeof fields[0]);
}

static const char *workaround_difference(const struct workaround *a,
                                         const struct workaround *b) {
    const struct compared fields[] = {
        {"workarounds.id", str_eq(a->id, b->id)},
        {"workarounds.action", same_text(&a->action, &b->action)},
        {"workarounds.how", same_text(&a->how, &b->how)},
        {"workarounds.trade_off", same_text(&a->trade_off, &b->trade_off)},
        {"workarounds.acts_on", same_acts_on(&a->acts_on, &b->acts_on)},
        {"workarounds.command", str_eq(a->command, b->command)},
        {"workarounds.when", same_strings(&a->when, &b->when)},
        {"workarounds.effect", a->effect == b->effect},
        {"workarounds.success", same_rate(&a->success, &b->success)},
        {"workarounds.effort", a->effort == b->effort},
        {"workarounds.loses", a->loses == b->loses},
        {"workarounds.frees", a->frees == b->frees},
        {"workarounds.cures", same_cures(a, b)},
        {"workarounds.use", str_eq(a->use, b->use)},
    };
    return first_difference(fields, sizeof fields / sizeof fields[0]);
}

static const char *dead_end_difference(const struct dead_end *a,
                                       const struct dead_end *b) {
    const struct compared fields[] = {
        {"dead_ends.action", same_text(&a->action, &b->action)},
        {"dead_ends.why", same_text(&a->why, &b->why)},
        {"dead_ends.instead", same_text(&a->instead, &b->instead)},
        {"dead_ends.acts_on", same_acts_on(&a->acts_on, &b->acts_on)},
        {"dead_ends.when", same_strings(&a->when, &b->when)},
        {"dead_ends.fail", same_rate(&a->fail, &b->fail)},
    };
    return first_difference(fields, sizeof fields / sizeof fields[0]);
}

static bool same_compatibility(const struct compatibility *a,
                               const struct compatibility *b) {
    return same_range(&a->range, &b->range) && a->status == b->status &&
           same_text(&a->note, &b->note);
}

static bool same_hardware(const struct hardware *a, const struct hardware *b) {
    return str_eq(a->name, b->name) && a->status == b->status &&
           same_text(&a->note, &b->note);
}

static bool same_references(const struct reference *a, size_t a_count,
                            const struct reference *b, size_t b_count) {
    bool same = a_count == b_count;
    for (size_t i = 0; same && i < a_count; i++) {
        same = str_eq(a[i].url, b[i].url) && str_eq(a[i].seen, b[i].seen) &&
               same_text(&a[i].claim, &b[i].claim);
    }
    return same;
}

static bool same_relation(const struct relation *a, const struct relation *b) {
    return a->kind == b->kind && str_eq(a->entry, b->entry) &&
           same_text(&a->tell_apart, &b->tell_apart);
}

static bool same_provenance(const struct provenance *a,
                            const struct provenance *b) {
    return str_eq(a->source, b->source) &&
           str_eq(a->verification, b->verification) &&
           a->confidence_micro == b->confidence_micro &&
           a->fix_rate_micro == b->fix_rate_micro &&
           a->evidence_count == b->evidence_count;
}

/* What tells the two apart before any list is looked into. */
static const char *head_difference(const struct entry *a,
                                   const struct entry *b) {
    const struct compared fields[] = {
        {"id", str_eq(a->id, b->id)},
        {"component", str_eq(a->component, b->component)},
        {"mechanism", a->mechanism == b->mechanism},
        {"severity", a->severity == b->severity},
        {"role", a->role == b->role},
        {"title", same_text(&a->title, &b->title)},
        {"root_cause", same_text(&a->root_cause, &b->root_cause)},
        {"signatures", a->signature_count == b->signature_count},
        {"same_words_as", str_eq(a->same_words_as, b->same_words_as)},
        {"prefer", same_strings(&a->prefer, &b->prefer)},
        {"conditions", a->condition_count == b->condition_count},
        {"when", same_strings(&a->when, &b->when)},
        {"workarounds", a->workaround_count == b->workaround_count},
        {"dead_ends", a->dead_end_count == b->dead_end_count},
        {"versions", a->version_count == b->version_count},
        {"hardware", a->hardware_count == b->hardware_count},
        {"docs",
         same_references(a->docs, a->doc_count, b->docs, b->doc_count)},
        {"evidence", same_references(a->evidence, a->evidence_count,
                                     b->evidence, b->evidence_count)},
        {"relations", a->relation_count == b->relation_count},
        {"first_seen", str_eq(a->first_seen, b->first_seen)},
        {"last_verified", str_eq(a->last_verified, b->last_verified)},
        {"renamed_from", same_strings(&a->renamed_from, &b->renamed_from)},
        {"withdrawn", same_text(&a->withdrawn, &b->withdrawn)},
        {"provenance", same_provenance(&a->provenance, &b->provenance)},
        {"causes", same_causes(a, b)},
    };
    return first_difference(fields, sizeof fields / sizeof fields[0]);
}

/* The counts are equal: head_difference() has looked. */
static const char *selection_difference(const struct entry *a,
                                        const struct entry *b) {
    const char *field = NULL;
    for (size_t i = 0; field == NULL && i < a->signature_count; i++) {
        field = signature_difference(&a->signatures[i], &b->signatures[i]);
    }
    for (size_t i = 0; field == NULL && i < a->condition_count; i++) {
        field = condition_difference(&a->conditions[i], &b->conditions[i]);
    }
    return field;
}

static const char *advice_difference(const struct entry *a,
                                     const struct entry *b) {
    const char *field = NULL;
    for (size_t i = 0; field == NULL && i < a->workaround_count; i++) {
        field = workaround_difference(&a->workarounds[i], &b->workarounds[i]);
    }
    for (size_t i = 0; field == NULL && i < a->dead_end_count; i++) {
        field = dead_end_difference(&a->dead_ends[i], &b->dead_ends[i]);
    }
    return field;
}

static const char *truth_difference(const struct entry *a,
                                    const struct entry *b) {
    const char *field = NULL;
    for (size_t i = 0; field == NULL && i < a->version_count; i++) {
        field = same_compatibility(&a->versions[i], &b->versions[i])
                    ? NULL : "versions";
    }
    for (size_t i = 0; field == NULL && i < a->hardware_count; i++) {
        field = same_hardware(&a->hardware[i], &b->hardware[i])
                    ? NULL : "hardware";
    }
    for (size_t i = 0; field == NULL && i < a->relation_count; i++) {
        field = same_relation(&a->relations[i], &b->relations[i])
                    ? NULL : "relations";
    }
    return field;
}

const char *entry_difference(const struct entry *a, const struct entry *b) {
    const char *field = head_difference(a, b);
    if (field == NULL) {
        field = selection_difference(a, b);
    }
    if (field == NULL) {
        field = advice_difference(a, b);
    }
    return field != NULL ? field : truth_difference(a, b);
}
