/* study.c: what is found out about patterns at build: the text that PCRE2 is
 * given and what it makes of it, how far before its literal a match can begin,
 * and its text from there on. All that costs more than matching a short log
 * does, so a run reads it from the index. */
#include "match/guard.h"
#include "match/literals.h"
#include "match/pattern.h"
#include "match/suffix.h"

static _Noreturn void refuse(struct arena *a,
                             const struct pattern_error *error) {
    arena_raise(a, FAIL_INDEX, "a pattern will not do: %.*s",
                STR_ARG(error->message));
}

static struct pattern_text prepared(struct arena *a, struct str written) {
    struct pattern_text text;
    struct pattern_error error;
    if (!pattern_text_prepare(a, written, &text, &error))
        refuse(a, &error);
    return text;
}

static struct str compiled(struct arena *a, const struct pattern_text *text) {
    const struct arena_defer *before = a->deferred;
    struct matcher *m = matcher_new(a);
    struct pattern_error error;
    struct regex *r = regex_compile(m, text, &error);
    if (!r)
        refuse(a, &error);
    struct str bytes = arena_str(a, regex_serialize(m, r));
    arena_release_to(a, before);
    return bytes;
}

static struct str compiled_part(struct arena *a, struct str part,
                                bool needs_utf) {
    struct pattern_text text = pattern_text_prepared(a, part, needs_utf);
    return compiled(a, &text);
}

void pattern_study(struct arena *a, struct pattern *p) {
    struct pattern_text text = prepared(a, p->text);
    struct literals literals = literals_of(a, &text);
    struct guarded parts = guards_of(a, &text);
    struct str_list code = {
        arena_array(a, 1 + p->extract.count + parts.guards.count,
                    sizeof *code.at),
        0};
    code.at[code.count++] = compiled_part(a, parts.body, text.needs_utf);
    for (size_t i = 0; i < p->extract.count; i++) {
        struct pattern_text extract = prepared(a, p->extract.at[i]);
        code.at[code.count++] = compiled(a, &extract);
    }
    for (size_t i = 0; i < parts.guards.count; i++)
        code.at[code.count++] =
            compiled_part(a, parts.guards.at[i], text.needs_utf);
    p->study = (struct pattern_study){
        .prepared = parts.body, .guards = parts.guards,
        .needs_utf = text.needs_utf,
        .suffix = suffix_of(a, &text, &literals.best),
        .literals = literals.best,
        .fronts = literals.fronts,
        .code = code};
}
