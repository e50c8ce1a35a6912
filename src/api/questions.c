/* questions.c: the questions of a report as C strings. A report has no
 * language, so the sentences of one language are made when they are first
 * asked for, all at once, and kept beside the report until an answer replaces
 * it. */
#include "api/handles.h"

struct wording {
    struct oomkb_report *r;
    enum lang lang;
};

static void word_all(void *arg) {
    struct wording *w = arg;
    struct told *told = w->r->told;
    struct arena *a = &told->arena;
    struct reader *reader = reader_new(w->r->kb->index, a);
    size_t count = told->report->question_count;
    struct str *asks = arena_array(a, count, sizeof *asks);
    for (size_t i = 0; i < count; i++) {
        const struct note *ask = &told->report->questions[i].ask;
        asks[i] = arena_str(a, say(a, reader, w->lang, ask));
    }
    told->asks[w->lang] = asks;
}

int question_text(struct oomkb_report *r, size_t i, enum lang lang,
                  const char **fact, const char **ask, oomkb_error *err) {
    struct told *told = r->told;
    if (i >= told->report->question_count)
        return error_set(err, OOMKB_ERROR_USAGE,
                         "no such question: oomkb_report_questions() says "
                         "how many there are");
    if (told->asks[lang] == NULL) {
        struct wording w = {r, lang};
        struct fault fault;
        enum fail code = arena_guard(&told->arena, word_all, &w, &fault);
        if (code != FAIL_NONE)
            return error_of(err, code, &fault);
    }
    *fact = fact_spelling(told->report->questions[i].fact);
    *ask = told->asks[lang][i].p;
    return OOMKB_OK;
}
