/* site.c: `oomkb site -o DIR`: writes a page for every entry, and an index;
 * --html makes a site for a browser. */
#include <stdio.h>
#include <string.h>

#include "cli/corpus.h"

struct publishing {
    struct arena arena;
    const oomkb *kb;
    struct site_wishes wishes;
    struct site_result result;
};

static void publish(void *arg) {
    struct publishing *p = arg;
    p->result = author_site(&p->arena, p->kb, &p->wishes);
}

/* True for an address that can be put into pages unchanged: it has no character
 * that ends an address. */
static bool is_base_url(const char *url) {
    size_t n = strlen(url);
    return (strncmp(url, "https://", 8) == 0 ||
            strncmp(url, "http://", 7) == 0) &&
           strcspn(url, " \t\n\"'<>&\\?#") == n;
}

static struct str without_slashes(const char *url) {
    struct str s = str_of(url);
    while (str_ends(s, STR("/")))
        s.n--;
    return s;
}

int run_site(struct cli *c) {
    if (c->output == NULL || c->output[0] == '\0')
        return cli_usage(c, "cli.error.needs_value", "-o", "DIR");
    if (c->is_html && (c->base_url == NULL || !is_base_url(c->base_url)))
        return cli_usage(c, "cli.error.needs_value", "--base-url",
                         "https://HOST/PATH");
    if (!c->is_html && (c->base_url != NULL || c->wasm_dir != NULL))
        return cli_usage(c, "cli.error.needs_html",
                         c->base_url != NULL ? "--base-url" : "--wasm", "");
    struct publishing p = {.kb = c->kb};
    p.wishes = (struct site_wishes){
        str_of(c->output), c->is_html, without_slashes(c->base_url),
        without_slashes(c->wasm_dir)};
    bool is_done = cli_guard(c, &p.arena, publish, &p);
    arena_free(&p.arena);
    if (!is_done)
        return STATUS_ERROR;
    fprintf(stderr, "oomkb: %zu pages, %zu written, %zu removed\n",
            p.result.pages, p.result.written, p.result.removed);
    return STATUS_FOUND;
}
