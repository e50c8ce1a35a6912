/* search.c: `oomkb search WORDS`: finds entries by words, best first. Words
 * with and without quotes give the same result. */
#include <stdio.h>

#include "cli/cli.h"

#include "base/limits.h"

/* Joins the operands with blanks. The result is cut at the end of room. */
static void join(const struct cli *c, char room[SEARCH_INPUT_BYTES_MAX]) {
    size_t n = 0;
    room[0] = '\0';
    size_t most = SEARCH_INPUT_BYTES_MAX;
    for (size_t i = 0; i < c->operand_count && n < most; i++) {
        int put = snprintf(room + n, most - n, "%s%s",
                           i > 0 ? " " : "", c->operands[i]);
        n += put > 0 ? (size_t)put : 0;
    }
}

int run_search(struct cli *c) {
    char words[SEARCH_INPUT_BYTES_MAX];
    oomkb_options options = cli_options(c);
    oomkb_error err;
    size_t count = 0;
    join(c, words);
    int code = oomkb_search_write(c->kb, words, c->format, &options, cli_write,
                                  c, &count, &err);
    return cli_written(c, code, &err, count > 0 ? STATUS_FOUND : STATUS_NONE);
}
