/* repr.h: a message printed with its newlines spelled out. */
#ifndef LOG_REPR_H
#define LOG_REPR_H

#include "base/buf.h"

/* If s holds an escaped newline that can be nothing else, writes s with its
 * escapes undone to out (cleared first) and returns true. */
bool repr_unfold(struct str s, struct buf *out);

#endif
