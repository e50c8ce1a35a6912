/* check_patterns.c: patterns, samples of signatures, predicates.
 *
 * match/ checks a pattern and returns the byte of an error; index/ checks a
 * predicate. Here errors get their place in the file. */
#include "author/check.h"

#include "base/limits.h"

#include <inttypes.h>

#include "match/match.h"

/* Mark the facts of named groups, (?<name>...), as used. */
static void note_groups(struct str pattern, bool *fact_used) {
    for (size_t i = 0; i + 3 < pattern.n; i++) {
        struct str rest = str_slice(pattern, i, pattern.n);
        enum fact_name name;
        int64_t scale;
        if (!str_starts(rest, STR("(?<")))
            continue;
        rest = str_slice(rest, 3, rest.n);
        if (fact_of_group(str_slice(rest, 0, str_find_char(rest, '>')), &name,
                          &scale))
            fact_used[name] = true;
    }
}

void check_growth(struct complaints *c, const struct source *src,
                  struct place place, struct str pattern, struct str sample) {
    struct pattern_growth g;
    if (!pattern_grows(c->scratch, pattern, sample, &g))
        return;
    struct str shown = str_slice(g.text, 0, TRIED_TEXT_BYTES_MAX);
    complain(c, src, place, CODE_steep_pattern,
             "%" PRIu64 " steps from two of %" PRIu32 " repeats of `%.*s`%s, "
             "%" PRIu64 " from two of twice as many: the work must grow with "
             "the text, not with its square", g.steps, g.repeats,
             STR_ARG(shown), g.text.n > shown.n ? "..." : "", g.steps_twice);
}

bool check_pattern(struct complaints *c, const struct source *src,
                   const struct node *n, enum pattern_use use, bool is_weak,
                   bool *fact_used) {
    struct pattern_error error = {0};
    if (n == NULL || n->kind != NODE_SCALAR || n->text.n == 0)
        return false;
    enum pattern_flaw flaw =
        pattern_check(c->scratch, n->text, is_weak || use == USE_EXTRACT,
                      use == USE_CONTEXT, &error);
    switch (flaw) {
    case PATTERN_SYNTAX:
        complain(c, src, node_place_at(n, error.offset), CODE_bad_pattern,
                 "%.*s", STR_ARG(error.message));
        return false;
    case PATTERN_BAD_GROUP:
        complain(c, src, node_place_at(n, error.offset), CODE_bad_group, "%.*s",
                 STR_ARG(error.message));
        return false;
    case PATTERN_NO_LITERAL:
        if (use == USE_EXTRACT)
            break;
        complain(c, src, node_place_at(n, error.offset), CODE_no_literal,
                 "%.*s", STR_ARG(error.message));
        return false;
    case PATTERN_GOOD:
        break;
    }
    note_groups(n->text, fact_used);
    return true;
}

static bool has_anchor(struct str pattern) {
    return str_starts(pattern, STR("^")) || str_starts(pattern, STR("(?m)^"))
           || str_starts(pattern, STR("(?m:^)"))
           || (str_ends(pattern, STR("$")) && !str_ends(pattern, STR("\\$")));
}

/* A weak signature of an entry without a mechanism is a guess, which any other
 * finding overrides. Other weak signatures need an all_of. */
static void check_weak(const struct entry_check *k, const struct node *pattern,
                       const struct node *all_of) {
    bool is_guess = k->entry->mechanism == MECHANISM_unspecified;
    if (pattern == NULL || pattern->kind != NODE_SCALAR)
        return;
    if (!has_anchor(pattern->text))
        complain(k->c, k->src, pattern->place, CODE_weak_pattern,
                 "a weak pattern begins with `^` or ends with `$`");
    if (!is_guess && (all_of == NULL || all_of->count == 0))
        complain(k->c, k->src, pattern->place, CODE_weak_pattern,
                 "a weak pattern needs an `all_of` beside it");
}

/* The pattern must match in the sample, which may have further lines. */
static void check_own_sample(const struct entry_check *k,
                             const struct node *sample, struct str pattern) {
    if (sample == NULL || sample->kind != NODE_SCALAR || sample->text.n == 0)
        return;
    if (!pattern_matches(k->c->scratch, pattern, sample->text)) {
        struct place place = node_place_at(sample, 0);
        complain(k->c, k->src, place, CODE_sample_mismatch,
                 "the pattern of this signature does not match its sample");
    }
}

static void check_signature(const struct entry_check *k, const struct node *n,
                            const struct signature *s) {
    const struct node *pattern = node_get(n, "pattern");
    const struct node *extract = node_get(n, "extract");
    if (s->is_weak)
        check_weak(k, pattern, node_get(k->root, "all_of"));
    if (check_pattern(k->c, k->src, pattern, USE_SIGNATURE, s->is_weak,
                      k->fact_used)) {
        check_own_sample(k, node_get(n, "sample"), s->pattern);
        check_growth(k->c, k->src, pattern->place, s->pattern, s->sample);
    }
    for (size_t i = 0; i < s->extract.count; i++)
        if (check_pattern(k->c, k->src, node_item(extract, i), USE_EXTRACT,
                          false, k->fact_used))
            check_growth(k->c, k->src, node_item(extract, i)->place,
                         s->extract.at[i], s->sample);
}

static void check_conditions(const struct entry_check *k, const char *key) {
    const struct node *list = node_get(k->root, key);
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const struct node *n = node_item(list, i);
        const struct node *weak = node_get(n, "weak");
        const struct node *pattern = node_get(n, "pattern");
        if (check_pattern(k->c, k->src, pattern, USE_CONDITION,
                          weak != NULL && str_eq(weak->text, STR("true")),
                          k->fact_used))
            check_growth(k->c, k->src, pattern->place, pattern->text,
                         (struct str){0});
    }
}

void check_entry_patterns(const struct entry_check *k) {
    const struct entry *e = k->entry;
    const struct node *list = node_get(k->root, "signatures");
    for (size_t i = 0; i < e->signature_count; i++) {
        const struct node *n = node_item(list, i);
        check_signature(k, n, &e->signatures[i]);
        for (size_t j = 0; j < i; j++)
            if (e->signatures[i].id.n > 0
                && str_eq(e->signatures[i].id, e->signatures[j].id))
                complain(k->c, k->src, node_get(n, "id")->place,
                         CODE_duplicate_id,
                         "`%.*s` is the id of a signature above",
                         STR_ARG(e->signatures[i].id));
    }
    check_conditions(k, "all_of");
    check_conditions(k, "none_of");
}

static bool is_of_fact(char c) {
    return (c >= 'a' && c <= 'z') || c == '_' || (c >= '0' && c <= '9');
}

/* A quoted word is compared with the fact before it, or replaces it, so it must
 * be a word of that fact. '' is always allowed. */
static void check_word(const struct entry_check *k, const struct node *n,
                       size_t at, struct str word, enum fact_name name) {
    struct place place = node_place_at(n, at);
    place.width = (uint32_t)word.n;
    if (name != FACT_COUNT_OF && word.n > 0 && !fact_takes(name, word))
        complain(k->c, k->src, place, CODE_bad_value, "`%.*s` is no word of %s",
                 STR_ARG(word), fact_spelling(name));
}

/* Mark the facts of a predicate as used, and check its words. */
static void check_words(const struct entry_check *k, const struct node *n) {
    struct str predicate = n->text;
    enum fact_name last = FACT_COUNT_OF;
    for (size_t i = 0, end; i < predicate.n; i = end + 1) {
        bool is_quoted = predicate.p[i] == '\'';
        size_t from = is_quoted ? i + 1 : i;
        end = from;
        while (end < predicate.n && (is_quoted ? predicate.p[end] != '\''
                                               : is_of_fact(predicate.p[end])))
            end++;
        struct str word = str_slice(predicate, from, end - from);
        enum fact_name name;
        if (is_quoted)
            check_word(k, n, from, word, last);
        else if (fact_named(word, &name))
            k->fact_used[last = name] = true;
    }
}

void check_predicate(const struct entry_check *k, const struct node *n) {
    struct str why = {0};
    if (n == NULL || n->kind != NODE_SCALAR || n->text.n == 0)
        return;
    if (when_valid(k->c->scratch, n->text, &why))
        check_words(k, n);
    else
        complain(k->c, k->src, n->place, CODE_bad_when, "%.*s", STR_ARG(why));
}

void check_when(const struct entry_check *k, const struct node *list) {
    for (size_t i = 0; list != NULL && i < list->count; i++)
        check_predicate(k, node_item(list, i));
}
