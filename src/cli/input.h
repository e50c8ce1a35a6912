/* input.h: declarations for reading logs to their end and for following them.
 * Private to cli/. */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include <sys/types.h>

#include "cli/cli.h"

#define PIECE_BYTES (256 * 1024)

/* The number of threads that -j allows, for all logs together. */
size_t input_threads(const struct cli *c);

bool input_is_stdin(const char *name);
/* Opens the file; "-" is stdin. -1 with errno on failure, also for a
 * directory. */
int input_open(const char *name);
void input_close(int in); /* stdin stays open */
/* read() that is repeated after a signal. */
ssize_t input_piece(int in, char *room, size_t n);
/* Reads a file with a NUL behind it, up to about `most` bytes. *is_whole: to
 * its end. Returns 0, or the exit status after an error. The content must be
 * freed. */
struct content {
    char *p;
    size_t n;
};
int input_read(struct cli *c, const char *name, size_t most,
               struct content *out, bool *is_whole);
/* The same without a message: returns 0 or errno. input_error_text() writes the
 * message of input_error() for it. */
int input_load(const char *name, size_t most, struct content *out,
               bool *is_whole);
void input_error_text(struct cli *c, const char *name, int number, char *out,
                      size_t size);
/* The options of the command line for that input. */
oomkb_options input_options(struct cli *c, const char *name);
int input_error(struct cli *c, const char *name, int number);
/* Writes a report to stdout. Returns its exit status. */
int input_report(struct cli *c, const oomkb_report *report,
                 const oomkb_options *options);
/* Writes a remark to stderr if the log could not be read to its end. Without a
 * failure up to there, the result is STATUS_ERROR. */
int input_whole(struct cli *c, const char *name, const oomkb_report *report,
                int status);
/* Writes a heading for text and Markdown: the input (operand number i) and
 * `about`, which may be "". */
void input_title(struct cli *c, const char *name, size_t i, const char *about);
/* STATUS_ERROR if one of them is an error, else STATUS_FOUND if one is. */
int status_of_both(int one, int other);

/* A report, or the reason why there is none. */
struct log_report {
    oomkb_report *report; /* log_report_write() frees it */
    int number;           /* without a report: errno of opening or reading; 0:
                             see err */
    oomkb_error err;      /* error of the library */
};

/* Called after each piece of n bytes. False: stop reading; the exam then has
 * ECANCELED. */
typedef bool (*read_watcher)(void *ctx, size_t n);

/* Reads a log and diagnoses it. It writes nothing, so it is safe in any
 * thread. */
void log_report_read(const oomkb *kb, int in, const oomkb_options *options,
                     read_watcher watcher, void *ctx, struct log_report *out);
/* Writes the report to stdout, or the error, and frees the report. Returns the
 * exit status. */
int log_report_write(struct cli *c, const char *name, struct log_report *e);

/* Makes the report on the log at that path without writing it. Returns 0, or
 * the exit status after an error was written. */
int log_report_of(struct cli *c, const char *path,
                  const oomkb_options *options, oomkb_report **report);

int follow_inputs(struct cli *c); /* follow.c: --follow */

#endif
