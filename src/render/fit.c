/* fit.c: the table of a fit's formats. */
#include "render/fit.h"

const struct fit_format fit_formats[] = {
    {"text", text_fit},
    {"json", json_fit},
    {"jsonl", jsonl_fit},
    {"markdown", markdown_fit},
    {NULL, NULL},
};

const struct fit_format *fit_format_named(struct str name) {
    for (const struct fit_format *f = fit_formats; f->name != NULL; f++) {
        if (str_eq(str_of(f->name), name)) {
            return f;
        }
    }
    return NULL;
}
