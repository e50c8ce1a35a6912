/* suffix.h: the part of a pattern from its literal on. Private to match/. */
#ifndef MATCH_SUFFIX_H
#define MATCH_SUFFIX_H

#include "match/pattern_tree.h"

/* The text of the pattern from one of its literals on. Wherever a match of the
 * pattern contains one of them, it matches at the beginning of that literal.
 * Empty: the pattern has no suffix. */
struct str suffix_of(struct arena *a, const struct pattern_text *text,
                   const struct str_list *literals);

#endif
