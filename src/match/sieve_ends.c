/* sieve_ends.c: what stood before breaks lately, by its last two bytes. Nearly
 * always that tells that a literal's first bytes, which are missing before its
 * rest, stand at the end of no line near. */
#include "match/sieve_look.h"

#define LOOK_FRONT 512 /* of the line that goes on: its frames */

static size_t end_slot(char before, char last) {
    return (fold_byte((unsigned char)before) * 61u +
            fold_byte((unsigned char)last)) % LOOK_ENDS;
}

/* Whatever stands before a closing byte may have ended there. */
static size_t closed_slot(void) {
    return end_slot('}', '}');
}

void look_note_ends(struct sieve *s, struct str text) {
    for (size_t i = 0; i < s->breaks.count; i++) {
        size_t at = s->breaks.at[i];
        if (at < 2)
            continue;
        s->ended[end_slot(text.p[at - 2], text.p[at - 1])] = at;
        s->ended[end_slot(0, text.p[at - 1])] = at;
        if (look_is_closed(text, at))
            s->ended[closed_slot()] = at;
    }
}

static bool is_lately(size_t end, size_t at) {
    return end != 0 && end + LOOK_BACK + LOOK_FRONT >= at;
}

/* Before `at`, on its line: only in JSON text goes on behind what closed it. */
static bool has_brace(const struct look *l, size_t at) {
    while (at > 0 && l->text.p[at - 1] != '\n' && l->text.p[at - 1] != '{')
        at--;
    return at > 0 && l->text.p[at - 1] == '{';
}

bool look_has_ended(const struct look *l, size_t at, struct str lead) {
    size_t n = lead.n;
    while (n > 0 && lead.p[n - 1] == ' ')
        n--;
    if (l->is_copy || at < l->s->noted_from + LOOK_BACK + LOOK_FRONT ||
        n == 0)
        return true;
    size_t slot = n > 1 ? end_slot(lead.p[n - 2], lead.p[n - 1])
                        : end_slot(0, lead.p[n - 1]);
    return is_lately(l->s->ended[slot], at) ||
           (is_lately(l->s->ended[closed_slot()], at) && has_brace(l, at));
}
