/* few.c: see few.h. A step compares the bytes of PLAIN_LONG_STEP places with
 * those of each word. */
#include "match/few.h"

static bool has(const struct few *f, const char *word) {
    bool is_there = false;
    for (size_t i = 0; i < f->count; i++)
        is_there = is_there || (f->bytes[i][0][0] == word[0] &&
                                f->bytes[i][1][0] == word[1] &&
                                f->bytes[i][2][0] == word[2]);
    return is_there;
}

bool few_add(struct few *f, const char *word) {
    if (has(f, word))
        return true;
    if (f->count == FEW_MAX)
        return false;
    for (size_t k = 0; k < FEW_BYTES; k++)
        memset(f->bytes[f->count][k], word[k], PLAIN_LONG_STEP);
    f->count++;
    return true;
}

/* Where no alignment is known. */
typedef signed char loose
    __attribute__((vector_size(PLAIN_LONG_STEP), aligned(1), may_alias));

PLAIN_INLINE size_t find(const struct few *f, size_t count, const char *text,
                         size_t from, size_t to, bool is_wide) {
    uint32_t bits = 0;
    for (; from < to && bits == 0; from += PLAIN_LONG_STEP) {
        const loose *first = (const loose *)(const void *)(text + from);
        const loose *second = (const loose *)(const void *)(text + from + 1);
        const loose *third = (const loose *)(const void *)(text + from + 2);
        plain_long any = {0};
#pragma GCC unroll 4
        for (size_t i = 0; i < count; i++) {
            const loose *word = (const loose *)(const void *)f->bytes[i];
            any |= (*first == word[0]) & (*second == word[1]) &
                   (*third == word[2]);
        }
        bits = plain_long_bits(&any, is_wide);
    }
    if (bits != 0)
        from -= PLAIN_LONG_STEP - (size_t)__builtin_ctz(bits);
    return from < to ? from : to;
}

/* Compiled for each count, since a loop over so few costs more than they do. */
PLAIN_INLINE size_t find_counted(const struct few *f, const char *text,
                                 size_t from, size_t to, bool is_wide) {
    switch (f->count) {
    case 1: return find(f, 1, text, from, to, is_wide);
    case 2: return find(f, 2, text, from, to, is_wide);
    case 3: return find(f, 3, text, from, to, is_wide);
    default: return find(f, FEW_MAX, text, from, to, is_wide);
    }
}

static size_t find_any(const struct few *f, const char *text, size_t from,
                       size_t to) {
    return find_counted(f, text, from, to, false);
}

PLAIN_WIDE static size_t find_wide(const struct few *f, const char *text,
                                   size_t from, size_t to) {
    return find_counted(f, text, from, to, true);
}

size_t few_find(const struct few *f, const char *text, size_t from, size_t to) {
    if (f->count == 0)
        return to;
    return PLAIN_HAS_WIDE ? find_wide(f, text, from, to)
                          : find_any(f, text, from, to);
}
