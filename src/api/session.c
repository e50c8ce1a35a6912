/* session.c: one scan and its report, from the first byte of a log to the last
 * answer. Every step runs behind a guard of the arena that it fills, so a raise
 * becomes a code and nothing leaks. */
#include <string.h>

#include "api/handles.h"

static size_t list_length(const char *const *list) {
    size_t n = 0;
    while (list[n] != NULL)
        n++;
    return n;
}

/* ---- beginning ---- */

struct machine_list machine_lines(struct arena *a, const char *const *lines) {
    size_t count = list_length(lines);
    struct machine_fact *at = arena_array(a, count, sizeof *at);
    for (size_t i = 0; i < count; i++) {
        struct str why = {NULL, 0};
        struct str line = arena_str(a, str_of(lines[i]));
        if (!machine_fact_read(a, line, &at[i], &why))
            arena_raise(a, FAIL_USAGE, "%.*s", STR_ARG(why));
    }
    return (struct machine_list){at, count};
}

struct beginning {
    struct oomkb_report *r;
    const struct settings *s;
};

static void read_own_reports(struct beginning *b) {
    struct oomkb_report *r = b->r;
    struct arena *a = &r->scan;
    size_t count = list_length(b->s->own_reports);
    r->own = arena_array(a, count, sizeof *r->own);
    r->own_count = count;
    for (size_t i = 0; i < count; i++) {
        struct str why = {NULL, 0};
        struct str text = arena_str(a, str_of(b->s->own_reports[i]));
        if (!own_report_read(a, text, &r->own[i], &why))
            arena_raise(a, FAIL_USAGE, "%.*s", STR_ARG(why));
    }
}

static struct fact fact_of_answer(struct arena *a, struct str text) {
    struct fact fact;
    struct str why = {NULL, 0};
    if (!answer_read(a, text, &fact, &why))
        arena_raise(a, FAIL_USAGE, "%.*s", STR_ARG(why));
    if (answer_is_below_zero(&fact))
        arena_raise(a, FAIL_USAGE, "%s takes a number from 0, not '%.*s'",
                    fact_spelling(fact.name), STR_ARG(text));
    return fact;
}

static void begin(void *arg) {
    struct beginning *b = arg;
    struct oomkb_report *r = b->r;
    struct arena *a = &r->scan;
    r->input_name = arena_str(a, b->s->input_name);
    size_t count = list_length(b->s->answers);
    r->first_answers.at = arena_array(a, count, sizeof(struct str));
    r->first_answers.count = count;
    struct fact *facts = arena_array(a, count, sizeof *facts);
    for (size_t i = 0; i < count; i++) {
        struct str text = arena_str(a, str_of(b->s->answers[i]));
        facts[i] = fact_of_answer(a, text);
        r->first_answers.at[i] = text;
    }
    read_own_reports(b);
    r->machine = machine_lines(a, b->s->machine);
    struct reader *reader = reader_new(r->kb->index, a);
    check_known(a, reader, facts, count);
    r->scans = scans_new(a, r->kb, b->s->max_input_bytes, b->s->threads);
}

int session_new(const struct oomkb *kb, const struct settings *s,
                struct oomkb_report **out, oomkb_error *err) {
    struct oomkb_report *r = s->from.get(s->from.ctx, sizeof *r);
    if (r == NULL)
        return error_set(err, OOMKB_ERROR_MEMORY, "out of memory for a scan");
    *r = (struct oomkb_report){.kb = kb,
                               .from = s->from,
                               .lang = s->show.lang,
                               .max_memory_bytes = s->max_memory_bytes};
    if (!snapshot_init(&r->memory, &r->from)) {
        s->from.put(s->from.ctx, r);
        return error_set(err, OOMKB_ERROR_MEMORY, "no lock for a scan");
    }
    arena_init(&r->scan, &r->memory.allocator, s->max_memory_bytes);
    struct beginning b = {r, s};
    struct fault fault;
    enum fail code = arena_guard(&r->scan, begin, &b, &fault);
    if (code != FAIL_NONE) {
        session_free(r);
        return error_of(err, code, &fault);
    }
    *out = r;
    return OOMKB_OK;
}

/* ---- reading ---- */

struct feeding {
    struct oomkb_report *r;
    struct str bytes;
};

/* An archive, a picture or a program has no lines, so the answer "no known
 * failure" would be misleading. */
static void refuse_no_log(struct oomkb_report *r) {
    const char *name = log_kind_name(scans_kind(r->scans));
    if (name != NULL) {
        struct str key = arena_printf(&r->scan, "not_a_log.%s", name);
        arena_raise(&r->scan, FAIL_INPUT, "%s",
                    base_text(r->kb, r->lang, key.p));
    }
}

static void feed(void *arg) {
    struct feeding *f = arg;
    scans_feed(f->r->scans, f->bytes);
    refuse_no_log(f->r);
}

static void end_scan(void *arg) {
    struct oomkb_report *r = arg;
    r->found = scans_end(r->scans);
    refuse_no_log(r);
}

/* A scan that failed once stays failed. */
static int guarded(struct oomkb_report *r, void (*body)(void *), void *arg,
                   oomkb_error *err) {
    if (!r->is_broken) {
        enum fail code = arena_guard(&r->scan, body, arg, &r->fault);
        r->is_broken = code != FAIL_NONE;
    }
    return r->is_broken ? error_of(err, r->fault.code, &r->fault) : OOMKB_OK;
}

int session_feed(struct oomkb_report *r, struct str bytes, oomkb_error *err) {
    struct feeding f = {r, bytes};
    session_rollback(r);
    return guarded(r, feed, &f, err);
}

/* ---- diagnosis ---- */

struct remaking {
    struct oomkb_report *r;
    struct report_version *version;
    const struct str *before; /* answers so far */
    size_t before_count;
    struct str next; /* one more; empty: none */
};

/* Add an answer, or replace an earlier one about the same fact. */
static void add_answer(struct report_version *version, struct fact *facts,
                       struct str text) {
    struct str kept = arena_str(&version->arena, text);
    struct fact fact = fact_of_answer(&version->arena, kept);
    size_t at = 0;
    while (at < version->answer_count && facts[at].name != fact.name)
        at++;
    facts[at] = fact;
    version->answers[at] = kept;
    if (at == version->answer_count)
        version->answer_count++;
}

static void remake(void *arg) {
    struct remaking *t = arg;
    struct report_version *version = t->version;
    struct arena *a = &version->arena;
    size_t most = t->before_count + 1;
    struct fact *facts = arena_array(a, most, sizeof *facts);
    version->answers = arena_array(a, most, sizeof *version->answers);
    for (size_t i = 0; i < t->before_count; i++)
        add_answer(version, facts, t->before[i]);
    struct reader *reader = reader_new(t->r->kb->index, a);
    if (t->next.n > 0) {
        add_answer(version, facts, t->next);
        check_known(a, reader, facts, version->answer_count);
    }
    struct answers answers = {facts, version->answer_count, t->r->own,
                              t->r->own_count, t->r->machine};
    version->report =
        diagnose(a, reader, t->r->found, t->r->input_name, &answers);
}

static void version_free(struct oomkb_report *r,
                         struct report_version *version) {
    if (version != NULL) {
        arena_free(&version->arena);
        r->from.put(r->from.ctx, version);
    }
}

/* The memory limit less what the scan has used; at least a quarter of it. */
static size_t memory_left(const struct oomkb_report *r) {
    size_t limit = r->max_memory_bytes, used = r->scan.used_bytes;
    size_t left = used < limit ? limit - used : 0;
    return left > limit / 4 ? left : limit / 4 + 1;
}

static int report_remake(struct remaking *t, oomkb_error *err) {
    struct oomkb_report *r = t->r;
    t->version = r->from.get(r->from.ctx, sizeof *t->version);
    if (t->version == NULL)
        return error_set(err, OOMKB_ERROR_MEMORY,
                         "out of memory for a report");
    *t->version = (struct report_version){0};
    arena_init(&t->version->arena, &r->from, memory_left(r));
    struct fault fault;
    enum fail code = arena_guard(&t->version->arena, remake, t, &fault);
    if (code != FAIL_NONE) {
        version_free(r, t->version);
        return error_of(err, code, &fault);
    }
    struct report_version *old = r->current;
    r->current = t->version;
    version_free(r, old);
    return OOMKB_OK;
}

int session_end(struct oomkb_report *r, oomkb_error *err) {
    return guarded(r, end_scan, r, err);
}

void session_drop_report(struct oomkb_report *r) {
    version_free(r, r->current);
    r->current = NULL;
}

int session_diagnose(struct oomkb_report *r, oomkb_error *err) {
    struct remaking t = {.r = r,
                        .before = r->first_answers.at,
                        .before_count = r->first_answers.count};
    return report_remake(&t, err);
}

int session_finish(struct oomkb_report *r, oomkb_error *err) {
    session_rollback(r);
    int code = session_end(r, err);
    return code == OOMKB_OK ? session_diagnose(r, err) : code;
}

int session_answer(struct oomkb_report *r, const char *fact_value,
                   oomkb_error *err) {
    struct remaking t = {.r = r,
                        .before = r->current->answers,
                        .before_count = r->current->answer_count,
                        .next = str_of(fact_value)};
    if (t.next.n == 0)
        return error_set(err, OOMKB_ERROR_USAGE,
                         "the answer is empty: it should be fact=value");
    return report_remake(&t, err);
}

void session_free(struct oomkb_report *r) {
    if (r != NULL) {
        struct allocator from = r->from;
        session_rollback(r);
        session_drop_report(r);
        arena_free(&r->scan);
        snapshot_end(&r->memory);
        if (r->news != NULL)
            from.put(from.ctx, r->news);
        from.put(from.ctx, r);
    }
}
