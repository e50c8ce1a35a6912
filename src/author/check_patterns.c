/* check_patterns.c: patterns, samples of signatures, predicates.
 *
 * match/ checks a pattern and returns the byte of an error; index/ checks a
 * predicate. Here errors get their place in the file. Each pattern is read
 * once: what a run wants to know of it is kept, whatever else it is checked
 * for. */
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

static void check_growth(struct complaints *c, const struct source *src,
                         struct place place, const struct written_pattern *w,
                         struct str sample) {
    struct pattern_growth g;
    if (!written_grows(w, sample, &g))
        return;
    struct str shown = str_slice(g.text, 0, TRIED_TEXT_BYTES_MAX);
    complain(c, src, place, CODE_steep_pattern,
             "%" PRIu64 " steps from two of %" PRIu32 " repeats of `%.*s`%s, "
             "%" PRIu64 " from two of twice as many: the work must grow with "
             "the text, not with its square", g.steps, g.repeats,
             STR_ARG(shown), g.text.n > shown.n ? "..." : "", g.steps_twice);
}

/* The requirements of a pattern depend on its use. */
enum pattern_use {
    USE_SIGNATURE, /* a literal, or weak with what excuses it */
    USE_CONTEXT,   /* the same; may have the group `command` */
    USE_CONDITION, /* a literal, or weak */
    USE_EXTRACT    /* run inside a message: needs none */
};

/* NULL if there is no pattern, or after a complaint. */
static struct written_pattern *read_pattern(struct build *d,
                                            const struct source *src,
                                            const struct node *n,
                                            enum pattern_use use,
                                            bool is_weak) {
    struct pattern_error error = {0};
    if (n == NULL || n->kind != NODE_SCALAR || n->text.n == 0)
        return NULL;
    struct written_pattern *w = pattern_read(d->c.scratch, n->text, &error);
    enum pattern_flaw flaw =
        w == NULL ? PATTERN_SYNTAX
                  : written_flaw(w, is_weak || use == USE_EXTRACT,
                                 use == USE_CONTEXT, &error);
    static const enum code codes[] = {[PATTERN_SYNTAX] = CODE_bad_pattern,
                                      [PATTERN_BAD_GROUP] = CODE_bad_group,
                                      [PATTERN_NO_LITERAL] = CODE_no_literal};
    bool is_good = flaw == PATTERN_GOOD ||
                   (flaw == PATTERN_NO_LITERAL && use == USE_EXTRACT);
    if (is_good)
        note_groups(n->text, d->fact_used);
    else
        complain(&d->c, src, node_place_at(n, error.offset), codes[flaw],
                 "%.*s", STR_ARG(error.message));
    return is_good ? w : NULL;
}

void check_line(struct build *d, const struct made *m, const struct node *n) {
    read_pattern(d, m->src, n, USE_CONTEXT, true);
}

static bool has_anchor(struct str pattern) {
    return str_starts(pattern, STR("^")) || str_starts(pattern, STR("(?m)^"))
           || str_starts(pattern, STR("(?m:^)"))
           || (str_ends(pattern, STR("$")) && !str_ends(pattern, STR("\\$")));
}

/* A weak signature of an entry without a mechanism is a guess, which any other
 * finding overrides. Other weak signatures need an all_of. */
static void check_weak(const struct entry_check *k,
                       const struct node *pattern) {
    const struct node *all_of = node_get(k->root, "all_of");
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

/* What a file says of one pattern of the corpus. */
struct pattern_site {
    const struct made *m;
    const struct node *node;    /* NULL: it is made of a setting ... */
    const struct node *flags;   /* ... of these */
    const struct node *sample, *extract; /* of a signature; may be NULL */
    enum pattern_use use;
    bool is_weak;
};

static bool is_true(const struct node *n) {
    return n != NULL && str_eq(n->text, STR("true"));
}

/* The node of an entry's condition; all_of and none_of are one list there. */
static const struct node *condition_node(const struct made *m, size_t ordinal) {
    const struct condition *all = made_entry(m)->conditions;
    bool is_none_of = all[ordinal].is_none_of;
    size_t at = 0;
    for (size_t i = 0; i < ordinal; i++)
        at += all[i].is_none_of == is_none_of;
    return node_item(node_get(m->node, is_none_of ? "none_of" : "all_of"), at);
}

static struct pattern_site site_of(const struct build *d,
                                   const struct pattern *p) {
    bool is_entry =
        p->kind == PATTERN_SIGNATURE || p->kind == PATTERN_CONDITION;
    struct pattern_site s = {
        .m = &d->made[is_entry ? MADE_ENTRY : MADE_ENGINE].at[p->owner],
        .use = USE_CONDITION, .is_weak = p->is_weak};
    const struct node *root = s.m->node, *n = NULL;
    const struct node *frame, *passed;
    switch (p->kind) {
    case PATTERN_SIGNATURE:
        n = node_item(node_get(root, "signatures"), p->ordinal);
        s.use = USE_SIGNATURE;
        s.sample = node_get(n, "sample");
        s.extract = node_get(n, "extract");
        break;
    case PATTERN_CONDITION: n = condition_node(s.m, p->ordinal); break;
    case PATTERN_CONTEXT:
        n = node_item(node_get(root, "contexts"), p->ordinal);
        s.use = USE_CONTEXT;
        s.is_weak = n != NULL
                        ? is_true(node_get(n, "weak"))
                        : ((const struct engine *)s.m->what)->has_programs;
        s.flags = n == NULL ? node_or(node_get(root, "flags"), root) : NULL;
        break;
    case PATTERN_STAGE:
        n = node_item(node_get(root, "stages"), p->ordinal);
        frame = node_get(n, "frame");
        passed = node_get(n, "passed");
        s.node =
            frame == NULL || passed == NULL ? node_or(frame, passed) : NULL;
        return s;
    }
    s.node = node_get(n, "pattern");
    return s;
}

/* The pattern must match in the sample, which may have further lines. */
static void check_own_sample(struct build *d, const struct pattern_site *s,
                             const struct written_pattern *w) {
    const struct node *sample = s->sample;
    if (sample == NULL || sample->kind != NODE_SCALAR || sample->text.n == 0)
        return;
    if (!written_matches(w, sample->text))
        complain(&d->c, s->m->src, node_place_at(sample, 0),
                 CODE_sample_mismatch,
                 "the pattern of this signature does not match its sample");
}

/* One that is made of a setting. */
static struct written_pattern *read_generated(struct build *d,
                                              const struct pattern_site *s,
                                              struct str text) {
    struct pattern_error error = {0};
    struct written_pattern *w = pattern_read(d->c.scratch, text, &error);
    if (w == NULL || written_flaw(w, s->is_weak, true, &error) != PATTERN_GOOD)
        complain(&d->c, s->m->src, s->flags->place, CODE_bad_pattern,
                 "the pattern %.*s, made for a setting, will not do: %.*s",
                 STR_ARG(text), STR_ARG(error.message));
    return w;
}

static struct str_list copied(struct arena *a, const struct str_list *list) {
    struct str_list copy = {arena_array(a, list->count, sizeof *copy.at),
                            list->count};
    for (size_t i = 0; i < list->count; i++)
        copy.at[i] = arena_str(a, list->at[i]);
    return copy;
}

/* From scratch to the build's arena. */
static void keep_analysis(struct arena *a, struct pattern_analysis *s) {
    s->prepared = arena_str(a, s->prepared);
    s->suffix = arena_str(a, s->suffix);
    s->guards = copied(a, &s->guards);
    s->guard_words = arena_str(a, s->guard_words);
    s->extract_words = arena_str(a, s->extract_words);
    s->literals = copied(a, &s->literals);
    s->fronts = arena_str(a, s->fronts);
    s->code = copied(a, &s->code);
}

void check_pattern_at(struct build *d, const void *is_written_only, size_t i) {
    struct pattern *p = &d->patterns.at[i];
    struct pattern_site s = site_of(d, p);
    if (s.flags != NULL && *(const bool *)is_written_only)
        return;
    const struct source *src = s.m->src;
    struct str sample = p->kind == PATTERN_SIGNATURE
                            ? made_entry(s.m)->signatures[p->ordinal].sample
                            : (struct str){0};
    struct written_pattern **extracts =
        arena_array(d->c.scratch, p->extract.count, sizeof *extracts);
    struct written_pattern *w =
        s.flags != NULL ? read_generated(d, &s, p->text)
                        : read_pattern(d, src, s.node, s.use, s.is_weak);
    bool is_good = w != NULL;
    if (w != NULL) {
        check_own_sample(d, &s, w);
        check_growth(&d->c, src, (s.flags != NULL ? s.flags : s.node)->place,
                     w, sample);
    }
    for (size_t k = 0; k < p->extract.count; k++) {
        const struct node *n = node_item(s.extract, k);
        struct pattern_error error;
        extracts[k] = n == NULL
                          ? pattern_read(d->c.scratch, p->extract.at[k], &error)
                          : read_pattern(d, src, n, USE_EXTRACT, false);
        is_good = is_good && extracts[k] != NULL;
        if (n != NULL && extracts[k] != NULL)
            check_growth(&d->c, src, n->place, extracts[k], sample);
    }
    if (!is_good)
        return;
    written_analyze(w, extracts, p);
    keep_analysis(d->a, &p->analysis);
}

/* Those of the engines stand last. One of them takes as long as fifty others:
 * no thread may begin with it when all else is done. */
static void check_from_end(struct build *d, const void *is_written_only,
                           size_t i) {
    check_pattern_at(d, is_written_only, d->patterns.count - 1 - i);
}

void check_patterns(struct build *d) {
    bool is_written_only = d->c.errors > 0; /* a setting may be wrong */
    d->patterns = corpus_patterns(d->a, &d->corpus);
    build_share(d, d->patterns.count, check_from_end, &is_written_only);
}

void check_signatures(const struct entry_check *k) {
    const struct entry *e = k->entry;
    const struct node *list = node_get(k->root, "signatures");
    for (size_t i = 0; i < e->signature_count; i++) {
        const struct node *n = node_item(list, i);
        if (e->signatures[i].is_weak)
            check_weak(k, node_get(n, "pattern"));
        for (size_t j = 0; j < i; j++)
            if (e->signatures[i].id.n > 0
                && str_eq(e->signatures[i].id, e->signatures[j].id))
                complain(k->c, k->src, node_get(n, "id")->place,
                         CODE_duplicate_id,
                         "`%.*s` is the id of a signature above",
                         STR_ARG(e->signatures[i].id));
    }
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
