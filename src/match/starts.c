/* starts.c: see starts.h. Sixteen bytes at a time. */
#include "match/starts.h"

#include "base/plain.h"
#include "match/prefilter.h"

static plain_bytes are_words(plain_bytes v) { /* of folded text */
    return ((v > '`') & (v < '{')) | ((v > '/') & (v < ':')) | (v == '_');
}

static inline uint32_t hash_of(const char *p) {
    return hash_place(bytes_hash(p, STARTS_BYTES), STARTS_LOG2);
}

void starts_note(struct starts *w, struct str text, size_t at) {
    w->from = at / STARTS_STRETCH * STARTS_STRETCH;
    w->is_noted = true;
    memset(w->first, 0, sizeof w->first);
    struct str s = str_slice(text, w->from, STARTS_STRETCH);
    uint32_t before = w->from > 0 && s.n > 0 && is_word(s.p[-1]);
    for (size_t i = 0; i < s.n; i += PLAIN_STEP) {
        plain_bytes v = plain_load(s.p + i);
        uint32_t words = plain_bits(are_words(v));
        uint32_t here = plain_bits(v != ' ') & ~(words << 1 | before);
        before = words >> (PLAIN_STEP - 1);
        for (; here != 0; here &= here - 1) {
            size_t place = i + (size_t)__builtin_ctz(here);
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
