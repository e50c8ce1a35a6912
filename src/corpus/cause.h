/* cause.h: what filled the memory or set the limit, and what a log says for
 * and against each (kb/causes.yaml); the numbers that rank fixes
 * (kb/ranking.yaml). */
#ifndef CORPUS_CAUSE_H
#define CORPUS_CAUSE_H

#include "corpus/entry.h"

struct evidence {
    struct str when;   /* one predicate over facts */
    int64_t weight;    /* -4 -2 -1 1 2 4: in powers of evidence_odds */
    struct str family; /* of one family the strongest counts; empty: alone */
    struct text because;
};

struct cause {
    struct str id;
    enum mechanism mechanism; /* that an unspecified finding takes */
    enum restart restart;     /* what the same start would do */
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
    struct text origin[RANKING_COUNT_OF]; /* where each comes from */
};

const char *ranking_spelling(enum ranking_number number); /* "cure_most" */
bool ranking_named(struct str spelling, enum ranking_number *out);

#endif
