/* output.c: stdout, its width and colours, and the knowledge base to ask. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/put.h"

#define WIDTH_DEFAULT 80

oomkb *cli_kb(struct cli *c) {
    if (c->kb == NULL) {
        oomkb_error err;
        if (oomkb_open(c->kb_path, &c->kb, &err) != OOMKB_OK) {
            cli_failed(c, &err);
        }
    }
    return c->kb;
}

static uint32_t width_of_terminal(void) {
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    unsigned long said = columns != NULL ? strtoul(columns, NULL, 10) : 0;
    if (said > 0 && said < 10000) {
        return (uint32_t)said;
    }
    bool is_known = isatty(STDOUT_FILENO) &&
                    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
                    size.ws_col > 0;
    return is_known ? size.ws_col : WIDTH_DEFAULT;
}

static bool is_colored(const struct cli *c) {
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    switch (c->color) {
    case COLOR_ALWAYS: return true;
    case COLOR_NEVER: return false;
    case COLOR_AUTO: break;
    }
    bool is_refused = no_color != NULL && no_color[0] != '\0';
    bool is_dumb = terminal == NULL || strcmp(terminal, "dumb") == 0;
    return !is_refused && !is_dumb && isatty(STDOUT_FILENO);
}

oomkb_options cli_options(const struct cli *c) {
    return (oomkb_options){
        .size = sizeof(oomkb_options),
        .lang = c->lang,
        .answers = c->answers,
        .width = width_of_terminal(),
        .top = c->top,
        .color = is_colored(c),
        .why = c->why,
        .all = c->all,
        .redact = c->redact,
    };
}

int cli_write(void *ctx, const char *bytes, size_t n) {
    struct cli *c = ctx;
    if (!c->is_item_begun) {
        cli_separate(c);
        c->is_item_begun = true;
    }
    if (c->owes_newline) {
        fputc('\n', stdout);
        c->owes_newline = false;
    }
    /* in a list, an item goes without the newline that ends a file */
    if (c->is_listing && n > 0 && bytes[n - 1] == '\n') {
        c->owes_newline = true;
        n--;
    }
    return fwrite(bytes, 1, n, stdout) == n ? 0 : 1;
}

/* A JSON list: "[" before the first item, "," between. */
void cli_separate(struct cli *c) {
    if (c->is_listing) {
        fputs(c->listed_count++ == 0 ? "[\n" : ",\n", stdout);
        c->owes_newline = false;
    }
}

int cli_finish(struct cli *c, int status) {
    errno = 0;
    bool is_written = fflush(stdout) == 0 && !ferror(stdout);
    oomkb_close(c->words);
    c->words = NULL;
    if (is_written || errno == EPIPE || c->is_pipe_closed) {
        return status;
    }
    fprintf(stderr, "oomkb: stdout: %s\n",
            errno != 0 ? strerror(errno) : "cannot be written");
    return STATUS_ERROR;
}
