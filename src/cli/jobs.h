/* jobs.h: -j: several logs read at once, told of in their order. Private to
 * cli/. */
#ifndef CLI_JOBS_H
#define CLI_JOBS_H

#include "cli/exam.h"

struct jobs;

/* Threads begin to read the operands. NULL: one thread was asked for, or is
 * enough, or is all there is: read them one by one. */
struct jobs *jobs_begin(struct cli *c, const oomkb *kb);
/* What came of operand i: 0 first, then 1 ... Until the next call others are
 * read ahead, as many as there are threads. */
void jobs_await(struct jobs *j, size_t i, struct exam *out);
/* Ends the threads, and with them what they still read; NULL is fine. */
void jobs_end(struct jobs *j);

#endif
