/* reader.c: the connection of one report, and the small questions.
 *
 * It is opened at the first question and belongs to the report's arena, as
 * does every answer; what was read once is not read again. Whatever SQLite
 * finds wrong with the image is raised.
 */
#include "index/patterns.h"
#include "index/read.h"
#include "index/slots.h"

static const char *const queries[] = {
#define X(name, sql) sql,
    QUERIES(X)
#undef X
};

struct db *read_open(struct arena *a, struct str image) {
    struct db *db = db_open(a, queries, QUERY_COUNT_OF);
    db_view(db, image);
    return db;
}

struct reader *reader_new(const struct index *ix, struct arena *a) {
    struct reader *r = arena_alloc(a, sizeof *r);
    r->ix = ix;
    r->arena = a;
    return r;
}

struct row reader_ask(struct reader *r, enum query query) {
    if (r->db == NULL) {
        r->db = read_open(r->arena, r->ix->image);
    }
    return row_of(r->db, (int)query);
}

/* ---- lists ---- */

struct str_list read_strings(struct row *bound) {
    struct str_list list = {NULL, 0};
    size_t cap = 0;
    while (row_next(bound)) {
        row_expect(bound, list.count);
        list.at = arena_grow(bound->db->arena, list.at, list.count, &cap,
                             sizeof *list.at);
        list.at[list.count++] = row_text(bound);
    }
    return list;
}

void read_events(struct reader *r, struct list_at at,
                 struct version_range *range) {
    struct row row = reader_ask(r, QUERY_event);
    row_bind_text(&row, str_of(at.owner));
    row_bind_int(&row, (int64_t)at.number);
    row_bind_int(&row, (int64_t)at.ordinal);
    row_bind_int(&row, (int64_t)at.item);
    size_t cap = 0;
    while (row_next(&row)) {
        row_expect(&row, range->event_count);
        range->events = arena_grow(r->arena, range->events, range->event_count,
                                   &cap, sizeof *range->events);
        struct version_event *event = &range->events[range->event_count++];
        event->is_fixed = row_bool(&row);
        event->version = row_text(&row);
    }
}

struct setting *read_settings(struct reader *r, struct list_at at,
                              size_t *count) {
    struct row row = reader_ask(r, QUERY_setting);
    row_bind_text(&row, str_of(at.owner));
    row_bind_int(&row, (int64_t)at.number);
    row_bind_int(&row, (int64_t)at.ordinal);
    struct setting *list = NULL;
    size_t cap = 0;
    for (*count = 0; row_next(&row); ++*count) {
        row_expect(&row, *count);
        list = arena_grow(r->arena, list, *count, &cap, sizeof *list);
        list[*count].name = row_fact(&row);
        list[*count].value = row_text(&row);
    }
    return list;
}

/* ---- patterns ---- */

static struct str_list extracts_of(struct reader *r, const struct pattern *p) {
    struct row row = reader_ask(r, QUERY_entry_list);
    row_bind_int(&row, p->owner);
    row_bind_text(&row, str_of(list_slot_name(LIST_SLOT_extract)));
    row_bind_int(&row, p->ordinal);
    return read_strings(&row);
}

static struct pattern *read_pattern(struct reader *r, uint32_t id) {
    struct row row = reader_ask(r, QUERY_pattern);
    row_bind_int(&row, id);
    if (!row_next(&row)) {
        db_damaged(r->db, "a pattern is missing");
    }
    struct pattern *p = arena_alloc(r->arena, sizeof *p);
    p->id = id;
    if (!pattern_kind_named(row_view(&row), &p->kind)) {
        db_damaged(r->db, "a pattern is of no kind");
    }
    p->owner = row_number(&row);
    p->ordinal = row_number(&row);
    p->is_weak = row_bool(&row);
    p->text = row_text(&row);
    row_done(&row);
    if (p->kind == PATTERN_SIGNATURE) {
        p->extract = extracts_of(r, p);
    }
    return p;
}

const struct pattern *reader_pattern(struct reader *r, uint32_t id) {
    if (r->patterns == NULL) {
        r->patterns = arena_array(r->arena, r->ix->pattern_count,
                                  sizeof(struct pattern *));
    }
    if (id >= r->ix->pattern_count) {
        arena_raise(r->arena, FAIL_INDEX, "the index has no pattern %u",
                    (unsigned)id);
    }
    if (r->patterns[id] == NULL) {
        r->patterns[id] = read_pattern(r, id);
    }
    return r->patterns[id];
}

static uint32_t pattern_of(struct reader *r, enum query query, uint32_t entry,
                           size_t ordinal) {
    struct row row = reader_ask(r, query);
    row_bind_int(&row, entry);
    row_bind_int(&row, (int64_t)ordinal);
    if (!row_next(&row)) {
        db_damaged(r->db, "a pattern of an entry is missing");
    }
    uint32_t id = row_number(&row);
    row_done(&row);
    return id;
}

uint32_t reader_condition_pattern(struct reader *r, uint32_t entry_number,
                                  size_t ordinal) {
    return pattern_of(r, QUERY_condition_pattern, entry_number, ordinal);
}

uint32_t reader_signature_pattern(struct reader *r, uint32_t entry_number,
                                  size_t ordinal) {
    return pattern_of(r, QUERY_signature_pattern, entry_number, ordinal);
}

/* ---- words and counts ---- */

struct str reader_component_fold(struct reader *r, struct str component) {
    struct row row = reader_ask(r, QUERY_component);
    row_bind_text(&row, component);
    struct str fold = component;
    if (row_next(&row)) {
        struct str into = row_text(&row);
        fold = into.n > 0 ? into : component;
        row_done(&row);
    }
    return fold;
}

struct str reader_message(struct reader *r, enum lang lang, struct str key) {
    struct row row = reader_ask(r, QUERY_message);
    row_bind_text(&row, key);
    row_bind_text(&row, str_of(lang_name(lang)));
    struct str text = {NULL, 0};
    if (row_next(&row)) {
        text = row_text(&row);
        row_done(&row);
    }
    return text;
}

struct pooled reader_pooled(struct reader *r, enum mechanism m,
                            const struct acts_on *what) {
    struct row row = reader_ask(r, QUERY_pooled);
    bool has_flag = what->flag.n > 0;
    row_bind_word(&row, WORDS_MECHANISM, (int)m);
    row_bind_text(&row, what->flag);
    row_bind_word(&row, WORDS_CHANGE,
                  has_flag ? (int)what->change : (int)CHANGE_none);
    row_bind_word(&row, WORDS_ACT_KIND,
                  has_flag ? (int)ACT_KIND_none : (int)what->kind);
    struct pooled pooled = {0, 0};
    if (row_next(&row)) {
        pooled.worked = row_count(&row);
        pooled.tried = row_count(&row);
        row_done(&row);
    }
    return pooled;
}

/* ---- predicates ---- */

struct verdict_when reader_when(struct reader *r, struct str predicate,
                                const struct fact_list *facts) {
    if (r->when == NULL) {
        r->when = when_new(r->arena);
    }
    return when_evaluate(r->when, predicate, facts);
}
