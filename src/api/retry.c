/* retry.c: oomkb_report_retry(): how to start a failed job again. */
#include "api/handles.h"
#include "diagnose/retry.h"

struct retry_call {
    struct oomkb_report *r;
    const char *const *argv;
    bool also_late;
    struct oomkb_retry answer;
};

/* The engine that the command starts: the command is read as a log of one
 * line. */
static const struct engine *engine_started(struct retry_call *q,
                                           struct arena *a,
                                           struct reader *reader) {
    struct str line = STR("$");
    for (size_t i = 0; q->argv[i] != NULL; i++)
        line = arena_printf(a, "%.*s %s", STR_ARG(line), q->argv[i]);
    line = arena_printf(a, "%.*s\n", STR_ARG(line));
    const struct report *report = text_report_of(a, q->r->kb, reader, line);
    const struct fact *engine = facts_first(&report->context, FACT_engine);
    return engine != NULL ? reader_engine_by_id(reader, engine->word) : NULL;
}

static const char *const *words_of(struct arena *a,
                                   const struct str_list *list) {
    const char **at = arena_array(a, list->count + 1, sizeof *at);
    for (size_t i = 0; i < list->count; i++)
        at[i] = list->at[i].p;
    return list->count > 0 ? at : NULL;
}

static void run(void *arg) {
    struct retry_call *q = arg;
    struct arena *a = &q->r->current->arena;
    struct reader *reader = reader_new(q->r->kb->index, a);
    struct str_list argv = {0};
    while (q->argv[argv.count] != NULL)
        argv.count++;
    argv.at = arena_array(a, argv.count, sizeof *argv.at);
    for (size_t i = 0; i < argv.count; i++)
        argv.at[i] = str_of(q->argv[i]);
    struct retry found =
        retry_find(a, q->r->current->report, engine_started(q, a, reader),
                   &argv, q->also_late);
    q->answer = (struct oomkb_retry){.argv = words_of(a, &found.argv),
                                     .why_not = found.why_not};
    if (found.first != NULL) {
        const char *restart = word_spelling(
            WORDS_RESTART, (int)found.first->outlook.restart);
        q->answer.entry = arena_str(a, found.first->entry->id).p;
        q->answer.fingerprint = arena_str(a, found.first->fingerprint).p;
        q->answer.outlook = restart;
    }
    if (q->answer.argv != NULL)
        q->answer.change = arena_str(a, found.change).p;
}

int oomkb_report_retry(oomkb_report *report, const char *const *argv,
                       int also_late, oomkb_retry *retry, oomkb_error *err) {
    if (LACKS(err, GIVEN(report), GIVEN(argv), GIVEN(retry)))
        return OOMKB_ERROR_USAGE;
    struct retry_call q = {
        .r = report, .argv = argv, .also_late = also_late != 0};
    struct fault fault;
    enum fail code =
        arena_guard(&report->current->arena, run, &q, &fault);
    if (code != FAIL_NONE)
        return error_of(err, code, &fault);
    *retry = q.answer;
    return OOMKB_OK;
}
