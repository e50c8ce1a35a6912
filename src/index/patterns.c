/* patterns.c: the pattern set of a corpus, in the order of ids: each entry's
 * signatures, then its conditions; after all entries each engine's contexts,
 * then its stage anchors. write_pack.c counts in the same order, so an id is
 * computed and never searched for. */
#include "index/index.h"

struct set {
    struct arena *arena;
    struct pattern_list list;
    size_t cap;
};

static struct pattern *add(struct set *set, enum pattern_kind kind,
                           size_t owner, size_t ordinal) {
    struct pattern_list *list = &set->list;
    if (list->count == UINT32_MAX || owner > UINT32_MAX)
        arena_raise(set->arena, FAIL_CEILING,
                    "more patterns than 32 bits hold");
    list->at = arena_grow(set->arena, list->at, list->count, &set->cap,
                          sizeof *list->at);
    struct pattern *p = &list->at[list->count];
    *p = (struct pattern){.id = (uint32_t)list->count,
                          .kind = kind,
                          .owner = (uint32_t)owner,
                          .ordinal = (uint32_t)ordinal};
    list->count++;
    return p;
}

static void add_entry(struct set *set, const struct entry *e, size_t number) {
    for (size_t i = 0; i < e->signature_count; i++) {
        struct pattern *p = add(set, PATTERN_SIGNATURE, number, i);
        p->text = e->signatures[i].pattern;
        p->is_weak = e->signatures[i].is_weak;
        p->is_prose = e->signatures[i].is_prose;
        p->is_failure = e->severity == SEVERITY_failure &&
                        !p->is_weak && !p->is_prose;
        p->extract = e->signatures[i].extract;
    }
    for (size_t i = 0; i < e->condition_count; i++) {
        struct pattern *p = add(set, PATTERN_CONDITION, number, i);
        p->text = e->conditions[i].pattern;
        p->is_weak = e->conditions[i].is_weak;
    }
}

static void add_engine(struct set *set, const struct engine *e, size_t number) {
    for (size_t i = 0; i < e->context_count; i++) {
        struct pattern *p = add(set, PATTERN_CONTEXT, number, i);
        p->text = e->contexts[i].pattern;
        p->extract = e->contexts[i].extract;
        p->context = &e->contexts[i];
    }
    for (size_t i = 0; i < e->stage_count; i++) {
        struct pattern *p = add(set, PATTERN_STAGE, number, i);
        p->text = e->stages[i].pattern;
        p->is_weak = e->stages[i].is_weak;
    }
}

struct pattern_list corpus_patterns(struct arena *a, const struct corpus *c) {
    struct set set = {.arena = a};
    for (size_t i = 0; i < c->entry_count; i++)
        add_entry(&set, &c->entries[i], i);
    for (size_t i = 0; i < c->engine_count; i++)
        add_engine(&set, &c->engines[i], i);
    return set.list;
}
