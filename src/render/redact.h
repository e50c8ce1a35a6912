/* redact.h: names of people, places and machines, and what stands in for
 * them. Private to render/.
 *
 *     redact.c        the door: a report without them (report_shown())
 *     redact_text.c   a text, from left to right, and the table of what was
 *                     found -> <path-1>, <host-2> ...
 *     redact_table.c  what is looked for: patterns, each with a sample
 */
#ifndef RENDER_REDACT_H
#define RENDER_REDACT_H

#include "base/peg.h"
#include "render/parts.h"

enum secret_kind {
    SECRET_PATH, SECRET_HOST, SECRET_IP, SECRET_USER, SECRET_EMAIL,
    SECRET_TOKEN, SECRET_MODEL, SECRET_POD, SECRET_CONTAINER,
    SECRET_NAMESPACE, SECRET_KIND_COUNT_OF
};

struct secret {
    enum secret_kind kind;
    struct str text, placeholder;
};

struct redact_rules; /* redact_table.c, compiled */

/* The secrets of one report. The same text has the same placeholder
 * everywhere in it. */
struct secrets {
    struct arena *a;
    struct reader *reader; /* of models, which are no secrets */
    struct secret *at;
    size_t count, cap;
    uint32_t numbers[SECRET_KIND_COUNT_OF];
    const struct redact_rules *rules; /* NULL: not asked for yet */
};

/* ---- redact_text.c ---- */
struct str secret_placeholder(struct secrets *s, enum secret_kind kind,
                              struct str text);
/* text without secrets: those that it has itself, and known ones. */
struct str redacted(struct secrets *s, struct str text);
/* text of ours with values filled in: known secrets only. */
struct str redacted_known(struct secrets *s, struct str text);
bool is_path(struct secrets *s, struct str whole); /* and nothing else */

/* ---- redact.c ---- */
bool is_known_model(struct secrets *s, struct str name); /* as it stands there */

/* ---- redact_table.c ---- */

/* A secret that stands in a text. What the pattern names gets a placeholder of
 * that kind: token, host, user, email, path, kube (a pod), namespace, model;
 * "rest" is a URL's path. Without
 * a name the text stays, and nothing else is looked for in it. */
struct redact_row {
    const char *before;  /* one of these bytes stands before it: a set, in
                            which NUL is the beginning of the text */
    bool is_cased;       /* else the text is matched in small letters */
    const char *pattern;
    const char *sample, *shown; /* the sample, and what is made of it */
};

extern const struct redact_row redact_rows[]; /* the last has no pattern */

/* Of whole values, in small letters but for paths. */
enum redact_sign {
    SIGN_NOBODYS_HOST,
    SIGN_NOBODYS_USER,
    SIGN_ADDRESS,
    SIGN_PATH,        /* begins as a path does */
    SIGN_COMMON_PATH, /* that every machine has */
    SIGN_HOME,        /* names the user, whose folder a path goes through */
    SIGN_COUNT_OF
};

extern const char *const redact_signs[SIGN_COUNT_OF];

#endif
