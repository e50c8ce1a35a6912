/* redact.h: placeholders for names of people, places and machines. Private to
 * render/.
 *
 *     redact.c        a report with placeholders (report_shown())
 *     redact_text.c   a text, from left to right, and the secrets that were
 *                     found -> <path-1>, <host-2> ...
 *     redact_table.c  the patterns, each with a sample
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

/* The secrets of one report. The same text has the same placeholder everywhere
 * in it. Placeholders are numbered for each kind in the order of their first
 * use; the report is always read in the same order, so all formats and
 * languages have the same ones. */
struct secrets {
    struct arena *a;
    struct reader *reader; /* models of the catalogue are no secrets */
    struct secret *at;
    size_t count, cap;
    uint32_t numbers[SECRET_KIND_COUNT_OF];
    const struct redact_rules *rules; /* NULL: not compiled yet */
};

/* ---- redact_text.c ---- */
struct str secret_placeholder(struct secrets *s, enum secret_kind kind,
                              struct str text);
/* The text with placeholders for the secrets that the rules find in it, and for
 * known ones. */
struct str redacted(struct secrets *s, struct str text);
/* The same for a text of the knowledge base with values: known secrets only. */
struct str redacted_known(struct secrets *s, struct str text);
bool is_path(struct secrets *s, struct str whole); /* and nothing else */

/* ---- redact.c ---- */
bool is_known_model(struct secrets *s, struct str name); /* of the catalogue */

/* ---- redact_table.c ---- */

/* A rule for a secret. A capture of the pattern gets a placeholder of its kind:
 * token, host, user, email, path, kube (a pod), namespace, model; "rest" is the
 * path of a URL. A match without a capture stays, and nothing else is searched
 * for in it. */
struct redact_row {
    const char *before;  /* the set of bytes that may stand before it; NUL is
                            the beginning of the text */
    bool is_cased;       /* false: the text is matched in small letters */
    const char *pattern;
    const char *sample, *shown; /* a sample, and its redacted text */
};

extern const struct redact_row redact_rows[]; /* the last has no pattern */

/* Patterns for whole values; all but those of paths are for small letters. */
enum redact_sign {
    SIGN_PUBLIC_HOST,
    SIGN_COMMON_USER,
    SIGN_ADDRESS,
    SIGN_PATH,        /* the beginning of a path */
    SIGN_COMMON_PATH, /* a path of every machine */
    SIGN_HOME,        /* a path in a home; captures the user */
    SIGN_COUNT_OF
};

extern const char *const redact_signs[SIGN_COUNT_OF];

#endif
