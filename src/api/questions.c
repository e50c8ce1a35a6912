/* questions.c: the questions of a report as C strings. A report has no
 * language: the sentences of a language are made at the first call, all at
 * once, and are valid until an answer replaces the report. */
#include "api/handles.h"

struct wording {
    struct oomkb_report *r;
    enum lang lang;
};

static void write_questions(void *arg) {
    struct wording *w = arg;
    struct report_version *version = w->r->current;
    struct arena *a = &version->arena;
    struct reader *reader = reader_new(w->r->kb->index, a);
    size_t count = version->report->question_count;
    struct str *asks = arena_array(a, count, sizeof *asks);
    for (size_t i = 0; i < count; i++) {
        const struct note *ask = &version->report->questions[i].ask;
        asks[i] = arena_str(a, say(a, reader, w->lang, ask));
    }
    version->asks[w->lang] = asks;
}

int question_text(struct oomkb_report *r, size_t i, enum lang lang,
                  const char **fact, const char **ask, oomkb_error *err) {
    struct report_version *version = r->current;
    if (i >= version->report->question_count)
        return error_set(err, OOMKB_ERROR_USAGE,
                         "no such question: oomkb_report_questions() says "
                         "how many there are");
    if (version->asks[lang] == NULL) {
        struct wording w = {r, lang};
        struct fault fault;
        enum fail code =
            arena_guard(&version->arena, write_questions, &w, &fault);
        if (code != FAIL_NONE)
            return error_of(err, code, &fault);
    }
    *fact = fact_spelling(version->report->questions[i].fact);
    *ask = version->asks[lang][i].p;
    return OOMKB_OK;
}
