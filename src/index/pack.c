/* pack.c: opening the pack and finding records. Every offset and length is
 * checked against the end of the bytes before it is used. An offset outside the
 * pack, a section that does not fit, or a wrong checksum of a record is
 * damage. */
#include "index/pack.h"

#include "corpus/catalogue.h"
#include "index/digest.h"

#define CHECK_BYTES 4
#define HEADER_BYTES ((size_t)4 * PACK_WORDS)

static uint32_t word_at(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static uint32_t header_word(const struct pack *pack, int word) {
    return word_at((const unsigned char *)pack->bytes.p + 4 * (size_t)word);
}

static _Noreturn void damaged(struct arena *a, const char *what) {
    struct record nowhere = {.arena = a};
    record_damaged(&nowhere, what);
}

#ifndef PACK_LAYOUT
#error "PACK_LAYOUT is the sum of the files that lay out records: see Makefile"
#endif

/* Records have numbers for words, in this order. */
uint32_t pack_schema(void) {
    static const char words[] =
#define BEGIN(NAME, name)
#define WORD(NAME, word) #word ","
#define END(NAME)
#include "corpus/words.def"
#define X(w) #w ","
        KV_KIND_WORDS(X)
#undef X
        ;
    /* a second literal: C guarantees 4,095 bytes */
    static const char names[] =
#define FACT(name, unit) #name ","
#include "corpus/facts.def"
#undef FACT
#define RANKING(id) #id ","
#include "corpus/ranking.def"
#undef RANKING
        ;
    return check_of(check_of(PACK_LAYOUT, STR(words)), STR(names));
}

uint32_t pack_record_check(enum section section, uint32_t i, struct str bytes) {
    return check_of((uint64_t)section << 32 | i, bytes);
}

/* ---- opening ---- */

static struct str slice_of(struct arena *a, const struct pack *pack,
                           size_t at, uint64_t n) {
    if (at > pack->bytes.n || n > pack->bytes.n - at)
        damaged(a, "something stands behind its end");
    return (struct str){pack->bytes.p + at, (size_t)n};
}

static void check_header(struct arena *a, const struct pack *pack) {
    struct str bytes = pack->bytes;
    if (bytes.n < HEADER_BYTES ||
        header_word(pack, PACK_IS_MAGIC) != PACK_MAGIC ||
        header_word(pack, PACK_BYTES) != bytes.n)
        damaged(a, "what stands behind its tables is missing");
    if (header_word(pack, PACK_IS_VERSION) != PACK_VERSION ||
        header_word(pack, PACK_SCHEMA) != pack_schema())
        arena_raise(a, FAIL_INDEX, "an index of another version of oomkb: "
                                   "build or install it anew");
    size_t from = (size_t)4 * (PACK_CHECK + 1);
    struct str rest = str_slice(bytes, from, HEADER_BYTES - from);
    if (check_of(PACK_MAGIC, rest) != header_word(pack, PACK_CHECK))
        damaged(a, "its head is not what was written");
}

static void find_sections(struct arena *a, struct pack *pack) {
    for (int i = 0; i < SECTION_COUNT_OF; i++) {
        uint32_t count = header_word(pack, PACK_SECTIONS + 2 * i);
        size_t at = header_word(pack, PACK_SECTIONS + 2 * i + 1);
        struct str ends =
            slice_of(a, pack, at, 4 * ((uint64_t)count + 1));
        pack->sections[i].count = count;
        pack->sections[i].ends = (const unsigned char *)ends.p;
    }
}

void pack_open(struct arena *a, struct str bytes, struct pack *pack) {
    *pack = (struct pack){.bytes = bytes};
    check_header(a, pack);
    pack->digest = str_slice(bytes, (size_t)4 * PACK_DIGEST, DIGEST_HEX);
    pack->prefilter =
        slice_of(a, pack, header_word(pack, PACK_PREFILTER_AT),
                 header_word(pack, PACK_PREFILTER_BYTES));
    find_sections(a, pack);
}

void pack_check_tables(const struct pack *pack, struct arena *a,
                       struct str tables) {
    if (!pack->is_builtin &&
        check_of(PACK_MAGIC, tables) != header_word(pack, PACK_TABLES_CHECK))
        damaged(a, "its tables are not what was written");
}

/* ---- records ---- */

struct record pack_record(const struct pack *pack, struct arena *a,
                          enum section section, uint32_t i) {
    if (i >= pack->sections[section].count)
        arena_raise(a, FAIL_INDEX, "the index has no such record: %u of %u",
                    (unsigned)i, (unsigned)pack->sections[section].count);
    const unsigned char *ends = pack->sections[section].ends + (size_t)4 * i;
    uint32_t from = word_at(ends), to = word_at(ends + 4);
    if (to < from || to - from < CHECK_BYTES)
        damaged(a, "a record is too short");
    struct str all = slice_of(a, pack, from, to - from);
    struct str bytes = str_slice(all, CHECK_BYTES, all.n);
    if (!pack->is_builtin && word_at((const unsigned char *)all.p) !=
                                 pack_record_check(section, i, bytes))
        damaged(a, "a record is not what was written");
    return record_reading(a, bytes);
}

bool pack_find(const struct pack *pack, struct arena *a, enum section section,
               struct str key, uint32_t *number) {
    uint32_t from = 0, to = pack->sections[section].count;
    while (from < to) {
        *number = from + (to - from) / 2;
        struct record record = pack_record(pack, a, section, *number);
        struct str is;
        record_str(&record, &is);
        int order = str_cmp(is, key);
        if (order == 0)
            return true;
        if (order < 0)
            from = *number + 1;
        else
            to = *number;
    }
    return false;
}

struct str pack_name_key(struct arena *a, const char *form, struct str name) {
    return arena_printf(a, "%s %.*s", form, STR_ARG(name));
}

struct str pack_pooled_key(struct arena *a, int mechanism,
                           const struct workaround *fix) {
    const struct acts_on *what = &fix->acts_on;
    bool has_flag = what->flag.n > 0;
    if (fix->use.n > 0)
        return arena_printf(a, "%d use %.*s", mechanism, STR_ARG(fix->use));
    return arena_printf(a, "%d %d %d %.*s", mechanism,
                        has_flag ? (int)what->change : (int)CHANGE_none,
                        has_flag ? (int)ACT_KIND_none : (int)what->kind,
                        STR_ARG(what->flag));
}
