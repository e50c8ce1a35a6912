/* error.c: writes errors: one line on stderr, `oomkb: what, where, what would
 * be accepted`, and under --format json also JSON on stdout. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

bool cli_is_json(const struct cli *c) {
    return strncmp(c->format, "json", 4) == 0;
}

/* Writes {"schema":1,"error":{...}} without a newline. */
static void put_json_error(FILE *out, const char *code, const char *text) {
    fputs("{\"schema\":1,\"error\":{\"code\":", out);
    put_json_string(out, code);
    fputs(",\"text\":", out);
    put_json_string(out, text);
    fputs("}}", out);
}

void cli_note(const char *text) {
    fputs("oomkb: ", stderr);
    put_safe(stderr, text);
    fputc('\n', stderr);
}

void cli_remark(struct cli *c, const char *key, const char *arg0,
                const char *arg1) {
    char line[TEXT_MAX];
    fill_text(c, key, arg0, arg1, line, sizeof line);
    cli_note(line);
}

int cli_error(struct cli *c, const char *code, const char *text) {
    cli_note(text);
    cli_error_json(c, code, text);
    return STATUS_ERROR;
}

void cli_error_json(struct cli *c, const char *code, const char *text) {
    if (cli_is_json(c)) {
        cli_separate(c);
        put_json_error(stdout, code, text);
        fputs(c->is_listing ? "" : "\n", stdout);
    }
}

int cli_usage(struct cli *c, const char *key, const char *arg0,
              const char *arg1) {
    char line[TEXT_MAX];
    fill_text(c, key, arg0, arg1, line, sizeof line);
    return cli_error(c, "usage", line);
}

static const char *code_word(int code) {
    static const char *const words[] = {"ok", "memory", "ceiling", "usage",
                                        "io", "index", "input"};
    bool is_known = code >= 0 && (size_t)code < sizeof words / sizeof *words;
    return is_known ? words[code] : "unknown";
}

int cli_failed_at(struct cli *c, const char *name, const oomkb_error *err) {
    char text[TEXT_MAX];
    bool is_of_input = err->code == OOMKB_ERROR_INPUT ||
                       err->code == OOMKB_ERROR_CEILING;
    snprintf(text, sizeof text, "%s%s%s", is_of_input ? name : "",
             is_of_input ? ": " : "", err->text);
    return cli_error(c, code_word(err->code), text);
}

int cli_failed(struct cli *c, const oomkb_error *err) {
    return cli_error(c, code_word(err->code), err->text);
}

int cli_written(struct cli *c, int code, const oomkb_error *err, int status) {
    if (code == OOMKB_OK)
        return status;
    if (code != OOMKB_ERROR_IO)
        return cli_failed(c, err);
    c->is_pipe_closed = errno == EPIPE; /* cli_finish() checks stdout */
    return STATUS_FOUND;
}
