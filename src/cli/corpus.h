/* corpus.h: declarations that build, check and other commands of the corpus
 * share. Private to cli/. */
#ifndef CLI_CORPUS_H
#define CLI_CORPUS_H

#include "author/author.h"
#include "cli/cli.h"

struct diag;
/* Writes a diagnostic with its caret line to stderr. */
void corpus_print_diag(void *ctx, const struct diag *d);

/* Initializes the arena a and calls body(arg) within arena_guard(). The caller
 * frees the arena. False after cli_error(). */
bool cli_guard(struct cli *c, struct arena *a, void (*body)(void *),
               void *arg);

/* Compiles the corpus that the command names ("entries" by default), writes
 * diagnostics and sums to stderr, and the index to `output`. output NULL: only
 * checks, including generated pages. Returns the exit status. */
int corpus_run(struct cli *c, const char *output);

/* diagnostics.c: collects the diagnostics of a run, for JSON or SARIF. A
 * diag_fn; ctx is the struct diagnostics. */
struct diagnostics {
    struct arena *a;
    struct diag *list;
    size_t count, cap;
};
void diagnostics_add(void *ctx, const struct diag *d);
/* Writes {"schema":1,"diagnostics":[...],...} or SARIF 2.1.0 to stdout. */
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
/* Writes to stdout: indented, or on one line. */
void diagnostics_put(struct arena *a, struct json *page, bool is_pretty);
/* Writes every code with its level and its meaning to stdout. */
void codes_write(struct cli *c);

#endif
