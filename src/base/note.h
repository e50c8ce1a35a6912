/* note.h: something to be said later, in a language not yet known. The key
 * names a text in i18n/<lang>.yaml; {0}..{5} in it are the arguments. Numbers
 * in arguments are already written out ("15.94 GiB"). */
#ifndef BASE_NOTE_H
#define BASE_NOTE_H

#include "base/str.h"

#define NOTE_ARGS 6

struct note {
    const char *key; /* NULL: nothing to say */
    struct str arg[NOTE_ARGS];
    size_t count;
};

#endif
