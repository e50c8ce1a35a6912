/* record.c: encoding of fields. A number is a varint: seven bits a byte, lowest
 * first, the eighth bit set if more follow. Signed numbers are zigzag-encoded,
 * so that -1 (an unknown rate) is one byte, too. */
#include "index/record.h"

#include "base/limits.h"

struct record record_reading(struct arena *a, struct str bytes) {
    const unsigned char *at = (const unsigned char *)bytes.p;
    return (struct record){
        .arena = a, .at = at, .end = bytes.n > 0 ? at + bytes.n : at};
}

struct record record_writing(struct arena *a, struct buf *out) {
    return (struct record){.arena = a, .out = out};
}

void record_damaged(const struct record *r, const char *what) {
    arena_raise(r->arena, FAIL_INDEX,
                "the index is damaged (%s); build or install it anew", what);
}

void record_end(const struct record *r) {
    if (r->at != r->end)
        record_damaged(r, "a record is too long");
}

/* ---- numbers ---- */

static void put_size(struct record *r, uint64_t n) {
    char bytes[10];
    size_t count = 0;
    for (; n >= 0x80; n >>= 7)
        bytes[count++] = (char)(n | 0x80);
    bytes[count++] = (char)n;
    buf_add(r->out, (struct str){bytes, count});
}

static uint64_t get_long_size(struct record *r) {
    uint64_t n = 0;
    for (unsigned shift = 0; shift < 64 && r->at < r->end; shift += 7) {
        unsigned char byte = *r->at++;
        n |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return n;
    }
    record_damaged(r, "a number has no end");
}

/* Nearly all are one byte. */
static inline uint64_t get_size(struct record *r) {
    return r->at < r->end && *r->at < 0x80 ? *r->at++ : get_long_size(r);
}

void record_int(struct record *r, int64_t *n) {
    if (r->out != NULL) {
        uint64_t sign = *n < 0 ? UINT64_MAX : 0;
        put_size(r, ((uint64_t)*n << 1) ^ sign);
        return;
    }
    uint64_t folded = get_size(r);
    *n = (int64_t)((folded >> 1) ^ (folded & 1 ? UINT64_MAX : 0));
}

void record_count(struct record *r, int64_t *n) {
    record_int(r, n);
    if (*n < 0 || *n > RECORD_COUNT_MAX)
        record_damaged(r, "a count that cannot be");
}

void record_number(struct record *r, uint32_t *n) {
    if (r->out != NULL) {
        put_size(r, *n);
        return;
    }
    uint64_t read = get_size(r);
    if (read > UINT32_MAX)
        record_damaged(r, "a row's number is out of range");
    *n = (uint32_t)read;
}

int record_word(struct record *r, int word, int count) {
    if (r->out != NULL) {
        put_size(r, (uint64_t)word);
        return word;
    }
    uint64_t read = get_size(r);
    if (read >= (uint64_t)count)
        record_damaged(r, "a word is not in its vocabulary");
    return (int)read;
}

void record_bool(struct record *r, bool *is) {
    *is = record_word(r, *is ? 1 : 0, 2) == 1;
}

/* ---- strings and lists ---- */

void record_str(struct record *r, struct str *s) {
    if (r->out != NULL) {
        put_size(r, s->n);
        buf_add(r->out, *s);
        buf_add_char(r->out, '\0');
        return;
    }
    uint64_t n = get_size(r);
    if (n >= (uint64_t)(r->end - r->at) || r->at[n] != '\0')
        record_damaged(r, "a text goes on behind its end");
    *s = (struct str){(const char *)r->at, (size_t)n};
    r->at += n + 1;
}

void record_text(struct record *r, struct text *text) {
    for (int lang = 0; lang < LANG_COUNT_OF; lang++)
        record_str(r, &text->in[lang]);
}

void *record_list(struct record *r, void *list, size_t *count, size_t size) {
    if (r->out != NULL) {
        put_size(r, *count);
        return list;
    }
    uint64_t n = get_size(r);
    if (n > (uint64_t)(r->end - r->at))
        record_damaged(r, "a list is longer than its record");
    *count = (size_t)n;
    return n > 0 ? arena_array(r->arena, *count, size) : NULL;
}

void record_strings(struct record *r, struct str_list *list) {
    list->at = record_list(r, list->at, &list->count, sizeof *list->at);
    for (size_t i = 0; i < list->count; i++)
        record_str(r, &list->at[i]);
}
