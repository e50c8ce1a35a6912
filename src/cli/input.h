/* input.h: what reading logs to their end and following them share. Private
 * to cli/. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <sys/types.h>

#include "cli/cli.h"

#define PIECE_BYTES (256 * 1024)

/* Threads that -j allows, for all logs together. */
size_t input_threads(const struct cli *c);

bool input_is_stdin(const char *name);
/* -1 with errno: also for a directory. stdin is given as it is. */
int input_open(const char *name);
void input_close(int in); /* stdin stays open */
/* read() that a signal did not interrupt. */
ssize_t input_piece(int in, char *room, size_t n);
/* A file as bytes with a NUL behind them, as many as `most` allows; *is_whole:
 * it ends there. 0, or the exit status after an error; content is for free(). */
struct content {
    char *p;
    size_t n;
};
int input_read(struct cli *c, const char *name, size_t most,
               struct content *out, bool *is_whole);
/* The same, and nothing is said: 0, or errno. What input_error() would say. */
int input_take(const char *name, size_t most, struct content *out,
               bool *is_whole);
void input_fault(struct cli *c, const char *name, int number, char *out,
                 size_t size);
/* The options of the line, for that input. */
oomkb_options input_options(struct cli *c, const char *name);
int input_error(struct cli *c, const char *name, int number);
/* One report to stdout; the exit status that it stands for. */
int input_report(struct cli *c, const oomkb_report *report,
                 const oomkb_options *options);
/* Says on stderr when the log could not be read to its end, as far as there
 * is one: where no failure was found until there, that is an error. */
int input_whole(struct cli *c, const char *name, const oomkb_report *report,
                int status);
/* A heading for text and Markdown: which input (the i-th of the operands), and
 * what about it; about may be "". */
void input_title(struct cli *c, const char *name, size_t i, const char *about);
/* STATUS_ERROR when any input failed, else STATUS_FOUND when any held a
 * failure. */
int status_of_both(int one, int other);

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

int follow_inputs(struct cli *c, oomkb *kb); /* follow.c: --follow */

#endif
