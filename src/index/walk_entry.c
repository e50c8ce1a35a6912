/* walk_entry.c: an entry and all that belongs to it, field by field. */
#include "index/walk.h"

void walk_range(struct record *r, struct version_range *range) {
    record_str(r, &range->product);
    LIST(r, range->events, range->event_count);
    for (size_t i = 0; i < range->event_count; i++) {
        record_bool(r, &range->events[i].is_fixed);
        record_str(r, &range->events[i].version);
    }
}

void walk_settings(struct record *r, struct setting **set, size_t *count) {
    LIST(r, *set, *count);
    for (size_t i = 0; i < *count; i++) {
        (*set)[i].name = record_fact(r, (*set)[i].name);
        record_str(r, &(*set)[i].value);
    }
}

/* ---- selection ---- */

static void walk_signature(struct record *r, struct signature *s) {
    record_str(r, &s->id);
    record_str(r, &s->pattern);
    record_bool(r, &s->is_weak);
    LIST(r, s->versions, s->version_count);
    for (size_t i = 0; i < s->version_count; i++) {
        walk_range(r, &s->versions[i]);
    }
    walk_settings(r, &s->set, &s->set_count);
    record_strings(r, &s->extract);
    record_str(r, &s->sample);
}

static void walk_selection(struct record *r, struct entry *e) {
    LIST(r, e->signatures, e->signature_count);
    for (size_t i = 0; i < e->signature_count; i++) {
        walk_signature(r, &e->signatures[i]);
    }
    record_str(r, &e->same_words_as);
    record_strings(r, &e->prefer);
    LIST(r, e->conditions, e->condition_count);
    for (size_t i = 0; i < e->condition_count; i++) {
        struct condition *c = &e->conditions[i];
        record_str(r, &c->pattern);
        WORD(r, c->scope, scope, SCOPE);
        record_bool(r, &c->is_none_of);
        record_bool(r, &c->is_weak);
    }
    record_strings(r, &e->when);
}

/* ---- advice ---- */

static void walk_acts_on(struct record *r, struct acts_on *acts_on) {
    record_str(r, &acts_on->flag);
    WORD(r, acts_on->change, change, CHANGE);
    WORD(r, acts_on->kind, act_kind, ACT_KIND);
}

static void walk_rate(struct record *r, struct rate *rate) {
    WORD(r, rate->basis, basis, BASIS);
    record_int(r, &rate->worked);
    record_int(r, &rate->tried);
    record_int(r, &rate->maintainers_worked);
    record_int(r, &rate->maintainers_tried);
    record_int(r, &rate->rate_micro);
    record_text(r, &rate->because);
    record_str(r, &rate->source);
    record_strings(r, &rate->links);
}

static void walk_workaround(struct record *r, struct workaround *fix) {
    record_str(r, &fix->id);
    record_text(r, &fix->action);
    record_text(r, &fix->how);
    record_text(r, &fix->trade_off);
    walk_acts_on(r, &fix->acts_on);
    record_str(r, &fix->command);
    record_strings(r, &fix->when);
    WORD(r, fix->effect, effect, EFFECT);
    walk_rate(r, &fix->success);
    WORD(r, fix->effort, effort, EFFORT);
    WORD(r, fix->loses, loses, LOSES);
    WORD(r, fix->frees, frees, FREES);
    LIST(r, fix->cures, fix->cure_count);
    for (size_t i = 0; i < fix->cure_count; i++) {
        record_str(r, &fix->cures[i].cause);
        WORD(r, fix->cures[i].strength, strength, STRENGTH);
    }
    record_str(r, &fix->use);
}

static void walk_advice(struct record *r, struct entry *e) {
    LIST(r, e->workarounds, e->workaround_count);
    for (size_t i = 0; i < e->workaround_count; i++) {
        walk_workaround(r, &e->workarounds[i]);
    }
    LIST(r, e->dead_ends, e->dead_end_count);
    for (size_t i = 0; i < e->dead_end_count; i++) {
        struct dead_end *end = &e->dead_ends[i];
        record_text(r, &end->action);
        record_text(r, &end->why);
        record_text(r, &end->instead);
        walk_acts_on(r, &end->acts_on);
        record_strings(r, &end->when);
        walk_rate(r, &end->fail);
    }
}

/* ---- where it is true, and who says so ---- */

static void walk_references(struct record *r, struct reference **list,
                            size_t *count) {
    LIST(r, *list, *count);
    for (size_t i = 0; i < *count; i++) {
        record_str(r, &(*list)[i].url);
        record_str(r, &(*list)[i].seen);
        record_text(r, &(*list)[i].claim);
    }
}

static void walk_truth(struct record *r, struct entry *e) {
    LIST(r, e->versions, e->version_count);
    for (size_t i = 0; i < e->version_count; i++) {
        walk_range(r, &e->versions[i].range);
        WORD(r, e->versions[i].status, range_status, RANGE_STATUS);
        record_text(r, &e->versions[i].note);
    }
    LIST(r, e->hardware, e->hardware_count);
    for (size_t i = 0; i < e->hardware_count; i++) {
        record_str(r, &e->hardware[i].name);
        WORD(r, e->hardware[i].status, range_status, RANGE_STATUS);
        record_text(r, &e->hardware[i].note);
    }
    walk_references(r, &e->docs, &e->doc_count);
    walk_references(r, &e->evidence, &e->evidence_count);
    LIST(r, e->relations, e->relation_count);
    for (size_t i = 0; i < e->relation_count; i++) {
        WORD(r, e->relations[i].kind, relation_kind, RELATION);
        record_str(r, &e->relations[i].entry);
        record_text(r, &e->relations[i].tell_apart);
    }
}

static void walk_provenance(struct record *r, struct provenance *p) {
    record_str(r, &p->source);
    record_str(r, &p->verification);
    record_int(r, &p->confidence_micro);
    record_int(r, &p->fix_rate_micro);
    record_int(r, &p->evidence_count);
}

void walk_entry_head(struct record *r, struct entry *e) {
    record_str(r, &e->id);
    record_str(r, &e->component);
    WORD(r, e->mechanism, mechanism, MECHANISM);
    WORD(r, e->severity, severity, SEVERITY);
    WORD(r, e->role, role, ROLE);
    record_text(r, &e->withdrawn);
    walk_selection(r, e);
}

void walk_entry_rest(struct record *r, struct entry *e) {
    record_text(r, &e->title);
    record_text(r, &e->root_cause);
    walk_advice(r, e);
    walk_truth(r, e);
    record_str(r, &e->first_seen);
    record_str(r, &e->last_verified);
    record_strings(r, &e->renamed_from);
    walk_provenance(r, &e->provenance);
    LIST(r, e->causes, e->cause_count);
    for (size_t i = 0; i < e->cause_count; i++) {
        record_str(r, &e->causes[i].cause);
        record_int(r, &e->causes[i].share_micro);
    }
}
