/* formats.c: the one table of formats. A format is a file with three functions,
 * for a report, an entry and a list of entries, and a row here. */
#include "render/render.h"

#include "render/parts.h"

#define FORMATS(X) \
    X(text, "text/plain; charset=utf-8") \
    X(json, "application/json") \
    X(jsonl, "application/jsonl") \
    X(markdown, "text/markdown; charset=utf-8")

#define ROW(name, media_type) \
    {#name, media_type, name##_report, name##_entry, name##_list},
const struct format formats[] = {FORMATS(ROW){NULL, NULL, NULL, NULL, NULL}};
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
