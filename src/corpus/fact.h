/* fact.h: a fact is a named, typed number or word with where it comes from.
 * The names stand once, in facts.def; enum, spelling and unit follow. */
#ifndef CORPUS_FACT_H
#define CORPUS_FACT_H

#include "base/str.h"
#include "base/units.h"

enum unit {
    UNIT_BYTES, UNIT_TOKENS, UNIT_BLOCKS, UNIT_COUNT, UNIT_RATIO,
    UNIT_SECONDS, UNIT_BOOL, UNIT_TEXT, UNIT_VERSION
};

enum fact_name {
#define FACT(name, unit) FACT_##name,
#include "corpus/facts.def"
#undef FACT
    FACT_COUNT_OF
};

enum fact_source {
    SOURCE_LOG, SOURCE_USER, SOURCE_MACHINE, SOURCE_CATALOGUE, SOURCE_DEFAULT,
    SOURCE_DERIVED
};

#define FACT_NONE (-1) /* no gpu, no rank, no pid */

struct fact {
    enum fact_name name;
    enum fact_source source;
    bool known;      /* false: value null, why says so */
    int64_t number;  /* bytes, tokens ...; ratio, seconds in millionths; 0/1 */
    struct str word; /* text and version */
    bool ranged;     /* low and high: the ends of what prints so */
    int64_t low, high;
    struct str text; /* verbatim, as the log has it; empty when not from one */
    struct str spelled; /* the setting's own name there, up to the value:
                           "--batch_size ", "'bs': "; empty: none stands there */
    uint32_t line;   /* 1-based; 0: none */
    int64_t gpu, rank, pid; /* FACT_NONE, or whose this is */
    struct str formula;     /* derived ones */
    struct str why;         /* why value is null, or a remark on its source */
};

struct fact_list {
    struct fact *at;
    size_t count, cap;
};

/* Not known, and nobody's; known, with that number or word. */
struct fact fact_blank(enum fact_name name, enum fact_source source);
struct fact fact_number(enum fact_name name, enum fact_source source,
                        int64_t number);
struct fact fact_word(enum fact_name name, enum fact_source source,
                      struct str word);

/* The ends of what prints so. */
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

/* A number beyond any machine that there is: a slip of the log, or of who says
 * so. Up to fact_most(), sums and small multiples of numbers fit 64 bits. */
bool fact_is_absurd(const struct fact *f);
int64_t fact_most(enum fact_name name);

/* The fact that a pattern's group stands for: "gpu_free__GiB" is gpu_free,
 * scale 1<<30. False: no such fact, or no such suffix for its unit. */
bool fact_of_group(struct str group, enum fact_name *name, int64_t *scale);

/* Read printed text as a fact of this name: fills known, number, word, range,
 * why; text is kept as a view. Booleans: True/False/1/0/yes/no, or the switch
 * that says yes (-fa). Tokens: "32k"
 * is 32000, "32K" 32768 (vLLM's own reading). */
void fact_read(enum fact_name name, struct str text, int64_t scale,
               struct fact *out);

/* Of a fact that is one of a few words: is this one of them? Other facts take
 * any text. */
bool fact_takes(enum fact_name name, struct str word);
/* Is it one of these? FACT_COUNT_OF ends them. */
bool fact_is_one(enum fact_name name, const enum fact_name *names);

/* A share of a card's memory, which lies above 0 and up to 1. */
bool fact_is_share(enum fact_name name);

/* The last, resp. first known one of that name; NULL when there is none. */
const struct fact *facts_last(const struct fact_list *list, enum fact_name n);
const struct fact *facts_first(const struct fact_list *list, enum fact_name n);
/* Is its first known value this word? */
bool facts_say(const struct fact_list *list, enum fact_name name,
               const char *word);

#endif
