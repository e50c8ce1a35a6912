/* steps.h: how a pattern counts the work that matching it is. Private to
 * match/. */
#ifndef MATCH_STEPS_H
#define MATCH_STEPS_H

#include "match/pattern_tree.h"

/* The text that PCRE2 compiles: that of a prepared pattern with callouts behind
 * its repeats. A callout is one step, and so is every byte that the match went
 * on or back since the one before it. */
enum steps_of {
    STEPS_OF_ALL,   /* repeats of no fixed number, for the build's check */
    STEPS_OF_LARGE  /* those whose work is not bounded by a small number */
};
struct str steps_counted(struct arena *a, const struct pattern_text *text,
                         enum steps_of which);

#endif
