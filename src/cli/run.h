/* run.h: what the files of `oomkb run` share. Private to cli/. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/input.h"
#include "machine/child.h"
#include "machine/machine.h"

/* ---- run_watch.c: the scan of what a command writes ---- */

/* Standard output and standard error, line by line, in the order in which the
 * lines end: a line that is cut by the other stream stays whole. */
struct watched_line {
    char *p;
    size_t n, cap;
};
struct watch {
    oomkb_scan *scan; /* NULL: it failed, and nothing is scanned any more */
    struct watched_line rest[CHILD_STREAMS];
};

/* argv is the first line of the log: "$ vllm serve ...". */
void watch_begin(struct watch *w, oomkb *kb, const oomkb_options *options,
                 char *const *argv);
void watch_seen(void *ctx, int stream, const char *bytes, size_t n);
/* Nothing more is written: what was begun is a line. */
void watch_end_lines(struct watch *w);
void watch_add(struct watch *w, const char *text, size_t n);
/* NULL: there is no report. Ends the watch. */
oomkb_report *watch_end(struct watch *w);

/* ---- run_tell.c ---- */

enum death {
    DEATH_NONE,     /* it ended well, or was asked to */
    DEATH_MEMORY,   /* its own words say so */
    DEATH_KERNEL,   /* the kernel killed for memory, whatever it printed */
    DEATH_NO_MEMORY, /* killed, and the kernel's counters say: not by it */
    DEATH_OTHER
};

struct attempt {
    size_t number; /* from 1 */
    struct child_end end;
    struct kill_count before, after;
    enum death death;
    oomkb_report *report; /* NULL: none could be made */
    const char *const *argv;
    oomkb_retry retry;    /* strings of the report */
};

/* On stderr, and into the files of the options. */
void attempt_tell(struct cli *c, const struct attempt *a);
void attempt_write(struct cli *c, const struct attempt *a); /* the files */
/* run_history.c: a line in the file of --history; says on stderr how often the
 * same failure stands there already. */
void attempt_record(struct cli *c, const struct attempt *a);

#endif
