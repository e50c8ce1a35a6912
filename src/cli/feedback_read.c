/* feedback_read.c: the user's own reports, for the library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/feedback.h"

void feedback_free(char **reports) {
    for (size_t i = 0; reports != NULL && reports[i] != NULL; i++) {
        free(reports[i]);
    }
    free(reports);
}

/* "entry fix worked"; NULL: no memory. */
static char *report_of(const struct own_line *l) {
    size_t size = strlen(l->entry) + strlen(l->fix) + strlen(l->outcome) + 3;
    char *text = malloc(size);
    if (text != NULL) {
        snprintf(text, size, "%s %s %s", l->entry, l->fix, l->outcome);
    }
    return text;
}

char **feedback_read(struct cli *c) {
    struct overlay o;
    const char *format = c->format;
    c->format = "text"; /* stdout is for the answers */
    bool is_open = overlay_is_placed() && overlay_open(c, &o, false);
    c->format = format;
    if (!is_open) {
        return NULL;
    }
    feedback_warn(c, &o);
    char **reports = calloc(o.count + 1, sizeof *reports);
    for (size_t i = 0; reports != NULL && i < o.count; i++) {
        reports[i] = report_of(&o.at[i]);
        if (reports[i] == NULL) {
            break; /* those before it still count */
        }
    }
    overlay_close(&o);
    return reports;
}
