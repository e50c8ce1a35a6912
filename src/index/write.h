/* write.h: shared by the files that write an index. Private to index/. */
#ifndef INDEX_WRITE_H
#define INDEX_WRITE_H

#include "base/json.h"
#include "corpus/fields.h"
#include "index/db.h"
#include "index/index.h"
#include "index/pack.h"

/* The lists of a corpus, but for its entries: each is a section of the pack and
 * a table. */
struct nouns {
    const char *at; /* structs of the shape */
    size_t count;
};
struct noun_list {
    const char *name; /* of the table */
    const struct shape *shape;
    enum section section;
    size_t at, count_at; /* members of struct corpus */
};
#define NOUN_LISTS 8
extern const struct noun_list noun_lists[NOUN_LISTS];
struct nouns nouns_of(const struct corpus *c, const struct noun_list *list);
/* Its first field. */
struct str noun_id(const struct shape *shape, const void *noun);
struct json *noun_json(struct arena *a, const struct shape *shape,
                       const void *noun);

void write_search(struct db *db, const struct corpus *c);
/* SECTION_CODE: the compiled patterns. js/recode.c writes it anew. */
void write_code(struct pack_draft *draft, const struct pattern_list *set);

#endif
