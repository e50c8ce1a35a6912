/* run.h: the scan of what a command of `oomkb run` writes. Private to cli/. */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/input.h"
#include "machine/child.h"
#include "machine/machine.h"

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

#endif
