/* words.h: the vocabularies of words.def as enums, with their spellings. */
#ifndef CORPUS_WORDS_H
#define CORPUS_WORDS_H

#include "base/str.h"

#define MECHANISM(w) MECHANISM_##w,
enum mechanism {
#include "corpus/words.def"
    MECHANISM_COUNT_OF
};
#undef MECHANISM
#define SEVERITY(w) SEVERITY_##w,
enum severity {
#include "corpus/words.def"
    SEVERITY_COUNT_OF
};
#undef SEVERITY
#define ROLE(w) ROLE_##w,
enum role {
#include "corpus/words.def"
    ROLE_COUNT_OF
};
#undef ROLE
#define SCOPE(w) SCOPE_##w,
enum scope {
#include "corpus/words.def"
    SCOPE_COUNT_OF
};
#undef SCOPE
#define EFFORT(w) EFFORT_##w,
enum effort {
#include "corpus/words.def"
    EFFORT_COUNT_OF
};
#undef EFFORT
#define LOSES(w) LOSES_##w,
enum loses {
#include "corpus/words.def"
    LOSES_COUNT_OF
};
#undef LOSES
#define FREES(w) FREES_##w,
enum frees {
#include "corpus/words.def"
    FREES_COUNT_OF
};
#undef FREES
#define RESTART(w) RESTART_##w,
enum restart {
#include "corpus/words.def"
    RESTART_COUNT_OF
};
#undef RESTART
#define STRENGTH(w) STRENGTH_##w,
enum strength {
#include "corpus/words.def"
    STRENGTH_COUNT_OF
};
#undef STRENGTH
#define BASIS(w) BASIS_##w,
enum basis {
#include "corpus/words.def"
    BASIS_COUNT_OF
};
#undef BASIS
#define CHANGE(w) CHANGE_##w,
enum change {
#include "corpus/words.def"
    CHANGE_COUNT_OF
};
#undef CHANGE
#define RANGE_STATUS(w) RANGE_STATUS_##w,
enum range_status {
#include "corpus/words.def"
    RANGE_STATUS_COUNT_OF
};
#undef RANGE_STATUS
#define RELATION(w) RELATION_##w,
enum relation_kind {
#include "corpus/words.def"
    RELATION_COUNT_OF
};
#undef RELATION
#define EFFECT(w) EFFECT_##w,
enum effect {
#include "corpus/words.def"
    EFFECT_COUNT_OF
};
#undef EFFECT
#define ACT_KIND(w) ACT_KIND_##w,
enum act_kind {
#include "corpus/words.def"
    ACT_KIND_COUNT_OF
};
#undef ACT_KIND
#define STAGE(w) STAGE_##w,
enum stage {
#include "corpus/words.def"
    STAGE_COUNT_OF
};
#undef STAGE

enum vocabulary {
    WORDS_MECHANISM, WORDS_SEVERITY, WORDS_ROLE, WORDS_SCOPE,
    WORDS_BASIS, WORDS_CHANGE, WORDS_RANGE_STATUS, WORDS_RELATION,
    WORDS_EFFECT, WORDS_ACT_KIND, WORDS_STAGE, WORDS_EFFORT, WORDS_LOSES,
    WORDS_FREES, WORDS_STRENGTH, WORDS_RESTART
};

/* Spelling of value in that vocabulary; NULL past its end. */
const char *word_spelling(enum vocabulary which, int value);
/* False when the vocabulary has no such word. */
bool word_named(enum vocabulary which, struct str spelling, int *value);

#endif
