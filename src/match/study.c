/* study.c: what is found out about patterns at build: the text that PCRE2 is
 * given, and how far before its literal a match can begin. Both cost more than
 * matching a short log does, so a run reads them from the index. */
#include "match/pattern_text.h"
#include "match/reach.h"

static void study(struct arena *a, struct pattern *p) {
    struct pattern_text text;
    struct pattern_error error;
    if (!pattern_text_prepare(a, p->text, &text, &error))
        arena_raise(a, FAIL_INDEX, "a pattern will not do: %.*s",
                    STR_ARG(error.message));
    struct reach reach = reach_of(a, p->text);
    p->study = (struct pattern_study){
        .prepared = text.text, .needs_utf = text.needs_utf,
        .has_reach = reach.is_known,
        .reach_bytes = reach.bytes, .reach_lines = reach.lines};
}

void patterns_study(struct arena *a, struct pattern_list *set) {
    for (size_t i = 0; i < set->count; i++)
        study(a, &set->at[i]);
}
