/* followed.h: one log that grows, under its name. Private to cli/. */
#ifndef CLI_FOLLOWED_H
#define CLI_FOLLOWED_H

#include <sys/types.h>

#include "cli/input.h"

struct followed {
    const char *name;
    size_t number;      /* of the operand */
    int in;             /* -1: not there (yet) */
    bool is_file;       /* else a pipe: its end is the end */
    bool is_over;
    bool is_missing_said;
    dev_t device;
    ino_t inode;
    off_t at;           /* bytes read of this file */
    uint64_t lines;     /* read in all, of every file that had the name */
    bool is_mid_line;
    oomkb_scan *scan;
    int status;
    bool has_unseen;    /* bytes that were not looked at for news */
    int64_t last_ms;    /* when bytes came last */
    int64_t look_ms;    /* not looked at before */
    uint64_t last_print; /* of the last news as it was written; 0: none */
};

/* Takes up the name: waits where there is none yet. False: after an error was
 * said, f is over. */
bool followed_open(struct cli *c, struct followed *f);
void followed_close(struct followed *f);
/* Another file under the name, or this one cut short: go to its start. */
void followed_look_again(struct cli *c, struct followed *f);
/* What is there now, at most n bytes; 0: nothing (or over). */
size_t followed_read(struct cli *c, struct followed *f, char *piece, size_t n);

#endif
