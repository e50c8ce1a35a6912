/* exam.c: a log is read in pieces, scanned and told of. Reading and telling
 * are two steps, so that reading may be done by another thread; what went
 * wrong in the first is kept and said in the second, in its place. */
#include "cli/exam.h"

#include <errno.h>

/* All of in into the scan. False: out says why not. */
static bool feed_all(oomkb_scan *scan, int in, exam_watcher watcher,
                     void *ctx, struct exam *out) {
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

void exam_read(const oomkb *kb, int in, const oomkb_options *options,
               exam_watcher watcher, void *ctx, struct exam *out) {
    oomkb_scan *scan = NULL;
    *out = (struct exam){0};
    if (oomkb_scan_new(kb, options, &scan, &out->err) != OOMKB_OK)
        return;
    if (feed_all(scan, in, watcher, ctx, out)) {
        oomkb_scan_finish(scan, &out->report, &out->err);
    } else {
        oomkb_scan_free(scan);
    }
}

int exam_tell(struct cli *c, const char *name, struct exam *e) {
    if (e->number != 0)
        return input_error(c, name, e->number);
    if (e->report == NULL)
        return cli_failed_at(c, name, &e->err);
    if (input_is_empty(e->report)) {
        oomkb_report_free(e->report);
        e->report = NULL;
        return input_empty(c, name);
    }
    oomkb_options options = input_options(c, name);
    int status = input_report(c, e->report, &options);
    status = input_whole(c, name, e->report, status);
    oomkb_report_free(e->report);
    e->report = NULL;
    return status;
}

static bool go_on(void *ctx, size_t n) {
    (void)ctx;
    (void)n;
    return true;
}

int exam_log(struct cli *c, const oomkb *kb, const char *path,
             const oomkb_options *options, oomkb_report **report) {
    struct exam exam = {0};
    int in = input_open(path);
    if (in < 0)
        return input_error(c, path, errno);
    exam_read(kb, in, options, go_on, NULL, &exam);
    input_close(in);
    *report = exam.report;
    if (exam.number != 0)
        return input_error(c, path, exam.number);
    return exam.report != NULL
               ? input_whole(c, path, exam.report, STATUS_FOUND)
               : cli_failed_at(c, path, &exam.err);
}
