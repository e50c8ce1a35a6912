/* feedback_read.c: the user's own reports, for the library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/feedback.h"

void feedback_free(char **reports) {
    for (size_t i = 0; reports != NULL && reports[i] != NULL; i++)
        free(reports[i]);
    free(reports);
}

/* "entry fix worked"; NULL: no memory. */
static char *report_of(const struct own_line *l) {
    size_t size = strlen(l->entry) + strlen(l->fix) + strlen(l->outcome) + 3;
    char *text = malloc(size);
    if (text != NULL)
        snprintf(text, size, "%s %s %s", l->entry, l->fix, l->outcome);
    return text;
}

/* NULL: no memory. */
static char **reports_of(const struct overlay *o) {
    char **reports = calloc(o->count + 1, sizeof *reports);
    for (size_t i = 0; reports != NULL && i < o->count; i++) {
        reports[i] = report_of(&o->at[i]);
        if (reports[i] == NULL) {
            feedback_free(reports);
            return NULL;
        }
    }
    return reports;
}

bool feedback_read(struct cli *c, char ***reports) {
    struct overlay o;
    const char *format = c->format;
    *reports = NULL;
    if (!overlay_is_placed())
        return true;
    c->format = "text"; /* stdout is for the answers */
    bool is_open = overlay_open(c, &o, false);
    c->format = format;
    if (!is_open) {
        if (o.is_broken) { /* stderr has the reason */
            cli_error_json(c, "io", "the file of your own reports could not "
                           "be read whole");
        }
        return !o.is_broken;
    }
    feedback_warn(c, &o);
    *reports = reports_of(&o);
    overlay_close(&o);
    if (*reports == NULL)
        cli_error(c, "memory", "out of memory for your own reports");
    return *reports != NULL;
}
