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

#include "cli/corpus.h"
#include "cli/input.h"

struct own_line {
    const char *date, *outcome, *entry, *fix, *note; /* note: "" for none */
    size_t from, to; /* its bytes in text, newline included */
};

struct overlay {
    struct arena arena; /* of all that it holds */
    struct cli *c;
    char path[OVERLAY_PATH_MAX];
    char *text; /* as it stands in the file, and room for one line more */
    size_t bytes;
    struct own_line *at; /* in order */
    size_t count, unreadable;
    const char **reports; /* "entry fix outcome", as the library takes them;
                             NULL-terminated */
    bool is_changing, is_refused;
    bool is_broken; /* it is there and could not be read whole */
    int in, lock; /* -1: none */
};

/* What stands there; a file that is not there is empty. is_changing: keep
 * others from changing it until overlay_close(). False after cli_error(). */
bool overlay_open(struct cli *c, struct overlay *o, bool is_changing);
void overlay_close(struct overlay *o);
/* The same for who diagnoses: no place for the file, or one that cannot be
 * opened, which is said on stderr, is no reason not to: reports is NULL then.
 * False after cli_error(): a part of them was read, and an answer that rests on
 * a part would be another one. */
bool overlay_read(struct cli *c, struct overlay *o);
/* On stderr: how many lines of the file could not be read, if any. */
void overlay_warn(const struct overlay *o);
/* bytes to the file path: through a file beside it, synced, renamed. */
bool file_put(struct cli *c, const char *path, const char *bytes, size_t n);

#endif
