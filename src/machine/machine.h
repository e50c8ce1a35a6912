/* machine.h: the machine at hand: its facts, read from its tools and files. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct machine; /* what was read; its strings live as long */

/* program: argv[0] of a command that is about to run, whose installation tells
 * the versions, and for which what is free now is free before it loads; NULL:
 * that of python3. NULL: memory is at its end. Takes at
 * most a few seconds: a tool that hangs is stopped. */
struct machine *machine_read(const char *program);
void machine_free(struct machine *m); /* NULL is fine */
/* For oomkb_options.machine. */
const char *const *machine_facts(const struct machine *m);

/* How often the kernel killed for memory, where this process runs. */
struct kill_count {
    int64_t in_cgroup;  /* -1: not known */
    int64_t on_machine; /* -1: not known */
};
struct kill_count machine_kills(void);
/* The counters of the cgroup as the kernel prints them, under the command that
 * shows them, and what it was allowed and took: lines for a log. The length,
 * without what does not fit. */
size_t machine_kill_lines(char *room, size_t size);
/* The limit of the cgroup, and the most that it took; 0: none, not known. */
void machine_limit(int64_t *limit_bytes, int64_t *peak_bytes);

#endif
