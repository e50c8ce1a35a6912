/* bridge.c: the public header for JavaScript. Arguments are numbers and
 * pointers into the module's memory; options are one struct of 32-bit words.
 * The output of a call and the last error are kept here until they are fetched.
 * One module is one knowledge base and is used by one thread, so this state is
 * static. */
#include <emscripten.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "api/handles.h"

static struct {
    char *index;
    size_t index_bytes;
    oomkb *kb;
    oomkb_error error;
    char *out;
    size_t out_bytes, out_room;
    size_t count; /* entries that the last call has written */
    int fits;
    uint64_t lines;
} the;

struct str base_built_in(void) {
    return (struct str){the.index, the.index_bytes};
}

/* ---- results of the last call ---- */

EMSCRIPTEN_KEEPALIVE const char *js_error(void) {
    return the.error.text;
}

EMSCRIPTEN_KEEPALIVE const char *js_out(void) {
    return the.out;
}

EMSCRIPTEN_KEEPALIVE size_t js_out_bytes(void) {
    return the.out_bytes;
}

EMSCRIPTEN_KEEPALIVE int js_fits(void) {
    return the.fits;
}

/* Frees the buffer, which may be large. */
EMSCRIPTEN_KEEPALIVE void js_out_done(void) {
    free(the.out);
    the.out = NULL;
    the.out_bytes = the.out_room = 0;
}

static int gather(void *ctx, const char *bytes, size_t n) {
    (void)ctx;
    if (n > the.out_room - the.out_bytes) {
        size_t room = 2 * (the.out_bytes + n);
        char *moved = realloc(the.out, room);
        if (moved == NULL)
            return 1;
        the.out = moved;
        the.out_room = room;
    }
    memcpy(the.out + the.out_bytes, bytes, n);
    the.out_bytes += n;
    return 0;
}

/* Bytes of the module's memory that are in use. */
EMSCRIPTEN_KEEPALIVE size_t js_used_bytes(void) {
    return (size_t)mallinfo().uordblks;
}

/* ---- options ---- */

/* The layout is that of index.mjs: words of four bytes. */
struct js_options {
    const char *lang, *input_name;
    const char *const *answers, *const *machine, *const *own_reports;
    uint32_t width, top, color, why, redact, all;
};

static const oomkb_options *options_of(const struct js_options *from,
                                       oomkb_options *to) {
    *to = (oomkb_options){.size = sizeof *to,
                          .lang = from->lang,
                          .input_name = from->input_name,
                          .answers = from->answers,
                          .machine = from->machine,
                          .own_reports = from->own_reports,
                          .width = from->width,
                          .top = from->top,
                          .color = (int32_t)from->color,
                          .why = (int32_t)from->why,
                          .redact = (int32_t)from->redact,
                          .all = (int32_t)from->all};
    return to;
}

/* ---- the knowledge base ---- */

/* Memory for the index, to be filled before js_open(). */
EMSCRIPTEN_KEEPALIVE char *js_index_room(size_t n) {
    the.index = malloc(n);
    the.index_bytes = the.index != NULL ? n : 0;
    return the.index;
}

EMSCRIPTEN_KEEPALIVE int js_open(void) {
    return oomkb_open(NULL, &the.kb, &the.error);
}

EMSCRIPTEN_KEEPALIVE const char *js_version(void) {
    return oomkb_version();
}

EMSCRIPTEN_KEEPALIVE const char *js_digest(void) {
    return oomkb_digest(the.kb);
}

EMSCRIPTEN_KEEPALIVE size_t js_entry_count(void) {
    return oomkb_entry_count(the.kb);
}

EMSCRIPTEN_KEEPALIVE const char *js_text(const char *lang, const char *key) {
    return oomkb_text(the.kb, lang, key);
}

/* ---- logs ---- */

EMSCRIPTEN_KEEPALIVE oomkb_scan *js_scan_new(const struct js_options *from) {
    oomkb_options options;
    oomkb_scan *scan = NULL;
    oomkb_scan_new(the.kb, options_of(from, &options), &scan, &the.error);
    return scan;
}

EMSCRIPTEN_KEEPALIVE int js_scan_feed(oomkb_scan *scan, const void *bytes,
                                      size_t n) {
    return oomkb_scan_feed(scan, bytes, n, &the.error);
}

EMSCRIPTEN_KEEPALIVE oomkb_report *js_scan_finish(oomkb_scan *scan) {
    oomkb_report *report = NULL;
    oomkb_scan_finish(scan, &report, &the.error);
    return report;
}

EMSCRIPTEN_KEEPALIVE void js_scan_free(oomkb_scan *scan) {
    oomkb_scan_free(scan);
}

EMSCRIPTEN_KEEPALIVE int js_error_code(void) {
    return the.error.code;
}

/* ---- reports ---- */

EMSCRIPTEN_KEEPALIVE size_t js_report_failures(const oomkb_report *report) {
    return oomkb_report_failures(report);
}

EMSCRIPTEN_KEEPALIVE int js_report_is_whole(const oomkb_report *report) {
    return oomkb_report_is_whole(report, &the.lines);
}

/* The lines of the report that js_report_is_whole() was last called with. */
EMSCRIPTEN_KEEPALIVE double js_lines(void) {
    return (double)the.lines;
}

EMSCRIPTEN_KEEPALIVE int js_report_write(const oomkb_report *report,
                                         const char *format,
                                         const struct js_options *from) {
    oomkb_options options;
    return oomkb_report_write(report, format, options_of(from, &options),
                              gather, NULL, &the.error);
}

EMSCRIPTEN_KEEPALIVE int js_report_answer(oomkb_report *report,
                                          const char *fact_value) {
    return oomkb_report_answer(report, fact_value, &the.error);
}

EMSCRIPTEN_KEEPALIVE void js_report_free(oomkb_report *report) {
    oomkb_report_free(report);
}

/* ---- entries, names, fit ---- */

EMSCRIPTEN_KEEPALIVE int js_entry_write(const char *id, const char *format,
                                        const struct js_options *from) {
    oomkb_options options;
    return oomkb_entry_write(the.kb, id, format, options_of(from, &options),
                             gather, NULL, &the.error);
}

EMSCRIPTEN_KEEPALIVE int js_list_write(const char *component,
                                       const char *format,
                                       const struct js_options *from) {
    oomkb_options options;
    return oomkb_list_write(the.kb, component, format,
                            options_of(from, &options), gather, NULL,
                            &the.count, &the.error);
}

EMSCRIPTEN_KEEPALIVE int js_search_write(const char *words, const char *format,
                                         const struct js_options *from) {
    oomkb_options options;
    return oomkb_search_write(the.kb, words, format,
                              options_of(from, &options), gather, NULL,
                              &the.count, &the.error);
}

EMSCRIPTEN_KEEPALIVE int js_names_write(const char *what, const char *format,
                                        const struct js_options *from) {
    oomkb_options options;
    return oomkb_names_write(the.kb, what, format, options_of(from, &options),
                             gather, NULL, &the.count, &the.error);
}

EMSCRIPTEN_KEEPALIVE size_t js_count(void) {
    return the.count;
}

struct js_question {
    const char *const *facts;
    const void *config;
    size_t config_bytes;
    const char *config_name, *compare, *sweep;
    const oomkb_report *report;
    const char *command;
};

EMSCRIPTEN_KEEPALIVE int js_fit_write(const struct js_question *asked,
                                      const char *format,
                                      const struct js_options *from) {
    oomkb_options options;
    oomkb_fit_question question = {.size = sizeof question,
                                   .facts = asked->facts,
                                   .config = asked->config,
                                   .config_bytes = asked->config_bytes,
                                   .config_name = asked->config_name,
                                   .compare = asked->compare,
                                   .sweep = asked->sweep,
                                   .report = asked->report,
                                   .command = asked->command};
    return oomkb_fit_write(the.kb, &question, format,
                           options_of(from, &options), gather, NULL, &the.fits,
                           &the.error);
}
