/* api.c: the functions of the public header; with retry.c the only file that
 * defines exported symbols. Each function checks its arguments, calls the code
 * below behind a guard, and turns a raised error into a code. No state outlives
 * a handle. */
#include <stdio.h>

#include "api/handles.h"
#include "base/limits.h"
#include "render/render.h"

/* ---- knowledge bases ---- */

static int refuse_index(const char *path, const struct fault *fault,
                        oomkb_error *err) {
    char text[sizeof err->text];
    snprintf(text, sizeof text, "%.120s: %.120s", path, fault->text);
    return error_set(err, OOMKB_ERROR_INDEX, text);
}

static int open_with(struct opening *o, oomkb **out, oomkb_error *err) {
    struct allocator from = standard_allocator;
    struct oomkb *kb = from.get(from.ctx, sizeof *kb);
    if (kb == NULL)
        return error_set(err, OOMKB_ERROR_MEMORY,
                         "out of memory for the knowledge base");
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
    if (LACKS(err, GIVEN(paths), GIVEN(kb)))
        return OOMKB_ERROR_USAGE;
    if (count == 0 || count > BASES_MAX)
        return error_set(err, OOMKB_ERROR_USAGE,
                         "1 to 16 knowledge bases can be opened at once");
    for (size_t i = 0; i < count; i++)
        if (paths[i] == NULL && base_built_in().n == 0)
            return error_set(err, OOMKB_ERROR_INDEX,
                             "no knowledge base is built in: name an index "
                             "file made by `oomkb build`");
    struct opening o = {.paths = paths, .count = count};
    return open_with(&o, kb, err);
}

int oomkb_open(const char *path, oomkb **kb, oomkb_error *err) {
    return oomkb_open_all(&path, 1, kb, err);
}

int oomkb_open_bytes(const void *bytes, size_t n, oomkb **kb,
                     oomkb_error *err) {
    if (LACKS(err, GIVEN(bytes), GIVEN(kb)))
        return OOMKB_ERROR_USAGE;
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
    if (kb == NULL || lang == NULL || key == NULL)
        return "";
    enum lang in;
    return lang_read(lang, &in) ? base_text(kb, in, key) : "";
}

/* ---- scans and reports ---- */

int oomkb_scan_new(const oomkb *kb, const oomkb_options *options,
                   oomkb_scan **scan, oomkb_error *err) {
    if (LACKS(err, GIVEN(kb), GIVEN(scan)))
        return OOMKB_ERROR_USAGE;
    struct settings s;
    int code = settings_read(options, &s, err);
    if (code != OOMKB_OK)
        return code;
    struct oomkb_scan *made = s.from.get(s.from.ctx, sizeof *made);
    if (made == NULL)
        return error_set(err, OOMKB_ERROR_MEMORY, "out of memory for a scan");
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
    if (LACKS(err, GIVEN(scan), {"bytes", bytes != NULL || n == 0}))
        return OOMKB_ERROR_USAGE;
    return session_feed(scan->report, (struct str){bytes, n}, err);
}

/* Free the scan's handle. Its contents become the report. */
static struct oomkb_report *take_report(oomkb_scan *scan) {
    struct oomkb_report *report = scan->report;
    report->from.put(report->from.ctx, scan);
    return report;
}

int oomkb_scan_finish(oomkb_scan *scan, oomkb_report **report,
                      oomkb_error *err) {
    if (LACKS(err, GIVEN(scan)))
        return OOMKB_ERROR_USAGE;
    struct oomkb_report *made = take_report(scan);
    int code = LACKS(err, GIVEN(report)) ? OOMKB_ERROR_USAGE
                                         : session_finish(made, err);
    if (code != OOMKB_OK) {
        session_free(made);
        return code;
    }
    *report = made;
    return OOMKB_OK;
}

void oomkb_scan_free(oomkb_scan *scan) {
    if (scan != NULL)
        session_free(take_report(scan));
}

int oomkb_scan_news(oomkb_scan *scan, int is_quiet,
                    const oomkb_report **report, oomkb_error *err) {
    if (LACKS(err, GIVEN(scan), GIVEN(report)))
        return OOMKB_ERROR_USAGE;
    bool is_news = false;
    int code = session_news(scan->report, is_quiet != 0, &is_news, err);
    if (code == OOMKB_OK)
        *report = is_news ? scan->report : NULL;
    return code;
}

int oomkb_diagnose(const oomkb *kb, const void *log, size_t n,
                   const oomkb_options *options, oomkb_report **report,
                   oomkb_error *err) {
    if (LACKS(err, GIVEN(report)))
        return OOMKB_ERROR_USAGE;
    oomkb_scan *scan = NULL;
    int code = oomkb_scan_new(kb, options, &scan, err);
    if (code != OOMKB_OK)
        return code;
    code = oomkb_scan_feed(scan, log, n, err);
    if (code != OOMKB_OK) {
        oomkb_scan_free(scan);
        return code;
    }
    return oomkb_scan_finish(scan, report, err);
}

int oomkb_report_answer(oomkb_report *report, const char *fact_value,
                        oomkb_error *err) {
    if (LACKS(err, GIVEN(report), GIVEN(fact_value)))
        return OOMKB_ERROR_USAGE;
    return session_answer(report, fact_value, err);
}

size_t oomkb_report_failures(const oomkb_report *report) {
    return report != NULL ? report_failures(report->current->report) : 0;
}

int oomkb_report_is_whole(const oomkb_report *report, uint64_t *lines) {
    if (lines != NULL)
        *lines = report != NULL ? report->current->report->lines : 0;
    return report != NULL && !report->current->report->truncated;
}

size_t oomkb_report_questions(const oomkb_report *report) {
    return report != NULL ? report->current->report->question_count : 0;
}

int oomkb_report_question(oomkb_report *report, size_t i, const char *lang,
                          const char **fact, const char **ask,
                          oomkb_error *err) {
    if (LACKS(err, GIVEN(report), GIVEN(fact), GIVEN(ask)))
        return OOMKB_ERROR_USAGE;
    enum lang in;
    if (!lang_read(lang, &in))
        return error_set(err, OOMKB_ERROR_USAGE,
                         "lang should be \"en\" or \"zh\"");
    return question_text(report, i, in, fact, ask, err);
}

void oomkb_report_free(oomkb_report *report) {
    session_free(report);
}

/* ---- output ---- */

/* One call that writes an answer. `answer` runs behind a guard, in an arena of
 * this call, and writes to `out`; then the caller's writer gets `out`. */
struct call {
    struct arena arena;
    const struct oomkb *kb;
    struct settings s;
    const struct format *format;
    void (*answer)(struct call *call, struct reader *r);
    const struct report *report;
    const char *what; /* an entry's id, words, a component, "models" */
    const char *fix;
    const oomkb_fit_question *question;
    size_t count; /* of rows */
    int fits;
    struct buf out;
};

static void write_answer(struct call *w, struct reader *r,
                         const struct answer *answer) {
    struct render_options o = w->s.show;
    o.digest = w->kb->digest;
    o.entries = index_entry_count(w->kb->index);
    format_write(w->format, &w->arena, r, answer, &o, &w->out);
}

static void answer_report(struct call *w, struct reader *r) {
    write_answer(w, r, &(struct answer){.report = w->report});
}

static void answer_memory(struct call *w, struct reader *r) {
    const struct report *report = w->report;
    bool is_told = report->memory.count > 0 &&
                   report->memory.cards[0].budget.count > 0;
    for (size_t i = 0; i < report->finding_count && !is_told; i++)
        is_told = report->findings[i].budget.count > 0 &&
                  !report->findings[i].is_contradictory;
    w->count = is_told ? 1 : 0;
    write_answer(w, r, &(struct answer){.report = report, .is_memory = true});
}

static void answer_entry(struct call *w, struct reader *r) {
    struct str id = str_of(w->what);
    const struct entry *entry = reader_entry_by_id(r, id, NULL);
    if (entry == NULL)
        refuse_entry(&w->arena, r, id);
    write_answer(w, r, &(struct answer){.entry = entry});
}

static void write_listing(struct call *w, struct reader *r,
                          const struct listing *list) {
    w->count = list->count;
    write_answer(w, r, &(struct answer){.list = list});
}

static void answer_search(struct call *w, struct reader *r) {
    struct str words = str_of(w->what);
    struct listing list =
        search_entries(&w->arena, r, words,
                       text_report_of(&w->arena, w->kb, r, words));
    write_listing(w, r, &list);
}

static void answer_list(struct call *w, struct reader *r) {
    struct str component = str_of(w->what);
    if (component.n > 0 && !reader_component_known(r, component))
        refuse_component(&w->arena, r, component);
    struct listing list = list_entries(&w->arena, r, component);
    write_listing(w, r, &list);
}

static void answer_names(struct call *w, struct reader *r) {
    struct answer answer = {
        .names = names_of(&w->arena, r, w->s.show.lang, str_of(w->what))};
    w->count = answer.names->row_count;
    write_answer(w, r, &answer);
}

static void answer_machine(struct call *w, struct reader *r) {
    struct machine_list list = machine_lines(&w->arena, w->s.machine);
    struct answer answer = {
        .names = names_of_machine(&w->arena, r, w->s.show.lang, &list)};
    write_answer(w, r, &answer);
}

static void answer_fit(struct call *w, struct reader *r) {
    struct fit_wishes wishes = {.machine = w->s.machine};
    const struct fit_sheet *sheet =
        fit_sheet_of(&w->arena, w->kb, r, w->question, &wishes);
    write_answer(w, r, &(struct answer){.fit = sheet});
    w->fits = fit_sheet_verdict(sheet);
}

static void answer_fix(struct call *w, struct reader *r) {
    (void)r;
    fix_check(&w->arena, w->kb, str_of(w->what), str_of(w->fix));
}

static void answer_all(void *arg) {
    struct call *w = arg;
    w->out = buf_in(&w->arena, ANSWER_BYTES_MAX);
    w->answer(w, reader_new(w->kb->index, &w->arena));
    buf_check(&w->out, "the answer");
}

/* writer NULL: the call has no output. */
static int call_run(struct call *w, oomkb_writer writer, void *ctx,
                    oomkb_error *err) {
    struct allocator from = w->s.from;
    struct fault fault;
    arena_init(&w->arena, &from,
               w->question != NULL ? w->s.max_memory_bytes : 0);
    enum fail raised = arena_guard(&w->arena, answer_all, w, &fault);
    int code = error_of(err, raised, &fault);
    struct str all = code == OOMKB_OK ? buf_str(&w->out) : STR("");
    if (code == OOMKB_OK && writer != NULL && writer(ctx, all.p, all.n) != 0)
        code = error_set(err, OOMKB_ERROR_IO,
                         "the writer did not take the output");
    arena_free(&w->arena);
    return code;
}

/* call_run() with options and a format. *count (may be NULL): rows written. */
static int call_write(struct call *w, const char *format,
                      const oomkb_options *options, oomkb_writer writer,
                      void *ctx, size_t *count, oomkb_error *err) {
    struct allocator of_report = w->s.from;
    int code = settings_read(options, &w->s, err);
    if (code != OOMKB_OK)
        return code;
    w->format = format_named(str_of(format));
    if (w->format == NULL)
        return error_set(err, OOMKB_ERROR_USAGE,
                         w->question != NULL
                             ? "no such format: text, json, jsonl, markdown, "
                               "html or csv"
                             : "no such format: oomkb_formats() lists them");
    if (w->report != NULL && !w->s.has_allocator)
        w->s.from = of_report;
    code = call_run(w, writer, ctx, err);
    if (code == OOMKB_OK && count != NULL)
        *count = w->count;
    return code;
}

int oomkb_report_write(const oomkb_report *report, const char *format,
                       const oomkb_options *options, oomkb_writer writer,
                       void *ctx, oomkb_error *err) {
    if (LACKS(err, GIVEN(report), GIVEN(writer)))
        return OOMKB_ERROR_USAGE;
    struct call w = {.kb = report->kb, .s.from = report->from,
                     .answer = answer_report,
                     .report = report->current->report};
    return call_write(&w, format, options, writer, ctx, NULL, err);
}

int oomkb_memory_write(const oomkb_report *report, const char *format,
                       const oomkb_options *options, oomkb_writer writer,
                       void *ctx, int *is_told, oomkb_error *err) {
    if (LACKS(err, GIVEN(report), GIVEN(writer), GIVEN(is_told)))
        return OOMKB_ERROR_USAGE;
    struct call w = {.kb = report->kb, .s.from = report->from,
                     .answer = answer_memory,
                     .report = report->current->report};
    size_t count = 0;
    int code = call_write(&w, format, options, writer, ctx, &count, err);
    if (code == OOMKB_OK)
        *is_told = count > 0;
    return code;
}

int oomkb_entry_write(const oomkb *kb, const char *id, const char *format,
                      const oomkb_options *options, oomkb_writer writer,
                      void *ctx, oomkb_error *err) {
    if (LACKS(err, GIVEN(kb), GIVEN(id), GIVEN(writer)))
        return OOMKB_ERROR_USAGE;
    struct call w = {.kb = kb, .answer = answer_entry, .what = id};
    return call_write(&w, format, options, writer, ctx, NULL, err);
}

int oomkb_list_write(const oomkb *kb, const char *component,
                     const char *format, const oomkb_options *options,
                     oomkb_writer writer, void *ctx, size_t *count,
                     oomkb_error *err) {
    if (LACKS(err, GIVEN(kb), GIVEN(writer)))
        return OOMKB_ERROR_USAGE;
    struct call w = {.kb = kb, .answer = answer_list,
                     .what = component != NULL ? component : ""};
    return call_write(&w, format, options, writer, ctx, count, err);
}

int oomkb_names_write(const oomkb *kb, const char *what, const char *format,
                      const oomkb_options *options, oomkb_writer writer,
                      void *ctx, size_t *count, oomkb_error *err) {
    if (LACKS(err, GIVEN(kb), GIVEN(what), GIVEN(writer)))
        return OOMKB_ERROR_USAGE;
    struct call w = {.kb = kb, .answer = answer_names, .what = what};
    return call_write(&w, format, options, writer, ctx, count, err);
}

int oomkb_machine_write(const oomkb *kb, const char *format,
                        const oomkb_options *options, oomkb_writer writer,
                        void *ctx, oomkb_error *err) {
    if (LACKS(err, GIVEN(kb), GIVEN(writer)))
        return OOMKB_ERROR_USAGE;
    struct call w = {.kb = kb, .answer = answer_machine};
    return call_write(&w, format, options, writer, ctx, NULL, err);
}

const char *const *oomkb_names_known(void) {
    return names_known;
}

int oomkb_search_write(const oomkb *kb, const char *words, const char *format,
                       const oomkb_options *options, oomkb_writer writer,
                       void *ctx, size_t *count, oomkb_error *err) {
    if (LACKS(err, GIVEN(kb), GIVEN(words), GIVEN(writer)))
        return OOMKB_ERROR_USAGE;
    struct call w = {.kb = kb, .answer = answer_search, .what = words};
    return call_write(&w, format, options, writer, ctx, count, err);
}

int oomkb_fix_check(const oomkb *kb, const char *entry, const char *fix,
                    oomkb_error *err) {
    if (LACKS(err, GIVEN(kb), GIVEN(entry), GIVEN(fix)))
        return OOMKB_ERROR_USAGE;
    struct call w = {.kb = kb, .s.from = kb->from, .answer = answer_fix,
                     .what = entry, .fix = fix};
    return call_run(&w, NULL, NULL, err);
}

int oomkb_fit_write(const oomkb *kb, const oomkb_fit_question *question,
                    const char *format, const oomkb_options *options,
                    oomkb_writer writer, void *ctx, int *fits,
                    oomkb_error *err) {
    if (LACKS(err, GIVEN(kb), GIVEN(question), GIVEN(writer), GIVEN(fits)))
        return OOMKB_ERROR_USAGE;
    oomkb_fit_question known;
    struct call w = {.kb = kb, .answer = answer_fit, .question = &known};
    int code = sized_read(question, &known, sizeof known, "fit_question", err);
    if (code == OOMKB_OK)
        code = call_write(&w, format, options, writer, ctx, NULL, err);
    if (code == OOMKB_OK)
        *fits = w.fits;
    return code;
}
