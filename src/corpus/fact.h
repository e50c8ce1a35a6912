/* fact.h: a fact is a named, typed number or word with its source. The names
 * are listed once, in facts.def; enum, spelling and unit are made from it. */
#ifndef CORPUS_FACT_H
#define CORPUS_FACT_H

#include "base/str.h"
#include "base/units.h"

#define UNITS(X)                                                               \
    X(BYTES, bytes) X(TOKENS, tokens) X(BLOCKS, blocks) X(COUNT, count)        \
    X(RATIO, ratio) X(SECONDS, seconds) X(BOOL, bool) X(TEXT, text)            \
    X(VERSION, version)
#define FACT_SOURCES(X)                                                        \
    X(LOG, log) X(USER, user) X(MACHINE, machine) X(CATALOGUE, catalogue)      \
    X(DEFAULT, default) X(DERIVED, derived)
enum unit {
#define X(name, word) UNIT_##name,
    UNITS(X)
#undef X
};

enum fact_name {
#define FACT(name, unit) FACT_##name,
#include "corpus/facts.def"
#undef FACT
    FACT_COUNT_OF
};

enum fact_source {
#define X(name, word) SOURCE_##name,
    FACT_SOURCES(X)
#undef X
};

#define FACT_NONE (-1) /* no gpu, no rank, no pid */

struct fact {
    enum fact_name name;
    enum fact_source source;
    uint32_t line;   /* 1-based; 0: none */
    bool known;      /* false: there is no value, `why` has the reason */
    bool ranged;     /* low and high are set: the interval that prints so */
    int64_t number;  /* bytes, tokens ...; ratio, seconds in millionths; 0/1 */
    int64_t low, high;
    struct str word; /* text and version */
    struct str text; /* verbatim, as the log has it; empty if not from a log */
    struct str spelled; /* the setting's name in the log, up to the value:
                           "--batch_size ", "'bs': "; empty: none */
    int64_t gpu, rank, pid; /* which one it belongs to; FACT_NONE: none */
    struct str formula;     /* of a derived fact */
    struct str why;         /* why it is not known, or a remark on its source */
};

struct fact_list {
    struct fact *at;
    size_t count, cap;
};

/* A fact that is not known and belongs to no GPU, rank or process. */
struct fact fact_blank(enum fact_name name, enum fact_source source);
/* The same, known, with that number or word. */
struct fact fact_number(enum fact_name name, enum fact_source source,
                        int64_t number);
struct fact fact_word(enum fact_name name, enum fact_source source,
                      struct str word);

/* The ends of the interval that prints so. */
static inline int64_t fact_low(const struct fact *f) {
    return f->ranged ? f->low : f->number;
}

static inline int64_t fact_high(const struct fact *f) {
    return f->ranged ? f->high : f->number;
}

const char *fact_spelling(enum fact_name name);      /* "gpu_total" */
enum unit fact_unit(enum fact_name name);
const char *unit_spelling(enum unit unit);           /* "bytes" */
const char *source_spelling(enum fact_source source); /* "log" */
bool fact_named(struct str spelling, enum fact_name *out);

/* True if the number is larger than any machine has: an error of the log or of
 * the user. Sums and small multiples of numbers up to fact_most() fit 64
 * bits. */
bool fact_is_absurd(const struct fact *f);
int64_t fact_most(enum fact_name name);

/* The fact and scale that a pattern's group names: "gpu_free__GiB" is gpu_free,
 * scale 1<<30. False: no such fact, or no such suffix for its unit. */
bool fact_of_group(struct str group, enum fact_name *name, int64_t *scale);

/* Read printed text as a fact of this name: fills known, number, word, range,
 * why; text is kept as a view. Booleans: True/False/1/0/yes/no/on/off; a switch
 * (-fa) is true. Tokens: "32k" is 32000, "32K" is 32768, as vLLM reads them. */
void fact_read(enum fact_name name, struct str text, int64_t scale,
               struct fact *out);

/* True if the fact takes this word: any text, or one of FACT_OF's words. */
bool fact_takes(enum fact_name name, struct str word);
/* True if name is one of these. FACT_COUNT_OF ends the list. */
bool fact_is_one(enum fact_name name, const enum fact_name *names);

/* True for a share of a card's memory: above 0, at most 1. */
bool fact_is_share(enum fact_name name);

/* The last or first known fact of that name; NULL if there is none. */
const struct fact *facts_last(const struct fact_list *list, enum fact_name n);
const struct fact *facts_first(const struct fact_list *list, enum fact_name n);
/* True if the first known fact of that name is this word. */
bool facts_say(const struct fact_list *list, enum fact_name name,
               const char *word);

#endif
