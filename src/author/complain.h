/* complain.h: the diagnostics of a corpus. They are collected until the end of
 * a run and then reported by path, line and column, so that the same corpus
 * gives the same text. */
#ifndef AUTHOR_COMPLAIN_H
#define AUTHOR_COMPLAIN_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/limits.h"

enum code {
#define CODE(code, name, level) CODE_##name,
#include "author/codes.def"
#undef CODE
    CODE_COUNT_OF
};

const char *code_spelling(enum code code); /* "E012" */
enum diag_level code_level(enum code code);

/* A file as read. */
struct source {
    struct str path, text;
    const size_t *line_starts; /* byte offsets */
    size_t line_count;
    bool is_draft; /* what it lacks is a warning, not an error */
};

/* line 0: the file as a whole. Columns and width count characters. */
struct place {
    uint32_t line, column, width;
};

struct complaints {
    struct arena *a;
    struct arena *scratch; /* of what is found out about one thing */
    struct diag *list;
    size_t count, cap;
    size_t errors, warnings; /* also beyond COMPLAINTS_MAX */
};

struct source *source_new(struct arena *a, struct str path, struct str text);
/* The place of a byte of the file. */
struct place source_place(const struct source *src, size_t byte);
size_t source_byte(const struct source *src, struct place at);
/* A line without its newline; empty: there is none. */
struct str source_line(const struct source *src, uint32_t line);

void complain(struct complaints *c, const struct source *src, struct place at,
              enum code code, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* Add one of another list, whose arena lives as long. It is not counted. */
void complaints_add(struct complaints *c, const struct diag *one);
/* Keep, and count, only the complaints on these files and on the logs with
 * their stems. */
void complaints_keep(struct complaints *c, const struct str *paths,
                     size_t count);
/* Report them in the order of path, line and column. */
void complaints_report(struct complaints *c, diag_fn on_diag, void *ctx);

#endif
