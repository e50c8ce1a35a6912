/* study.c: what is found out about patterns at build: the text that PCRE2 is
 * given, how far before its literal a match can begin, and which other words it
 * holds. All that costs more than matching a short log does, so a run reads it
 * from the index. */
#include "match/literals.h"
#include "match/reach.h"

static void study(struct arena *a, struct pattern *p) {
    struct pattern_text text;
    struct pattern_error error;
    if (!pattern_text_prepare(a, p->text, &text, &error))
        arena_raise(a, FAIL_INDEX, "a pattern will not do: %.*s",
                    STR_ARG(error.message));
    struct reach reach = reach_of(a, p->text);
    struct str_list also;
    literals_of(a, &text, &also);
    p->study = (struct pattern_study){
        .also = also,
        .prepared = text.text, .needs_utf = text.needs_utf,
        .has_reach = reach.is_known,
        .reach_bytes = reach.bytes, .reach_lines = reach.lines};
}

void patterns_study(struct arena *a, struct pattern_list *set) {
    for (size_t i = 0; i < set->count; i++)
        study(a, &set->at[i]);
}
