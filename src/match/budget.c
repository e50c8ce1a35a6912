/* budget.c: how much work the patterns of one log may be.
 *
 *     a search          MATCH_SEARCH_STEPS_MAX: then this line is left, and
 *                       the pattern goes on behind it
 *     a pattern         an eighth of what the log has left
 *     a log             MATCH_LOG_STEPS_MAX, and MATCH_BYTE_STEPS_MAX for
 *                       each byte read
 *
 * The build refuses patterns whose work grows faster than the text, so an
 * ordinary log uses little of this. A log that is made to cost much takes the
 * patterns that cost most out, one after the other, and the others go on to
 * its end. Which were taken out, and where the first was, is in the report.
 *
 * Steps are counted and not timed, so a log has the same answer anywhere. */
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
