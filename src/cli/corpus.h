/* corpus.h: what build asks of check, and how complaints are written. Private
 * to cli/. */
#ifndef CLI_CORPUS_H
#define CLI_CORPUS_H

#include "author/author.h"
#include "cli/cli.h"

struct diag;
/* A diagnostic with its caret line, on stderr. */
void corpus_print_diag(void *ctx, const struct diag *d);

/* body(arg) behind a guard of a, which begins here and is the caller's to
 * free. False after cli_error(). */
bool cli_guard(struct cli *c, struct arena *a, void (*body)(void *),
               void *arg);

/* Compile the directory that the command names ("entries" when it names
 * none), say on stderr what is wrong and the sums, write the index to output.
 * output NULL: only check, generated pages included. The exit status. */
int corpus_run(struct cli *c, const char *output);

/* diagnostics.c: all complaints of one run, for who asked for JSON or SARIF.
 * A diag_fn; ctx is the struct diagnostics. */
struct diagnostics {
    struct arena *a;
    struct diag *list;
    size_t count, cap;
};
void diagnostics_add(void *ctx, const struct diag *d);
/* To stdout: {"schema":1,"diagnostics":[...],...}, or SARIF 2.1.0. */
void diagnostics_write_json(struct cli *c, const struct diagnostics *all,
                            const struct author_result *sums);
struct sarif_rule {
    struct str id, what, help;
    enum diag_level level;
};
struct sarif_rules {
    struct sarif_rule *at;
    size_t count;
};
/* rules NULL: the codes of check. */
void diagnostics_write_sarif(struct cli *c, const struct diagnostics *all,
                             const struct sarif_rules *rules);
struct json;
void diagnostics_put(struct arena *a, struct json *page); /* to stdout */
/* Every code with its level and what it is about, to stdout. */
void codes_write(struct cli *c);

#endif
