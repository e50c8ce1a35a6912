/* words.c: vocabularies by number and by spelling. The words themselves stand
 * once, in words.def; the tables here are made from it, so a new word needs no
 * change in this file. Spellings are exact: no folding of case. */
#include "corpus/words.h"

static const char *const mechanisms[] = {
#define MECHANISM(w) #w,
#include "corpus/words.def"
#undef MECHANISM
};
static const char *const severities[] = {
#define SEVERITY(w) #w,
#include "corpus/words.def"
#undef SEVERITY
};
static const char *const roles[] = {
#define ROLE(w) #w,
#include "corpus/words.def"
#undef ROLE
};
static const char *const scopes[] = {
#define SCOPE(w) #w,
#include "corpus/words.def"
#undef SCOPE
};
static const char *const efforts[] = {
#define EFFORT(w) #w,
#include "corpus/words.def"
#undef EFFORT
};
static const char *const losses[] = {
#define LOSES(w) #w,
#include "corpus/words.def"
#undef LOSES
};
static const char *const freed[] = {
#define FREES(w) #w,
#include "corpus/words.def"
#undef FREES
};
static const char *const restarts[] = {
#define RESTART(w) #w,
#include "corpus/words.def"
#undef RESTART
};
static const char *const strengths[] = {
#define STRENGTH(w) #w,
#include "corpus/words.def"
#undef STRENGTH
};
static const char *const bases[] = {
#define BASIS(w) #w,
#include "corpus/words.def"
#undef BASIS
};
static const char *const changes[] = {
#define CHANGE(w) #w,
#include "corpus/words.def"
#undef CHANGE
};
static const char *const range_statuses[] = {
#define RANGE_STATUS(w) #w,
#include "corpus/words.def"
#undef RANGE_STATUS
};
static const char *const relations[] = {
#define RELATION(w) #w,
#include "corpus/words.def"
#undef RELATION
};
static const char *const effects[] = {
#define EFFECT(w) #w,
#include "corpus/words.def"
#undef EFFECT
};
static const char *const act_kinds[] = {
#define ACT_KIND(w) #w,
#include "corpus/words.def"
#undef ACT_KIND
};
static const char *const stages[] = {
#define STAGE(w) #w,
#include "corpus/words.def"
#undef STAGE
};

struct words {
    const char *const *at;
    int count;
};

static struct words words_of(enum vocabulary which) {
    switch (which) {
    case WORDS_MECHANISM:
        return (struct words){mechanisms, MECHANISM_COUNT_OF};
    case WORDS_SEVERITY:
        return (struct words){severities, SEVERITY_COUNT_OF};
    case WORDS_ROLE:
        return (struct words){roles, ROLE_COUNT_OF};
    case WORDS_SCOPE:
        return (struct words){scopes, SCOPE_COUNT_OF};
    case WORDS_EFFORT:
        return (struct words){efforts, EFFORT_COUNT_OF};
    case WORDS_LOSES:
        return (struct words){losses, LOSES_COUNT_OF};
    case WORDS_FREES:
        return (struct words){freed, FREES_COUNT_OF};
    case WORDS_RESTART:
        return (struct words){restarts, RESTART_COUNT_OF};
    case WORDS_STRENGTH:
        return (struct words){strengths, STRENGTH_COUNT_OF};
    case WORDS_BASIS:
        return (struct words){bases, BASIS_COUNT_OF};
    case WORDS_CHANGE:
        return (struct words){changes, CHANGE_COUNT_OF};
    case WORDS_RANGE_STATUS:
        return (struct words){range_statuses, RANGE_STATUS_COUNT_OF};
    case WORDS_RELATION:
        return (struct words){relations, RELATION_COUNT_OF};
    case WORDS_EFFECT:
        return (struct words){effects, EFFECT_COUNT_OF};
    case WORDS_ACT_KIND:
        return (struct words){act_kinds, ACT_KIND_COUNT_OF};
    case WORDS_STAGE:
        return (struct words){stages, STAGE_COUNT_OF};
    }
    return (struct words){NULL, 0};
}

const char *word_spelling(enum vocabulary which, int value) {
    struct words words = words_of(which);
    return value >= 0 && value < words.count ? words.at[value] : NULL;
}

bool word_named(enum vocabulary which, struct str spelling, int *value) {
    struct words words = words_of(which);
    for (int i = 0; i < words.count; i++) {
        if (str_eq(spelling, str_of(words.at[i]))) {
            *value = i;
            return true;
        }
    }
    return false;
}
