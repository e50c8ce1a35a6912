/* study.c: what is found out about patterns at build: the text that PCRE2 is
 * given and what it makes of it, how far before its literal a match can begin,
 * and its text from there on. All that costs more than matching a short log
 * does, so a run reads it from the index. */
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

void pattern_study(struct arena *a, struct pattern *p) {
    struct pattern_text text = prepared(a, p->text);
    struct literals literals = literals_of(a, &text);
    struct str_list code = {.count = 1 + p->extract.count};
    code.at = arena_array(a, code.count, sizeof *code.at);
    code.at[0] = compiled(a, &text);
    for (size_t i = 0; i < p->extract.count; i++) {
        struct pattern_text extract = prepared(a, p->extract.at[i]);
        code.at[1 + i] = compiled(a, &extract);
    }
    p->study = (struct pattern_study){
        .prepared = text.text, .needs_utf = text.needs_utf,
        .front_lines = literals.front_lines,
        .suffix = suffix_of(a, &text, &literals.best),
        .literals = literals.best,
        .code = code};
}
