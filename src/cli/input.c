/* input.c: opens logs by name and writes their reports to stdout. */
#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool input_is_stdin(const char *name) {
    return strcmp(name, "-") == 0;
}

int input_open(const char *name) {
    int in = input_is_stdin(name) ? STDIN_FILENO
                                  : open(name, O_RDONLY | O_CLOEXEC);
    struct stat about;
    bool is_folder =
        in >= 0 && fstat(in, &about) == 0 && S_ISDIR(about.st_mode);
    if (!is_folder)
        return in;
    input_close(in);
    errno = EISDIR;
    return -1;
}

void input_close(int in) {
    if (in != STDIN_FILENO)
        close(in);
}

ssize_t input_piece(int in, char *room, size_t n) {
    ssize_t got = -1;
    do {
        got = read(in, room, n);
    } while (got < 0 && errno == EINTR);
    return got;
}

static bool make_room(struct content *c, size_t *cap) {
    char *longer = c->n < *cap ? c->p
                               : realloc(c->p, *cap * 2 + PIECE_BYTES + 1);
    if (longer == NULL)
        return false;
    *cap = c->n < *cap ? *cap : *cap * 2 + PIECE_BYTES;
    c->p = longer;
    return true;
}

int input_load(const char *name, size_t most, struct content *out,
               bool *is_whole) {
    size_t cap = 0;
    ssize_t got = 1;
    int in = input_open(name);
    if (in < 0)
        return errno;
    while (got > 0 && out->n <= most) {
        got = make_room(out, &cap)
                  ? input_piece(in, out->p + out->n, cap - out->n) : -1;
        out->n += got > 0 ? (size_t)got : 0;
    }
    int number = errno;
    *is_whole = got == 0;
    if (out->p != NULL)
        out->p[out->n] = '\0';
    input_close(in);
    return got < 0 ? number : 0;
}

int input_read(struct cli *c, const char *name, size_t most,
               struct content *out, bool *is_whole) {
    int number = input_load(name, most, out, is_whole);
    return number != 0 ? input_error(c, name, number) : 0;
}

size_t input_threads(const struct cli *c) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = c->jobs > 0 ? c->jobs : processors > 0 ? (size_t)processors : 1;
    return n < JOBS_MAX ? n : JOBS_MAX;
}

oomkb_options input_options(struct cli *c, const char *name) {
    oomkb_options options = cli_options(c);
    size_t logs = c->operand_count > 0 ? c->operand_count : 1;
    size_t share = input_threads(c) / logs; /* more than 1 if there are fewer
                                               logs than threads */
    options.input_name = name;
    options.own_reports = c->own_reports;
    options.threads = share > 0 ? (uint32_t)share : 1;
    return options;
}

/* The message of an error number: a text of the program for the frequent ones,
 * else the system's, in English. */
static const char *number_text(struct cli *c, int number) {
    switch (number) {
    case ENOENT: return cli_text(c, "cli.error.missing");
    case EISDIR: return cli_text(c, "cli.error.folder");
    case EACCES: return cli_text(c, "cli.error.denied");
    default: return strerror(number);
    }
}

/* The command that was meant by a word that is no file; NULL: none. */
static const char *command_meant(const struct cli *c, const char *name,
                                 int number) {
    bool may_be_one = number == ENOENT && !c->is_command_named &&
                      !c->is_file_first && name == c->operands[0] &&
                      strpbrk(name, "./") == NULL;
    return may_be_one ? command_near(name) : NULL;
}

void input_error_text(struct cli *c, const char *name, int number, char *out,
                      size_t size) {
    char text[TEXT_MAX];
    const char *near = command_meant(c, name, number);
    snprintf(text, sizeof text, "%s: %s", name, number_text(c, number));
    if (near != NULL)
        fill_text(c, "cli.error.file_near", text, near, out, size);
    else
        snprintf(out, size, "%s", text);
}

int input_error(struct cli *c, const char *name, int number) {
    char message[TEXT_MAX];
    input_error_text(c, name, number, message, sizeof message);
    return cli_error(c, "io", message);
}

static int input_empty(struct cli *c, const char *name) {
    char text[TEXT_MAX];
    snprintf(text, sizeof text, "%s: %s", name,
             cli_text(c, input_is_stdin(name) ? "cli.error.empty_stdin"
                                              : "cli.error.empty_file"));
    return cli_error(c, "input", text);
}

int input_report(struct cli *c, const oomkb_report *report,
                 const oomkb_options *options) {
    oomkb_error err;
    c->is_item_begun = false;
    int code =
        oomkb_report_write(report, c->format, options, cli_write, c, &err);
    if (code == OOMKB_ERROR_IO) { /* cli_finish() checks stdout */
        c->is_pipe_closed = errno == EPIPE;
        return STATUS_NONE;
    }
    if (code != OOMKB_OK)
        return cli_failed(c, &err);
    return oomkb_report_failures(report) > 0 ? STATUS_FOUND : STATUS_NONE;
}

int input_whole(struct cli *c, const char *name, const oomkb_report *report,
                int status) {
    uint64_t lines = 0;
    if (oomkb_report_is_whole(report, &lines))
        return status;
    fflush(stdout); /* the report comes first */
    cli_remark(c, "cli.error.cut", name, digits_of((int64_t)lines).text);
    return status == STATUS_NONE ? STATUS_ERROR : status;
}

/* With --redact the number stands for the name. */
void input_title(struct cli *c, const char *name, size_t i,
                 const char *about) {
    bool is_markdown = strcmp(c->format, "markdown") == 0;
    char shown[TEXT_MAX];
    if (!is_markdown && strcmp(c->format, "text") != 0)
        return;
    snprintf(shown, sizeof shown, "%s", name);
    if (c->redact)
        snprintf(shown, sizeof shown, "%zu/%zu", i + 1, c->operand_count);
    for (char *at = shown; is_markdown && *at != '\0'; at++)
        *at = *at == '`' ? '\'' : *at; /* the name is put between backticks */
    fputs(c->titled_count++ > 0 ? "\n" : "", stdout);
    fputs(is_markdown ? "# `" : "==> ", stdout);
    put_safe(stdout, shown);
    fputs(is_markdown ? "`" : "", stdout);
    fputs(about[0] != '\0' ? ", " : "", stdout);
    fputs(about, stdout);
    fputs(is_markdown ? "\n\n" : " <==\n", stdout);
}

int status_of_both(int one, int other) {
    if (one == STATUS_ERROR || other == STATUS_ERROR)
        return STATUS_ERROR;
    return one == STATUS_FOUND || other == STATUS_FOUND ? STATUS_FOUND
                                                        : STATUS_NONE;
}

/* ---- reading and writing as two steps ---- */

/* Another thread may do the reading. Its errors are kept and written by the
 * second step. */

/* Feeds all of `in` to the scan. False: *out has the error. */
static bool feed_all(oomkb_scan *scan, int in, read_watcher watcher,
                     void *ctx, struct log_report *out) {
    char piece[PIECE_BYTES];
    ssize_t n = 1;
    while (n > 0) {
        n = input_piece(in, piece, sizeof piece);
        out->number = n < 0 ? errno : 0;
        size_t got = n > 0 ? (size_t)n : 0;
        if (oomkb_scan_feed(scan, piece, got, &out->err) != OOMKB_OK) {
            out->number = 0;
            return false;
        }
        if (!watcher(ctx, got)) {
            out->number = ECANCELED;
            return false;
        }
    }
    return n == 0;
}

void log_report_read(const oomkb *kb, int in, const oomkb_options *options,
                     read_watcher watcher, void *ctx, struct log_report *out) {
    oomkb_scan *scan = NULL;
    *out = (struct log_report){0};
    if (oomkb_scan_new(kb, options, &scan, &out->err) != OOMKB_OK)
        return;
    if (feed_all(scan, in, watcher, ctx, out))
        oomkb_scan_finish(scan, &out->report, &out->err);
    else
        oomkb_scan_free(scan);
}

int log_report_write(struct cli *c, const char *name, struct log_report *e) {
    if (e->number != 0)
        return input_error(c, name, e->number);
    if (e->report == NULL)
        return cli_failed_at(c, name, &e->err);
    uint64_t lines = 0;
    int status;
    if (oomkb_report_is_whole(e->report, &lines) && lines == 0) {
        status = input_empty(c, name);
    } else {
        oomkb_options options = input_options(c, name);
        status = input_report(c, e->report, &options);
        status = input_whole(c, name, e->report, status);
    }
    oomkb_report_free(e->report);
    e->report = NULL;
    return status;
}

static bool go_on(void *ctx, size_t n) {
    (void)ctx;
    (void)n;
    return true;
}

int log_report_of(struct cli *c, const char *path,
                  const oomkb_options *options, oomkb_report **report) {
    struct log_report log_report = {0};
    int in = input_open(path);
    if (in < 0)
        return input_error(c, path, errno);
    log_report_read(c->kb, in, options, go_on, NULL, &log_report);
    input_close(in);
    *report = log_report.report;
    if (log_report.number != 0)
        return input_error(c, path, log_report.number);
    return log_report.report != NULL
                     ? input_whole(c, path, log_report.report, STATUS_FOUND)
                     : cli_failed_at(c, path, &log_report.err);
}
