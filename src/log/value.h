/* value.h: a log inside a string of a JSON text. */
#ifndef LOG_VALUE_H
#define LOG_VALUE_H

#include "base/buf.h"

struct value {
    struct str before; /* the line up to and with the opening quote */
    struct str rest;   /* from the closing quote; empty: the line ends inside
                          the string */
};

/* Finds the first string of several lines that is the value of a key:
 * {"id": 7, "stderr": "first\nsecond\n"}. out: its text, unescaped. */
bool value_find(struct str line, struct buf *out, struct value *v);

#endif
