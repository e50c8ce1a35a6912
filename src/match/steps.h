/* steps.h: counts the work of matching a pattern. Private to match/. */
#ifndef MATCH_STEPS_H
#define MATCH_STEPS_H

#include "match/pattern_tree.h"

/* The text that PCRE2 compiles: a prepared pattern with callouts behind its
 * repeats. A callout is one step, and so is every byte that the match advanced
 * or went back since the callout before. */
enum steps_of {
    STEPS_OF_ALL,  /* all repeats of no fixed number: for the build */
    STEPS_OF_LARGE /* only those whose work has no small bound */
};
struct str steps_counted(struct arena *a, const struct pattern_text *text,
                         enum steps_of which);

#endif
