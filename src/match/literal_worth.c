/* literal_worth.c: which of a pattern's words are best looked for.
 *
 *     cudaMalloc, cudaMemcpy     both are long enough, and all letters count
 *     CUDA out of memory         only "cuda " does: the rest is everybody's
 *
 * Long enough is better than rare: what is short stands in other words.
 */
#include "match/literal_worth.h"

#define LONG_ENOUGH 1024 /* more than any literal's letters are worth */

/* How many bytes stand at `at` of what each frame of a Python traceback says,
 * or hundreds of patterns look for; 0: none. They tell nothing apart. */
static size_t shared_at(struct str s, size_t at) {
    static const char *const shared[] = {"\", line", "out of memory",
                                         "outofmemory", "out_of_memory",
                                         "to allocate"};
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        struct str words = str_of(shared[i]);
        if (str_starts(str_slice(s, at, s.n), words))
            return words.n;
    }
    return 0;
}

/* Letters and blanks are everywhere in a log; capitals are folded by now. */
static size_t rarity(struct str s) {
    size_t sum = 0;
    for (size_t i = 0; i < s.n; i++) {
        i += shared_at(s, i);
        if (i < s.n)
            sum += str_find_char(STR(" etaoinsr0123456789"), s.p[i]) < 19 ? 2
                                                                          : 3;
    }
    return sum;
}

size_t literal_worth(const struct str_list *set) {
    size_t least = SIZE_MAX, shortest = SIZE_MAX;
    for (size_t i = 0; i < set->count; i++) {
        size_t one = rarity(set->at[i]);
        least = one < least ? one : least;
        shortest = set->at[i].n < shortest ? set->at[i].n : shortest;
    }
    if (set->count == 0)
        return 0;
    size_t cost = set->count - 1;
    size_t value = least > cost ? least - cost : 1;
    return shortest >= MATCH_LITERAL_MIN ? value + LONG_ENOUGH : value;
}
