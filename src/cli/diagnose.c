/* diagnose.c: the default command. Each input is read in pieces, scanned and
 * answered in the order of the arguments; one that cannot be read is said to
 * be so in its place, and the others still get their answers. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/feedback.h"
#include "cli/put.h"

#define PIECE_BYTES (256 * 1024)

/* ---- progress: only on a terminal, only for work over a second ---- */

struct progress {
    bool is_shown;
    time_t began, said; /* seconds; said: when it was last shown */
    uint64_t bytes;
};

static struct progress progress_begin(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (struct progress){.is_shown = isatty(STDERR_FILENO) == 1,
                             .began = now.tv_sec,
                             .said = now.tv_sec};
}

static void progress_add(struct progress *p, size_t n) {
    struct timespec now = {0};
    p->bytes += n;
    if (!p->is_shown || clock_gettime(CLOCK_MONOTONIC, &now) != 0) {
        return;
    }
    if (now.tv_sec - p->began > 1 && now.tv_sec != p->said) {
        p->said = now.tv_sec;
        fprintf(stderr, "\r%llu MiB",
                (unsigned long long)(p->bytes >> 20));
    }
}

static void progress_end(const struct progress *p) {
    if (p->said != p->began) {
        fputs("\r                        \r", stderr);
    }
}

/* ---- one input ---- */

static bool is_stdin(const char *name) {
    return strcmp(name, "-") == 0;
}

static int input_error(struct cli *c, const char *name, int number) {
    char text[TEXT_MAX];
    snprintf(text, sizeof text, "%s: %s", name, strerror(number));
    return cli_error(c, "io", text);
}

static FILE *open_input(const char *name) {
    FILE *in = is_stdin(name) ? stdin : fopen(name, "rb");
    struct stat about;
    bool is_folder = in != NULL && fstat(fileno(in), &about) == 0 &&
                     S_ISDIR(about.st_mode);
    if (is_folder) {
        fclose(in);
        errno = EISDIR;
        return NULL;
    }
    return in;
}

/* All of in into the scan. 0, or the status after an error was said. */
static int feed_all(struct cli *c, oomkb_scan *scan, FILE *in,
                    const char *name) {
    static char piece[PIECE_BYTES];
    struct progress progress = progress_begin();
    oomkb_error err = {0};
    int code = OOMKB_OK;
    size_t n = 1;
    while (n > 0 && code == OOMKB_OK) {
        errno = 0;
        n = fread(piece, 1, sizeof piece, in);
        code = oomkb_scan_feed(scan, piece, n, &err);
        progress_add(&progress, n);
    }
    int number = errno;
    progress_end(&progress);
    if (code != OOMKB_OK) {
        return cli_failed(c, &err);
    }
    return ferror(in) ? input_error(c, name, number != 0 ? number : EIO) : 0;
}

static int write_report(struct cli *c, const oomkb_report *report,
                        const oomkb_options *options) {
    oomkb_error err;
    c->is_item_begun = false;
    int code =
        oomkb_report_write(report, c->format, options, cli_write, c, &err);
    if (code == OOMKB_ERROR_IO) { /* cli_finish() looks at stdout */
        c->is_pipe_closed = errno == EPIPE;
        return STATUS_NONE;
    }
    if (code != OOMKB_OK) {
        return cli_failed(c, &err);
    }
    return oomkb_report_failures(report) > 0 ? STATUS_FOUND : STATUS_NONE;
}

static int finish_scan(struct cli *c, oomkb_scan *scan,
                       const oomkb_options *options) {
    oomkb_report *report = NULL;
    oomkb_error err;
    if (oomkb_scan_finish(scan, &report, &err) != OOMKB_OK) {
        return cli_failed(c, &err);
    }
    int status = write_report(c, report, options);
    oomkb_report_free(report);
    return status;
}

static int scan_input(struct cli *c, oomkb *kb, FILE *in, const char *name) {
    oomkb_options options = cli_options(c);
    options.input_name = name;
    options.own_reports = (const char *const *)c->own_reports;
    oomkb_scan *scan = NULL;
    oomkb_error err;
    if (oomkb_scan_new(kb, &options, &scan, &err) != OOMKB_OK) {
        return cli_failed(c, &err);
    }
    int status = feed_all(c, scan, in, name);
    if (status != 0) {
        oomkb_scan_free(scan);
        return status;
    }
    return finish_scan(c, scan, &options);
}

static int diagnose_input(struct cli *c, oomkb *kb, const char *name) {
    FILE *in = open_input(name);
    if (in == NULL) {
        return input_error(c, name, errno);
    }
    int status = scan_input(c, kb, in, name);
    if (in != stdin) {
        fclose(in);
    }
    return status;
}

/* A title where several reports follow each other as text. A name may be a
 * secret itself: then its number must do. */
static void write_input_title(struct cli *c, const char *name, size_t i) {
    bool is_markdown = strcmp(c->format, "markdown") == 0;
    bool is_titled = c->operand_count > 1 &&
                     (is_markdown || strcmp(c->format, "text") == 0);
    char shown[TEXT_MAX];
    if (!is_titled) {
        return;
    }
    snprintf(shown, sizeof shown, "%s", name);
    if (c->redact) {
        snprintf(shown, sizeof shown, "%zu/%zu", i + 1, c->operand_count);
    }
    for (char *at = shown; is_markdown && *at != '\0'; at++) {
        *at = *at == '`' ? '\'' : *at; /* it stands in a span */
    }
    fputs(i > 0 ? "\n" : "", stdout);
    fputs(is_markdown ? "# `" : "==> ", stdout);
    put_safe(stdout, shown);
    fputs(is_markdown ? "`\n\n" : " <==\n", stdout);
}

/* 2 when any input failed, else 0 when any held a failure. */
static int worse(int so_far, int status) {
    if (so_far == STATUS_ERROR || status == STATUS_ERROR) {
        return STATUS_ERROR;
    }
    return so_far == STATUS_FOUND || status == STATUS_FOUND ? STATUS_FOUND
                                                            : STATUS_NONE;
}

static int diagnose_all(struct cli *c, oomkb *kb) {
    if (c->operand_count == 0) {
        return diagnose_input(c, kb, "-");
    }
    c->is_listing = c->operand_count > 1 && strcmp(c->format, "json") == 0;
    int status = STATUS_NONE;
    for (size_t i = 0; i < c->operand_count && !c->is_pipe_closed; i++) {
        write_input_title(c, c->operands[i], i);
        status = worse(status, diagnose_input(c, kb, c->operands[i]));
    }
    if (c->is_listing) {
        fputs("\n]\n", stdout);
    }
    return status;
}

int run_diagnose(struct cli *c) {
    oomkb *kb = cli_kb(c);
    if (kb == NULL) {
        return STATUS_ERROR;
    }
    c->own_reports = feedback_read(c);
    int status = diagnose_all(c, kb);
    feedback_free(c->own_reports);
    c->own_reports = NULL;
    return status;
}
