/* write.h: what the files that write an index share. */
#ifndef INDEX_WRITE_H
#define INDEX_WRITE_H

#include "index/db.h"
#include "index/index.h"
#include "index/pack.h"

struct writer {
    struct db *db;
    struct pack_draft *pack;
};

/* precomputed.c: the predicates of a corpus, as far as they are answered. */
void write_precomputed(struct pack_draft *pack, struct arena *a,
                    const struct corpus *c);
void write_search(struct writer *w, const struct corpus *c);
/* After the tables: what SQL makes of them is read back. */
void write_pack(struct writer *w, const struct corpus *c,
                const struct pattern_list *set);

#endif
