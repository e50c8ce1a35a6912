/* overlay.h: the user's own reports of fixes: one file in the data directory
 * of the XDG specification, $XDG_DATA_HOME/oomkb/feedback.txt or
 * ~/.local/share/oomkb/feedback.txt, a report a line:
 *
 *     2026-11-21 worked vllm/kv-cache-too-small lower-max-model-len  8192 did
 *     date       outcome entry                  fix                  note
 *
 * Lines that begin with # are the user's. What cannot be read is left where it
 * stands and only counted: nothing that was written is ever lost. A change is
 * made under a lock, to a file beside it that takes its place when it is whole
 * on disk.
 */
#ifndef CLI_OVERLAY_H
#define CLI_OVERLAY_H

#include "cli/cli.h"
#include "base/limits.h"

struct own_line {
    const char *date, *outcome, *entry, *fix, *note; /* note: "" for none */
    size_t from, to; /* its bytes in text, newline included */
};

struct overlay {
    char path[OVERLAY_PATH_MAX];
    char *text;  /* as it stands in the file */
    char *words; /* the same, cut up: what lines point into */
    size_t bytes;
    struct own_line *at; /* in order */
    size_t count, unreadable;
    bool is_broken; /* it is there and could not be read whole */
    int lock; /* -1: none */
};

/* Does the environment say where the file is? */
bool overlay_is_placed(void);
/* What stands there; a file that is not there is empty. is_changing: keep
 * others from changing it until overlay_close(). False after cli_error(). */
bool overlay_open(struct cli *c, struct overlay *o, bool is_changing);
void overlay_close(struct overlay *o);
/* The file becomes these bytes, or stays as it was (false, after cli_error). */
bool overlay_write(struct cli *c, const struct overlay *o, const char *bytes,
                   size_t n);
/* bytes to the file path: through a file beside it, synced, renamed. */
bool file_put(struct cli *c, const char *path, const char *bytes, size_t n);

#endif
