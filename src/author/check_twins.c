/* check_twins.c: entries that are another one again.
 *
 * Two ways: the same selection (group, signatures, conditions), so that
 * nothing could choose between them; or the same text, measured over runs of
 * three words of title and root cause in English: nine in ten shared. */
#include <stdlib.h>

#include "author/desk.h"

enum { WORDS_IN_SHINGLE = 3, SHINGLES_MAX = 4096 };

struct shingles {
    uint64_t *at; /* sorted, each once */
    size_t count;
};

static int by_value(const void *a, const void *b) {
    const uint64_t *left = a;
    const uint64_t *right = b;
    return *left < *right ? -1 : *left > *right;
}

static struct str next_word(struct str text, size_t *at) {
    while (*at < text.n && (text.p[*at] == ' ' || text.p[*at] == '\n'))
        ++*at;
    size_t from = *at;
    while (*at < text.n && text.p[*at] != ' ' && text.p[*at] != '\n')
        ++*at;
    return str_slice(text, from, *at - from);
}

static struct shingles shingles_of(struct arena *a, const struct entry *e) {
    struct str text = arena_printf(a, "%.*s %.*s",
                                   STR_ARG(e->title.in[LANG_EN]),
                                   STR_ARG(e->root_cause.in[LANG_EN]));
    struct shingles s = {arena_array(a, SHINGLES_MAX, sizeof *s.at), 0};
    uint64_t last[WORDS_IN_SHINGLE] = {0};
    size_t words = 0;
    size_t at = 0;
    for (struct str word = next_word(text, &at);
         word.n > 0 && s.count < SHINGLES_MAX; word = next_word(text, &at)) {
        last[0] = last[1];
        last[1] = last[2];
        last[2] = str_hash(word);
        if (++words >= WORDS_IN_SHINGLE)
            s.at[s.count++] = last[0] * 31 * 31 + last[1] * 31 + last[2];
    }
    if (s.count > 1)
        qsort(s.at, s.count, sizeof *s.at, by_value);
    size_t unique = 0;
    for (size_t i = 0; i < s.count; i++)
        if (i == 0 || s.at[i] != s.at[i - 1])
            s.at[unique++] = s.at[i];
    s.count = unique;
    return s;
}

static bool nine_in_ten(const struct shingles *a, const struct shingles *b) {
    size_t i = 0;
    size_t j = 0;
    size_t shared = 0;
    while (i < a->count && j < b->count) {
        if (a->at[i] == b->at[j]) {
            shared++;
            i++;
            j++;
        } else if (a->at[i] < b->at[j]) {
            i++;
        } else {
            j++;
        }
    }
    size_t all = a->count + b->count - shared;
    return all > 0 && shared * 10 >= all * 9;
}

static bool same_conditions(const struct entry *a, const struct entry *b) {
    if (a->condition_count != b->condition_count
        || a->when.count != b->when.count)
        return false;
    for (size_t i = 0; i < a->condition_count; i++)
        if (!str_eq(a->conditions[i].pattern, b->conditions[i].pattern)
            || a->conditions[i].scope != b->conditions[i].scope
            || a->conditions[i].is_none_of != b->conditions[i].is_none_of)
            return false;
    for (size_t i = 0; i < a->when.count; i++)
        if (!str_eq(a->when.at[i], b->when.at[i]))
            return false;
    return true;
}

static bool same_signatures(const struct entry *a, const struct entry *b) {
    if (!str_eq(a->same_words_as, b->same_words_as)
        || a->signature_count != b->signature_count
        || (a->signature_count == 0 && a->same_words_as.n == 0))
        return false;
    for (size_t i = 0; i < a->signature_count; i++)
        if (!str_eq(a->signatures[i].pattern, b->signatures[i].pattern))
            return false;
    return true;
}

void check_twins(struct desk *d) {
    const struct made_list *list = &d->made[MADE_ENTRY];
    struct shingles *all = arena_array(d->a, list->count, sizeof *all);
    for (size_t i = 0; i < list->count; i++) {
        const struct made *m = &list->at[i];
        const struct entry *e = made_entry(m);
        all[i] = shingles_of(d->a, e);
        for (size_t k = 0; k < i; k++) {
            const struct entry *other = made_entry(&list->at[k]);
            const char *same = NULL;
            if (same_signatures(e, other) && same_conditions(e, other))
                same = "has the signatures and conditions of";
            else if (nine_in_ten(&all[i], &all[k]))
                same = "says the words of";
            if (same != NULL)
                complain(&d->c, m->src, (struct place){0},
                         CODE_near_duplicate, "%s `%.*s`", same,
                         STR_ARG(other->id));
        }
    }
}
