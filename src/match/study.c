/* study.c: what is found out about patterns at build: the text that PCRE2 is
 * given and what it makes of it, how far before its literal a match can begin,
 * and its text from there on. All that costs more than matching a short log
 * does, so a run reads it from the index. */
#include "match/literals.h"
#include "match/pattern.h"
#include "match/tail.h"

static _Noreturn void refuse(struct arena *a,
                             const struct pattern_error *error) {
    arena_raise(a, FAIL_INDEX, "a pattern will not do: %.*s",
                STR_ARG(error->message));
}

static struct str freeze(struct arena *a, struct matcher *m,
                         struct str text) {
    const struct arena_defer *before = a->deferred;
    struct pattern_error error;
    struct regex *r = regex_of(m, text, &error);
    if (!r)
        refuse(a, &error);
    struct str bytes = arena_str(a, regex_freeze(m, r));
    arena_release_to(a, before);
    return bytes;
}

/* The pattern, then its extracts. */
static struct str_list code_of(struct arena *a, struct matcher *m,
                               const struct pattern *p) {
    struct str_list code = {.count = 1 + p->extract.count};
    code.at = arena_array(a, code.count, sizeof *code.at);
    code.at[0] = freeze(a, m, p->text);
    for (size_t i = 0; i < p->extract.count; i++)
        code.at[1 + i] = freeze(a, m, p->extract.at[i]);
    return code;
}

static void study(struct arena *a, struct matcher *m, struct pattern *p) {
    struct pattern_text text;
    struct pattern_error error;
    if (!pattern_text_prepare(a, p->text, &text, &error))
        refuse(a, &error);
    struct literals literals = literals_of(a, &text);
    p->study = (struct pattern_study){
        .prepared = text.text, .needs_utf = text.needs_utf,
        .lines_before = literals.lines,
        .tail = tail_of(a, &text, &literals.best),
        .code = code_of(a, m, p)};
}

void patterns_study(struct arena *a, struct pattern_list *set) {
    struct matcher *m = matcher_new(a);
    for (size_t i = 0; i < set->count; i++)
        study(a, m, &set->at[i]);
}
