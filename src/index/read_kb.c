/* read_kb.c: engines, programs, causes and components by number and by id, and
 * the ranking numbers. A report reads its own engine, those whose patterns have
 * matched, and the causes of the selected entries. */
#include "index/read.h"

#include <string.h>

size_t reader_engine_count(struct reader *r) {
    return reader_count(r, SECTION_ENGINE);
}

/* e: what was read, or NULL. */
static const struct engine *indexed(struct reader *r, struct engine *e) {
    if (e != NULL && e->spellings == NULL)
        engine_index(r->arena, e);
    return e;
}

const struct engine *reader_engine(struct reader *r, uint32_t number) {
    return indexed(r, reader_noun(r, SECTION_ENGINE, number, &shape_engine));
}

/* Record i of a section whose records are numbers. */
static uint32_t number_at(struct reader *r, enum section section, uint32_t i) {
    uint32_t number;
    struct record record = reader_record(r, section, i);
    record_number(&record, &number);
    record_end(&record);
    return number;
}

size_t reader_everywhere_count(struct reader *r) {
    return reader_count(r, SECTION_EVERYWHERE);
}

const struct engine *reader_everywhere(struct reader *r, uint32_t i) {
    return reader_engine(r, number_at(r, SECTION_EVERYWHERE, i));
}

size_t reader_naming_count(struct reader *r) {
    return reader_count(r, SECTION_NAMING);
}

const struct pattern *reader_naming(struct reader *r, uint32_t i) {
    return reader_pattern(r, number_at(r, SECTION_NAMING, i));
}

const struct engine *reader_engine_by_id(struct reader *r, struct str id) {
    return indexed(r, reader_noun_by_id(r, SECTION_ENGINE, id, &shape_engine));
}

const struct cause *reader_cause(struct reader *r, struct str id) {
    return reader_noun_by_id(r, SECTION_CAUSE, id, &shape_cause);
}

size_t reader_rule_count(const struct reader *r) {
    return reader_count(r, SECTION_RULE);
}

const struct lint_rule *reader_rule(struct reader *r, uint32_t number) {
    return reader_noun(r, SECTION_RULE, number, &shape_lint_rule);
}

const struct program *reader_program(struct reader *r, struct str id) {
    return reader_noun_by_id(r, SECTION_PROGRAM, id, &shape_program);
}

bool reader_has_lever(struct reader *r, struct str lever) {
    for (size_t i = 0; i < reader_count(r, SECTION_PROGRAM); i++) {
        const struct program *p =
            reader_noun(r, SECTION_PROGRAM, (uint32_t)i, &shape_program);
        for (size_t k = 0; k < p->lever_count; k++)
            if (str_eq(p->levers[k].id, lever))
                return true;
    }
    return false;
}

static void read_ranking(struct record *record, const struct part *p,
                         const struct shape *shape, void *out) {
    (void)p;
    (void)shape;
    codec_ranking(record, out);
}

const struct ranking *reader_ranking(struct reader *r) {
    return reader_get(r, SECTION_RANKING, 0, read_ranking, NULL,
                      sizeof(struct ranking));
}

/* ---- components ---- */

/* Component i of one index. */
static struct component component_at(struct reader *r, const struct index *ix,
                                     uint32_t i) {
    struct component c;
    struct record record = pack_record(&ix->pack, r->arena, SECTION_COMPONENT,
                                       i);
    memset(&c, 0, sizeof c);
    codec_shape(&record, &shape_component, &c);
    record_end(&record);
    return c;
}

bool reader_component(struct reader *r, struct str id, struct component *c) {
    uint32_t number;
    const struct component *first =
        reader_noun_by_id(r, SECTION_COMPONENT, id, &shape_component);
    if (first != NULL) {
        *c = *first;
        return true;
    }
    for (const struct index *ix = r->ix->next; ix != NULL; ix = ix->next)
        if (pack_find(&ix->pack, r->arena, SECTION_COMPONENT, id, &number)) {
            *c = component_at(r, ix, number);
            return true;
        }
    return false;
}

struct str reader_component_fold(struct reader *r, struct str component) {
    struct component c;
    return reader_component(r, component, &c) && c.folds_into.n > 0
               ? c.folds_into
               : component;
}

bool reader_component_known(struct reader *r, struct str component) {
    struct component c;
    if (reader_component(r, component, &c))
        return true;
    for (uint32_t i = 0; i < reader_count(r, SECTION_ENTRY); i++)
        if (str_eq(reader_entry_head(r, i)->component, component))
            return true;
    return false;
}

static int64_t entries_in(struct reader *r, struct str component) {
    int64_t count = 0;
    for (uint32_t i = 0; i < reader_count(r, SECTION_ENTRY); i++)
        count += str_eq(reader_entry_head(r, i)->component, component);
    return count;
}

static bool is_listed(const struct component_list *list, struct str id) {
    for (size_t i = 0; i < list->count; i++)
        if (str_eq(list->at[i].id, id))
            return true;
    return false;
}

struct component_list reader_components(struct reader *r) {
    struct component_list list = {NULL, 0};
    size_t cap = 0;
    for (const struct index *ix = r->ix; ix != NULL; ix = ix->next) {
        for (uint32_t i = 0; i < ix->pack.sections[SECTION_COMPONENT].count;
             i++) {
            struct component c = component_at(r, ix, i);
            if (!is_listed(&list, c.id))
                *ARENA_ADD(r->arena, list.at, list.count, cap) =
                    (struct component_row){c.id, c.name, c.folds_into,
                                           entries_in(r, c.id)};
        }
    }
    return list;
}
