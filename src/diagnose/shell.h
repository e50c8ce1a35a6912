/* shell.h: a command line as its shell would cut it up. Nothing is expanded and
 * nothing is run: it says where words, redirections and operators stand. */
#ifndef DIAGNOSE_SHELL_H
#define DIAGNOSE_SHELL_H

#include "base/str.h"

enum shell_kind {
    SHELL_END,
    SHELL_WORD,
    SHELL_REDIRECT, /* "2>&1", "> log": with what it leads to */
    SHELL_OPERATOR, /* | || |& & && ; ( ) and the end of a line */
    SHELL_COMMENT,  /* to the end of its line */
    SHELL_CUT,      /* the escape at a line's end that joins nothing */
    SHELL_ODD       /* not read: $( ` << <( and a quote that is left open */
};

struct shell_token {
    enum shell_kind kind;
    size_t from, to;
};

struct shell {
    struct str text;
    char escape; /* '\\', of cmd.exe '^', of PowerShell '`' */
};

/* Told by the ends of its lines and by paths with a drive. */
struct shell shell_of(struct str text);
bool shell_is_windows(const struct shell *sh);
struct shell_token shell_next(const struct shell *sh, size_t at);
struct str shell_text(const struct shell *sh, const struct shell_token *t);
/* Without the quotes round the whole of it. */
struct str shell_unquoted(struct str word);
/* "NAME=..." with a name of capitals. */
bool shell_is_assignment(struct str word);

#endif
