/* stream.h: numbers of streams. A number does not change. */
#ifndef LOG_STREAM_H
#define LOG_STREAM_H

#include "log/log.h"

struct stream_table;

static inline struct stream stream_none(void) {
    return (struct stream){.rank = -1, .pid = -1};
}
bool stream_is_same(const struct stream *a, const struct stream *b);
/* Copies what is known of `with` to `who`. */
void stream_merge(struct stream *who, const struct stream *with);
struct stream_table *stream_table_new(struct arena *a);
/* The number of this stream. A new stream is added, with copies of its texts.
 */
uint32_t stream_find(struct stream_table *t, const struct stream *s);
const struct stream *stream_all(const struct stream_table *t); /* by number */
size_t stream_count(const struct stream_table *t);

#endif
