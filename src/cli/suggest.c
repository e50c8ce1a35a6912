/* suggest.c: finds the command or option that was meant by a misspelled word. A
 * word that is no command may still be a file: callers check that first. */
#include <string.h>

#include "base/near.h"
#include "cli/cli.h"

const char *command_near(const char *word) {
    struct near near = {.count = 0};
    for (const struct command *c = commands; c->name != NULL; c++)
        near_weigh(&near, str_of(word), str_of(c->name));
    return near.names[0].p;
}

const char *option_near(const char *word) {
    struct near near = {.count = 0};
    struct str name = {word, strcspn(word, "=")};
    for (const struct option_row *o = option_rows; o->name != NULL; o++)
        near_weigh(&near, name, str_of(o->name));
    return near.names[0].p;
}
