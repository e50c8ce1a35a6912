/* exam.h: one log, read to its end by one thread. Private to cli/. */
#ifndef CLI_EXAM_H
#define CLI_EXAM_H

#include "cli/input.h"

/* A report, or why there is none. */
struct exam {
    oomkb_report *report; /* whose it is: exam_tell()'s */
    int number;           /* no report: errno of opening or reading, or 0: */
    oomkb_error err;      /* what the library said */
};

/* After each piece of n bytes. False: read no further; the exam is then
 * ECANCELED. */
typedef bool (*exam_watcher)(void *ctx, size_t n);

/* Speaks to nobody: safe in any thread. */
void exam_read(const oomkb *kb, int in, const oomkb_options *options,
               exam_watcher watcher, void *ctx, struct exam *out);
/* The report to stdout, or the error; frees the report. The exit status. */
int exam_tell(struct cli *c, const char *name, struct exam *e);

/* The report on the log at that path, to be asked and not to be shown; 0, or the
 * exit status once it is said why not. */
int exam_log(struct cli *c, const oomkb *kb, const char *path,
             const oomkb_options *options, oomkb_report **report);

#endif
