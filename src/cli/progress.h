/* progress.h: shows on a terminal how much was read. Private to cli/. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/cli.h"

struct progress {
    struct cli *c;
    bool is_watched; /* stderr is a terminal that can redraw a line */
    int64_t began_ms, drawn_ms; /* drawn_ms 0: not drawn yet */
    uint64_t done_bytes, all_bytes; /* all_bytes 0: not known */
    size_t columns;  /* width of the line that is drawn now */
};

int64_t clock_ms(void); /* monotonic */

/* For one input. A file has a size, a pipe none. */
struct progress progress_begin(struct cli *c, int in);
/* For several inputs together. */
struct progress progress_begin_all(struct cli *c, bool is_typed,
                                   uint64_t all_bytes);
void progress_add(struct progress *p, size_t n);
void progress_end(struct progress *p); /* erases the line */

#endif
