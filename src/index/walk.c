/* walk.c: a noun of the corpus, field by field, as corpus/fields.h has them:
 * written and read in the order of its rows. Keys that are a second name of a
 * place, and those that no struct keeps, have no part in it. */
#include "index/walk.h"

#include <string.h>

#define LAYERS_MAX 65536

static void walk_word(struct record *r, const struct field *f, void *at) {
    int word, count = 0;
    while (field_word(f, count) != NULL) {
        count++;
    }
    memcpy(&word, at, sizeof word);
    word = record_word(r, word, count);
    memcpy(at, &word, sizeof word);
}

static void walk_fact(struct record *r, void *at) {
    enum fact_name name;
    memcpy(&name, at, sizeof name);
    name = record_fact(r, name);
    memcpy(at, &name, sizeof name);
}

static void walk_settings(struct record *r, struct setting **set,
                          size_t *count) {
    LIST(r, *set, *count);
    for (size_t i = 0; i < *count; i++) {
        (*set)[i].name = record_fact(r, (*set)[i].name);
        record_str(r, &(*set)[i].value);
    }
}

static void walk_events(struct record *r, struct version_event **events,
                        size_t *count) {
    LIST(r, *events, *count);
    for (size_t i = 0; i < *count; i++) {
        record_bool(r, &(*events)[i].is_fixed);
        record_str(r, &(*events)[i].version);
    }
}

static void walk_shares(struct record *r, struct cause_share **shares,
                        size_t *count) {
    LIST(r, *shares, *count);
    for (size_t i = 0; i < *count; i++) {
        record_str(r, &(*shares)[i].cause);
        record_int(r, &(*shares)[i].share_micro);
    }
}

static void walk_cures(struct record *r, struct cure **cures, size_t *count) {
    LIST(r, *cures, *count);
    for (size_t i = 0; i < *count; i++) {
        record_str(r, &(*cures)[i].cause);
        WORD(r, (*cures)[i].strength, strength, STRENGTH);
    }
}

static void walk_items(struct record *r, const struct field *f, char **list,
                       size_t *count) {
    *list = record_list(r, *list, count, f->shape->size);
    for (size_t i = 0; i < *count; i++) {
        walk_shape(r, f->shape, *list + i * f->shape->size);
    }
}

static void walk_field(struct record *r, const struct field *f, char *noun) {
    void *at = noun + f->at;
    void *count = noun + f->count_at; /* where it has one */
    switch (f->type) {
    case FIELD_LINE: case FIELD_ID: case FIELD_PATTERN: case FIELD_LINK:
    case FIELD_DATE: case FIELD_ENTRY: case FIELD_CHOICE:
    case FIELD_PREDICATE: record_str(r, at); return;
    case FIELD_TEXT: record_text(r, at); return;
    case FIELD_PATTERNS: case FIELD_LINES: case FIELD_LINKS: case FIELD_WHEN:
    case FIELD_ENTRIES: record_strings(r, at); return;
    case FIELD_FACT: walk_fact(r, at); return;
    case FIELD_WORD: walk_word(r, f, at); return;
    case FIELD_YES_NO: record_bool(r, at); return;
    case FIELD_INTEGER:
        if (f->absent == 0) {
            record_count(r, at);
        } else {
            record_int(r, at);
        }
        return;
    case FIELD_YES_NO_UNKNOWN: case FIELD_RATIO: case FIELD_DECIMAL:
    case FIELD_WEIGHT: record_int(r, at); return;
    case FIELD_AMOUNTS:
        record_count(r, at);
        record_count(r, count);
        return;
    case FIELD_SETTINGS: walk_settings(r, at, count); return;
    case FIELD_EVENTS: walk_events(r, at, count); return;
    case FIELD_SHARES: walk_shares(r, at, count); return;
    case FIELD_CURES: walk_cures(r, at, count); return;
    case FIELD_MAP: walk_shape(r, f->shape, at); return;
    case FIELD_LIST: walk_items(r, f, at, count); return;
    }
}

void walk_shape(struct record *r, const struct shape *shape, void *noun) {
    for (const struct field *f = field_placed(shape->fields); f != NULL;
         f = field_placed(f + 1)) {
        walk_field(r, f, noun);
    }
}

static void walk_part(struct record *r, struct entry *e, bool is_head) {
    for (const struct field *f = field_placed(shape_entry.fields); f != NULL;
         f = field_placed(f + 1)) {
        if (f->is_head == is_head) {
            walk_field(r, f, (char *)e);
        }
    }
}

void walk_entry_head(struct record *r, struct entry *e) {
    walk_part(r, e, true);
}

void walk_entry_rest(struct record *r, struct entry *e) {
    walk_part(r, e, false);
}

/* Sums over layers are made without looking for an end of 64 bits. */
static void look_at_layers(const struct record *r, int64_t layers) {
    if (layers > LAYERS_MAX) {
        record_damaged(r, "a model has more layers than there can be");
    }
}

void walk_model(struct record *r, struct model *m) {
    walk_shape(r, &shape_model, m);
    look_at_layers(r, m->layers);
    for (size_t i = 0; i < m->group_count; i++) {
        look_at_layers(r, m->groups[i].layers);
    }
}
