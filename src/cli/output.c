/* output.c: stdout with its width and colours, and the knowledge base. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cli.h"

#define WIDTH_DEFAULT 80

oomkb *cli_kb(struct cli *c) {
    oomkb_error err;
    size_t count = c->kb_count > 0 ? c->kb_count : 1;
    if (c->kb == NULL &&
        oomkb_open_all(c->kb_paths, count, &c->kb, &err) != OOMKB_OK)
        cli_failed(c, &err);
    bool is_known = !c->is_here || c->machine != NULL;
    return c->kb != NULL && (is_known || here_read(c, NULL)) ? c->kb : NULL;
}

static uint32_t width_of_terminal(void) {
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    unsigned long value = columns != NULL ? strtoul(columns, NULL, 10) : 0;
    if (value > 0 && value < 10000)
        return (uint32_t)value;
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
        .machine = here_facts(c),
    };
}

/* True if the locale is UTF-8 or not set: then it has the glyphs of the
 * bars. */
static bool has_glyphs(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0')
            return strstr(value, "UTF-8") != NULL ||
                   strstr(value, "utf8") != NULL;
    }
    return true;
}

/* Writes block elements (U+2580 to U+259F) and the middle dot as similar ASCII
 * characters. */
static bool put_in_ascii(const char *bytes, size_t n) {
    static const char marks[] = "^###############?.=%?????*/?+?\\?";
    const unsigned char *p = (const unsigned char *)bytes;
    for (size_t i = 0; i < n; i++) {
        if (i + 2 < n && p[i] == 0xe2 && p[i + 1] == 0x96 &&
            p[i + 2] >= 0x80 && p[i + 2] <= 0x9f) {
            fputc(marks[p[i + 2] - 0x80], stdout);
            i += 2;
        } else if (i + 1 < n && p[i] == 0xc2 && p[i + 1] == 0xb7) {
            fputc('-', stdout);
            i++;
        } else {
            fputc(p[i], stdout);
        }
    }
    return !ferror(stdout);
}

int cli_write(void *ctx, const char *bytes, size_t n) {
    struct cli *c = ctx;
    if (!c->is_item_begun) {
        cli_separate(c);
        c->is_item_begun = true;
    }
    if (c->has_newline_pending) {
        fputc('\n', stdout);
        c->has_newline_pending = false;
    }
    /* in a list, an item has no newline at its end */
    if (c->is_listing && n > 0 && bytes[n - 1] == '\n') {
        c->has_newline_pending = true;
        n--;
    }
    if (strcmp(c->format, "text") == 0 && !has_glyphs())
        return put_in_ascii(bytes, n) ? 0 : 1;
    return n == 0 || fwrite(bytes, 1, n, stdout) == n ? 0 : 1;
}

/* Writes "[" before the first item of a JSON list, and "," between items. */
void cli_separate(struct cli *c) {
    if (c->is_listing) {
        fputs(c->listed_count++ == 0 ? "[\n" : ",\n", stdout);
        c->has_newline_pending = false;
    }
}

int cli_finish(struct cli *c, int status) {
    errno = 0;
    bool is_written = fflush(stdout) == 0 && !ferror(stdout);
    oomkb_close(c->words);
    c->words = NULL;
    if (is_written || errno == EPIPE || c->is_pipe_closed)
        return status;
    fprintf(stderr, "oomkb: stdout: %s\n",
            errno != 0 ? strerror(errno) : "cannot be written");
    return STATUS_ERROR;
}
