/* literal_worth.c: compares words of a pattern that it may be searched by.
 *
 *     avg prompt throughput:     is in every log of a server
 *     preemptions:               is not: better, though it is shorter
 *     cudaMalloc, cudaMemcpy     both are long enough, and all letters count
 *     CUDA out of memory         only "cuda " counts: the rest is in many
 *                                patterns
 *
 * Length comes before rarity, since a short word occurs in other words. Of long
 * enough words, those that healthy logs do not have are better.
 */
#include "match/literals.h"

#include <string.h>

#define LONG_ENOUGH 1024 /* more than any literal's letters are worth */
#define TELLING 8 /* the worth of a few letters that not all logs have */

/* All lines in one text, each with a '\0' at its end. */
#define MEMBER(line) CALLED(line)
#define CALLED(line) on_##line
static const struct {
#define LINE(text) char MEMBER(__LINE__)[sizeof text];
#include "match/healthy.def"
#undef LINE
} healthy = {
#define LINE(text) text,
#include "match/healthy.def"
#undef LINE
};

struct str healthy_lines(void) {
    return (struct str){(const char *)&healthy, sizeof healthy};
}

bool literal_is_common(struct str s) {
    struct str all = healthy_lines();
    return str_find(all, s) < all.n;
}

/* Bytes at `at` of a text that each frame of a Python traceback has, or
 * hundreds of patterns; 0: none. They distinguish nothing. */
static size_t shared_at(struct str s, size_t at) {
    static const char *const shared[] = {", line",        ".py",
                                         "out of memory", "outofmemory",
                                         "out_of_memory", "to allocate"};
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        struct str words = str_of(shared[i]);
        if (str_starts(str_slice(s, at, s.n), words))
            return words.n;
    }
    return 0;
}

/* True for a byte that is frequent in logs. Capitals are folded. */
static bool is_frequent(char c) {
    return (c >= '0' && c <= '9') || memchr(" etaoinsr", c, 9) != NULL;
}

static size_t rarity(struct str s) {
    size_t sum = 0;
    for (size_t i = 0; i < s.n; i++) {
        i += shared_at(s, i);
        if (i < s.n)
            sum += is_frequent(s.p[i]) ? 2 : 3;
    }
    return sum;
}

/* Of sets with the same value, one with fewer members is worth more. */
static size_t worth(size_t value, size_t count) {
    size_t most = LITERALS_PER_PATTERN;
    return value * (most + 1) + (count < most ? most - count : 0);
}

size_t shortest_literal(const struct str_list *set) {
    size_t shortest = SIZE_MAX;
    for (size_t i = 0; i < set->count; i++)
        shortest = set->at[i].n < shortest ? set->at[i].n : shortest;
    return set->count ? shortest : 0;
}

static size_t least_rarity(const struct str_list *set) {
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < set->count; i++) {
        size_t one = rarity(set->at[i]);
        least = one < least ? one : least;
    }
    return set->count ? least : 0;
}

/* 0: too short; 1: long enough; 2: long enough, and in no healthy log. */
#define CLASS_MOST 2
static size_t class_of(const struct str_list *set) {
    bool is_common = false;
    if (shortest_literal(set) < MATCH_LITERAL_MIN)
        return 0;
    for (size_t i = 0; i < set->count && !is_common; i++)
        is_common = literal_is_common(set->at[i]);
    return is_common ? CLASS_MOST - 1 : CLASS_MOST;
}

size_t literal_worth(const struct str_list *set, size_t least) {
    size_t rarest = least_rarity(set), shortest = shortest_literal(set);
    if (set->count == 0)
        return 0;
    size_t cost = set->count - 1;
    size_t value = rarest > cost + shortest ? rarest - cost : shortest;
    value = shortest < WEAK_LITERAL_MIN ? 0 : value;
    if (worth(value + CLASS_MOST * LONG_ENOUGH, set->count) <= least)
        return 0; /* whatever its class is */
    size_t all = worth(value + class_of(set) * LONG_ENOUGH, set->count);
    return all > least ? all : 0;
}

bool literals_tell_more(const struct str_list *x, const struct str_list *y) {
    size_t of_x = class_of(x), of_y = class_of(y);
    return of_x > of_y ||
           (of_x == of_y && least_rarity(y) < TELLING &&
            literal_worth(x, literal_worth(y, 0)) > 0);
}
