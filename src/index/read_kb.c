/* read_kb.c: engines, programs and causes by number and by id, and the ranking
 * numbers. A report reads its own engine, those whose patterns have matched,
 * and the causes of the selected entries. */
#include "index/read.h"

size_t reader_engine_count(struct reader *r) {
    return reader_count(r, SECTION_ENGINE);
}

const struct engine *reader_engine(struct reader *r, uint32_t number) {
    return reader_noun(r, SECTION_ENGINE, number, &shape_engine);
}

size_t reader_everywhere_count(struct reader *r) {
    return reader_count(r, SECTION_EVERYWHERE);
}

const struct engine *reader_everywhere(struct reader *r, uint32_t i) {
    return reader_noun(r, SECTION_EVERYWHERE, i, &shape_engine);
}

const struct engine *reader_engine_by_id(struct reader *r, struct str id) {
    uint32_t number;
    return reader_number(r, SECTION_ENGINE_ID, id, &number)
               ? reader_engine(r, number) : NULL;
}

const struct cause *reader_cause(struct reader *r, struct str id) {
    uint32_t number;
    return reader_number(r, SECTION_CAUSE_ID, id, &number)
               ? reader_noun(r, SECTION_CAUSE, number, &shape_cause) : NULL;
}

size_t reader_rule_count(const struct reader *r) {
    return reader_count(r, SECTION_RULE);
}

const struct lint_rule *reader_rule(struct reader *r, uint32_t number) {
    return reader_noun(r, SECTION_RULE, number, &shape_lint_rule);
}

const struct program *reader_program(struct reader *r, struct str id) {
    uint32_t number;
    return reader_number(r, SECTION_PROGRAM_ID, id, &number)
               ? reader_noun(r, SECTION_PROGRAM, number, &shape_program) : NULL;
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

const struct ranking *reader_ranking(struct reader *r) {
    struct ranking *ranking = reader_cached(r, SECTION_RANKING, 0);
    if (ranking == NULL) {
        struct record record = reader_record(r, SECTION_RANKING, 0);
        ranking = arena_alloc(r->arena, sizeof *ranking);
        codec_ranking(&record, ranking);
        record_end(&record);
        reader_cache_add(r, SECTION_RANKING, 0, ranking);
    }
    return ranking;
}
