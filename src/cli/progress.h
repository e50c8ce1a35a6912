/* progress.h: how far reading is, for who watches a terminal. Private to cli/.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "cli/cli.h"

struct progress {
    struct cli *c;
    bool is_watched; /* stderr is a terminal that can go back in a line */
    int64_t began_ms, drawn_ms; /* drawn_ms 0: not drawn yet */
    uint64_t done_bytes, all_bytes; /* all_bytes 0: not known */
    size_t columns;  /* of what stands on the line now */
};

int64_t clock_ms(void); /* monotonic */

/* in: the input; a file has a size, a pipe none. */
struct progress progress_begin(struct cli *c, int in);
/* Of several inputs together. */
struct progress progress_begin_all(struct cli *c, bool is_typed,
                                   uint64_t all_bytes);
void progress_add(struct progress *p, size_t n);
void progress_end(struct progress *p); /* leaves the line as it was */

#endif
