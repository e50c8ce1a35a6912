/* pack.h: the pack, which follows the last page of the database. It holds every
 * entry, engine, model ... a second time, as the bytes that a run reads. The
 * tables of SQLite are for queries in SQL; a run finds records by number or by
 * name, and here it needs no connection, schema or statement for that.
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
#define PACK_VERSION 14u /* of the header; PACK_LANGUAGE is that of records */

/* A record with a key begins with it. Keys are unique and sorted bytewise. */
enum shelf {
    SHELF_PATTERN,    /* by id */
    SHELF_CODE,       /* by pattern; the last record: the common beginning */
    SHELF_ENTRY,      /* by number: first pattern, group, fields with is_head;
                         of most entries a run reads no more */
    SHELF_ENTRY_REST, /* by number: the other fields */
    SHELF_GROUP,      /* by number: entries */
    SHELF_ENTRY_ID,   /* id or former id -> number */
    SHELF_ENGINE,     /* by number */
    SHELF_ENGINE_ID,  /* id -> number */
    SHELF_EVERYWHERE, /* numbers of the engines whose rows are always tried */
    SHELF_MODEL,      /* by number */
    SHELF_MODEL_NAME, /* form and name -> number */
    SHELF_GPU,        /* by number */
    SHELF_CAUSE,      /* by number */
    SHELF_CAUSE_ID,   /* id -> number */
    SHELF_RULE,       /* by number */
    SHELF_RANKING,    /* one record */
    SHELF_PROGRAM,    /* by number */
    SHELF_PROGRAM_ID, /* id -> number */
    SHELF_COMPONENT,  /* id -> the component it folds into */
    SHELF_MESSAGE,    /* key -> text */
    SHELF_POOLED,     /* mechanism and fix -> worked, tried */
    SHELF_PRECOMPUTED,   /* predicate -> its values, computed at build */
    SHELF_COUNT_OF
};

enum pack_word {
    PACK_IS_MAGIC, PACK_IS_VERSION,
    PACK_LANGUAGE, /* checksum of the layout of records and of the vocabularies
                      that their numbers refer to */
    PACK_BYTES,    /* length of the pack */
    PACK_CHECK,    /* checksum of the words behind it, to PACK_WORDS */
    PACK_TABLES_CHECK, /* checksum of the database */
    PACK_PREFILTER_AT, PACK_PREFILTER_BYTES,
    PACK_DIGEST, /* of the sources, 32 digits in 8 words */
    PACK_SHELVES = PACK_DIGEST + 8, /* for each: count, offset of its ends */
    PACK_WORDS = PACK_SHELVES + 2 * SHELF_COUNT_OF
};

struct pack {
    struct str bytes, prefilter, digest;
    bool is_own; /* part of the program: records are trusted */
    struct {
        uint32_t count;
        const unsigned char *ends;
    } shelves[SHELF_COUNT_OF];
};

/* bytes: all bytes behind the database. Raises FAIL_INDEX. */
void pack_open(struct arena *a, struct str bytes, struct pack *pack);
/* Raises FAIL_INDEX if the checksum of the database is wrong. */
void pack_check_tables(const struct pack *pack, struct arena *a,
                       struct str tables);
/* Record i of that section, checked. Raises FAIL_INDEX if it is damaged or does
 * not exist. */
struct record pack_record(const struct pack *pack, struct arena *a,
                          enum shelf shelf, uint32_t i);
/* The record of that key, positioned behind the key; false: there is none. */
bool pack_find(const struct pack *pack, struct arena *a, enum shelf shelf,
               struct str key, struct record *found);

/* Keys of several parts. */
struct str pack_name_key(struct arena *a, const char *form, struct str name);
struct str pack_pooled_key(struct arena *a, int mechanism,
                           const struct workaround *fix);

/* ---- writing ---- */

struct pack_draft;

struct pack_draft *pack_begin(struct arena *a);
/* Begin the next record of a section, which is written through the result until
 * the next call. Of several records with the same key the first is kept. */
struct record *pack_add(struct pack_draft *draft, enum shelf shelf);
struct record *pack_add_key(struct pack_draft *draft, enum shelf shelf,
                            struct str key);
/* tables: the database before the pack. digest: DIGEST_HEX digits. */
struct str pack_end(struct pack_draft *draft, struct str tables,
                    struct str prefilter, const char *digest);

/* ---- shared by reading and writing ---- */

uint32_t pack_language(void);
uint32_t pack_record_check(enum shelf shelf, uint32_t i, struct str bytes);

#endif
