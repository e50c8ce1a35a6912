/* child.h: a command that runs here, whose output passes through. */
#ifndef MACHINE_CHILD_H
#define MACHINE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CHILD_OUT, CHILD_ERR, CHILD_STREAMS };

struct child_order {
    char *const *argv;
    int in, out[CHILD_STREAMS]; /* what it would have inherited */
    /* Sees what was written, when it was passed on. */
    void (*seen)(void *ctx, int stream, const char *bytes, size_t n);
    void *ctx;
};

struct child_end {
    int number;     /* errno of starting it, or 0: it ran */
    int wait_status;
    int stopped_by; /* a signal that asks to end came from outside; 0: none */
    pid_t group;    /* what it left running is in there */
};

/* From its beginning to its end, and the end of its output. What it writes goes
 * to `out` as it is; where those, or `in`, are a terminal, it gets one, too.
 * Signals that come meanwhile go to its process group; children that nobody
 * else waits for are reaped (process 1). Signals stay blocked behind it. */
struct child_end child_run(const struct child_order *order);

/* Ends what is left of its group: politely, after a while for good. */
void child_end_group(pid_t group);
/* Waits so long, or for a signal that asks to end; that signal, or 0. */
int child_pause(int seconds);
/* As a shell says it: 127, 126, 128 + the signal, or what it returned. */
int child_exit_status(const struct child_end *end);

#endif
