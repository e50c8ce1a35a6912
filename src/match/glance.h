/* glance.h: can a pattern match in a line at all, as far as the line alone can
 * say? Private to match/. */
#ifndef MATCH_GLANCE_H
#define MATCH_GLANCE_H

#include "match/scanner.h"

struct glance;

struct glance *glance_new(struct scanner *s);
/* The text whose lines are asked about; then one of them, that begins at `at`.
 */
void glance_begin(struct glance *g, struct str text);
void glance_at(struct glance *g, size_t at);
/* True: no match holds a literal of this pattern that stands in the line. */
/* The same by the tail of the pattern alone, whatever stands before this
 * literal of it. */
bool glance_denies_tail(struct glance *g, uint32_t pattern,
                        struct str literal);
bool glance_denies(struct glance *g, uint32_t pattern);

#endif
