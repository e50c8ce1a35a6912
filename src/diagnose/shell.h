/* shell.h: splits a command line as its shell does. It finds words,
 * redirections and operators; nothing is expanded and nothing is run. */
#ifndef DIAGNOSE_SHELL_H
#define DIAGNOSE_SHELL_H

#include "base/str.h"

enum shell_kind {
    SHELL_END,
    SHELL_WORD,
    SHELL_REDIRECT, /* "2>&1", "> log": with its target */
    SHELL_OPERATOR, /* | || |& & && ; ( ) and the end of a line */
    SHELL_COMMENT,  /* up to the end of its line */
    SHELL_CUT,      /* an escape at the end of a line that continues no
                       command */
    SHELL_ODD       /* not supported: $( ` << <( and an unclosed quote */
};

struct shell_token {
    enum shell_kind kind;
    size_t from, to;
};

struct shell {
    struct str text;
    char escape; /* '\\'; '^' in cmd.exe, '`' in PowerShell */
};

/* Recognizes the shell by the line continuations and by paths with a drive
 * letter. */
struct shell shell_of(struct str text);
bool shell_is_windows(const struct shell *sh);
struct shell_token shell_next(const struct shell *sh, size_t at);
struct str shell_text(const struct shell *sh, const struct shell_token *t);
/* The word without the quotes round all of it. */
struct str shell_unquoted(struct str word);
/* True for "NAME=..." with a name in capitals. */
bool shell_is_assignment(struct str word);

#endif
