/* analysis.c: the analysis of a pattern at build: the text for PCRE2 and its
 * compiled form, its literals and how far before them a match can begin, and
 * its text from the literal on. It takes longer than scanning a short log, so a
 * run reads it from the index. */
#include "base/buf.h"
#include "match/suffix.h"
#include "match/written.h"

static _Noreturn void refuse(struct arena *a,
                             const struct pattern_error *error) {
    arena_raise(a, FAIL_INDEX, "a pattern cannot be used: %.*s",
                STR_ARG(error->message));
}

/* Compiles a part of the pattern: its body, or a guard. */
static struct str compiled_part(const struct written_pattern *w,
                                struct str part) {
    struct pattern_error error;
    struct pattern_text text =
        pattern_text_prepared(w->a, part, w->text.needs_utf);
    struct regex *r = regex_compile(w->matcher, &text, &error);
    if (!r)
        refuse(w->a, &error);
    return regex_serialize(w->matcher, r);
}

static void add_words(struct buf *words, const struct str_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        buf_add(words, list->at[i]);
        if (i + 1 < list->count)
            buf_add_char(words, '\t');
    }
    buf_add_char(words, '\n');
}

static struct str extract_words(struct arena *a, size_t count,
                                struct written_pattern *const *extracts) {
    struct buf words = buf_in(a, 0);
    for (size_t i = 0; i < count; i++)
        add_words(&words, &extracts[i]->literals.best);
    return buf_str(&words);
}

/* The words of what stands between "(?!", or "(?=", and ")". */
static struct str guard_words(struct arena *a, const struct str_list *guards) {
    struct buf words = buf_in(a, 0);
    for (size_t i = 0; i < guards->count; i++) {
        struct str guard = guards->at[i];
        struct str_list list =
            pattern_literals(a, str_slice(guard, 3, guard.n - 4));
        add_words(&words, &list);
    }
    return buf_str(&words);
}

void written_analyze(const struct written_pattern *w,
                     struct written_pattern *const *extracts,
                     struct pattern *p) {
    const struct str_list *guards = &w->parts.guards;
    struct str_list code = {
        arena_array(w->a, 1 + p->extract.count + guards->count,
                    sizeof *code.at),
        0};
    code.at[code.count++] = guards->count > 0
                                ? compiled_part(w, w->parts.body)
                                : regex_serialize(w->matcher, w->regex);
    for (size_t i = 0; i < p->extract.count; i++)
        code.at[code.count++] = regex_serialize(extracts[i]->matcher,
                                               extracts[i]->regex);
    for (size_t i = 0; i < guards->count; i++)
        code.at[code.count++] = compiled_part(w, guards->at[i]);
    p->analysis = (struct pattern_analysis){
        .prepared = w->parts.body, .guards = *guards,
        .guard_words = guard_words(w->a, guards),
        .extract_words = extract_words(w->a, p->extract.count, extracts),
        .needs_utf = w->text.needs_utf,
        .suffix = suffix_of(w->a, &w->text, &w->literals.best),
        .literals = w->literals.best,
        .fronts = w->literals.fronts,
        .code = code};
}

static struct written_pattern *read_good(struct arena *a, struct str text) {
    struct pattern_error error;
    struct written_pattern *w = pattern_read(a, text, &error);
    if (!w)
        refuse(a, &error);
    return w;
}

void pattern_analyze(struct arena *a, struct pattern *p) {
    struct written_pattern **extracts =
        arena_array(a, p->extract.count, sizeof(struct written_pattern *));
    for (size_t i = 0; i < p->extract.count; i++)
        extracts[i] = read_good(a, p->extract.at[i]);
    written_analyze(read_good(a, p->text), extracts, p);
}
