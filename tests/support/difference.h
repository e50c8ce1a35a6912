/* difference.h: where two nouns of one shape differ. */
#ifndef SUPPORT_DIFFERENCE_H
#define SUPPORT_DIFFERENCE_H

#include "corpus/fields.h"

/* NULL when equal, else the path of the first key that differs, as
 * "workarounds.acts_on.flag", in out. */
#define FIELD_PATH_MAX 96
const char *shape_difference(const struct shape *shape, const void *a,
                             const void *b, char out[FIELD_PATH_MAX]);

#endif
