/* cause.c: numbers of the ranking by name; are two causes the same? */
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

static bool same_text(const struct text *a, const struct text *b) {
    return str_eq(a->in[LANG_EN], b->in[LANG_EN]) &&
           str_eq(a->in[LANG_ZH], b->in[LANG_ZH]);
}

static bool same_evidence(const struct evidence *a, const struct evidence *b) {
    return str_eq(a->when, b->when) && a->weight == b->weight &&
           str_eq(a->family, b->family) && same_text(&a->because, &b->because);
}

const char *cause_difference(const struct cause *a, const struct cause *b) {
    if (!str_eq(a->id, b->id)) {
        return "id";
    }
    if (a->mechanism != b->mechanism) {
        return "mechanism";
    }
    if (a->restart != b->restart) {
        return "restart";
    }
    if (!same_text(&a->name, &b->name)) {
        return "name";
    }
    bool same = a->evidence_count == b->evidence_count;
    for (size_t i = 0; same && i < a->evidence_count; i++) {
        same = same_evidence(&a->evidence[i], &b->evidence[i]);
    }
    return same ? NULL : "evidence";
}
