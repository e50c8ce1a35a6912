/* names.h: lists of what can be named, beside entries: see names.c. */
#ifndef RENDER_NAMES_H
#define RENDER_NAMES_H

#include "render/render.h"

#define NAMES_COLUMNS 4

struct cell {
    struct str text; /* empty: not known */
    int64_t number;
    bool is_number;
};

struct names {
    const char *what;                   /* "models" */
    const char *const *columns;         /* of JSON, and of list.column.* */
    size_t column_count, row_count, cap;
    struct cell *cells; /* row by row */
    const struct machine_list *machine; /* JSON: a row is one of these; or NULL */
};

extern const char *const names_known[]; /* "models" ..., NULL-terminated */
/* Raises FAIL_USAGE for what is no such list. */
const struct names *names_of(struct arena *a, struct reader *r, enum lang lang,
                             struct str what);

/* What is known of the machine at hand. */
const struct names *names_of_machine(struct arena *a, struct reader *r,
                                     enum lang lang,
                                     const struct machine_list *list);

#endif
