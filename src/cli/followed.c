/* followed.c: a growing log under its name, as `tail -F` sees it.
 *
 *     log rotated        the old file is read to its end, then the new one
 *     log cut short      read again from the start
 *     log not there      said once, and waited for
 *     a pipe             its end is the end
 *
 * The scan goes on through all of that: what an engine said when it started
 * still counts after midnight. So line numbers count on, which is said.
 */
#include "cli/followed.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void say(struct cli *c, const char *key, const char *name,
                const char *more) {
    cli_remark(c, key, c->redact ? "..." : name, more);
}

static void take_up(struct followed *f, int in) {
    struct stat about = {0};
    f->in = in;
    f->is_file = fstat(in, &about) == 0 && S_ISREG(about.st_mode);
    f->device = about.st_dev;
    f->inode = about.st_ino;
    f->at = 0;
}

bool followed_open(struct cli *c, struct followed *f) {
    int in = input_open(f->name);
    if (in >= 0) {
        take_up(f, in);
        return true;
    }
    if (errno != EISDIR) {
        say(c, "cli.follow.waiting", f->name, strerror(errno));
        f->is_missing_said = true;
        return true;
    }
    f->status = input_error(c, f->name, errno);
    f->is_over = true;
    return false;
}

void followed_close(struct followed *f) {
    if (f->in >= 0 && f->in != STDIN_FILENO)
        close(f->in);
    f->in = -1;
}

/* The line that was cut off does not go on in the file that follows. */
static void end_line(struct followed *f) {
    if (f->is_mid_line) {
        oomkb_scan_feed(f->scan, "\n", 1, NULL);
        f->is_mid_line = false;
        f->lines++;
    }
}

static void say_new(struct cli *c, struct followed *f, const char *key) {
    char line[32];
    end_line(f);
    snprintf(line, sizeof line, "%" PRIu64, f->lines + 1);
    say(c, key, f->name, line);
}

static void take_new_file(struct cli *c, struct followed *f) {
    int in = input_open(f->name);
    if (in < 0) {
        return; /* between the two stat() and this; there is a next time */
    }
    if (f->in >= 0) {
        followed_close(f);
        say_new(c, f, "cli.follow.replaced");
    }
    take_up(f, in);
    f->is_missing_said = false;
}

static bool is_cut_short(const struct followed *f) {
    struct stat about;
    return f->in >= 0 && fstat(f->in, &about) == 0 && about.st_size < f->at;
}

void followed_look_again(struct cli *c, struct followed *f) {
    struct stat named;
    if (f->is_over || (f->in >= 0 && !f->is_file))
        return;
    if (is_cut_short(f)) {
        f->at = lseek(f->in, 0, SEEK_SET);
        say_new(c, f, "cli.follow.cut_short");
    }
    if (input_is_stdin(f->name))
        return;
    if (stat(f->name, &named) != 0) {
        if (!f->is_missing_said) {
            say(c, "cli.follow.waiting", f->name, strerror(errno));
            f->is_missing_said = true;
        }
        return;
    }
    bool is_same = f->in >= 0 && named.st_dev == f->device &&
                   named.st_ino == f->inode;
    f->is_missing_said = f->is_missing_said && !is_same;
    if (!is_same && !S_ISDIR(named.st_mode))
        take_new_file(c, f);
}

static bool is_readable(const struct followed *f) {
    struct pollfd one = {.fd = f->in, .events = POLLIN};
    return f->is_file || poll(&one, 1, 0) > 0;
}

static void count_lines(struct followed *f, const char *piece, size_t n) {
    const char *end = piece + n;
    for (const char *at = piece;
         (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        f->lines++;
    f->is_mid_line = piece[n - 1] != '\n';
}

size_t followed_read(struct cli *c, struct followed *f, char *piece,
                     size_t n) {
    if (f->is_over || f->in < 0 || !is_readable(f))
        return 0;
    ssize_t got = read(f->in, piece, n);
    if (got > 0) {
        f->at += got;
        count_lines(f, piece, (size_t)got);
        return (size_t)got;
    }
    if (got < 0 && errno != EINTR && errno != EAGAIN) {
        f->status = input_error(c, f->name, errno);
        f->is_over = true;
    }
    f->is_over = f->is_over || (got == 0 && !f->is_file);
    return 0;
}
