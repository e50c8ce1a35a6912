/* margin.h: the place in the code at the right edge of a record's line.
 * Private to log/. */
#ifndef LOG_MARGIN_H
#define LOG_MARGIN_H

#include "base/str.h"

struct margin {
    struct str before, after; /* of the message; after may be empty */
};

/* is_record: the text is the first line of a record. False if there is no such
 * place: then *out is unchanged. */
bool margin_find(struct str text, bool is_record, struct margin *out);

#endif
