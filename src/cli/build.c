/* build.c: `oomkb build DIR -o FILE`: compiles a corpus to an index. If the
 * corpus has an error, FILE is not changed. */
#include "cli/corpus.h"

int run_build(struct cli *c) {
    if (c->output == NULL)
        return cli_usage(c, "cli.error.needs_value", "-o", "FILE");
    return corpus_run(c, c->output);
}
