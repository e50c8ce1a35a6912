/* words.c: vocabularies by number and by spelling. The tables here are made
 * from words.def, so a new word needs no change in this file. Spellings are
 * case-sensitive. */
#include "corpus/words.h"

#define BEGIN(NAME, name) static const char *const NAME##_words[] = {
#define WORD(NAME, word) #word,
#define END(NAME) };
#include "corpus/words.def"

static const struct {
    const char *name, *const *at;
    int count;
} vocabularies[] = {
#define BEGIN(NAME, name) {#NAME, NAME##_words, NAME##_COUNT_OF},
#define WORD(NAME, word)
#define END(NAME)
#include "corpus/words.def"
};

int word_count(enum vocabulary which) { return vocabularies[which].count; }

const char *vocabulary_name(enum vocabulary which) {
    return vocabularies[which].name;
}

const char *word_spelling(enum vocabulary which, int value) {
    return value >= 0 && value < word_count(which)
               ? vocabularies[which].at[value] : NULL;
}

bool word_named(enum vocabulary which, struct str spelling, int *value) {
    for (int i = 0; i < word_count(which); i++) {
        if (str_eq(spelling, str_of(vocabularies[which].at[i]))) {
            *value = i;
            return true;
        }
    }
    return false;
}
