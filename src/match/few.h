/* few.h: searches a text for a few short words at once. Private to match/. */
#ifndef MATCH_FEW_H
#define MATCH_FEW_H

#include "base/plain.h"

#define FEW_MAX 4   /* words */
#define FEW_BYTES 3 /* of each that are compared: its first */

struct few {
    char bytes[FEW_MAX][FEW_BYTES][PLAIN_LONG_STEP]; /* each repeated */
    size_t count;
};

/* False: there are too many. The word has at least FEW_BYTES. */
bool few_add(struct few *f, const char *word);
/* The first place of [from, to) where a word may begin; to: there is none.
 * PLAIN_LONG_STEP + FEW_BYTES bytes behind the text may be read. */
size_t few_find(const struct few *f, const char *text, size_t from, size_t to);

#endif
