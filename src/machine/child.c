/* child.c: running a command transparently: neither the parent of this process
 * nor the command should notice it.
 *
 *     parent --signals--> this process --signals to its group--> the command
 *     stdout <-- unchanged -- [64 KiB] <-- pseudo terminal or pipe
 *                                '--> seen()
 *
 * One loop polls for input, output and signals and never blocks in a write. A
 * reader that is slow blocks the command, as it would without this process, but
 * not the signals. When a reader closes its end, the command's pipe is closed.
 *
 * The command has its own process group, so that each of its processes gets a
 * signal once. After its end the rest in the pipes is passed on. Processes that
 * still hold them open are not waited for, as in a shell.
 */
#define _GNU_SOURCE /* struct signalfd_siginfo beside POSIX */
#include "machine/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "machine/terminal.h"

#define PIECE (64 * 1024)
#define PIPE_PIECE 4096 /* a write after POLLOUT does not block up to this */
#define BEHIND_MS 100   /* without output after the command has ended */
#define END_TRIES 50    /* waits of 100 ms before a group is killed */

struct stream {
    int from, to; /* from -1: closed */
    int which;    /* CHILD_OUT ... */
    char room[PIECE];
    size_t begin, end;
    size_t most; /* bytes of one write */
};

struct run {
    const struct child_order *order;
    struct stream stream[CHILD_STREAMS];
    struct stream typed;   /* from our terminal to the command's */
    int own_end, its_end;  /* of the command's terminal; -1: it has none */
    int like;              /* our terminal, the model for the command's */
    struct terminal_mode mode;
    int signals;    /* signalfd() */
    sigset_t taken; /* blocked here, unblocked in the command */
    pid_t pid;
    bool is_ended;
    struct child_end end;
};

/* ---- signals ---- */

static const int passed_on[] = {SIGTERM, SIGINT,  SIGHUP,  SIGQUIT, SIGUSR1,
                                SIGUSR2, SIGCONT, SIGTSTP, SIGWINCH, SIGALRM};

static bool is_termination(int number) {
    return number == SIGTERM || number == SIGINT || number == SIGHUP ||
           number == SIGQUIT;
}

/* SIGCHLD and the signals to pass on, but those that the parent has set to be
 * ignored. */
static sigset_t signals_taken(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) {
        struct sigaction is;
        if (sigaction(passed_on[i], NULL, &is) == 0 &&
            is.sa_handler != SIG_IGN)
            sigaddset(&set, passed_on[i]);
    }
    return set;
}

static void reap(struct run *r) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == r->pid) {
            r->is_ended = true;
            r->end.wait_status = status;
        }
    }
}

/* Stop the command and this process as one job; SIGCONT wakes both. */
static void stop_together(struct run *r) {
    kill(-r->pid, SIGTSTP);
    terminal_raw(&r->mode, r->order->in, false);
    raise(SIGSTOP);
}

static void take_signal(struct run *r, int number) {
    if (number == SIGCHLD) {
        reap(r);
        return;
    }
    if (number == SIGWINCH && r->own_end >= 0) {
        terminal_take_size(r->like, r->own_end);
        return;
    }
    if (number == SIGTSTP) {
        stop_together(r);
        return;
    }
    r->end.stopped_by = is_termination(number) ? number : r->end.stopped_by;
    if (number == SIGCONT && r->typed.from >= 0)
        terminal_raw(&r->mode, r->order->in, true);
    if (!r->is_ended)
        kill(-r->pid, number);
}

static void take_signals(struct run *r) {
    struct signalfd_siginfo one;
    while (read(r->signals, &one, sizeof one) == (ssize_t)sizeof one)
        take_signal(r, (int)one.ssi_signo);
}

/* ---- passing on ---- */

static bool has_bytes(const struct stream *s) {
    return s->begin < s->end;
}

static void stream_close(struct stream *s) {
    if (s->from >= 0)
        close(s->from);
    s->from = -1;
    s->begin = s->end = 0;
}

static void stream_read(struct stream *s) {
    ssize_t got = read(s->from, s->room, sizeof s->room);
    if (got > 0) {
        s->begin = 0;
        s->end = (size_t)got;
    } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
        stream_close(s);
    }
}

static void stream_write(struct run *r, struct stream *s) {
    size_t n = s->end - s->begin;
    ssize_t put = write(s->to, s->room + s->begin,
                        n < s->most ? n : s->most);
    if (put >= 0) {
        s->begin += (size_t)put;
        if (!has_bytes(s) && s->which < CHILD_STREAMS)
            r->order->seen(r->order->ctx, s->which, s->room, s->end);
    } else if (errno != EINTR && errno != EAGAIN) {
        stream_close(s); /* no reader: the command gets SIGPIPE or EPIPE */
    }
}

static struct pollfd wanted(const struct stream *s) {
    bool is_out = has_bytes(s);
    return (struct pollfd){.fd = is_out ? s->to : s->from,
                           .events = is_out ? POLLOUT : POLLIN};
}

static void serve(struct run *r, struct stream *s, const struct pollfd *ready) {
    if (ready->revents == 0)
        return;
    if (has_bytes(s))
        stream_write(r, s);
    else if (s->from >= 0)
        stream_read(s);
}

/* The loop: until the command has ended and its output is passed on. */
static void pass_on(struct run *r) {
    struct stream *all[] = {&r->stream[CHILD_OUT], &r->stream[CHILD_ERR],
                            &r->typed};
    int ready = 1;
    while (!r->is_ended || ready > 0 || has_bytes(all[0]) ||
           has_bytes(all[1])) {
        struct pollfd fds[4] = {{.fd = r->signals, .events = POLLIN}};
        for (size_t i = 0; i < 3; i++)
            fds[i + 1] = wanted(all[i]);
        bool is_out_open = all[0]->from >= 0 || all[1]->from >= 0;
        if (r->is_ended) {
            fds[3].fd = -1; /* no more input for it */
            if (!is_out_open)
                return;
        }
        ready = poll(fds, 4, r->is_ended ? BEHIND_MS : -1);
        if (ready > 0 && fds[0].revents != 0)
            take_signals(r);
        for (size_t i = 0; ready > 0 && i < 3; i++)
            serve(r, all[i], &fds[i + 1]);
    }
}

/* ---- start ---- */

/* A write to a regular file is always complete; one to a pipe may block. */
static void stream_open(struct stream *s, int which, int from, int to) {
    struct stat about;
    bool is_file = fstat(to, &about) == 0 && S_ISREG(about.st_mode);
    s->which = which;
    s->from = from;
    s->to = to;
    s->begin = s->end = 0;
    s->most = is_file ? PIECE : PIPE_PIECE;
}

static void terminal_open(struct run *r) {
    const int own[] = {r->order->in, r->order->out[0], r->order->out[1]};
    r->own_end = r->its_end = r->like = -1;
    for (size_t i = 0; i < 3 && r->like < 0; i++)
        r->like = isatty(own[i]) ? own[i] : -1;
    if (r->like >= 0)
        terminal_new(r->like, &r->own_end, &r->its_end);
    if (r->own_end >= 0 && isatty(r->order->in)) {
        stream_open(&r->typed, CHILD_STREAMS, dup(r->order->in), r->own_end);
        terminal_raw(&r->mode, r->order->in, true);
    }
}

/* The file that the command writes to: its terminal if ours is a terminal, else
 * a pipe. -1: errno. */
static int output_open(struct run *r, int which, bool *is_terminal_read) {
    int to = r->order->out[which], ends[2];
    *r->stream[which].room = '\0';
    if (r->its_end >= 0 && isatty(to)) {
        stream_open(&r->stream[which], which,
                    *is_terminal_read ? -1 : dup(r->own_end), to);
        *is_terminal_read = true;
        return r->its_end;
    }
    if (pipe(ends) != 0)
        return -1;
    stream_open(&r->stream[which], which, ends[0], to);
    return ends[1];
}

static _Noreturn void become(const struct run *r, const int fds[3],
                             int report) {
    struct sigaction as_usual = {.sa_handler = SIG_DFL};
    if (r->its_end >= 0) {
        setsid();
        terminal_control(r->its_end);
    } else {
        setpgid(0, 0);
    }
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    for (int i = 0; i < 3; i++)
        if (fds[i] != i)
            dup2(fds[i], i);
    sigaction(SIGPIPE, &as_usual, NULL);
    sigprocmask(SIG_UNBLOCK, &r->taken, NULL);
    execvp(r->order->argv[0], r->order->argv);
    int number = errno;
    if (write(report, &number, sizeof number) < 0)
        number = 0;
    _exit(127);
}

static void on_exec_close(int fd) {
    if (fd > STDERR_FILENO)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

/* 0: the command runs; else errno. */
static int start(struct run *r) {
    bool is_read = false;
    int report[2], number = 0;
    terminal_open(r);
    int in = r->its_end >= 0 && isatty(r->order->in) ? r->its_end
                                                     : r->order->in;
    int fds[3] = {in, output_open(r, CHILD_OUT, &is_read),
                  output_open(r, CHILD_ERR, &is_read)};
    if (fds[1] < 0 || fds[2] < 0 || pipe(report) != 0)
        return errno;
    const int ours[] = {report[0], report[1], fds[1], fds[2],
                        r->stream[0].from, r->stream[1].from, r->typed.from};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        on_exec_close(ours[i]);
    r->pid = fork();
    if (r->pid == 0)
        become(r, fds, report[1]);
    if (r->pid < 0)
        return errno;
    if (r->its_end < 0)
        setpgid(r->pid, r->pid); /* also in the child: either may be first */
    for (int i = 1; i < 3; i++)
        if (fds[i] != r->its_end)
            close(fds[i]);
    close(report[1]);
    while (read(report[0], &number, sizeof number) < 0 && errno == EINTR)
        continue;
    close(report[0]);
    if (r->its_end >= 0)
        close(r->its_end);
    return number;
}

static void finish(struct run *r) {
    terminal_raw(&r->mode, r->order->in, false);
    stream_close(&r->stream[CHILD_OUT]);
    stream_close(&r->stream[CHILD_ERR]);
    stream_close(&r->typed);
    if (r->own_end >= 0)
        close(r->own_end);
    if (r->signals >= 0)
        close(r->signals);
    r->end.group = r->pid;
}

struct child_end child_run(const struct child_order *order) {
    static const struct stream none = {.from = -1, .to = -1};
    struct run r = {.order = order, .typed = none};
    r.stream[CHILD_OUT] = r.stream[CHILD_ERR] = none;
    r.taken = signals_taken();
    sigprocmask(SIG_BLOCK, &r.taken, NULL);
    r.signals = signalfd(-1, &r.taken, SFD_NONBLOCK | SFD_CLOEXEC);
    r.end.number = start(&r);
    if (r.end.number == 0)
        pass_on(&r);
    finish(&r);
    while (r.end.number != 0 && r.pid > 0 &&
           waitpid(r.pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    return r.end;
}

/* ---- after the end ---- */

void child_end_group(pid_t group) {
    struct timespec pause = {0, 100 * 1000000};
    if (group <= 0 || kill(-group, SIGTERM) != 0)
        return;
    for (int i = 0; i < END_TRIES; i++) {
        while (waitpid(-group, NULL, WNOHANG) > 0)
            continue;
        if (kill(-group, 0) != 0)
            return;
        nanosleep(&pause, NULL);
    }
    kill(-group, SIGKILL);
}

int child_pause(int seconds) {
    struct timespec t = {seconds, 0};
    sigset_t ends;
    sigemptyset(&ends);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        if (is_termination(passed_on[i]))
            sigaddset(&ends, passed_on[i]);
    int number = sigtimedwait(&ends, NULL, &t);
    return number > 0 ? number : 0;
}

int child_exit_status(const struct child_end *end) {
    if (end->number != 0)
        return end->number == ENOENT ? 127 : 126;
    return WIFSIGNALED(end->wait_status) ? 128 + WTERMSIG(end->wait_status)
                                         : WEXITSTATUS(end->wait_status);
}
