/* formats.c: the one table of formats. A format that people read is one
 * function that walks a document; JSON is made from the answer itself. */
#include "render/fit.h"
#include "render/parts.h"

enum shows { SHOWS_REPORT = 1, SHOWS_ENTRY = 2, SHOWS_LIST = 4, SHOWS_FIT = 8,
             SHOWS_ALL = 15, SHOWS_MODELS = 16 };

struct format {
    const char *name;
    unsigned shows;
    /* the one or the other */
    void (*walk)(const struct teller *t, struct document *d, struct buf *out);
    void (*data)(const struct teller *t, const struct answer *answer,
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

#define ROW(name, shows, walk, data) {#name, shows, walk, data},
static const struct format formats[] = {FORMATS(ROW)};
#undef ROW

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

_Noreturn static void refuse(struct arena *a, const char *name, unsigned shows) {
    arena_raise(a, FAIL_USAGE, "format %s is for %s", name,
                shows == SHOWS_REPORT ? "reports on logs"
                                      : "list, search and fit");
}

static bool is_short(const void *teller, const struct document *d) {
    return d->lines_most == 0 || text_lines(teller, d) <= d->lines_most;
}

static struct document document_of(const struct teller *t,
                                   const struct answer *answer) {
    struct document d = {.a = t->a};
    if (answer->is_memory)
        memory_document(t, answer->report, &d);
    else if (answer->report != NULL)
        report_document(t, answer->report, &d);
    else if (answer->entry != NULL)
        entry_document(t, answer->entry, &d);
    else if (answer->list != NULL && answer->list->contents != CONTENTS_NONE)
        contents_document(t, answer->list, &d);
    else if (answer->list != NULL)
        list_document(t, answer->list, &d);
    else if (answer->names != NULL)
        names_document(t, answer->names, &d);
    else if (answer->models != NULL)
        models_document(t, answer->models, &d);
    else
        fit_document(t, answer->fit, &d);
    document_shorten(&d, is_short, t);
    return d;
}

void format_write(const struct format *f, struct arena *a, struct reader *r,
                  const struct answer *answer, const struct render_options *o,
                  struct buf *out) {
    struct teller t = {.a = a, .r = r, .o = o, .lang = o->lang};
    struct answer shown = *answer;
    if ((f->shows & kind_of(answer)) == 0)
        refuse(a, f->name, f->shows);
    if (shown.report != NULL)
        shown.report = report_shown(a, r, shown.report, o);
    if (f->data != NULL) {
        f->data(&t, &shown, out);
        return;
    }
    struct document d = document_of(&t, &shown);
    f->walk(&t, &d, out);
}
