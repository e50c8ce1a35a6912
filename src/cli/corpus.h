/* corpus.h: what build asks of check. Private to cli/. */
#ifndef CLI_CORPUS_H
#define CLI_CORPUS_H

#include "cli/cli.h"

struct diag;
/* A diagnostic with its caret line, on stderr. */
void corpus_print_diag(void *ctx, const struct diag *d);

/* Compile the directory that the command names ("entries" when it names
 * none), say on stderr what is wrong and the sums, write the index to output.
 * output NULL: only check, generated pages included. The exit status. */
int corpus_run(struct cli *c, const char *output);

#endif
