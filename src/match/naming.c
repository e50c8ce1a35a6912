/* naming.c: the engine that a few words name, such as a process's name. All
 * patterns whose row names an engine are tried, in the order of their ids, and
 * no prefilter is used. */
#include "match/match.h"
#include "match/pattern.h"

/* Compiled code has no guards: those are compiled apart (guard.c). */
static struct regex *regex_whole(struct matcher *m, struct reader *r,
                                 const struct pattern *p) {
    struct serialized code;
    struct pattern_error error;
    bool is_whole = p->analysis.guards.count == 0;
    struct regex *compiled = is_whole && reader_code(r, p->id, 0, &code)
                                 ? regex_deserialize(m, &code)
                                 : NULL;
    return compiled ? compiled : regex_of(m, p->text, &error);
}

struct str engine_named_in(struct arena *a, struct reader *r, struct str text) {
    struct matcher *m = matcher_new(a);
    struct search search = {.subject = text, .latest = text.n};
    struct text_range range;
    for (uint32_t i = 0; i < reader_naming_count(r); i++) {
        const struct pattern *p = reader_naming(r, i);
        struct regex *regex = regex_whole(m, r, p);
        if (regex && regex_find(m, regex, &search, &range))
            return context_engine(p->context);
    }
    return (struct str){NULL, 0};
}
