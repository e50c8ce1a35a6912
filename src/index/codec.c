/* codec.c: the fields of a struct, written and read in the order of their rows
 * in corpus/fields.h. Aliases of a key, and keys that no struct keeps, are
 * skipped. */
#include "index/codec.h"

#include <string.h>

static void codec_word(struct record *r, const struct field *f, void *at) {
    int word;
    memcpy(&word, at, sizeof word);
    word = record_word(r, word, field_word_count(f));
    memcpy(at, &word, sizeof word);
}

static void codec_items(struct record *r, const struct field *f, char **list,
                        size_t *count) {
    const struct shape *shape = field_shape(f);
    *list = record_list(r, *list, count, shape->size);
    for (size_t i = 0; i < *count; i++)
        codec_shape(r, shape, *list + i * shape->size);
}

static void codec_field(struct record *r, const struct field *f, char *noun) {
    void *at = noun + f->at;
    void *count = noun + f->count_at; /* of ranges and lists */
    switch (field_kind(f)) {
    case KIND_STR: record_str(r, at); return;
    case KIND_TEXT: record_text(r, at); return;
    case KIND_STRINGS: record_strings(r, at); return;
    case KIND_WORD: codec_word(r, f, at); return;
    case KIND_BOOL: record_bool(r, at); return;
    case KIND_NUMBER:
        if (f->type == FIELD_INTEGER && f->absent == 0)
            record_count(r, at);
        else
            record_int(r, at);
        return;
    case KIND_RANGE:
        record_count(r, at);
        record_count(r, count);
        return;
    case KIND_MAP: codec_shape(r, f->shape, at); return;
    case KIND_LIST: codec_items(r, f, at, count); return;
    }
}

void codec_shape(struct record *r, const struct shape *shape, void *noun) {
    for (const struct field *f = field_placed(shape->fields); f != NULL;
         f = field_placed(f + 1))
        codec_field(r, f, noun);
}

static void codec_part(struct record *r, struct entry *e, bool is_head) {
    for (const struct field *f = field_placed(shape_entry.fields); f != NULL;
         f = field_placed(f + 1)) {
        if (f->is_head == is_head)
            codec_field(r, f, (char *)e);
    }
}

void codec_entry_head(struct record *r, struct entry *e) {
    codec_part(r, e, true);
}

void codec_entry_rest(struct record *r, struct entry *e) {
    codec_part(r, e, false);
}
