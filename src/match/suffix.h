/* suffix.h: what must stand behind the front of a pattern's literal. Private to
 * match/. */
#ifndef MATCH_SUFFIX_H
#define MATCH_SUFFIX_H

#include "match/pattern_tree.h"

/* A pattern that matches where one of `literals` begins wherever they lie in a
 * match of the pattern they were taken from: its text from that literal on.
 * Empty: not known. */
struct str suffix_of(struct arena *a, const struct pattern_text *text,
                   const struct str_list *literals);

#endif
