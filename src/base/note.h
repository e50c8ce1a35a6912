/* note.h: something to be said later, in a language not yet known. The key
 * names a text in i18n/<lang>.yaml; {0}..{5} in it are the arguments. Numbers
 * in arguments are already written out ("15.94 GiB"). */
#ifndef BASE_NOTE_H
#define BASE_NOTE_H

#include "base/str.h"

#define NOTE_ARGS 6

/* Inside an argument: a fact, to be called by its label, stands between two
 * NOTE_FACT; NOTE_AND parts the members of a list. */
#define NOTE_FACT '\x1f'
#define NOTE_AND '\x1e'
#define NOTE_FACT_FORMAT "\x1f%s\x1f" /* its spelling */
#define NOTE_AND_WORD "\x1e"

struct note {
    const char *key; /* NULL: nothing to say */
    struct str arg[NOTE_ARGS];
    size_t count;
};

/* One with all of its arguments. */
#define NOTE(name, ...)                                                        \
    ((struct note){.key = (name),                                              \
                   .arg = {__VA_ARGS__},                                       \
                   .count = sizeof((struct str[]){__VA_ARGS__}) /              \
                            sizeof(struct str)})

#endif
