/* child.h: running a command and passing its output through. */
#ifndef MACHINE_CHILD_H
#define MACHINE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CHILD_OUT, CHILD_ERR, CHILD_STREAMS };

struct child_order {
    char *const *argv;
    int in, out[CHILD_STREAMS]; /* the files that it would inherit */
    /* Called with output after it was passed on. */
    void (*seen)(void *ctx, int stream, const char *bytes, size_t n);
    void *ctx;
};

struct child_end {
    int number;     /* errno of starting it; 0: it ran */
    int wait_status;
    int stopped_by; /* a termination signal that this process got; 0: none */
    pid_t group;    /* its process group, in which processes may be left */
};

/* Run a command until its end and the end of its output. Output goes to `out`
 * unchanged; if `out` or `in` is a terminal, the command gets a pseudo
 * terminal. Signals to this process are passed to its process group. Orphans
 * are reaped (this process may be process 1). Signals stay blocked after the
 * call. */
struct child_end child_run(const struct child_order *order);

/* End the processes left in its group: SIGTERM, after 5 s SIGKILL. */
void child_end_group(pid_t group);
/* Wait so long, or for a termination signal. Returns that signal, or 0. */
int child_pause(int seconds);
/* The exit status as in a shell: 127, 126, 128 + signal, or the command's. */
int child_exit_status(const struct child_end *end);

#endif
