/* write.h: shared by the files that write an index. Private to index/. */
#ifndef INDEX_WRITE_H
#define INDEX_WRITE_H

#include "index/db.h"
#include "index/index.h"
#include "index/pack.h"

struct writer {
    struct db *db;
    struct pack_draft *pack;
};

void write_search(struct writer *w, const struct corpus *c);
/* SECTION_CODE: the compiled patterns. js/recode.c writes it anew. */
void write_code(struct pack_draft *draft, const struct pattern_list *set);
/* Reads groups and pooled rates from the tables, which must be written
 * first. */
void write_pack(struct writer *w, const struct corpus *c,
                const struct pattern_list *set);

#endif
