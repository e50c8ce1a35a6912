/* read_cause.c: causes, by id, and the numbers that rank. A report reads the
 * causes of the entries that speak. */
#include "index/read.h"

size_t reader_cause_count(const struct reader *r) {
    return reader_count(r, SHELF_CAUSE);
}

const struct cause *reader_cause_numbered(struct reader *r, uint32_t number) {
    struct cause *c = reader_kept(r, SHELF_CAUSE, number);
    if (c == NULL) {
        struct record record = reader_record(r, SHELF_CAUSE, number);
        c = arena_alloc(r->arena, sizeof *c);
        walk_shape(&record, &shape_cause, c);
        record_end(&record);
        reader_keep(r, SHELF_CAUSE, number, c);
    }
    return c;
}

const struct cause *reader_cause(struct reader *r, struct str id) {
    uint32_t number;
    return reader_number(r, SHELF_CAUSE_ID, id, &number)
               ? reader_cause_numbered(r, number) : NULL;
}

const struct ranking *reader_ranking(struct reader *r) {
    struct ranking *ranking = reader_kept(r, SHELF_RANKING, 0);
    if (ranking == NULL) {
        struct record record = reader_record(r, SHELF_RANKING, 0);
        ranking = arena_alloc(r->arena, sizeof *ranking);
        walk_ranking(&record, ranking);
        record_end(&record);
        reader_keep(r, SHELF_RANKING, 0, ranking);
    }
    return ranking;
}
