/* starts.c: see starts.h. 64 bytes at a time. */
#include "match/starts.h"

#include "base/plain.h"
#include "match/prefilter.h"

#define STEP 64

/* Bits for a step: bytes of words; those that may begin one. */
static inline void look_at(const char *restrict p, uint64_t *words,
                           uint64_t *others) {
    char word[STEP], blank[STEP];
    for (size_t i = 0; i < STEP; i++) {
        signed char c = (signed char)p[i];
        word[i] = (char)-(((c >= 'a') & (c <= 'z')) | (c == '_') |
                          ((c >= '0') & (c <= '9')));
        blank[i] = (char)-(c == ' ');
    }
    *words = plain_flags(word);
    *others = ~plain_flags(blank);
}

static inline uint32_t hash_of(const char *p) {
    return hash_place(bytes_hash(p, STARTS_BYTES), STARTS_LOG2);
}

void starts_note(struct starts *w, struct str text, size_t at) {
    w->from = at / STARTS_STRETCH * STARTS_STRETCH;
    w->is_noted = true;
    memset(w->first, 0, sizeof w->first);
    struct str s = str_slice(text, w->from, STARTS_STRETCH);
    uint64_t before = w->from > 0 && s.n > 0 && is_word(s.p[-1]);
    for (size_t i = 0; i < s.n; i += STEP) {
        uint64_t words, here;
        look_at(s.p + i, &words, &here);
        here &= ~(words << 1 | before);
        before = words >> (STEP - 1);
        for (; here != 0; here &= here - 1) {
            size_t place = i + (size_t)__builtin_ctzll(here);
            uint16_t *first = &w->first[hash_of(s.p + place)];
            w->next[place] = *first;
            *first = (uint16_t)(place + 1);
        }
    }
}

static size_t place_of(const struct starts *w, uint16_t at) {
    return at > 0 ? w->from + at - 1 : 0;
}

size_t starts_first(const struct starts *w, const char *word) {
    char bytes[8] = {0};
    memcpy(bytes, word, STARTS_BYTES);
    return place_of(w, w->first[hash_of(bytes)]);
}

size_t starts_next(const struct starts *w, size_t place) {
    return place_of(w, w->next[place - w->from]);
}
