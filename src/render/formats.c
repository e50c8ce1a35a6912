/* formats.c: the table of formats. A format that people read is a function that
 * walks a document; JSON is made from the answer itself. */
#include "render/parts.h"

enum shows { SHOWS_REPORT = 1, SHOWS_ENTRY = 2, SHOWS_LIST = 4, SHOWS_FIT = 8,
             SHOWS_ALL = 15, SHOWS_MODELS = 16 };

struct format {
    const char *name;
    unsigned shows;
    /* one of the two is NULL */
    void (*walk)(const struct render *t, struct buf *out);
    void (*data)(const struct render *t, const struct answer *answer,
                 struct buf *out);
};

#define FORMATS(X) \
    X(text, SHOWS_ALL, text_walk, NULL) \
    X(json, SHOWS_ALL | SHOWS_MODELS, NULL, json_data) \
    X(jsonl, SHOWS_ALL, NULL, jsonl_data) \
    X(markdown, SHOWS_ALL | SHOWS_MODELS, markdown_walk, NULL) \
    X(html, SHOWS_ALL | SHOWS_MODELS, html_walk, NULL) \
    X(chat, SHOWS_REPORT, chat_walk, NULL) \
    X(csv, SHOWS_LIST | SHOWS_FIT, csv_walk, NULL)

#define FORMAT(name, shows, walk, data) {#name, shows, walk, data},
static const struct format formats[] = {FORMATS(FORMAT)};
#undef FORMAT

#define NAME(name, shows, walk, data) #name,
const char *const format_names[] = {FORMATS(NAME) NULL};
#undef NAME

const struct format *format_named(struct str name) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (str_eq(str_of(formats[i].name), name))
            return &formats[i];
    return NULL;
}

static unsigned kind_of(const struct answer *answer) {
    return answer->is_memory       ? SHOWS_FIT
           : answer->report != NULL ? SHOWS_REPORT
           : answer->entry != NULL ? SHOWS_ENTRY
           : answer->list != NULL || answer->names != NULL ? SHOWS_LIST
           : answer->models != NULL ? SHOWS_MODELS
                                    : SHOWS_FIT;
}

static void build(const struct render *t, const struct answer *answer) {
    if (answer->is_memory)
        memory_document(t, answer->report);
    else if (answer->report != NULL)
        report_document(t, answer->report);
    else if (answer->entry != NULL)
        entry_document(t, answer->entry);
    else if (answer->list != NULL)
        list_document(t, answer->list);
    else if (answer->names != NULL)
        names_document(t, answer->names);
    else if (answer->models != NULL)
        models_document(t, answer->models);
    else
        fit_document(t, answer->fit);
    document_shorten(t);
}

void format_write(const struct format *f, struct arena *a, struct reader *r,
                  const struct answer *answer, const struct render_options *o,
                  struct buf *out) {
    struct document d = {0};
    struct render t = {.a = a, .r = r, .o = o, .lang = o->lang, .d = &d};
    struct answer shown = *answer;
    if ((f->shows & kind_of(answer)) == 0)
        arena_raise(a, FAIL_USAGE, "format %s is for %s", f->name,
                    f->shows == SHOWS_REPORT ? "reports on logs"
                                             : "list, search and fit");
    if (shown.report != NULL)
        shown.report = report_shown(a, r, shown.report, o);
    if (f->data != NULL) {
        f->data(&t, &shown, out);
        return;
    }
    build(&t, &shown);
    f->walk(&t, out);
}
