/* budget.c: limits the work of all patterns on one log, in steps (steps.h).
 *
 *     of a search       MATCH_SEARCH_STEPS_MAX: then it continues on the next
 *                       line
 *     of a pattern      an eighth of what is left for the log
 *     of a log          MATCH_LOG_STEPS_MAX, and MATCH_BYTE_STEPS_MAX for
 *                       each byte read
 *
 * The build refuses patterns whose work grows faster than the text, so an
 * ordinary log uses little of this. On a log that is made to cost much, the
 * patterns that cost most are given up one after the other; the others search
 * to its end. The report has their number and the first line.
 *
 * Steps are counted, not timed, so a log has the same result everywhere. */
#include "base/limits.h"
#include "match/scanner.h"

#define PATTERN_SHARE 8

static uint64_t steps_left(struct scanner *s) {
    uint64_t bytes = s->owner->bytes + (s->owner != s ? s->bytes : 0);
    uint64_t all = MATCH_LOG_STEPS_MAX + MATCH_BYTE_STEPS_MAX * bytes;
    uint64_t used = regex_steps(s->matcher) - s->known->steps_before;
    return used < all ? all - used : 0;
}

bool budget_allows(struct scanner *s, const struct pattern_state *p) {
    return p->steps == 0 || p->steps <= steps_left(s) / PATTERN_SHARE;
}

void budget_charge(struct scanner *s, struct pattern_state *p,
                   uint64_t before) {
    p->steps += regex_steps(s->matcher) - before;
}

void budget_note(struct scanner *s, struct pattern_state *p, uint32_t line) {
    struct gave_up *g = &s->owner->result.gave_up;
    if (g->patterns == 0 || line < g->line)
        g->line = line;
    g->patterns += !p->has_given_up;
    p->has_given_up = true;
}
