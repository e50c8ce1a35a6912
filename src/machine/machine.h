/* machine.h: facts of this machine, read from its tools and files. */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct machine; /* owns the strings that were read */

/* program: argv[0] of a command that is about to run. Versions are those of its
 * installation, and the free memory is added as free_before_load. NULL:
 * versions are those of python3. Returns NULL if out of memory. It takes a few
 * seconds at most: a tool that hangs is killed. */
struct machine *machine_read(const char *program);
void machine_free(struct machine *m); /* NULL is allowed */
/* For oomkb_options.machine. */
const char *const *machine_facts(const struct machine *m);

/* How often the kernel's OOM killer killed a process. */
struct kill_count {
    int64_t in_cgroup;  /* -1: not known */
    int64_t on_machine; /* -1: not known */
};
struct kill_count machine_kills(void);
/* Lines for a log: the limit, the peak and the counters of the cgroup as the
 * kernel prints them, below the commands that show them. Returns their length;
 * what does not fit is left out. */
size_t machine_kill_lines(char *room, size_t size);
/* The limit of the cgroup (0: none) and its peak (0: not known). */
void machine_limit(int64_t *limit_bytes, int64_t *peak_bytes);

#endif
