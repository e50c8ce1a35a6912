/* cause.c: names of the ranking numbers. */
#include "corpus/cause.h"

static const char *const ranking_names[] = {
#define RANKING(id) #id,
#include "corpus/ranking.def"
#undef RANKING
};

const char *ranking_spelling(enum ranking_number number) {
    return ranking_names[number];
}

bool ranking_named(struct str spelling, enum ranking_number *out) {
    for (int i = 0; i < RANKING_COUNT_OF; i++) {
        if (str_eq(spelling, str_of(ranking_names[i]))) {
            *out = (enum ranking_number)i;
            return true;
        }
    }
    return false;
}
