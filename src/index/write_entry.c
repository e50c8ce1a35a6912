/* write_entry.c: one entry and all rows that belong to it. Texts and lists go
 * by the table of its fields; everything else has a function per table. */
#include "corpus/fields.h"
#include "index/write.h"

/* A row that begins with the entry and its place in a list. */
static struct row row_at(struct writer *w, enum insert into, size_t entry,
                         size_t ordinal) {
    struct row row = row_of(w->db, (int)into);
    row_bind_int(&row, (int64_t)entry);
    row_bind_int(&row, (int64_t)ordinal);
    return row;
}

static void write_head(struct writer *w, const struct entry *e,
                       size_t number) {
    struct row row = row_of(w->db, INSERT_entry);
    row_bind_int(&row, (int64_t)number);
    row_bind_text(&row, e->id);
    row_bind_text(&row, e->component);
    row_bind_word(&row, WORDS_MECHANISM, (int)e->mechanism);
    row_bind_word(&row, WORDS_SEVERITY, (int)e->severity);
    row_bind_word(&row, WORDS_ROLE, (int)e->role);
    row_bind_text(&row, e->same_words_as);
    row_bind_text(&row, e->first_seen);
    row_bind_text(&row, e->last_verified);
    row_bind_text(&row, e->provenance.source);
    row_bind_text(&row, e->provenance.verification);
    row_bind_int(&row, e->provenance.confidence_micro);
    row_bind_int(&row, e->provenance.fix_rate_micro);
    row_bind_int(&row, e->provenance.evidence_count);
    row_write(&row);
}

/* ---- texts and lists ---- */

struct writing {
    struct writer *w;
    size_t entry;
};

static void write_text(const struct writing *to, const char *path,
                       size_t ordinal, const struct text *text) {
    for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
        if (text->in[lang].n == 0) {
            continue;
        }
        struct row row = row_of(to->w->db, INSERT_entry_text);
        row_bind_int(&row, (int64_t)to->entry);
        row_bind_text(&row, str_of(path));
        row_bind_int(&row, (int64_t)ordinal);
        row_bind_text(&row, str_of(lang_name((enum lang)lang)));
        row_bind_text(&row, text->in[lang]);
        row_write(&row);
    }
}

static void write_list(const struct writing *to, const char *path,
                       size_t ordinal, const struct str_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        struct row row = row_of(to->w->db, INSERT_entry_list);
        row_bind_int(&row, (int64_t)to->entry);
        row_bind_text(&row, str_of(path));
        row_bind_int(&row, (int64_t)ordinal);
        row_bind_int(&row, (int64_t)i);
        row_bind_text(&row, list->at[i]);
        row_write(&row);
    }
}

static void write_value(void *ctx, const struct field *f, const char *path,
                        size_t ordinal, const void *value) {
    const struct writing *to = ctx;
    bool is_list = f->type == FIELD_PATTERNS || f->type == FIELD_LINES ||
                   f->type == FIELD_LINKS || f->type == FIELD_WHEN ||
                   f->type == FIELD_ENTRIES;
    if (f->type == FIELD_TEXT) {
        write_text(to, path, ordinal, value);
    } else if (is_list) {
        write_list(to, path, ordinal, value);
    }
}

static void write_signature(struct writer *w, const struct signature *s,
                            size_t entry, size_t ordinal) {
    struct row row = row_at(w, INSERT_signature, entry, ordinal);
    row_bind_text(&row, s->id);
    row_bind_int(&row, w->next_pattern++);
    row_bind_text(&row, s->sample);
    row_write(&row);
    struct place at = {"signature", entry, ordinal, 0};
    for (; at.item < s->version_count; at.item++) {
        row = row_at(w, INSERT_signature_version, entry, ordinal);
        row_bind_int(&row, (int64_t)at.item);
        row_bind_text(&row, s->versions[at.item].product);
        row_write(&row);
        write_events(w, at, &s->versions[at.item]);
    }
    write_settings(w, at, s->set, s->set_count);
}

static void write_selection(struct writer *w, const struct entry *e,
                            size_t entry) {
    for (size_t i = 0; i < e->signature_count; i++) {
        write_signature(w, &e->signatures[i], entry, i);
    }
    for (size_t i = 0; i < e->condition_count; i++) {
        struct row row = row_at(w, INSERT_condition, entry, i);
        row_bind_int(&row, w->next_pattern++);
        row_bind_word(&row, WORDS_SCOPE, (int)e->conditions[i].scope);
        row_bind_int(&row, e->conditions[i].is_none_of);
        row_write(&row);
    }
}

static void write_rate(struct writer *w, const struct rate *rate,
                       struct place at) {
    struct row row = row_of(w->db, INSERT_rate);
    row_bind_int(&row, (int64_t)at.number);
    row_bind_text(&row, str_of(at.owner));
    row_bind_int(&row, (int64_t)at.ordinal);
    row_bind_word(&row, WORDS_BASIS, (int)rate->basis);
    row_bind_int(&row, rate->worked);
    row_bind_int(&row, rate->tried);
    row_bind_int(&row, rate->maintainers_worked);
    row_bind_int(&row, rate->maintainers_tried);
    row_bind_int(&row, rate->rate_micro);
    row_bind_text(&row, rate->source);
    row_write(&row);
}

static void bind_acts_on(struct row *row, const struct acts_on *acts_on) {
    row_bind_text(row, acts_on->flag);
    row_bind_word(row, WORDS_CHANGE, (int)acts_on->change);
    row_bind_word(row, WORDS_ACT_KIND, (int)acts_on->kind);
}

static void write_cures(struct writer *w, const struct workaround *fix,
                        size_t entry, size_t ordinal) {
    for (size_t i = 0; i < fix->cure_count; i++) {
        struct row row = row_at(w, INSERT_cure, entry, ordinal);
        row_bind_int(&row, (int64_t)i);
        row_bind_text(&row, fix->cures[i].cause);
        row_bind_word(&row, WORDS_STRENGTH, (int)fix->cures[i].strength);
        row_write(&row);
    }
}

static void write_shares(struct writer *w, const struct entry *e,
                         size_t entry) {
    for (size_t i = 0; i < e->cause_count; i++) {
        struct row row = row_at(w, INSERT_entry_cause, entry, i);
        row_bind_text(&row, e->causes[i].cause);
        row_bind_int(&row, e->causes[i].share_micro);
        row_write(&row);
    }
}

static void write_advice(struct writer *w, const struct entry *e,
                         size_t entry) {
    for (size_t i = 0; i < e->workaround_count; i++) {
        const struct workaround *fix = &e->workarounds[i];
        struct row row = row_at(w, INSERT_workaround, entry, i);
        row_bind_text(&row, fix->id);
        bind_acts_on(&row, &fix->acts_on);
        row_bind_text(&row, fix->command);
        row_bind_word(&row, WORDS_EFFECT, (int)fix->effect);
        row_bind_word(&row, WORDS_EFFORT, (int)fix->effort);
        row_bind_word(&row, WORDS_LOSES, (int)fix->loses);
        row_bind_word(&row, WORDS_FREES, (int)fix->frees);
        row_bind_text(&row, fix->use);
        row_write(&row);
        write_cures(w, fix, entry, i);
        write_rate(w, &fix->success, (struct place){"workaround", entry, i, 0});
    }
    for (size_t i = 0; i < e->dead_end_count; i++) {
        struct row row = row_at(w, INSERT_dead_end, entry, i);
        bind_acts_on(&row, &e->dead_ends[i].acts_on);
        row_write(&row);
        write_rate(w, &e->dead_ends[i].fail,
                   (struct place){"dead_end", entry, i, 0});
    }
}

static void write_references(struct writer *w, size_t entry, const char *field,
                             const struct reference *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct row row = row_of(w->db, INSERT_reference);
        row_bind_int(&row, (int64_t)entry);
        row_bind_text(&row, str_of(field));
        row_bind_int(&row, (int64_t)i);
        row_bind_text(&row, list[i].url);
        row_bind_text(&row, list[i].seen);
        row_write(&row);
    }
}

static void write_truth(struct writer *w, const struct entry *e,
                        size_t entry) {
    for (size_t i = 0; i < e->version_count; i++) {
        struct row row = row_at(w, INSERT_compatibility, entry, i);
        row_bind_text(&row, e->versions[i].range.product);
        row_bind_word(&row, WORDS_RANGE_STATUS, (int)e->versions[i].status);
        row_write(&row);
        write_events(w, (struct place){"compatibility", entry, i, 0},
                     &e->versions[i].range);
    }
    for (size_t i = 0; i < e->hardware_count; i++) {
        struct row row = row_at(w, INSERT_hardware, entry, i);
        row_bind_text(&row, e->hardware[i].name);
        row_bind_word(&row, WORDS_RANGE_STATUS, (int)e->hardware[i].status);
        row_write(&row);
    }
    write_references(w, entry, "doc", e->docs, e->doc_count);
    write_references(w, entry, "evidence", e->evidence, e->evidence_count);
    for (size_t i = 0; i < e->relation_count; i++) {
        struct row row = row_at(w, INSERT_relation, entry, i);
        row_bind_word(&row, WORDS_RELATION, (int)e->relations[i].kind);
        row_bind_text(&row, e->relations[i].entry);
        row_write(&row);
    }
}

void write_entry(struct writer *w, struct entry *e, size_t number) {
    write_head(w, e, number);
    shape_visit(&shape_entry, e, write_value, &(struct writing){w, number});
    write_selection(w, e, number);
    write_advice(w, e, number);
    write_truth(w, e, number);
    write_shares(w, e, number);
}
