/* record.h: a struct as bytes and back, by one function for both directions.
 *
 *     codec_shape(writing, ...)    fields -> bytes, appended
 *     codec_shape(reading, ...)    bytes -> fields
 *
 * Each record_...() gets a field: a writing record appends its value, a reading
 * record fills it in. So both directions are one list of fields. Numbers are
 * varints; a string is its length, its bytes and a NUL. A string that was read
 * is a view of the record; lists are in the arena.
 *
 * Bytes are not trusted: each read is bounded by the record, a list has no more
 * elements than bytes are left, a word must be one of its vocabulary. Otherwise
 * FAIL_INDEX is raised. */
#ifndef INDEX_RECORD_H
#define INDEX_RECORD_H

#include "base/arena.h"
#include "base/buf.h"
#include "corpus/entry.h"

struct record {
    struct arena *arena;
    struct buf *out; /* writing; NULL: reading */
    const unsigned char *at, *end; /* reading: what is left */
};

struct record record_reading(struct arena *a, struct str bytes);
struct record record_writing(struct arena *a, struct buf *out);
/* Raises if bytes are left after reading. */
void record_end(const struct record *r);
_Noreturn void record_damaged(const struct record *r, const char *what);

void record_int(struct record *r, int64_t *n);
void record_count(struct record *r, int64_t *n); /* 0 to 1 << 56 */
void record_number(struct record *r, uint32_t *n);
void record_bool(struct record *r, bool *is);
/* A number below count, for enums. Returns it. */
int record_word(struct record *r, int word, int count);
void record_str(struct record *r, struct str *s);
void record_text(struct record *r, struct text *text);
void record_strings(struct record *r, struct str_list *list);
/* The length of a list of elements of that size. Returns the list; when reading
 * it is new and zeroed. */
void *record_list(struct record *r, void *list, size_t *count, size_t size);

#endif
