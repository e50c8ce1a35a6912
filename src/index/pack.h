/* pack.h: the pack, which stands behind the last page of the database: every
 * noun once more, as the bytes that a run reads. SQLite's tables are for who
 * asks in SQL; a run knows what it wants by number or by name, and finds it
 * here without a connection, a schema or a statement.
 *
 *     header    words of 4 bytes, little-endian: enum pack_word
 *     shelf     where each record ends; record i is [end[i - 1], end[i])
 *     record    its check, then what walk_...() made of a noun
 *     prefilter as match/ made it
 *
 * Places count from the first byte of the pack. Nothing is copied, and at
 * opening nothing is looked at but the header; a record is checked when it is
 * read, the prefilter by match/ when it is opened, the database when the first
 * question in SQL comes: of a file, for what is part of the program is as good
 * as its instructions. */
#ifndef INDEX_PACK_H
#define INDEX_PACK_H

#include "index/record.h"

#define PACK_MAGIC 0x4b504d4fu /* "OMPK" */
#define PACK_VERSION 14u /* of the header; PACK_LANGUAGE is that of records */

/* Those with a key hold it in front, each key once, in the order of bytes. */
enum shelf {
    SHELF_PATTERN,    /* by id */
    SHELF_CODE,       /* by pattern; behind the last one: what all begin with */
    SHELF_ENTRY,      /* by number: first pattern, group, what it is and when
                         it speaks: of many entries that is all that is read */
    SHELF_ENTRY_REST, /* by number: what it says */
    SHELF_GROUP,      /* by number: entries */
    SHELF_ENTRY_ID,   /* id, or what it was called before -> number */
    SHELF_ENGINE,     /* by number */
    SHELF_ENGINE_ID,  /* id -> number */
    SHELF_EVERYWHERE, /* numbers of the engines whose rows are always read */
    SHELF_MODEL,      /* by number */
    SHELF_MODEL_NAME, /* form and name -> number */
    SHELF_GPU,        /* by number */
    SHELF_CAUSE,      /* by number */
    SHELF_CAUSE_ID,   /* id -> number */
    SHELF_RULE,       /* by number */
    SHELF_RANKING,    /* one record */
    SHELF_PROGRAM,    /* by number */
    SHELF_PROGRAM_ID, /* id -> number */
    SHELF_COMPONENT,  /* id -> what it folds into */
    SHELF_MESSAGE,    /* key -> text */
    SHELF_POOLED,     /* mechanism and fix -> worked, tried */
    SHELF_PRECOMPUTED,   /* predicate -> what SQLite said of it at build */
    SHELF_COUNT_OF
};

enum pack_word {
    PACK_IS_MAGIC, PACK_IS_VERSION,
    PACK_LANGUAGE, /* check of how records are laid out, and of the
                      vocabularies that numbers in them stand for */
    PACK_BYTES,    /* of the pack */
    PACK_CHECK,    /* of the words behind it, to the end of the header */
    PACK_TABLES_CHECK, /* of the database in front of it */
    PACK_PREFILTER_AT, PACK_PREFILTER_BYTES,
    PACK_DIGEST, /* of the sources, 32 digits in 8 words */
    PACK_SHELVES = PACK_DIGEST + 8, /* of each: records, place of its ends */
    PACK_WORDS = PACK_SHELVES + 2 * SHELF_COUNT_OF
};

struct pack {
    struct str bytes, prefilter, digest;
    bool is_own; /* part of the program: records are not checked */
    struct {
        uint32_t count;
        const unsigned char *ends;
    } shelves[SHELF_COUNT_OF];
};

/* bytes: all that stands behind the database. Raises FAIL_INDEX. */
void pack_open(struct arena *a, struct str bytes, struct pack *pack);
/* Is the database in front of it the one that it was written for? Raises
 * FAIL_INDEX when not. */
void pack_check_tables(const struct pack *pack, struct arena *a,
                       struct str tables);
/* Record i of that shelf, checked. Raises FAIL_INDEX when it is damaged or
 * when there are not so many. */
struct record pack_record(const struct pack *pack, struct arena *a,
                          enum shelf shelf, uint32_t i);
/* The record of that key, read up to behind it; false: there is none. */
bool pack_find(const struct pack *pack, struct arena *a, enum shelf shelf,
               struct str key, struct record *found);

/* What two-part keys look like. */
struct str pack_name_key(struct arena *a, const char *form, struct str name);
struct str pack_pooled_key(struct arena *a, int mechanism,
                           const struct workaround *fix);

/* ---- writing ---- */

struct pack_draft;

struct pack_draft *pack_begin(struct arena *a);
/* Write the next record of a shelf, from its key on, where it has one; a key
 * that is there already loses. */
struct record *pack_add(struct pack_draft *draft, enum shelf shelf);
struct record *pack_add_key(struct pack_draft *draft, enum shelf shelf,
                            struct str key);
/* tables: the database that it will stand behind. digest: DIGEST_HEX digits. */
struct str pack_end(struct pack_draft *draft, struct str tables,
                    struct str prefilter, const char *digest);

/* ---- shared by reading and writing ---- */

uint32_t pack_language(void);
uint32_t pack_record_check(enum shelf shelf, uint32_t i, struct str bytes);

#endif
