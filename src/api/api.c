/* api.c: the door of the library, and the only file that defines exported
 * symbols. Each function checks its arguments, guards what it calls, and
 * turns what was raised into a code. No state outlives a handle. */
#include <stdio.h>

#include "api/handles.h"
#include "render/names.h"

#define BASES_MAX 16
#define OUTPUT_BYTES_MAX ((size_t)256 << 20)

/* ---- the base ---- */

static int refuse_index(const char *path, const struct fault *fault,
                        oomkb_error *err) {
    char text[sizeof err->text];
    snprintf(text, sizeof text, "%.120s: %.120s", path, fault->text);
    return error_set(err, OOMKB_ERROR_INDEX, text);
}

static int open_with(struct opening *o, oomkb **out, oomkb_error *err) {
    struct allocator from = standard_allocator;
    struct oomkb *kb = from.get(from.ctx, sizeof *kb);
    if (kb == NULL) {
        return error_set(err, OOMKB_ERROR_MEMORY,
                         "out of memory for the knowledge base");
    }
    *kb = (struct oomkb){.from = from};
    arena_init(&kb->arena, &kb->from, 0);
    o->kb = kb;
    struct fault fault;
    enum fail code = arena_guard(&kb->arena, base_open, o, &fault);
    if (code != FAIL_NONE) {
        oomkb_close(kb);
        return o->path != NULL && code == FAIL_INDEX
                   ? refuse_index(o->path, &fault, err)
                   : error_of(err, code, &fault);
    }
    *out = kb;
    return OOMKB_OK;
}

int oomkb_open_all(const char *const *paths, size_t count, oomkb **kb,
                   oomkb_error *err) {
    if (paths == NULL || kb == NULL) {
        return error_null(err, paths == NULL ? "paths" : "kb");
    }
    if (count == 0 || count > BASES_MAX) {
        return error_set(err, OOMKB_ERROR_USAGE,
                         "1 to 16 knowledge bases can be opened at once");
    }
    for (size_t i = 0; i < count; i++) {
        if (paths[i] == NULL && base_built_in().n == 0) {
            return error_set(err, OOMKB_ERROR_INDEX,
                             "no knowledge base is built in: name an index "
                             "file made by `oomkb build`");
        }
    }
    struct opening o = {.paths = paths, .count = count};
    return open_with(&o, kb, err);
}

int oomkb_open(const char *path, oomkb **kb, oomkb_error *err) {
    return oomkb_open_all(&path, 1, kb, err);
}

int oomkb_open_bytes(const void *bytes, size_t n, oomkb **kb,
                     oomkb_error *err) {
    if (bytes == NULL || kb == NULL) {
        return error_null(err, bytes == NULL ? "bytes" : "kb");
    }
    struct opening o = {.image = {bytes, n}, .count = 1};
    return open_with(&o, kb, err);
}

void oomkb_close(oomkb *kb) {
    if (kb != NULL) {
        struct allocator from = kb->from;
        arena_free(&kb->arena);
        from.put(from.ctx, kb);
    }
}

size_t oomkb_entry_count(const oomkb *kb) {
    return kb != NULL ? index_entry_count(kb->index) : 0;
}

const char *oomkb_digest(const oomkb *kb) {
    return kb != NULL ? kb->digest.p : "";
}

const char *oomkb_version(void) {
    return OOMKB_VERSION;
}

const char *const *oomkb_formats(void) {
    return format_names;
}

const char *oomkb_text(const oomkb *kb, const char *lang, const char *key) {
    if (kb == NULL || lang == NULL || key == NULL) {
        return "";
    }
    bool is_zh = str_eq(str_of(lang), STR("zh"));
    if (!is_zh && !str_eq(str_of(lang), STR("en"))) {
        return "";
    }
    return texts_get(kb->texts, is_zh ? LANG_ZH : LANG_EN, key);
}

/* ---- scans and reports ---- */

int oomkb_scan_new(const oomkb *kb, const oomkb_options *options,
                   oomkb_scan **scan, oomkb_error *err) {
    if (kb == NULL || scan == NULL) {
        return error_null(err, kb == NULL ? "kb" : "scan");
    }
    struct settings s;
    int code = settings_read(options, &s, err);
    if (code != OOMKB_OK) {
        return code;
    }
    struct oomkb_scan *made = s.from.get(s.from.ctx, sizeof *made);
    if (made == NULL) {
        return error_set(err, OOMKB_ERROR_MEMORY, "out of memory for a scan");
    }
    code = session_new(kb, &s, &made->report, err);
    if (code != OOMKB_OK) {
        s.from.put(s.from.ctx, made);
        return code;
    }
    *scan = made;
    return OOMKB_OK;
}

int oomkb_scan_feed(oomkb_scan *scan, const void *bytes, size_t n,
                    oomkb_error *err) {
    if (scan == NULL || (bytes == NULL && n > 0)) {
        return error_null(err, scan == NULL ? "scan" : "bytes");
    }
    return session_feed(scan->report, (struct str){bytes, n}, err);
}

/* Free the shell; what it holds goes on as a report. */
static struct oomkb_report *take_report(oomkb_scan *scan) {
    struct oomkb_report *report = scan->report;
    report->from.put(report->from.ctx, scan);
    return report;
}

int oomkb_scan_finish(oomkb_scan *scan, oomkb_report **report,
                      oomkb_error *err) {
    if (scan == NULL) {
        return error_null(err, "scan");
    }
    struct oomkb_report *made = take_report(scan);
    int code = report == NULL ? error_null(err, "report")
                              : session_finish(made, err);
    if (code != OOMKB_OK) {
        session_free(made);
        return code;
    }
    *report = made;
    return OOMKB_OK;
}

void oomkb_scan_free(oomkb_scan *scan) {
    if (scan != NULL) {
        session_free(take_report(scan));
    }
}

int oomkb_scan_news(oomkb_scan *scan, int is_quiet,
                    const oomkb_report **report, oomkb_error *err) {
    if (scan == NULL || report == NULL) {
        return error_null(err, scan == NULL ? "scan" : "report");
    }
    bool is_news = false;
    int code = session_news(scan->report, is_quiet != 0, &is_news, err);
    if (code == OOMKB_OK) {
        *report = is_news ? scan->report : NULL;
    }
    return code;
}

int oomkb_diagnose(const oomkb *kb, const void *log, size_t n,
                   const oomkb_options *options, oomkb_report **report,
                   oomkb_error *err) {
    if (report == NULL) {
        return error_null(err, "report");
    }
    oomkb_scan *scan = NULL;
    int code = oomkb_scan_new(kb, options, &scan, err);
    if (code != OOMKB_OK) {
        return code;
    }
    code = oomkb_scan_feed(scan, log, n, err);
    if (code != OOMKB_OK) {
        oomkb_scan_free(scan);
        return code;
    }
    return oomkb_scan_finish(scan, report, err);
}

int oomkb_report_answer(oomkb_report *report, const char *fact_value,
                        oomkb_error *err) {
    if (report == NULL || fact_value == NULL) {
        return error_null(err, report == NULL ? "report" : "fact_value");
    }
    return session_answer(report, fact_value, err);
}

size_t oomkb_report_failures(const oomkb_report *report) {
    return report != NULL ? report_failures(report->told->report) : 0;
}

int oomkb_report_is_whole(const oomkb_report *report, uint64_t *lines) {
    if (lines != NULL) {
        *lines = report != NULL ? report->told->report->lines : 0;
    }
    return report != NULL && !report->told->report->truncated;
}

size_t oomkb_report_questions(const oomkb_report *report) {
    return report != NULL ? report->told->report->question_count : 0;
}

int oomkb_report_question(oomkb_report *report, size_t i, const char *lang,
                          const char **fact, const char **ask,
                          oomkb_error *err) {
    if (report == NULL || fact == NULL || ask == NULL) {
        return error_null(err, report == NULL ? "report"
                               : fact == NULL ? "fact"
                                              : "ask");
    }
    enum lang in;
    if (!lang_read(lang, &in)) {
        return error_set(err, OOMKB_ERROR_USAGE,
                         "lang should be \"en\" or \"zh\"");
    }
    return question_text(report, i, in, fact, ask, err);
}

void oomkb_report_free(oomkb_report *report) {
    session_free(report);
}

/* ---- rendering ---- */

struct writing {
    struct arena arena; /* of this call alone */
    const struct oomkb *kb;
    const struct settings *s;
    const struct format *format;
    const struct report *report; /* one of these is not NULL: */
    const char *entry_id;
    const char *words;     /* search */
    const char *component; /* list; "": of all */
    const char *names;     /* "models" */
    size_t count;          /* of entries in a list */
    struct buf out;
};

static struct render_options render_options_of(const struct writing *w) {
    return (struct render_options){
        .lang = w->s->lang,
        .color = w->s->color,
        .width = w->s->width,
        .top = w->s->top,
        .why = w->s->why,
        .all = w->s->all,
        .redact = w->s->redact,
        .version = str_of(OOMKB_VERSION),
        .digest = w->kb->digest,
        .entries = index_entry_count(w->kb->index),
    };
}

static void write_entry(struct writing *w, struct reader *r,
                        const struct render_options *o) {
    uint32_t number = 0;
    const struct entry *entry =
        reader_entry_by_id(r, str_of(w->entry_id), &number);
    if (entry == NULL) {
        refuse_entry(&w->arena, r, str_of(w->entry_id));
    }
    struct answer answer = {.entry = entry};
    format_write(w->format, &w->arena, r, &answer, o, &w->out);
}

static void write_list(struct writing *w, struct reader *r,
                       const struct render_options *o) {
    struct listing list;
    if (w->words != NULL) {
        struct str words = str_of(w->words);
        list = search_entries(&w->arena, r, words, text_report_of(&w->arena, w->kb, r, words));
    } else {
        struct str component = str_of(w->component);
        if (component.n > 0 && !reader_component_known(r, component)) {
            refuse_component(&w->arena, r, component);
        }
        list = list_entries(&w->arena, r, component);
    }
    w->count = list.count;
    struct answer answer = {.list = &list};
    format_write(w->format, &w->arena, r, &answer, o, &w->out);
}

static void write_names(struct writing *w, struct reader *r,
                        const struct render_options *o) {
    struct answer answer = {
        .names = names_of(&w->arena, r, o->lang, str_of(w->names))};
    w->count = answer.names->row_count;
    format_write(w->format, &w->arena, r, &answer, o, &w->out);
}

static void write_all(void *arg) {
    struct writing *w = arg;
    struct arena *a = &w->arena;
    struct render_options o = render_options_of(w);
    struct reader *r = reader_new(w->kb->index, a);
    buf_init_in(&w->out, a, OUTPUT_BYTES_MAX);
    if (w->report != NULL) {
        struct answer answer = {.report = w->report};
        format_write(w->format, a, r, &answer, &o, &w->out);
    } else if (w->entry_id != NULL) {
        write_entry(w, r, &o);
    } else if (w->names != NULL) {
        write_names(w, r, &o);
    } else {
        write_list(w, r, &o);
    }
    if (!buf_ok(&w->out)) {
        arena_raise(a, FAIL_MEMORY, "out of memory for the output");
    }
}

static int hand_out(const struct buf *out, oomkb_writer writer, void *ctx,
                    oomkb_error *err) {
    struct str all = buf_str(out);
    return writer(ctx, all.p, all.n) == 0
               ? OOMKB_OK
               : error_set(err, OOMKB_ERROR_IO,
                           "the writer did not take the output");
}

static int write_with(struct writing *w, oomkb_writer writer, void *ctx,
                      oomkb_error *err) {
    struct allocator from = w->s->from;
    arena_init(&w->arena, &from, 0);
    struct fault fault;
    enum fail raised = arena_guard(&w->arena, write_all, w, &fault);
    int code = error_of(err, raised, &fault);
    if (code == OOMKB_OK) {
        code = hand_out(&w->out, writer, ctx, err);
    }
    arena_free(&w->arena);
    return code;
}

static int format_read(const char *name, const struct format **out,
                       oomkb_error *err) {
    const struct format *f = format_named(str_of(name));
    if (f == NULL) {
        return error_set(err, OOMKB_ERROR_USAGE,
                         "no such format: oomkb_formats() lists them");
    }
    *out = f;
    return OOMKB_OK;
}

int oomkb_report_write(const oomkb_report *report, const char *format,
                       const oomkb_options *options, oomkb_writer writer,
                       void *ctx, oomkb_error *err) {
    if (report == NULL || writer == NULL) {
        return error_null(err, report == NULL ? "report" : "writer");
    }
    struct settings s;
    struct writing w = {.kb = report->kb, .s = &s};
    int code = settings_read(options, &s, err);
    if (code == OOMKB_OK) {
        code = format_read(format, &w.format, err);
    }
    if (code != OOMKB_OK) {
        return code;
    }
    if (!s.has_allocator) {
        s.from = report->from;
    }
    w.report = report->told->report;
    return write_with(&w, writer, ctx, err);
}

int oomkb_entry_write(const oomkb *kb, const char *id, const char *format,
                      const oomkb_options *options, oomkb_writer writer,
                      void *ctx, oomkb_error *err) {
    if (kb == NULL || id == NULL || writer == NULL) {
        return error_null(err, kb == NULL   ? "kb"
                               : id == NULL ? "id"
                                            : "writer");
    }
    struct settings s;
    struct writing w = {.kb = kb, .s = &s, .entry_id = id};
    int code = settings_read(options, &s, err);
    if (code == OOMKB_OK) {
        code = format_read(format, &w.format, err);
    }
    return code == OOMKB_OK ? write_with(&w, writer, ctx, err) : code;
}

/* What list and search share once w says which it is. */
static int write_entries(struct writing *w, const char *format,
                         const oomkb_options *options, oomkb_writer writer,
                         void *ctx, size_t *count, oomkb_error *err) {
    struct settings s;
    w->s = &s;
    int code = settings_read(options, &s, err);
    if (code == OOMKB_OK) {
        code = format_read(format, &w->format, err);
    }
    if (code == OOMKB_OK) {
        code = write_with(w, writer, ctx, err);
    }
    if (code == OOMKB_OK && count != NULL) {
        *count = w->count;
    }
    return code;
}

int oomkb_list_write(const oomkb *kb, const char *component,
                     const char *format, const oomkb_options *options,
                     oomkb_writer writer, void *ctx, size_t *count,
                     oomkb_error *err) {
    if (kb == NULL || writer == NULL) {
        return error_null(err, kb == NULL ? "kb" : "writer");
    }
    struct writing w = {.kb = kb,
                        .component = component != NULL ? component : ""};
    return write_entries(&w, format, options, writer, ctx, count, err);
}

int oomkb_names_write(const oomkb *kb, const char *what, const char *format,
                      const oomkb_options *options, oomkb_writer writer,
                      void *ctx, size_t *count, oomkb_error *err) {
    if (kb == NULL || what == NULL || writer == NULL) {
        return error_null(err, kb == NULL     ? "kb"
                               : what == NULL ? "what"
                                              : "writer");
    }
    struct writing w = {.kb = kb, .names = what};
    return write_entries(&w, format, options, writer, ctx, count, err);
}

const char *const *oomkb_names_known(void) {
    return names_known;
}

int oomkb_search_write(const oomkb *kb, const char *words, const char *format,
                       const oomkb_options *options, oomkb_writer writer,
                       void *ctx, size_t *count, oomkb_error *err) {
    if (kb == NULL || words == NULL || writer == NULL) {
        return error_null(err, kb == NULL      ? "kb"
                               : words == NULL ? "words"
                                               : "writer");
    }
    struct writing w = {.kb = kb, .words = words};
    return write_entries(&w, format, options, writer, ctx, count, err);
}

/* ---- is there such a fix? ---- */

struct checking {
    struct arena arena; /* of this call alone */
    const struct oomkb *kb;
    struct str entry, fix;
};

static void check_fix(void *arg) {
    struct checking *c = arg;
    fix_check(&c->arena, c->kb, c->entry, c->fix);
}

int oomkb_fix_check(const oomkb *kb, const char *entry, const char *fix,
                    oomkb_error *err) {
    if (kb == NULL || entry == NULL || fix == NULL) {
        return error_null(err, kb == NULL      ? "kb"
                               : entry == NULL ? "entry"
                                               : "fix");
    }
    struct checking c = {
        .kb = kb, .entry = str_of(entry), .fix = str_of(fix)};
    struct fault fault;
    arena_init(&c.arena, &kb->from, 0);
    enum fail raised = arena_guard(&c.arena, check_fix, &c, &fault);
    int code = error_of(err, raised, &fault);
    arena_free(&c.arena);
    return code;
}

/* ---- does it fit? ---- */

struct fitting {
    struct arena arena; /* of this call alone */
    const struct oomkb *kb;
    const oomkb_fit_question *question;
    const char *format;
    const struct settings *s;
    struct buf out;
    int fits;
};

static void fit_all(void *arg) {
    struct fitting *f = arg;
    buf_init_in(&f->out, &f->arena, OUTPUT_BYTES_MAX);
    fit_answer(&f->arena, f->kb, f->question, f->format, f->s, &f->out,
               &f->fits);
    if (!buf_ok(&f->out)) {
        arena_raise(&f->arena, FAIL_MEMORY, "out of memory for the output");
    }
}

static int fit_with(struct fitting *f, oomkb_writer writer, void *ctx,
                    int *fits, oomkb_error *err) {
    struct fault fault;
    arena_init(&f->arena, &f->s->from, f->s->max_memory_bytes);
    enum fail raised = arena_guard(&f->arena, fit_all, f, &fault);
    int code = error_of(err, raised, &fault);
    if (code == OOMKB_OK) {
        code = hand_out(&f->out, writer, ctx, err);
    }
    arena_free(&f->arena);
    if (code == OOMKB_OK) {
        *fits = f->fits;
    }
    return code;
}

int oomkb_fit_write(const oomkb *kb, const oomkb_fit_question *question,
                    const char *format, const oomkb_options *options,
                    oomkb_writer writer, void *ctx, int *fits,
                    oomkb_error *err) {
    if (kb == NULL || question == NULL || writer == NULL || fits == NULL) {
        return error_null(err, kb == NULL         ? "kb"
                               : question == NULL ? "question"
                               : writer == NULL   ? "writer"
                                                  : "fits");
    }
    struct settings s;
    oomkb_fit_question known;
    struct fitting f = {.kb = kb, .question = &known, .format = format,
                        .s = &s};
    int code = sized_read(question, &known, sizeof known, "fit_question", err);
    if (code == OOMKB_OK) {
        code = settings_read(options, &s, err);
    }
    return code == OOMKB_OK ? fit_with(&f, writer, ctx, fits, err) : code;
}
