/* record.h: a line that is a JSON object, read as what it carries. */
#ifndef LOG_RECORD_H
#define LOG_RECORD_H

#include "log/log.h"
#include "base/limits.h"

enum record_role {
    RECORD_MESSAGE,
    RECORD_TIMED_MESSAGE, /* one where a time stands beside it */
    RECORD_TIME,
    RECORD_PROSE,         /* text beside a message */
    RECORD_NEST,          /* an object that may hold a message and prose */
    RECORD_ROLES
};

/* The keys that are known, NULL behind the last; of messages the first counts.
 */
extern const char *const record_keys[RECORD_ROLES][12];

struct record {
    struct str texts[RECORD_TEXTS_MAX]; /* unescaped, may hold newlines */
    size_t count;
    struct stream who;
    bool is_docker;  /* json-file: a carrier, not the program's own record */
    bool is_partial; /* docker: the rest comes in the next line */
    bool is_stderr;
};

/* False when the line is no such object; then *out is undefined. What is read
 * lives in scratch. Raises nothing. */
bool record_read(struct arena *scratch, struct str line, struct record *out);

#endif
