/* check_duplicates.c: entries that are another one again.
 *
 *   the same selection (group, signatures, conditions): nothing could choose
 *   the same title and cause, nine runs of three words in ten       between
 *   the same cause (half of the runs) or the same steps (six in ten), where
 *     the two are not related: neither of one group nor tied by a relation
 *   the same component, mechanism, role and fixes, and half the words of the
 *     cause: one entry with more signatures (a warning: a person must look)
 *
 * Measured on the English. A run is a shingle of three words in order.
 */
#include <stdlib.h>

#include "author/build.h"

enum { WORDS_IN_SHINGLE = 3 };

enum { WHOLE_TENTHS = 9, CAUSE_TENTHS = 5, STEPS_TENTHS = 6, WORDS_TENTHS = 5 };

enum said_kind { /* runs, but for the last: words of the cause, one by one */
    SAID_WHOLE, SAID_CAUSE, SAID_STEPS, SAID_WORDS, SAID_COUNT_OF
};

struct number_set { /* in order, each once */
    uint64_t *at;
    size_t count;
};

/* What every entry says: said[kind][number]. */
struct said {
    struct number_set *by[SAID_COUNT_OF];
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

static struct number_set shingles_of(struct arena *a, struct str text,
                                   size_t run) {
    struct number_set s = {arena_array(a, text.n / 2 + 1, sizeof *s.at), 0};
    uint64_t last[WORDS_IN_SHINGLE] = {0};
    size_t words = 0;
    size_t at = 0;
    for (struct str word = next_word(text, &at); word.n > 0;
         word = next_word(text, &at)) {
        last[0] = run > 1 ? last[1] : 0;
        last[1] = run > 1 ? last[2] : 0;
        last[2] = str_hash(word);
        if (++words >= run)
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

static struct str steps_of(struct arena *a, const struct entry *e) {
    struct buf b;
    buf_init_in(&b, a, FIX_STEPS_BYTES_MAX);
    for (size_t i = 0; i < e->workaround_count; i++) {
        buf_add(&b, e->workarounds[i].how.in[LANG_EN]);
        buf_add_char(&b, '\n');
    }
    return buf_ok(&b) ? buf_str(&b) : (struct str){0};
}

static void say(struct build *d, size_t i, struct said *said) {
    const struct entry *e = made_entry(&d->made[MADE_ENTRY].at[i]);
    struct str cause = e->root_cause.in[LANG_EN];
    struct str whole = arena_printf(d->a, "%.*s %.*s",
                                    STR_ARG(e->title.in[LANG_EN]),
                                    STR_ARG(cause));
    said->by[SAID_WHOLE][i] = shingles_of(d->a, whole, WORDS_IN_SHINGLE);
    said->by[SAID_CAUSE][i] = shingles_of(d->a, cause, WORDS_IN_SHINGLE);
    said->by[SAID_STEPS][i] =
        shingles_of(d->a, steps_of(d->a, e), WORDS_IN_SHINGLE);
    said->by[SAID_WORDS][i] = shingles_of(d->a, cause, 1);
}

/* Of all that either says, do both say this many tenths? */
static bool share(const struct number_set *a, const struct number_set *b,
                  size_t tenths) {
    size_t less = a->count < b->count ? a->count : b->count;
    size_t more = a->count + b->count - less;
    if (less == 0 || less * 10 < more * tenths)
        return false;
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
    return shared * 10 >= (a->count + b->count - shared) * tenths;
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

static bool acts_alike(const struct acts_on *a, const struct acts_on *b) {
    return str_eq(a->flag, b->flag) && a->change == b->change
           && a->kind == b->kind;
}

static bool has_each_fix_of(const struct entry *a, const struct entry *b) {
    for (size_t i = 0; i < b->workaround_count; i++) {
        bool found = false;
        for (size_t k = 0; k < a->workaround_count && !found; k++)
            found = acts_alike(&a->workarounds[k].acts_on,
                               &b->workarounds[i].acts_on);
        if (!found)
            return false;
    }
    return b->workaround_count > 0;
}

static bool same_answer(const struct entry *a, const struct entry *b) {
    return str_eq(a->component, b->component) && a->mechanism == b->mechanism
           && a->role == b->role && a->severity == b->severity
           && has_each_fix_of(a, b) && has_each_fix_of(b, a);
}

/* ---- pair by pair ---- */

struct candidate { /* the later one and the earlier one */
    const struct made *later, *earlier;
    const struct said *said;
    size_t i, k;
};

static bool says_alike(const struct candidate *t, enum said_kind kind,
                       size_t tenths) {
    return share(&t->said->by[kind][t->i], &t->said->by[kind][t->k], tenths);
}

/* What makes the later one the earlier again; NULL: nothing does. */
static const char *duplicate_by(const struct candidate *t) {
    const struct entry *a = made_entry(t->later);
    const struct entry *b = made_entry(t->earlier);
    if (same_signatures(a, b) && same_conditions(a, b))
        return "has the signatures and conditions of";
    if (says_alike(t, SAID_WHOLE, WHOLE_TENTHS))
        return "says the words of";
    if (entries_are_related(a, b))
        return NULL;
    if (says_alike(t, SAID_CAUSE, CAUSE_TENTHS))
        return "gives the cause in the words of";
    if (says_alike(t, SAID_STEPS, STEPS_TENTHS))
        return "gives the steps in the words of";
    return NULL;
}

static void compare(struct build *d, const struct candidate *t) {
    const struct entry *a = made_entry(t->later);
    const struct entry *b = made_entry(t->earlier);
    const char *how = duplicate_by(t);
    if (how != NULL)
        complain(&d->c, t->later->src, (struct place){0}, CODE_near_duplicate,
                 "%s `%.*s`", how, STR_ARG(b->id));
    else if (same_answer(a, b) && says_alike(t, SAID_WORDS, WORDS_TENTHS))
        complain(&d->c, t->later->src, (struct place){0}, CODE_same_answer,
                 "has the cause and the fixes of `%.*s`: one entry with more "
                 "signatures", STR_ARG(b->id));
}

void check_duplicates(struct build *d) {
    const struct made_list *list = &d->made[MADE_ENTRY];
    struct said said;
    for (int kind = 0; kind < SAID_COUNT_OF; kind++)
        said.by[kind] =
            arena_array(d->a, list->count, sizeof *said.by[kind]);
    for (size_t i = 0; i < list->count; i++)
        say(d, i, &said);
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; k < i; k++)
            compare(d, &(struct candidate){&list->at[i], &list->at[k], &said,
                                           i, k});
}
