/* pack.h: the pack, which follows the last page of the database. It holds every
 * entry, engine, model ... as the bytes that a run reads. The database is for
 * search and for users; a run finds records by number or by name, and here it
 * needs no connection, schema or statement for that.
 *
 *     header    words of 4 bytes, little-endian: enum pack_word
 *     section   the end of each record; record i is [end[i - 1], end[i])
 *     record    its checksum, then the bytes that codec_...() wrote
 *     prefilter as match/ made it
 *
 * Offsets count from the first byte of the pack. Nothing is copied, and opening
 * checks the header only. A record is checked when it is read, the prefilter by
 * match/ when it is opened, the database at the first SQL query. Of the
 * built-in index only the headers are checked. */
#ifndef INDEX_PACK_H
#define INDEX_PACK_H

#include "index/record.h"

#define PACK_MAGIC 0x4b504d4fu /* "OMPK" */
#define PACK_VERSION 15u /* of the header; PACK_SCHEMA is that of records */

/* A record with a key begins with it, one of a noun with its id. Both are
 * unique and sorted bytewise. */
enum section {
    SECTION_PATTERN,     /* by id */
    SECTION_CODE,        /* by pattern; the last record: the common beginning */
    SECTION_ENTRY,       /* by number: first pattern, group, is_head fields;
                            of most entries a run reads no more */
    SECTION_ENTRY_REST,  /* by number: the other fields */
    SECTION_GROUP,       /* by number: entries */
    SECTION_ENTRY_ID,    /* id or former id -> number */
    SECTION_ENGINE,      /* this and those below: by number or by id */
    SECTION_MODEL, SECTION_GPU, SECTION_CAUSE, SECTION_RULE, SECTION_PROGRAM,
    SECTION_COMPONENT, SECTION_MESSAGE,
    SECTION_EVERYWHERE,  /* engines whose rows are always tried */
    SECTION_NAMING,      /* patterns whose row names an engine */
    SECTION_GPU_TOTAL,   /* one record: lowest and highest total of each GPU */
    SECTION_MODEL_NAME,  /* form and name -> number */
    SECTION_RANKING,     /* one record */
    SECTION_POOLED,      /* mechanism and fix -> worked, tried */
    SECTION_COUNT_OF
};

enum pack_word {
    PACK_IS_MAGIC, PACK_IS_VERSION,
    PACK_SCHEMA,   /* checksum of the layout of records and of the vocabularies
                      that their numbers refer to */
    PACK_BYTES,    /* length of the pack */
    PACK_CHECK,    /* checksum of the words behind it, to PACK_WORDS */
    PACK_TABLES_CHECK, /* checksum of the database */
    PACK_PREFILTER_AT, PACK_PREFILTER_BYTES,
    PACK_DIGEST, /* of the sources, 32 digits in 8 words */
    PACK_SECTIONS = PACK_DIGEST + 8, /* for each: count, offset of its ends */
    PACK_WORDS = PACK_SECTIONS + 2 * SECTION_COUNT_OF
};

struct pack {
    struct str bytes, prefilter, digest;
    bool is_builtin; /* part of the program: records are trusted */
    struct {
        uint32_t count;
        const unsigned char *ends;
    } sections[SECTION_COUNT_OF];
};

/* bytes: all bytes behind the database. Raises FAIL_INDEX. */
void pack_open(struct arena *a, struct str bytes, struct pack *pack);
/* Raises FAIL_INDEX if the checksum of the database is wrong. */
void pack_check_tables(const struct pack *pack, struct arena *a,
                       struct str tables);
/* Record i of that section, checked. Raises FAIL_INDEX if it is damaged or does
 * not exist. */
struct record pack_record(const struct pack *pack, struct arena *a,
                          enum section section, uint32_t i);
/* The number of the record with that key or id; false: there is none. */
bool pack_find(const struct pack *pack, struct arena *a, enum section section,
               struct str key, uint32_t *number);

/* Keys of several parts. */
struct str pack_name_key(struct arena *a, const char *form, struct str name);
struct str pack_pooled_key(struct arena *a, int mechanism,
                           const struct workaround *fix);

/* ---- writing ---- */

struct pack_draft;

struct pack_draft *pack_begin(struct arena *a);
/* Begin the next record of a section, which is written through the result until
 * the next call. Of several records with the same key the first is kept. */
struct record *pack_add(struct pack_draft *draft, enum section section);
struct record *pack_add_key(struct pack_draft *draft, enum section section,
                            struct str key);
/* The pack, which no database stands before yet. */
struct str pack_end(struct pack_draft *draft, struct str prefilter);
/* Copies the pack behind a database of n bytes, where there is room for it. */
struct str pack_put_behind(char *tables, size_t n, struct str pack);

/* ---- shared by reading and writing ---- */

uint32_t pack_schema(void);
uint32_t pack_record_check(enum section section, uint32_t i, struct str bytes);

#endif
