/* pack_write.c: records are collected by section; at the end the sections with
 * keys are sorted, everything gets its offset, and the bytes are concatenated.
 * The same corpus makes the same bytes. */
#include "index/digest.h"
#include "base/limits.h"
#include "index/pack.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64

struct draft_record {
    struct str key;   /* empty if the section has no keys */
    size_t from, n;   /* in the section's bytes */
    uint32_t ordinal; /* order of arrival */
};

struct draft_section {
    struct buf bytes;
    struct draft_record *records;
    size_t count, cap;
};

struct pack_draft {
    struct arena *arena;
    struct draft_section sections[SECTION_COUNT_OF];
    struct digest digest; /* of all records but compiled patterns, which
                             another PCRE2 writes differently */
    struct draft_section *open; /* its last record is being written */
    struct record record;
};

struct pack_draft *pack_begin(struct arena *a) {
    struct pack_draft *d = arena_alloc(a, sizeof *d);
    d->arena = a;
    digest_init(&d->digest);
    for (int i = 0; i < SECTION_COUNT_OF; i++)
        d->sections[i].bytes = buf_in(a, PACK_BYTES_MAX);
    return d;
}

static void close_record(struct pack_draft *d) {
    if (d->open != NULL) {
        struct draft_record *last = &d->open->records[d->open->count - 1];
        last->n = d->open->bytes.n - last->from;
        d->open = NULL;
    }
}

struct record *pack_add_key(struct pack_draft *d, enum section which,
                            struct str key) {
    struct draft_section *section = &d->sections[which];
    close_record(d);
    section->records = arena_grow(d->arena, section->records, section->count,
                                  &section->cap, sizeof *section->records);
    section->records[section->count] =
        (struct draft_record){.key = arena_str(d->arena, key),
                              .from = section->bytes.n,
                              .ordinal = (uint32_t)section->count};
    section->count++;
    d->open = section;
    d->record = record_writing(d->arena, &section->bytes);
    if (key.n > 0)
        record_str(&d->record, &key);
    return &d->record;
}

struct record *pack_add(struct pack_draft *d, enum section section) {
    return pack_add_key(d, section, STR(""));
}

/* ---- assembling ---- */

static int by_key(const void *x, const void *y) {
    const struct draft_record *a = x, *b = y;
    int order = str_cmp(a->key, b->key);
    return order != 0 ? order : (a->ordinal > b->ordinal) -
                                    (a->ordinal < b->ordinal);
}

static bool is_duplicate(const struct draft_section *section, size_t i) {
    return i > 0 && section->records[i].key.n > 0 &&
           str_eq(section->records[i].key, section->records[i - 1].key);
}

/* Sort by key, and keep the first record of each key. */
static void sort_section(struct draft_section *section) {
    size_t kept = 0;
    if (section->count > 1)
        qsort(section->records, section->count, sizeof *section->records,
              by_key);
    for (size_t i = 0; i < section->count; i++) {
        if (!is_duplicate(section, i))
            section->records[kept++] = section->records[i];
    }
    section->count = kept;
}

static void put_word(struct buf *out, uint64_t n) {
    char bytes[4];
    for (int i = 0; i < 4; i++)
        bytes[i] = (char)(n >> (8 * i));
    buf_add(out, (struct str){bytes, sizeof bytes});
}

/* Append the records, then their ends. Returns the offset of the ends. */
static size_t put_section(struct buf *out, struct pack_draft *d,
                          enum section which) {
    const struct draft_section *section = &d->sections[which];
    struct buf ends = buf_in(d->arena, PACK_BYTES_MAX);
    put_word(&ends, out->n);
    for (size_t i = 0; i < section->count; i++) {
        struct str bytes = str_slice(buf_str(&section->bytes),
                                     section->records[i].from,
                                     section->records[i].n);
        put_word(out, pack_record_check(which, (uint32_t)i, bytes));
        buf_add(out, bytes);
        if (which != SECTION_CODE)
            digest_str(&d->digest, bytes);
        put_word(&ends, out->n);
    }
    size_t at = out->n;
    buf_check(&ends, "a section of the index");
    buf_add(out, buf_str(&ends));
    return at;
}

static void set_word(char *head, int word, uint64_t n) {
    for (int i = 0; i < 4; i++)
        head[4 * word + i] = (char)(n >> (8 * i));
}

static void put_check(char *head) {
    size_t from = (size_t)4 * (PACK_CHECK + 1);
    struct str rest = {head + from, (size_t)4 * PACK_WORDS - from};
    set_word(head, PACK_CHECK, check_of(PACK_MAGIC, rest));
}

static void put_head(struct buf *out, const struct pack_draft *d,
                     struct str prefilter, size_t prefilter_at) {
    char digest[DIGEST_HEX + 1];
    digest_hex(&d->digest, digest);
    set_word(out->p, PACK_IS_MAGIC, PACK_MAGIC);
    set_word(out->p, PACK_IS_VERSION, PACK_VERSION);
    set_word(out->p, PACK_SCHEMA, pack_schema());
    set_word(out->p, PACK_BYTES, out->n);
    set_word(out->p, PACK_PREFILTER_AT, prefilter_at);
    set_word(out->p, PACK_PREFILTER_BYTES, prefilter.n);
    memcpy(out->p + 4 * PACK_DIGEST, digest, DIGEST_HEX);
    put_check(out->p);
}

struct str pack_put_behind(char *tables, size_t n, struct str pack) {
    char *head = tables + n;
    memcpy(head, pack.p, pack.n);
    set_word(head, PACK_TABLES_CHECK,
             check_of(PACK_MAGIC, (struct str){tables, n}));
    put_check(head);
    return (struct str){tables, n + pack.n};
}

struct str pack_end(struct pack_draft *d, struct str prefilter) {
    close_record(d);
    struct buf out = buf_in(d->arena, PACK_BYTES_MAX);
    buf_fill(&out, '\0', (size_t)4 * PACK_WORDS);
    buf_fill(&out, '\0', (ALIGNMENT - out.n % ALIGNMENT) % ALIGNMENT);
    size_t prefilter_at = out.n;
    buf_add(&out, prefilter);
    for (int i = 0; i < SECTION_COUNT_OF; i++) {
        sort_section(&d->sections[i]);
        size_t at = put_section(&out, d, (enum section)i);
        buf_check(&d->sections[i].bytes, "a section of the index");
        set_word(out.p, PACK_SECTIONS + 2 * i, d->sections[i].count);
        set_word(out.p, PACK_SECTIONS + 2 * i + 1, at);
        buf_free(&d->sections[i].bytes);
    }
    buf_check(&out, "the pack of the index");
    put_head(&out, d, prefilter, prefilter_at);
    return buf_str(&out);
}
