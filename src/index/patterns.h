/* patterns.h: how the kinds of patterns are called in the index. */
#ifndef INDEX_PATTERNS_H
#define INDEX_PATTERNS_H

#include "index/index.h"

const char *pattern_kind_name(enum pattern_kind kind);

#endif
