/* formats.c: the one table of formats. A format is a file with two functions,
 * one for a report and one for an entry, and a row here. */
#include "render/render.h"

#include "render/parts.h"

#define FORMATS(X) \
    X(text, "text/plain; charset=utf-8") \
    X(json, "application/json") \
    X(jsonl, "application/jsonl")

#define ROW(name, media_type) {#name, media_type, name##_report, name##_entry},
const struct format formats[] = {FORMATS(ROW){NULL, NULL, NULL, NULL}};
#undef ROW

#define NAME(name, media_type) #name,
const char *const format_names[] = {FORMATS(NAME) NULL};
#undef NAME

const struct format *format_named(struct str name) {
    for (const struct format *f = formats; f->name != NULL; f++) {
        if (str_eq(str_of(f->name), name)) {
            return f;
        }
    }
    return NULL;
}
