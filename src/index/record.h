/* record.h: a noun as bytes and back, by one walk over its fields.
 *
 *     walk_engine(writing, e)    fields -> bytes, behind what is there
 *     walk_engine(reading, e)    bytes -> fields
 *
 * Each record_...() takes the place of a field: writing, it appends what stands
 * there; reading, it fills it in. So what is written is what is read, in one
 * list. Numbers are variable-length, strings their length, bytes and a NUL; a
 * string that was read is a view of the record, lists are the arena's.
 *
 * Bytes are not trusted: each read is bounded by the record, a list has no more
 * elements than bytes are left, a word is one of its vocabulary. What is not so
 * raises FAIL_INDEX. */
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
/* Raises when reading left something over. */
void record_end(const struct record *r);
_Noreturn void record_damaged(const struct record *r, const char *what);

void record_int(struct record *r, int64_t *n);
void record_count(struct record *r, int64_t *n); /* 0 to 1 << 56 */
void record_number(struct record *r, uint32_t *n);
void record_bool(struct record *r, bool *is);
/* One of count words; returns it. */
int record_word(struct record *r, int word, int count);
enum fact_name record_fact(struct record *r, enum fact_name name);
void record_str(struct record *r, struct str *s);
void record_text(struct record *r, struct text *text);
void record_strings(struct record *r, struct str_list *list);
/* The length of a list of such elements; returns the list, when reading with
 * room for them, zeroed. */
void *record_list(struct record *r, void *list, size_t *count, size_t size);

#endif
