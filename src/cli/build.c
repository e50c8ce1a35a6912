/* build.c: `oomkb build DIR -o FILE`: a corpus to an index, whole or not at
 * all. A corpus with an error leaves FILE as it was. */
#include "cli/corpus.h"

int run_build(struct cli *c) {
    if (c->output == NULL)
        return cli_usage(c, "cli.error.needs_value", "-o", "FILE");
    return corpus_run(c, c->output);
}
