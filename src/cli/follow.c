/* follow.c: `oomkb --follow`: diagnoses a log while it grows.
 *
 *     read what is there -> news? -> wait -> read what came -> news? -> ...
 *     Ctrl-C, or the end of all pipes -> the report of the whole
 *
 * Each cause is reported once, when its message is complete: when nothing came
 * for QUIET_MS, or when other lines follow it. On a busy log news are looked
 * for every LOOK_MS, and for at most a twentieth of the time. stdout is flushed
 * after each report; messages about the watching go to stderr.
 *
 * A growing log under its name, as `tail -F` treats it:
 *
 *     log rotated        the old file is read to its end, then the new one
 *     log cut short      read again from the start
 *     log missing        one message, then it waits
 *     a pipe             ends with the pipe
 *
 * The scan continues through all of that: what an engine printed at its start
 * still counts after a rotation. So line numbers continue, too, and a message
 * says so.
 *
 * Signals are blocked and checked between two reads, so that nothing is
 * interrupted and no handler is needed.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/input.h"
#include "cli/progress.h"

#define WAIT_MS 100
#define QUIET_MS 600
#define LOOK_MS 1000
#define LOOK_SHARE 20
#define PIECES_PER_TURN 16

struct followed {
    const char *name;
    size_t number;      /* index of the operand */
    int in;             /* -1: not open (yet) */
    bool is_file;       /* else a pipe, which ends */
    bool is_over;
    bool is_missing_reported;
    dev_t device;
    ino_t inode;
    off_t at;           /* bytes read of this file */
    uint64_t lines;     /* lines read of all files that had the name */
    bool is_mid_line;
    oomkb_scan *scan;
    int status;
    bool has_unchecked; /* has bytes that were not checked for news */
    int64_t last_ms;    /* time of the last bytes */
    int64_t look_ms;    /* time of the next check */
    uint64_t last_hash; /* hash of the last news as it was written; 0: none */
};

/* ---- one log ---- */

static void remark(struct cli *c, const char *key, const char *name,
                   const char *more) {
    cli_remark(c, key, c->redact ? "..." : name, more);
}

static void use_file(struct followed *f, int in) {
    struct stat about = {0};
    f->in = in;
    f->is_file = fstat(in, &about) == 0 && S_ISREG(about.st_mode);
    f->device = about.st_dev;
    f->inode = about.st_ino;
    f->at = 0;
}

/* Opens the name, or waits if it does not exist yet. False after an error: f is
 * over. */
static bool followed_open(struct cli *c, struct followed *f) {
    int in = input_open(f->name);
    if (in >= 0) {
        use_file(f, in);
        return true;
    }
    if (errno != EISDIR) {
        remark(c, "cli.follow.waiting", f->name, strerror(errno));
        f->is_missing_reported = true;
        return true;
    }
    f->status = input_error(c, f->name, errno);
    f->is_over = true;
    return false;
}

static void followed_close(struct followed *f) {
    if (f->in >= 0 && f->in != STDIN_FILENO)
        close(f->in);
    f->in = -1;
}

/* Ends an unfinished line: it does not continue in the next file. */
static void end_line(struct followed *f) {
    if (f->is_mid_line) {
        oomkb_scan_feed(f->scan, "\n", 1, NULL);
        f->is_mid_line = false;
        f->lines++;
    }
}

static void remark_new(struct cli *c, struct followed *f, const char *key) {
    end_line(f);
    remark(c, key, f->name, digits_of((int64_t)f->lines + 1).text);
}

static void use_new_file(struct cli *c, struct followed *f) {
    int in = input_open(f->name);
    if (in < 0)
        return; /* it was removed since stat(): the next turn tries again */
    if (f->in >= 0) {
        followed_close(f);
        remark_new(c, f, "cli.follow.replaced");
    }
    use_file(f, in);
    f->is_missing_reported = false;
}

/* If the name has another file now, or this one was cut short, begins at its
 * start. */
static void followed_look_again(struct cli *c, struct followed *f) {
    struct stat named, about;
    if (f->is_over || (f->in >= 0 && !f->is_file))
        return;
    if (f->in >= 0 && fstat(f->in, &about) == 0 && about.st_size < f->at) {
        f->at = lseek(f->in, 0, SEEK_SET);
        remark_new(c, f, "cli.follow.cut_short");
    }
    if (input_is_stdin(f->name))
        return;
    if (stat(f->name, &named) != 0) {
        if (!f->is_missing_reported) {
            remark(c, "cli.follow.waiting", f->name, strerror(errno));
            f->is_missing_reported = true;
        }
        return;
    }
    bool is_same = f->in >= 0 && named.st_dev == f->device &&
                   named.st_ino == f->inode;
    f->is_missing_reported = f->is_missing_reported && !is_same;
    if (!is_same && !S_ISDIR(named.st_mode))
        use_new_file(c, f);
}

static bool is_readable(const struct followed *f) {
    struct pollfd one = {.fd = f->in, .events = POLLIN};
    return f->is_file || poll(&one, 1, 0) > 0;
}

/* Reads what is there now, at most n bytes; 0: nothing, or f is over. */
static size_t followed_read(struct cli *c, struct followed *f, char *piece,
                            size_t n) {
    if (f->is_over || f->in < 0 || !is_readable(f))
        return 0;
    ssize_t got = read(f->in, piece, n);
    if (got > 0) {
        f->at += got;
        for (ssize_t i = 0; i < got; i++)
            f->lines += piece[i] == '\n';
        f->is_mid_line = piece[got - 1] != '\n';
        return (size_t)got;
    }
    if (got < 0 && errno != EINTR && errno != EAGAIN) {
        f->status = input_error(c, f->name, errno);
        f->is_over = true;
    }
    f->is_over = f->is_over || (got == 0 && !f->is_file);
    return 0;
}

/* ---- all logs ---- */

struct following {
    struct cli *c;
    struct followed *at;
    size_t count;
    bool is_caught_up_reported;
};

/* ---- signals ---- */

static sigset_t ends_of_watching(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

static bool is_end_requested(void) {
    sigset_t pending;
    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGINT) == 1 ||
            sigismember(&pending, SIGTERM) == 1 ||
            sigismember(&pending, SIGHUP) == 1);
}

/* ---- reports ---- */

static void fail(struct following *w, struct followed *f,
                 const oomkb_error *err) {
    f->status = cli_failed_at(w->c, f->name, err);
    f->is_over = true;
    oomkb_scan_free(f->scan);
    f->scan = NULL;
}

/* Hashes a written report by FNV-1a, to compare it with the last one. */
static int hash_add(void *ctx, const char *bytes, size_t n) {
    uint64_t *hash = ctx;
    for (size_t i = 0; i < n; i++)
        *hash = (*hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return 0;
}

static uint64_t hash_of(struct cli *c, const oomkb_report *report,
                        const oomkb_options *options) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    int code = oomkb_report_write(report, c->format, options, hash_add,
                                  &hash, NULL);
    return code == OOMKB_OK ? hash : 0;
}

static void news_write(struct following *w, struct followed *f,
                       const oomkb_report *news) {
    oomkb_options options = input_options(w->c, f->name);
    input_title(w->c, f->name, f->number, cli_now(false).text);
    input_report(w->c, news, &options);
    /* errors of writing are checked at the end, by cli_finish() */
    w->c->is_pipe_closed = w->c->is_pipe_closed || fflush(stdout) != 0;
    f->last_hash = hash_of(w->c, news, &options);
}

static void look_for_news(struct following *w, struct followed *f,
                          bool is_quiet) {
    const oomkb_report *news = NULL;
    oomkb_error err;
    int64_t began = clock_ms();
    if (oomkb_scan_news(f->scan, is_quiet, &news, &err) != OOMKB_OK) {
        fail(w, f, &err);
        return;
    }
    if (news != NULL)
        news_write(w, f, news);
    int64_t now = clock_ms(), rest = (now - began) * LOOK_SHARE;
    f->look_ms = now + (rest > LOOK_MS ? rest : LOOK_MS);
    f->has_unchecked = !is_quiet;
}

static void look_where_due(struct following *w, struct followed *f) {
    int64_t now = clock_ms();
    bool is_quiet = now - f->last_ms >= QUIET_MS;
    if (f->scan != NULL && f->has_unchecked && !f->is_over &&
        (is_quiet || now >= f->look_ms))
        look_for_news(w, f, is_quiet);
}

/* Writes the final report. If it equals the last news, a line says so, except
 * in jsonl. */
static int whole_write(struct following *w, const struct followed *f,
                       const oomkb_report *report,
                       const oomkb_options *options) {
    bool is_read = strcmp(w->c->format, "jsonl") != 0 && f->last_hash != 0 &&
                   f->last_hash == hash_of(w->c, report, options);
    if (!is_read)
        return input_report(w->c, report, options);
    cli_print(w->c, "cli.follow.same", digits_of((int64_t)f->lines).text, "");
    return oomkb_report_failures(report) > 0 ? STATUS_FOUND : STATUS_NONE;
}

static int finish(struct following *w, struct followed *f) {
    oomkb_options options = input_options(w->c, f->name);
    oomkb_report *report = NULL;
    oomkb_error err;
    if (f->scan == NULL)
        return f->status;
    if (f->in < 0 && f->lines == 0) { /* the file never appeared */
        oomkb_scan_free(f->scan);
        return STATUS_ERROR;
    }
    if (oomkb_scan_finish(f->scan, &report, &err) != OOMKB_OK)
        return cli_failed(w->c, &err);
    input_title(w->c, f->name, f->number,
                cli_text(w->c, "cli.follow.whole"));
    int status = whole_write(w, f, report, &options);
    status = input_whole(w->c, f->name, report, status);
    oomkb_report_free(report);
    return status_of_both(status, f->status);
}

/* ---- watching ---- */

static bool read_what_came(struct following *w, struct followed *f) {
    char piece[PIECE_BYTES];
    size_t pieces = 0, n = 1;
    while (n > 0 && pieces < PIECES_PER_TURN && f->scan != NULL) {
        oomkb_error err;
        n = followed_read(w->c, f, piece, sizeof piece);
        if (n > 0 &&
            oomkb_scan_feed(f->scan, piece, n, &err) != OOMKB_OK)
            fail(w, f, &err);
        pieces += n > 0;
    }
    if (pieces > 0) {
        f->last_ms = clock_ms();
        f->has_unchecked = true;
    }
    if (pieces < PIECES_PER_TURN)
        followed_look_again(w->c, f);
    return pieces > 0;
}

/* Writes once to a terminal that all lines so far were read. */
static void report_caught_up(struct following *w) {
    uint64_t all = 0;
    for (size_t i = 0; i < w->count; i++)
        all += w->at[i].lines;
    if (!w->is_caught_up_reported && isatty(STDERR_FILENO))
        cli_remark(w->c, "cli.follow.caught_up", digits_of((int64_t)all).text,
                   "");
    w->is_caught_up_reported = true;
}

/* Waits until a pipe can be read, WAIT_MS at most. Files are always
 * readable. */
static void wait_a_while(const struct following *w) {
    struct pollfd pipes[64];
    nfds_t n = 0;
    for (size_t i = 0; i < w->count && n < 64; i++) {
        const struct followed *f = &w->at[i];
        if (!f->is_over && !f->is_file && f->in >= 0)
            pipes[n++] = (struct pollfd){.fd = f->in, .events = POLLIN};
    }
    poll(pipes, n, WAIT_MS);
}

static bool is_all_over(const struct following *w) {
    for (size_t i = 0; i < w->count; i++)
        if (!w->at[i].is_over)
            return false;
    return true;
}

static void watch(struct following *w) {
    while (!is_all_over(w) && !is_end_requested() && !w->c->is_pipe_closed) {
        bool is_any = false;
        for (size_t i = 0; i < w->count; i++) {
            is_any |= read_what_came(w, &w->at[i]);
            look_where_due(w, &w->at[i]);
        }
        if (!is_any) {
            report_caught_up(w);
            wait_a_while(w);
        }
    }
}

static void begin(struct following *w, size_t i, const char *name) {
    struct followed *f = &w->at[i];
    *f = (struct followed){.name = name, .number = i, .in = -1,
                           .status = STATUS_NONE};
    oomkb_options options = input_options(w->c, f->name);
    oomkb_error err;
    if (followed_open(w->c, f) &&
        oomkb_scan_new(w->c->kb, &options, &f->scan, &err) != OOMKB_OK)
        fail(w, f, &err);
}

static int end(struct following *w) {
    int status = STATUS_NONE;
    for (size_t i = 0; i < w->count; i++) {
        status = status_of_both(status, finish(w, &w->at[i]));
        followed_close(&w->at[i]);
    }
    free(w->at);
    return status;
}

int follow_inputs(struct cli *c) {
    struct following w = {.c = c};
    if (strcmp(c->format, "json") == 0)
        return cli_usage(c, "cli.error.follow_json", "", "");
    w.count = c->operand_count > 0 ? c->operand_count : 1;
    w.at = calloc(w.count, sizeof *w.at);
    if (w.at == NULL)
        return cli_error(c, "memory", "out of memory");
    sigset_t set = ends_of_watching();
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (size_t i = 0; i < w.count; i++)
        begin(&w, i, c->operand_count > 0 ? c->operands[i] : "-");
    watch(&w);
    return end(&w);
}
