/* repr.h: messages whose newlines are printed as "\n". */
#ifndef LOG_REPR_H
#define LOG_REPR_H

#include "base/buf.h"

/* If s has an escaped newline that can be nothing else, clears out, writes s
 * without escapes to it and returns true. */
bool repr_unfold(struct str s, struct buf *out);

#endif
