/* diagnose.c: the default command. Each input is read in pieces, scanned and
 * answered in the order of the arguments; one that cannot be read is said to
 * be so in its place, and the others still get their answers. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/feedback.h"
#include "cli/input.h"
#include "cli/progress.h"

/* read() that a signal did not interrupt. */
static ssize_t read_piece(int in, char *piece) {
    ssize_t n = -1;
    do {
        n = read(in, piece, PIECE_BYTES);
    } while (n < 0 && errno == EINTR);
    return n;
}

/* All of in into the scan. 0, or the status after an error was said. */
static int feed_all(struct cli *c, oomkb_scan *scan, int in,
                    const char *name) {
    char piece[PIECE_BYTES];
    struct progress progress = progress_begin(c, in);
    oomkb_error err = {0};
    int code = OOMKB_OK;
    ssize_t n = 1;
    while (n > 0 && code == OOMKB_OK) {
        n = read_piece(in, piece);
        size_t got = n > 0 ? (size_t)n : 0;
        code = oomkb_scan_feed(scan, piece, got, &err);
        progress_add(&progress, got);
    }
    int number = errno;
    progress_end(&progress);
    if (code != OOMKB_OK) {
        return cli_failed(c, &err);
    }
    return n < 0 ? input_error(c, name, number) : 0;
}

static int finish_scan(struct cli *c, oomkb_scan *scan,
                       const oomkb_options *options) {
    oomkb_report *report = NULL;
    oomkb_error err;
    if (oomkb_scan_finish(scan, &report, &err) != OOMKB_OK) {
        return cli_failed(c, &err);
    }
    int status = input_report(c, report, options);
    oomkb_report_free(report);
    return status;
}

static int scan_input(struct cli *c, oomkb *kb, int in, const char *name) {
    oomkb_options options = input_options(c, name);
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
    int in = input_open(name);
    if (in < 0) {
        return input_error(c, name, errno);
    }
    int status = scan_input(c, kb, in, name);
    if (in != STDIN_FILENO) {
        close(in);
    }
    return status;
}

static int diagnose_all(struct cli *c, oomkb *kb) {
    if (c->follow) {
        return follow_inputs(c, kb);
    }
    if (c->operand_count == 0) {
        return diagnose_input(c, kb, "-");
    }
    bool is_one = c->operand_count == 1;
    c->is_listing = !is_one && strcmp(c->format, "json") == 0;
    int status = STATUS_NONE;
    for (size_t i = 0; i < c->operand_count && !c->is_pipe_closed; i++) {
        if (!is_one) {
            input_title(c, c->operands[i], i, "");
        }
        status = status_of_both(status,
                                diagnose_input(c, kb, c->operands[i]));
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
