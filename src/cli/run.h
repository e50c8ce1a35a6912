/* run.h: scans the output of a command of `oomkb run`. Private to cli/. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/input.h"
#include "machine/child.h"
#include "machine/machine.h"

/* The lines of standard output and standard error, in the order in which they
 * end. A line that the other stream interrupts stays whole. */
struct watched_line {
    char *p;
    size_t n, cap;
};
struct watch {
    oomkb_scan *scan; /* NULL: the scan failed */
    struct watched_line rest[CHILD_STREAMS];
};

/* Begins a scan. argv is the first line of the log: "$ vllm serve ...". */
void watch_begin(struct watch *w, oomkb *kb, const oomkb_options *options,
                 char *const *argv);
void watch_output(void *ctx, int stream, const char *bytes, size_t n);
/* Ends the unfinished lines: nothing more is written. */
void watch_end_lines(struct watch *w);
void watch_add(struct watch *w, const char *text, size_t n);
/* Ends the scan and returns its report; NULL: none. */
oomkb_report *watch_end(struct watch *w);

#endif
