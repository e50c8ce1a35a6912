/* suggest.c: the command or option that was meant by a word with a slip in it.
 * It guesses and does nothing: a word that names no command may still be a
 * file, so who asks has looked first. */
#include <string.h>

#include "base/near.h"
#include "cli/cli.h"

struct guess {
    struct str word;
    const char *best; /* NULL: nothing is near */
    size_t least;
};

static struct guess guess_of(struct str word) {
    return (struct guess){word, NULL, near_enough(word) + 1};
}

static void weigh(struct guess *g, const char *name) {
    size_t d = near_distance(g->word, str_of(name));
    if (d < g->least) {
        g->best = name;
        g->least = d;
    }
}

const char *command_near(const char *word) {
    struct guess g = guess_of(str_of(word));
    for (const struct command *c = commands; c->name != NULL; c++) {
        weigh(&g, c->name);
    }
    return g.best;
}

const char *option_near(const char *word) {
    struct guess g = guess_of((struct str){word, strcspn(word, "=")});
    for (const struct option_row *o = option_rows; o->name != NULL; o++) {
        weigh(&g, o->name);
    }
    return g.best;
}
