/* wanted.c: which hits anybody will ask for.
 *
 *     signature of an entry: found --> conditions of its group are wanted,
 *                                      and so are stages
 *     not found                    --> nobody asks for them
 *
 * Most conditions of the corpus belong to entries whose own words are nowhere in
 * the log. When the end of the log is here and all signatures in what is left
 * of it have been matched, the conditions that are not wanted need no match; and
 * those that were matched before are not told, so that where a log happened to
 * be cut changes nothing. Context is always wanted: it is shown by itself.
 */
#include "match/scanner.h"

void wanted_note(struct scanner *s, const struct pattern *signature) {
    struct scanner *owner = s->owner ? s->owner : s;
    if (!owner->sighted)
        owner->sighted = arena_array(owner->a, owner->entry_count, 1);
    owner->sighted[signature->owner] = 1;
}

static bool is_sighted(const struct scanner *s, uint32_t entry) {
    struct group group = reader_group(s->reader, entry);
    if (s->sighted[entry] != 0)
        return true;
    for (size_t i = 0; i < group.count; i++)
        if (s->sighted[group.entries[i]] != 0)
            return true;
    return false;
}

bool wanted_is(const struct scanner *s, const struct pattern *p) {
    switch (p->kind) {
    case PATTERN_SIGNATURE:
    case PATTERN_CONTEXT: return true;
    case PATTERN_CONDITION: return s->sighted && is_sighted(s, p->owner);
    case PATTERN_STAGE: return s->sighted != NULL;
    }
    return true;
}
