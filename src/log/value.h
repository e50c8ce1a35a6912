/* value.h: a log that stands in a JSON text, as one of its strings. */
#ifndef LOG_VALUE_H
#define LOG_VALUE_H

#include "base/buf.h"

struct value {
    struct str before; /* of the line, up to the quote that opens the string */
    struct str rest;   /* from the quote that closes it; empty: the line ends
                          inside */
};

/* The first string of several lines that is the value of a key:
 * {"id": 7, "stderr": "first\nsecond\n"}. Its text, unescaped, goes to out. */
bool value_find(struct str line, struct buf *out, struct value *v);

#endif
