/* record.h: reads the message in a line that is a JSON object. */
#ifndef LOG_RECORD_H
#define LOG_RECORD_H

#include "log/log.h"
#include "base/limits.h"

enum record_role {
    RECORD_MESSAGE,
    RECORD_TIMED_MESSAGE, /* a message if the object has a time, too */
    RECORD_TIME,
    RECORD_PROSE,         /* text beside a message */
    RECORD_NEST,          /* an object that may hold a message and prose */
    RECORD_ROLES
};

/* The known keys of each role, ended by NULL. Of RECORD_MESSAGE and
 * RECORD_TIMED_MESSAGE the first that is there counts. */
extern const char *const record_keys[RECORD_ROLES][12];

struct record {
    struct str texts[RECORD_TEXTS_MAX]; /* unescaped, may hold newlines */
    size_t count;
    struct stream who;
    bool is_docker;  /* docker's json-file: a carrier's record, not one of the
                        program */
    bool is_partial; /* docker: the rest comes in the next line */
    bool is_stderr;
};

/* False if the line is no such object: then *out is undefined. The texts are in
 * scratch. Raises nothing. */
bool record_read(struct arena *scratch, struct str line, struct record *out);

#endif
