/* read_engine.c: engines. There are a few dozen; a report reads its own one and
 * those whose patterns have hit. */
#include "index/read.h"

size_t reader_engine_count(struct reader *r) {
    return reader_count(r, SHELF_ENGINE);
}

const struct engine *reader_engine(struct reader *r, uint32_t number) {
    struct engine *e = reader_kept(r, SHELF_ENGINE, number);
    if (e == NULL) {
        struct record record = reader_record(r, SHELF_ENGINE, number);
        e = arena_alloc(r->arena, sizeof *e);
        walk_shape(&record, &shape_engine, e);
        record_end(&record);
        reader_keep(r, SHELF_ENGINE, number, e);
    }
    return e;
}

const struct engine *reader_engine_by_id(struct reader *r, struct str id) {
    uint32_t number;
    return reader_number(r, SHELF_ENGINE_ID, id, &number)
               ? reader_engine(r, number) : NULL;
}
