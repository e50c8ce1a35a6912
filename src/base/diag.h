/* diag.h: diagnostics about files of a corpus author or a user, in one format:
 * `path:line:col: level: message [E012]`, the source line, and a caret under
 * the column. */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include "base/buf.h"
#include "base/str.h"

struct arena;
struct json;

enum diag_level { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

struct diag {
    enum diag_level level;
    const char *code; /* "E012"; NULL for none */
    struct str path;
    uint32_t line, column; /* 1-based; 0: the whole file */
    uint32_t width;        /* columns under the caret, at least 1 */
    struct str source;     /* the line of text, without its newline */
    struct str message;
};

typedef void (*diag_fn)(void *ctx, const struct diag *d);

const char *diag_level_word(enum diag_level level); /* error warning note */
enum diag_level diag_level_named(struct str word);  /* else DIAG_NOTE */
/* By path, line, column, code and message. */
int diag_compare(const struct diag *x, const struct diag *y);
void diag_format(const struct diag *d, struct buf *out); /* ends in \n */
/* Without the source line. */
struct json *diag_json(struct arena *a, const struct diag *d);

#endif
