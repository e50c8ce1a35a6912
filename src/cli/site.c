/* site.c: `oomkb site -o DIR`: every entry as pages, with an index. */
#include <stdio.h>

#include "cli/corpus.h"

struct publishing {
    struct arena arena;
    const oomkb *kb;
    const char *dir;
    struct site_result result;
};

static void publish(void *arg) {
    struct publishing *p = arg;
    p->result = author_site(&p->arena, p->kb, str_of(p->dir));
}

int run_site(struct cli *c) {
    if (c->output == NULL || c->output[0] == '\0' || c->operand_count > 0)
        return cli_usage(c, "cli.error.needs_value", "-o", "DIR");
    struct publishing p = {.kb = cli_kb(c), .dir = c->output};
    if (p.kb == NULL)
        return STATUS_ERROR;
    bool is_done = cli_guard(c, &p.arena, publish, &p);
    arena_free(&p.arena);
    if (!is_done)
        return STATUS_ERROR;
    fprintf(stderr, "oomkb: %zu pages, %zu written, %zu removed\n",
            p.result.pages, p.result.written, p.result.removed);
    return STATUS_FOUND;
}
