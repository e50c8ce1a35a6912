/* tool.c: running a program for its output. If a driver hangs, so does its
 * tool: then the tool is killed and gives no output. */
#include "machine/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WAIT_TRIES 1000 /* waits of 1 ms after the end of its output */

bool tool_path(const char *program, char *room, size_t size) {
    const char *path = getenv("PATH");
    if (strchr(program, '/') != NULL) {
        snprintf(room, size, "%s", program);
        return access(room, X_OK) == 0;
    }
    for (const char *at = path; at != NULL && *at != '\0';) {
        size_t n = strcspn(at, ":");
        snprintf(room, size, "%.*s/%s", (int)n, at, program);
        if (n > 0 && access(room, X_OK) == 0)
            return true;
        at += n + (at[n] == ':');
    }
    return false;
}

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static _Noreturn void become(const char *path, const char *const *argv,
                             int out) {
    char *copy[16] = {NULL};
    sigset_t none;
    int nowhere = open("/dev/null", O_RDWR);
    for (size_t i = 0; i < 15 && argv[i] != NULL; i++)
        copy[i] = strdup(argv[i]);
    dup2(nowhere, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execv(path, copy);
    _exit(127);
}

/* False: it took longer than limit_ms. */
static bool read_all(int in, int limit_ms, char *room, size_t size,
                     size_t *n) {
    int64_t until = now_ms() + limit_ms, left;
    ssize_t got = 1;
    while (got != 0 && (left = until - now_ms()) > 0) {
        struct pollfd one = {.fd = in, .events = POLLIN};
        if (poll(&one, 1, (int)left) <= 0)
            continue;
        char rest[4096];
        bool has_room = *n + 1 < size;
        got = has_room ? read(in, room + *n, size - 1 - *n)
                       : read(in, rest, sizeof rest);
        if (got < 0 && errno != EINTR)
            return true;
        *n += got > 0 && has_room ? (size_t)got : 0;
    }
    return got == 0;
}

/* A process that hangs in its driver cannot be killed, so the wait is limited.
 * False: it is left as it is. */
static bool is_waited_for(pid_t pid, int *status) {
    struct timespec pause = {0, 1000000};
    pid_t got = 0;
    for (int i = 0; i < WAIT_TRIES && got == 0; i++) {
        got = waitpid(pid, status, WNOHANG);
        if (got == 0)
            nanosleep(&pause, NULL);
    }
    return got == pid;
}

size_t tool_output(const char *const *argv, int limit_ms, char *room,
                   size_t size) {
    char path[4096];
    int ends[2];
    room[0] = '\0';
    if (!tool_path(argv[0], path, sizeof path) || pipe(ends) != 0)
        return 0;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    pid_t pid = fork();
    if (pid == 0)
        become(path, argv, ends[1]);
    close(ends[1]);
    int status = 0;
    size_t n = 0;
    bool is_whole = pid > 0 && read_all(ends[0], limit_ms, room, size, &n);
    close(ends[0]);
    if (pid > 0 && !is_whole)
        kill(pid, SIGKILL);
    is_whole = pid > 0 && is_waited_for(pid, &status) && is_whole;
    n = is_whole && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? n : 0;
    room[n] = '\0';
    return n;
}
