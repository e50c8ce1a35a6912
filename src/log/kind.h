/* kind.h: is an input a log at all, or an archive, a picture, a program? */
#ifndef LOG_KIND_H
#define LOG_KIND_H

#include "base/str.h"

enum log_kind {
    LOG_KIND_LOG,
#define KIND(id, offset, magic) LOG_KIND_##id,
#include "log/kind.def"
#undef KIND
    LOG_KIND_binary, /* of no kind that is known, but no text */
    LOG_KIND_COUNT_OF
};

#define KIND_BYTES 256 /* so many at the front tell */

/* head: the first KIND_BYTES of the input, decompressed; all of it where it is
 * shorter. */
enum log_kind log_kind_of(struct str head);
/* "zip": the key of its text. NULL for a log. */
const char *log_kind_name(enum log_kind kind);

#endif
