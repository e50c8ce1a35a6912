/* kind.h: tells a log from an archive, a picture, a program. */
#ifndef LOG_KIND_H
#define LOG_KIND_H

#include "base/str.h"

enum log_kind {
    LOG_KIND_LOG,
#define KIND(id, offset, magic) LOG_KIND_##id,
#include "log/kind.def"
#undef KIND
    LOG_KIND_binary /* no text, and of no known kind */
};

#define KIND_BYTES 256 /* bytes at the front that decide the kind */

/* head: the first KIND_BYTES of the decompressed input; all of it if it is
 * shorter. */
enum log_kind log_kind_of(struct str head);
/* The key of the kind's text, "zip". NULL for a log. */
const char *log_kind_name(enum log_kind kind);

#endif
