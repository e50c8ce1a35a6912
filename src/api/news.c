/* news.c: what a log that still grows has shown since the last time.
 *
 *     mark -> end the scan -> tell -> leave out what was told -> (caller reads)
 *          <- back: memory as it was marked, the scan goes on
 *
 * The scan is ended for good each time, and that is taken back: so news say
 * what a report of the same bytes says, and the report at the end is the one
 * that would have been made without any news.
 *
 * A root is told once. It waits while its message could still go on: until
 * lines stand behind it, or the caller says that nothing more has come. What
 * followed from a root is told with it, later followers are not.
 */
#include "api/handles.h"

#define LINES_BEHIND 3

/* ---- there and back ---- */

static bool go_ahead(struct oomkb_report *r) {
    if (!snapshot_take(&r->memory))
        return false;
    r->scan_before = r->scan;
    r->is_ahead = true;
    return true;
}

void session_back(struct oomkb_report *r) {
    if (!r->is_ahead)
        return;
    session_forget(r);
    arena_release_to(&r->scan, r->scan_before.deferred);
    r->scan = r->scan_before;
    snapshot_restore(&r->memory);
    r->found = NULL;
    r->is_broken = r->is_ahead = false;
}

/* ---- what is new ---- */

static bool was_told(const struct oomkb_report *r, const struct finding *f) {
    for (size_t i = 0; i < r->news_count; i++) {
        const struct told_before *t = &r->news[i];
        if (t->first_line == f->first_line ||
            str_eq(str_of(t->id), f->id))
            return true;
    }
    return false;
}

static bool is_root_of_news(const struct oomkb_report *r, size_t i,
                            bool is_quiet) {
    const struct report *rep = r->told->report;
    const struct finding *f = &rep->findings[i];
    bool is_over = is_quiet || rep->lines >= f->last_line + LINES_BEHIND;
    return f->cause < 0 && is_over && !was_told(r, f);
}

/* Room for as many more, before the first of them is noted. */
static void make_room(struct oomkb_report *r, size_t count) {
    size_t cap = r->news_cap == 0 ? 16 : r->news_cap;
    while (cap < r->news_count + count)
        cap *= 2;
    if (cap == r->news_cap)
        return;
    struct told_before *more = r->from.get(r->from.ctx, cap * sizeof *more);
    if (more == NULL)
        arena_raise(&r->told->arena, FAIL_MEMORY, "out of memory for news");
    for (size_t i = 0; i < r->news_count; i++)
        more[i] = r->news[i];
    if (r->news != NULL)
        r->from.put(r->from.ctx, r->news);
    r->news = more;
    r->news_cap = cap;
}

static void note_told(struct oomkb_report *r, const struct finding *f) {
    struct told_before *t = &r->news[r->news_count++];
    *t = (struct told_before){.first_line = f->first_line};
    for (size_t i = 0; i < f->id.n && i + 1 < sizeof t->id; i++)
        t->id[i] = f->id.p[i];
}

struct sifting {
    struct oomkb_report *r;
    bool is_quiet;
    size_t kept;
};

/* Findings that are no news go; `cause` follows its finding. A cause stands
 * before what it caused, or after: so places are given first. */
static void sift(void *arg) {
    struct sifting *s = arg;
    struct report *rep = s->r->told->report;
    size_t n = rep->finding_count;
    make_room(s->r, n);
    int32_t *place = arena_array(&s->r->told->arena, n, sizeof *place);
    bool *is_news = arena_array(&s->r->told->arena, n, sizeof *is_news);
    for (size_t i = 0; i < n; i++)
        is_news[i] = is_root_of_news(s->r, i, s->is_quiet);
    for (size_t i = 0; i < n; i++) {
        int32_t cause = rep->findings[i].cause;
        bool is_kept = is_news[i] || (cause >= 0 && is_news[cause]);
        place[i] = is_kept ? (int32_t)s->kept++ : -1;
    }
    if (n > 0 && place[0] < 0)
        rep->command_before = rep->command_after = (struct str){NULL, 0};
    for (size_t i = 0; i < n; i++) {
        struct finding f = rep->findings[i];
        f.cause = f.cause >= 0 ? place[f.cause] : -1;
        if (place[i] >= 0)
            rep->findings[place[i]] = f;
        if (is_news[i])
            note_told(s->r, &f);
    }
    rep->finding_count = s->kept;
}

static int tell_news(struct oomkb_report *r, bool is_quiet, bool *is_news,
                     oomkb_error *err) {
    int code = session_end(r, err);
    if (code == OOMKB_OK)
        code = session_tell(r, err);
    if (code != OOMKB_OK)
        return code;
    struct sifting s = {.r = r, .is_quiet = is_quiet};
    struct fault fault;
    enum fail raised = arena_guard(&r->told->arena, sift, &s, &fault);
    *is_news = s.kept > 0;
    return error_of(err, raised, &fault);
}

int session_news(struct oomkb_report *r, bool is_quiet, bool *is_news,
                 oomkb_error *err) {
    session_back(r);
    if (r->is_broken)
        return session_end(r, err); /* says what broke it */
    if (!go_ahead(r))
        return error_set(err, OOMKB_ERROR_MEMORY, "out of memory for news");
    bool is_found = false;
    int code = tell_news(r, is_quiet, &is_found, err);
    if (code != OOMKB_OK || !is_found)
        session_back(r);
    if (code == OOMKB_OK)
        *is_news = is_found;
    return code;
}
