/* note.h: a message without a language: render writes it in the language of
 * the answer. The key names a text in i18n/<lang>.yaml; {0}..{5} in it are the
 * arguments. Numbers in arguments are already formatted ("15.94 GiB"). */
#ifndef BASE_NOTE_H
#define BASE_NOTE_H

#include "base/str.h"

#define NOTE_ARGS 6

/* Inside an argument: the name of a fact between two NOTE_FACT is replaced by
 * its label; NOTE_AND separates the members of a list. */
#define NOTE_FACT '\x1f'
#define NOTE_AND '\x1e'
#define NOTE_FACT_FORMAT "\x1f%s\x1f" /* %s: the fact's name */
#define NOTE_AND_WORD "\x1e"

struct note {
    const char *key; /* NULL: no message */
    struct str arg[NOTE_ARGS];
    size_t count;
};

/* NOTE("key", arg, ...) */
#define NOTE(name, ...)                                                        \
    ((struct note){.key = (name),                                              \
                   .arg = {__VA_ARGS__},                                       \
                   .count = sizeof((struct str[]){__VA_ARGS__}) /              \
                            sizeof(struct str)})

#endif
