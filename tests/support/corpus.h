/* corpus.h: a small corpus for tests, made by hand. Its first entry uses every
 * field there is, in both languages; the others make a group and a rename. */
#ifndef SUPPORT_CORPUS_H
#define SUPPORT_CORPUS_H

#include "index/index.h"

/* Run body with an arena of its own; a raise fails the test by its words. */
void with_arena(void (*body)(struct arena *a));

/* The bytes of a file of the project; the test fails without it. */
struct str file_bytes(struct arena *a, const char *path);
/* The index of the project, made before any test is. */
#define SHIPPED_INDEX "build/oomkb.db"

/* How many cases of many: part in `make check`, whole in `make check-all`, which
 * sets OOMKB_ALL. */
uint32_t cases_asked(uint32_t part, uint32_t whole);
/* Is it in the part, one of so many? By its name alone; in `check-all` it is. */
bool is_asked(struct str name, uint32_t every);

#define TINY_FULL 0  /* vllm/everything: every field is used */
#define TINY_HEAD 1  /* pytorch/cuda-oom: head of a group */
#define TINY_FIRST 2 /* pytorch/cuda-oom-forward: of that group */
struct corpus tiny_corpus(struct arena *a);

/* tiny_corpus() as an index, and a reader on it. */
struct str tiny_image(struct arena *a);
struct reader *tiny_reader(struct arena *a);
/* Checks that are right again, as somebody would make them who means harm, so
 * that SQLite itself meets the damage. tables: bytes of the database. */
void image_mend_checks(struct str image, size_t tables);

/* read(write(c)) == c? NULL, or "entry id: field" of what is lost. */
const char *round_trip_loss(struct arena *a, const struct corpus *c);

#endif
