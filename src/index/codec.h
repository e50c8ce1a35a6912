/* codec.h: the structs of the corpus as records, field by field in the order of
 * corpus/fields.h. Each function writes or reads, as its record does. */
#ifndef INDEX_CODEC_H
#define INDEX_CODEC_H

#include "corpus/fields.h"
#include "index/index.h"
#include "index/record.h"

/* An entry: the fields with is_head, then the others. */
void codec_entry_head(struct record *r, struct entry *e);
void codec_entry_rest(struct record *r, struct entry *e);
/* All but its id, which is the record's number. */
void codec_pattern(struct record *r, struct pattern *p);
/* An engine, a model, a GPU, a cause ... */
void codec_shape(struct record *r, const struct shape *shape, void *noun);
void codec_ranking(struct record *r, struct ranking *ranking);

#endif
