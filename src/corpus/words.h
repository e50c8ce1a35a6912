/* words.h: the vocabularies of words.def as enums, with their spellings. */
#ifndef CORPUS_WORDS_H
#define CORPUS_WORDS_H

#include "base/str.h"

/* enum mechanism { MECHANISM_weights ... MECHANISM_COUNT_OF }; and so on. */
#define BEGIN(NAME, name) enum name {
#define WORD(NAME, word) NAME##_##word,
#define END(NAME) NAME##_COUNT_OF };
#include "corpus/words.def"

enum vocabulary { /* WORDS_MECHANISM ... */
#define BEGIN(NAME, name) WORDS_##NAME,
#define WORD(NAME, word)
#define END(NAME)
#include "corpus/words.def"
};

const char *vocabulary_name(enum vocabulary which); /* "MECHANISM" */
/* Spelling of the value in that vocabulary; NULL if it has no such value. */
const char *word_spelling(enum vocabulary which, int value);
int word_count(enum vocabulary which);
/* False if the vocabulary has no such word. */
bool word_named(enum vocabulary which, struct str spelling, int *value);

#endif
