/* check.c: one pattern by itself, for the build and for tests: can it be
 * compiled, found, and read? Does it match this text?
 *
 * It answers with the first flaw, in the author's own text. What a weak pattern
 * needs beside it (an anchor, a condition) is the entry's matter.
 */
#include "match/literals.h"
#include "match/pattern.h"


static enum pattern_flaw flaw(struct pattern_error *error, size_t offset,
                              struct str message, enum pattern_flaw which) {
    *error = (struct pattern_error){offset, message};
    return which;
}

static size_t shortest_of(const struct str_list *list) {
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < list->count; i++)
        least = list->at[i].n < least ? list->at[i].n : least;
    return list->count ? least : 0;
}

static enum pattern_flaw check_literals(struct arena *a,
                                        const struct pattern_text *text,
                                        bool is_weak,
                                        struct pattern_error *error) {
    struct literals literals = literals_of(a, text);
    size_t shortest = shortest_of(&literals.best);
    if (shortest >= MATCH_LITERAL_MIN)
        return PATTERN_GOOD;
    if (!is_weak)
        return flaw(error, 0, STR("no literal of 8 bytes or more that every "
                                  "match contains (one per branch)"),
                    PATTERN_NO_LITERAL);
    if (shortest < WEAK_LITERAL_MIN)
        return flaw(error, 0, STR("a weak pattern, too, needs a literal of 3 "
                                  "bytes that every match contains"),
                    PATTERN_NO_LITERAL);
    return PATTERN_GOOD;
}

/* Where the group is named: behind "(?<", "(?P<" or "(?'". */
static size_t place_of_group(struct str text, struct str name) {
    for (size_t i = 1; i < text.n; i++) {
        bool opens = text.p[i - 1] == '<' || text.p[i - 1] == '\'';
        struct str rest = str_slice(text, i, text.n);
        bool closes = rest.n > name.n &&
                      (rest.p[name.n] == '>' || rest.p[name.n] == '\'');
        if (opens && closes && str_starts(rest, name))
            return i;
    }
    return 0;
}

static enum pattern_flaw check_groups(struct arena *a, const struct regex *r,
                                      struct str text, bool is_context,
                                      struct pattern_error *error) {
    for (size_t i = 0; i < regex_group_count(r); i++) {
        const struct named_group *g = &regex_groups(r)[i];
        if (g->is_fact || (is_context && str_eq(g->spelling, STR("command"))))
            continue;
        return flaw(error, place_of_group(text, g->spelling),
                    arena_printf(a, "no fact is named \"%.*s\", or its suffix "
                                 "does not fit its unit",
                                 STR_ARG(g->spelling)),
                    PATTERN_BAD_GROUP);
    }
    return PATTERN_GOOD;
}

enum pattern_flaw pattern_check(struct arena *a, struct str text, bool is_weak,
                                bool is_context, struct pattern_error *error) {
    struct pattern_text prepared;
    *error = (struct pattern_error){0};
    if (!pattern_text_prepare(a, text, &prepared, error))
        return PATTERN_SYNTAX;
    struct regex *r = regex_compile(matcher_new(a), &prepared, error);
    if (!r)
        return PATTERN_SYNTAX;
    enum pattern_flaw found = check_groups(a, r, text, is_context, error);
    if (found != PATTERN_GOOD)
        return found;
    return check_literals(a, &prepared, is_weak, error);
}

bool pattern_matches(struct arena *a, struct str pattern, struct str text) {
    struct pattern_error error;
    struct text_range range;
    struct matcher *m = matcher_new(a);
    struct regex *r = regex_of(m, pattern, &error);
    struct search search = {.subject = text, .latest = text.n};
    return r && regex_find(m, r, &search, &range);
}
