/* stream.h: who printed a line, as a small number that stays. */
#ifndef LOG_STREAM_H
#define LOG_STREAM_H

#include "log/log.h"

struct stream_table;

struct stream stream_none(void);
bool stream_is_same(const struct stream *a, const struct stream *b);
/* What the second says of itself holds for the first, too. */
void stream_merge(struct stream *who, const struct stream *with);
struct stream_table *stream_table_new(struct arena *a);
/* The id of this stream, a new one if need be. Its texts are copied. */
uint32_t stream_find(struct stream_table *t, const struct stream *s);
const struct stream *stream_at(const struct stream_table *t, uint32_t id);
size_t stream_count(const struct stream_table *t);

#endif
