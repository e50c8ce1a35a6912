/* cause.h: causes, that is what filled the memory or set the limit, with the
 * evidence in a log for and against each (kb/causes.yaml); the numbers that
 * rank fixes (kb/ranking.yaml). */
#ifndef CORPUS_CAUSE_H
#define CORPUS_CAUSE_H

#include "corpus/entry.h"

struct evidence {
    struct str when;   /* one predicate over facts */
    int64_t weight;    /* -4 -2 -1 1 2 4: exponent of evidence_odds */
    struct str family; /* only the strongest of a family counts; empty: none */
    struct text because;
};

struct cause {
    struct str id;
    enum mechanism mechanism; /* for a finding whose own is unspecified */
    enum restart restart;     /* what a restart without changes would do */
    struct text name;
    struct evidence *evidence;
    size_t evidence_count;
};

enum ranking_number {
#define RANKING(id) RANKING_##id,
#include "corpus/ranking.def"
#undef RANKING
    RANKING_COUNT_OF
};

struct ranking {
    int64_t micro[RANKING_COUNT_OF];      /* millionths */
    struct text origin[RANKING_COUNT_OF]; /* the source of each number */
};

const char *ranking_spelling(enum ranking_number number); /* "cure_most" */
bool ranking_named(struct str spelling, enum ranking_number *out);

#endif
