/* check.c: checks one pattern by itself: that it compiles, has literals, and
 * names facts; and matches it with a text.
 *
 * The first flaw is returned, with its offset in the author's text. What a weak
 * pattern needs besides (an anchor, a condition) is checked with its entry.
 */
#include "match/written.h"

static enum pattern_flaw flaw(struct pattern_error *error, size_t offset,
                              struct str message, enum pattern_flaw which) {
    *error = (struct pattern_error){offset, message};
    return which;
}

static enum pattern_flaw check_literals(const struct written_pattern *w,
                                        bool is_weak,
                                        struct pattern_error *error) {
    size_t shortest = shortest_literal(&w->literals.best);
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

/* The offset of the group's name: behind "(?<", "(?P<" or "(?'". */
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

static enum pattern_flaw check_groups(const struct written_pattern *w,
                                      bool is_context,
                                      struct pattern_error *error) {
    for (size_t i = 0; i < regex_group_count(w->regex); i++) {
        const struct named_group *g = &regex_groups(w->regex)[i];
        if (g->is_fact || (is_context && str_eq(g->spelling, STR("command"))))
            continue;
        return flaw(error, place_of_group(w->written, g->spelling),
                    arena_printf(w->a,
                                 "no fact is named \"%.*s\", or its suffix "
                                 "does not fit its unit",
                                 STR_ARG(g->spelling)),
                    PATTERN_BAD_GROUP);
    }
    return PATTERN_GOOD;
}

struct written_pattern *pattern_read(struct arena *a, struct str text,
                                     struct pattern_error *error) {
    struct written_pattern *w = arena_alloc(a, sizeof *w);
    *error = (struct pattern_error){0};
    w->a = a;
    w->written = text;
    if (!pattern_text_prepare(a, text, &w->text, error))
        return NULL;
    w->matcher = matcher_new(a);
    w->regex = regex_compile(w->matcher, &w->text, error);
    if (!w->regex)
        return NULL;
    w->parts = guards_of(a, &w->text);
    w->literals = literals_of(a, &w->text);
    return w;
}

enum pattern_flaw written_flaw(const struct written_pattern *w, bool is_weak,
                               bool is_context, struct pattern_error *error) {
    enum pattern_flaw found = check_groups(w, is_context, error);
    return found != PATTERN_GOOD ? found : check_literals(w, is_weak, error);
}

enum pattern_flaw pattern_check(struct arena *a, struct str text, bool is_weak,
                                bool is_context, struct pattern_error *error) {
    const struct written_pattern *w = pattern_read(a, text, error);
    return w ? written_flaw(w, is_weak, is_context, error) : PATTERN_SYNTAX;
}

bool written_matches(const struct written_pattern *w, struct str text) {
    struct text_range range;
    struct search search = {.subject = text, .latest = text.n};
    return regex_find(w->matcher, w->regex, &search, &range);
}

bool pattern_matches(struct arena *a, struct str pattern, struct str text) {
    struct pattern_error error;
    struct text_range range;
    struct matcher *m = matcher_new(a);
    struct regex *r = regex_of(m, pattern, &error);
    struct search search = {.subject = text, .latest = text.n};
    return r && regex_find(m, r, &search, &range);
}
