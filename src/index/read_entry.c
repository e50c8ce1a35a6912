/* read_entry.c: an entry, put together from its rows.
 *
 * Each list is read to its end before anything is asked about its rows, since
 * a query has one cursor. Then texts and lists of strings find their slots by
 * slots.h; a row that finds none is damage.
 */
#include "index/read.h"
#include "index/slots.h"

static struct row ask_for(struct reader *r, enum query query, size_t number) {
    struct row row = reader_ask(r, query);
    row_bind_int(&row, (int64_t)number);
    return row;
}

/* Does a row of this list come next? Makes room for it. */
static bool next_of(struct row *row, void **list, size_t *count, size_t *cap,
                    size_t size) {
    if (!row_next(row)) {
        return false;
    }
    row_expect(row, *count);
    *list = arena_grow(row->db->arena, *list, *count, cap, size);
    ++*count;
    return true;
}

static void read_head(struct reader *r, struct entry *e, uint32_t number) {
    struct row row = ask_for(r, QUERY_entry, number);
    if (!row_next(&row)) {
        db_damaged(r->db, "an entry is missing");
    }
    e->id = row_text(&row);
    e->component = row_text(&row);
    e->mechanism = (enum mechanism)row_word(&row, WORDS_MECHANISM);
    e->severity = (enum severity)row_word(&row, WORDS_SEVERITY);
    e->role = (enum role)row_word(&row, WORDS_ROLE);
    e->same_words_as = row_text(&row);
    e->first_seen = row_text(&row);
    e->last_verified = row_text(&row);
    e->provenance.source = row_text(&row);
    e->provenance.verification = row_text(&row);
    e->provenance.confidence_micro = row_int(&row);
    e->provenance.fix_rate_micro = row_int(&row);
    e->provenance.evidence_count = row_int(&row);
    row_done(&row);
}

/* ---- selection ---- */

static void read_signature_parts(struct reader *r, struct signature *s,
                                 uint32_t entry, size_t ordinal) {
    struct row row = ask_for(r, QUERY_signature_version, entry);
    row_bind_int(&row, (int64_t)ordinal);
    void *list = NULL;
    size_t cap = 0;
    while (next_of(&row, &list, &s->version_count, &cap,
                   sizeof *s->versions)) {
        s->versions = list;
        s->versions[s->version_count - 1] =
            (struct version_range){.product = row_text(&row)};
    }
    struct list_at at = {"signature", entry, ordinal, 0};
    for (; at.item < s->version_count; at.item++) {
        read_events(r, at, &s->versions[at.item]);
    }
    s->set = read_settings(r, at, &s->set_count);
}

static void read_signatures(struct reader *r, struct entry *e,
                            uint32_t entry) {
    struct row row = ask_for(r, QUERY_signature, entry);
    void *list = NULL;
    size_t cap = 0;
    while (next_of(&row, &list, &e->signature_count, &cap,
                   sizeof *e->signatures)) {
        e->signatures = list;
        struct signature *s = &e->signatures[e->signature_count - 1];
        *s = (struct signature){.id = row_text(&row)};
        s->sample = row_text(&row);
        s->is_weak = row_bool(&row);
        s->pattern = row_text(&row);
    }
    for (size_t i = 0; i < e->signature_count; i++) {
        read_signature_parts(r, &e->signatures[i], entry, i);
    }
}

static void read_conditions(struct reader *r, struct entry *e,
                            uint32_t entry) {
    struct row row = ask_for(r, QUERY_condition, entry);
    void *list = NULL;
    size_t cap = 0;
    while (next_of(&row, &list, &e->condition_count, &cap,
                   sizeof *e->conditions)) {
        e->conditions = list;
        struct condition *c = &e->conditions[e->condition_count - 1];
        c->scope = (enum scope)row_word(&row, WORDS_SCOPE);
        c->is_none_of = row_bool(&row);
        c->is_weak = row_bool(&row);
        c->pattern = row_text(&row);
    }
}

/* ---- advice ---- */

static struct acts_on acts_on_of(struct row *row) {
    struct acts_on acts_on = {.flag = row_text(row)};
    acts_on.change = (enum change)row_word(row, WORDS_CHANGE);
    acts_on.kind = (enum act_kind)row_word(row, WORDS_ACT_KIND);
    return acts_on;
}

static void read_rate(struct reader *r, struct list_at at, struct rate *rate) {
    struct row row = ask_for(r, QUERY_rate, at.number);
    row_bind_text(&row, str_of(at.owner));
    row_bind_int(&row, (int64_t)at.ordinal);
    if (!row_next(&row)) {
        db_damaged(r->db, "the rate of a fix is missing");
    }
    rate->basis = (enum basis)row_word(&row, WORDS_BASIS);
    rate->worked = row_int(&row);
    rate->tried = row_int(&row);
    rate->maintainers_worked = row_int(&row);
    rate->maintainers_tried = row_int(&row);
    rate->rate_micro = row_int(&row);
    rate->source = row_text(&row);
    row_done(&row);
}

static void read_workarounds(struct reader *r, struct entry *e,
                             uint32_t entry) {
    struct row row = ask_for(r, QUERY_workaround, entry);
    void *list = NULL;
    size_t cap = 0;
    while (next_of(&row, &list, &e->workaround_count, &cap,
                   sizeof *e->workarounds)) {
        e->workarounds = list;
        struct workaround *fix = &e->workarounds[e->workaround_count - 1];
        *fix = (struct workaround){.id = row_text(&row)};
        fix->acts_on = acts_on_of(&row);
        fix->command = row_text(&row);
        fix->cost = (enum cost)row_word(&row, WORDS_COST);
        fix->effect = (enum effect)row_word(&row, WORDS_EFFECT);
    }
    for (size_t i = 0; i < e->workaround_count; i++) {
        read_rate(r, (struct list_at){"workaround", entry, i, 0},
                  &e->workarounds[i].success);
    }
}

static void read_dead_ends(struct reader *r, struct entry *e, uint32_t entry) {
    struct row row = ask_for(r, QUERY_dead_end, entry);
    void *list = NULL;
    size_t cap = 0;
    while (next_of(&row, &list, &e->dead_end_count, &cap,
                   sizeof *e->dead_ends)) {
        e->dead_ends = list;
        e->dead_ends[e->dead_end_count - 1] =
            (struct dead_end){.acts_on = acts_on_of(&row)};
    }
    for (size_t i = 0; i < e->dead_end_count; i++) {
        read_rate(r, (struct list_at){"dead_end", entry, i, 0},
                  &e->dead_ends[i].fail);
    }
}

/* ---- where it is true, and who says so ---- */

static void read_versions(struct reader *r, struct entry *e, uint32_t entry) {
    struct row row = ask_for(r, QUERY_compatibility, entry);
    void *list = NULL;
    size_t cap = 0;
    while (next_of(&row, &list, &e->version_count, &cap,
                   sizeof *e->versions)) {
        e->versions = list;
        struct compatibility *c = &e->versions[e->version_count - 1];
        *c = (struct compatibility){.range = {.product = row_text(&row)}};
        c->status = (enum range_status)row_word(&row, WORDS_RANGE_STATUS);
    }
    for (size_t i = 0; i < e->version_count; i++) {
        read_events(r, (struct list_at){"compatibility", entry, i, 0},
                    &e->versions[i].range);
    }
}

static void read_hardware(struct reader *r, struct entry *e, uint32_t entry) {
    struct row row = ask_for(r, QUERY_hardware, entry);
    void *list = NULL;
    size_t cap = 0;
    while (next_of(&row, &list, &e->hardware_count, &cap,
                   sizeof *e->hardware)) {
        e->hardware = list;
        struct hardware *h = &e->hardware[e->hardware_count - 1];
        *h = (struct hardware){.name = row_text(&row)};
        h->status = (enum range_status)row_word(&row, WORDS_RANGE_STATUS);
    }
}

static struct reference *read_references(struct reader *r, uint32_t entry,
                                         const char *field, size_t *count) {
    struct row row = ask_for(r, QUERY_reference, entry);
    row_bind_text(&row, str_of(field));
    void *list = NULL;
    struct reference *references = NULL;
    size_t cap = 0;
    while (next_of(&row, &list, count, &cap, sizeof *references)) {
        references = list;
        struct reference *reference = &references[*count - 1];
        *reference = (struct reference){.url = row_text(&row)};
        reference->seen = row_text(&row);
    }
    return references;
}

static void read_relations(struct reader *r, struct entry *e, uint32_t entry) {
    struct row row = ask_for(r, QUERY_relation, entry);
    void *list = NULL;
    size_t cap = 0;
    while (next_of(&row, &list, &e->relation_count, &cap,
                   sizeof *e->relations)) {
        e->relations = list;
        struct relation *relation = &e->relations[e->relation_count - 1];
        int kind = row_word(&row, WORDS_RELATION);
        *relation = (struct relation){.kind = (enum relation_kind)kind};
        relation->entry = row_text(&row);
    }
}

/* ---- texts and lists of strings, by their slots ---- */

static void read_texts(struct reader *r, struct entry *e, uint32_t entry) {
    struct row row = ask_for(r, QUERY_entry_text, entry);
    while (row_next(&row)) {
        enum text_slot slot;
        enum lang lang;
        bool is_named = text_slot_named(row_view(&row), &slot);
        uint32_t ordinal = row_number(&row);
        is_named = lang_named(row_view(&row), &lang) && is_named;
        struct text *text = is_named ? text_slot_of(e, slot, ordinal) : NULL;
        if (text == NULL) {
            db_damaged(r->db, "a text belongs nowhere");
        }
        text->in[lang] = row_text(&row);
    }
}

static void read_lists(struct reader *r, struct entry *e, uint32_t entry) {
    for (int slot = 0; slot < LIST_SLOT_COUNT_OF; slot++) {
        struct str_list *list;
        for (size_t i = 0;
             (list = list_slot_of(e, (enum list_slot)slot, i)) != NULL; i++) {
            struct row row = ask_for(r, QUERY_entry_list, entry);
            row_bind_text(&row, str_of(list_slot_name((enum list_slot)slot)));
            row_bind_int(&row, (int64_t)i);
            *list = read_strings(&row);
        }
    }
}

static struct entry *read_entry(struct reader *r, uint32_t number) {
    struct entry *e = arena_alloc(r->arena, sizeof *e);
    read_head(r, e, number);
    read_signatures(r, e, number);
    read_conditions(r, e, number);
    read_workarounds(r, e, number);
    read_dead_ends(r, e, number);
    read_versions(r, e, number);
    read_hardware(r, e, number);
    e->docs = read_references(r, number, "doc", &e->doc_count);
    e->evidence = read_references(r, number, "evidence", &e->evidence_count);
    read_relations(r, e, number);
    read_texts(r, e, number);
    read_lists(r, e, number);
    return e;
}

const struct entry *reader_entry(struct reader *r, uint32_t number) {
    if (r->entries == NULL) {
        r->entries = arena_array(r->arena, r->ix->entry_count,
                                 sizeof(struct entry *));
    }
    if (number >= r->ix->entry_count) {
        arena_raise(r->arena, FAIL_INDEX, "the index has no entry %u",
                    (unsigned)number);
    }
    if (r->entries[number] == NULL) {
        r->entries[number] = read_entry(r, number);
    }
    return r->entries[number];
}

const struct entry *reader_entry_by_id(struct reader *r, struct str id,
                                       uint32_t *number) {
    struct row row = reader_ask(r, QUERY_entry_number);
    row_bind_text(&row, id);
    if (!row_next(&row)) {
        return NULL;
    }
    uint32_t found = row_number(&row);
    row_done(&row);
    const struct entry *e = reader_entry(r, found);
    if (number != NULL) {
        *number = found;
    }
    return e;
}

struct group reader_group(struct reader *r, uint32_t entry_number) {
    struct row row = ask_for(r, QUERY_group, entry_number);
    uint32_t *list = NULL;
    size_t count = 0, cap = 0;
    while (row_next(&row)) {
        uint32_t number = row_number(&row);
        if (count > 0 && number <= list[count - 1]) {
            db_damaged(r->db, "a group is out of order");
        }
        list = arena_grow(r->arena, list, count, &cap, sizeof *list);
        list[count++] = number;
    }
    return (struct group){list, count};
}
