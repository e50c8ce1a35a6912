/* Runs commands in turns and says how long each took:
 *
 *     timer RUNS COMMAND ARGUMENT... [-- COMMAND ARGUMENT...]...
 *
 * RUNS of each after one to warm up (0: one run, for what reads a pipe), fewer
 * of what takes long. stdout goes to a file that is emptied each time (grep stops
 * early at /dev/null), stderr away. A line of JSON for each command:
 * {"seconds":[...],"peak_kib":N,"status":N}. It is small, so that a child's
 * peak is the child's. */
#define _DEFAULT_SOURCE /* wait4() */
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scan.h"

#define COMMANDS_MAX 32
#define LONG_ENOUGH 4.0 /* seconds of one command: then LEAST_RUNS will do */
#define LEAST_RUNS 3

struct command {
    char **argv;
    struct result r;
    long peak_kib;
    int status;
};

static void run(struct command *c, int out, int is_counted) {
    extern char **environ;
    posix_spawn_file_actions_t actions;
    struct rusage used;
    pid_t child;
    if (ftruncate(out, 0) != 0 || lseek(out, 0, SEEK_SET) != 0)
        give_up("cannot empty the output");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null",
                                     O_WRONLY, 0);
    double began = now();
    if (posix_spawnp(&child, c->argv[0], &actions, NULL, c->argv, environ))
        give_up(c->argv[0]);
    wait4(child, &c->status, 0, &used);
    double took = now() - began;
    posix_spawn_file_actions_destroy(&actions);
    if (is_counted)
        c->r.seconds[c->r.runs++] = took;
    if (used.ru_maxrss > c->peak_kib)
        c->peak_kib = used.ru_maxrss;
}

static double seconds_so_far(const struct command *c) {
    double all = 0;
    for (int i = 0; i < c->r.runs; i++)
        all += c->r.seconds[i];
    return all;
}

static void put_command(const struct command *c) {
    printf("{\"seconds\":[");
    for (int i = 0; i < c->r.runs; i++)
        printf("%s%.9f", i > 0 ? "," : "", c->r.seconds[i]);
    printf("],\"peak_kib\":%ld,\"status\":%d}\n", c->peak_kib,
           WIFEXITED(c->status) ? WEXITSTATUS(c->status) : -1);
}

/* Cuts the line at each "--"; returns how many commands there are. */
static int read_commands(char **argv, struct command *commands) {
    int count = 0, is_first = 1;
    for (; *argv; argv++) {
        if (strcmp(*argv, "--") == 0) {
            *argv = NULL;
            is_first = 1;
        } else if (is_first) {
            if (count == COMMANDS_MAX)
                give_up("too many commands");
            commands[count++].argv = argv;
            is_first = 0;
        }
    }
    return count;
}

int main(int argc, char **argv) {
    static struct command commands[COMMANDS_MAX];
    FILE *out = tmpfile();
    if (!out || argc < 3)
        give_up("timer RUNS COMMAND... [-- COMMAND...]...");
    int runs = runs_of(argv[1]), count = read_commands(argv + 2, commands);
    for (int i = 0; i < count && atoi(argv[1]) > 0; i++)
        run(&commands[i], fileno(out), 0);
    for (int k = 0; k < runs; k++) {
        for (int i = 0; i < count; i++) {
            if (k < LEAST_RUNS || seconds_so_far(&commands[i]) < LONG_ENOUGH)
                run(&commands[i], fileno(out), 1);
        }
    }
    for (int i = 0; i < count; i++)
        put_command(&commands[i]);
    return 0;
}
