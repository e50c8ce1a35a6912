/* own_reports.h: the user's own reports of fixes, in a file in the data folder
 * of the XDG specification: $XDG_DATA_HOME/oomkb/feedback.txt or
 * ~/.local/share/oomkb/feedback.txt, a report a line:
 *
 *     2026-11-21 worked vllm/kv-cache-too-small lower-max-model-len  8192 did
 *     date       outcome entry                  fix                  note
 *
 * Lines that begin with # are comments of the user. A line that cannot be read
 * is kept and counted: nothing is ever lost. A change is made under a lock. The
 * new text is written to another file, which replaces the old one once it is
 * whole on disk.
 */
#ifndef CLI_OWN_REPORTS_H
#define CLI_OWN_REPORTS_H

#include "cli/corpus.h"
#include "cli/input.h"

struct own_line {
    struct str date, outcome, entry, fix, note; /* note: empty for none */
    size_t from, to; /* range of bytes in text, with the newline */
};

struct own_reports_file {
    struct arena arena; /* owns everything below; the caller frees it */
    struct cli *c;
    char path[OWN_REPORTS_PATH_MAX];
    struct str text;     /* content of the file */
    struct own_line *at; /* in the order of the file */
    size_t count, unreadable;
    const char **reports; /* "entry fix outcome", as the library takes them;
                             NULL-terminated */
    void (*use)(struct own_reports_file *o);
    bool is_changing;
    bool is_broken; /* the file exists but could not be read whole */
    int status;     /* STATUS_ERROR after a message */
};

/* Reads the file and calls use(o); a missing file is empty. is_changing: it is
 * locked until the arena is freed. False after an error. What use() raises is
 * written as an error. */
bool own_reports_open(struct cli *c, struct own_reports_file *o,
                      bool is_changing,
                      void (*use)(struct own_reports_file *o));
/* The same for a diagnosis. If there is no place for the file, or if it cannot
 * be opened (with a message on stderr), reports is NULL and the result is true.
 * False after cli_error(): only a part could be read, and the answer would
 * depend on it. */
bool own_reports_read(struct cli *c, struct own_reports_file *o);
/* Writes the number of unreadable lines to stderr, if there are any. */
void own_reports_warn(struct own_reports_file *o);
/* Replaces the file `path`: another one is written, synced and renamed. Raises
 * FAIL_IO. */
void own_reports_put(struct own_reports_file *o, const char *path,
                     struct str bytes);

#endif
