/* news.c: what a growing log has shown since the last news.
 *
 *     snapshot -> end the scan -> diagnose -> drop what was reported before
 *              -> (the caller reads the report)
 *              -> rollback: memory as in the snapshot, the scan goes on
 *
 * The scan is really ended each time, and then rolled back. So news are the
 * same as in a report of these bytes, and the final report is the same as
 * without any news.
 *
 * A root cause is reported once. It waits while its message may continue: until
 * LINES_BEHIND lines follow it, or the caller sets is_quiet. Findings that it
 * caused are reported with it; those that come later are not.
 */
#include "api/handles.h"

#define LINES_BEHIND 3

/* ---- snapshot and rollback ---- */

static bool snapshot(struct oomkb_report *r) {
    if (!snapshot_take(&r->memory))
        return false;
    r->scan_saved = r->scan;
    r->has_snapshot = true;
    return true;
}

void session_rollback(struct oomkb_report *r) {
    if (!r->has_snapshot)
        return;
    session_drop_report(r);
    arena_release_to(&r->scan, r->scan_saved.deferred);
    r->scan = r->scan_saved;
    snapshot_restore(&r->memory);
    r->found = NULL;
    r->is_broken = r->has_snapshot = false;
}

/* ---- filtering ---- */

static bool was_reported(const struct oomkb_report *r,
                         const struct finding *f) {
    for (size_t i = 0; i < r->news_count; i++) {
        const struct reported *t = &r->news[i];
        if (t->first_line == f->first_line ||
            str_eq(str_of(t->id), f->id))
            return true;
    }
    return false;
}

static bool is_new_root(const struct oomkb_report *r, size_t i,
                        bool is_quiet) {
    const struct report *rep = r->current->report;
    const struct finding *f = &rep->findings[i];
    bool is_over = is_quiet || rep->lines >= f->last_line + LINES_BEHIND;
    return f->cause < 0 && is_over && !was_reported(r, f);
}

/* Make room for `count` more before the first is added, so that a raise leaves
 * the list as it was. */
static void make_room(struct oomkb_report *r, size_t count) {
    size_t cap = r->news_cap == 0 ? 16 : r->news_cap;
    while (cap < r->news_count + count)
        cap *= 2;
    if (cap == r->news_cap)
        return;
    struct reported *more = r->from.get(r->from.ctx, cap * sizeof *more);
    if (more == NULL)
        arena_raise(&r->current->arena, FAIL_MEMORY, "out of memory for news");
    for (size_t i = 0; i < r->news_count; i++)
        more[i] = r->news[i];
    if (r->news != NULL)
        r->from.put(r->from.ctx, r->news);
    r->news = more;
    r->news_cap = cap;
}

static void add_reported(struct oomkb_report *r, const struct finding *f) {
    struct reported *t = &r->news[r->news_count++];
    *t = (struct reported){.first_line = f->first_line};
    for (size_t i = 0; i < f->id.n && i + 1 < sizeof t->id; i++)
        t->id[i] = f->id.p[i];
}

struct filtering {
    struct oomkb_report *r;
    bool is_quiet;
    size_t kept;
};

/* Drop findings that are not news, and renumber `cause`. A cause may come
 * before or after its effect, so all new places are computed first. */
static void filter_news(void *arg) {
    struct filtering *s = arg;
    struct report *rep = s->r->current->report;
    size_t n = rep->finding_count;
    make_room(s->r, n);
    int32_t *place = arena_array(&s->r->current->arena, n, sizeof *place);
    bool *is_news = arena_array(&s->r->current->arena, n, sizeof *is_news);
    for (size_t i = 0; i < n; i++)
        is_news[i] = is_new_root(s->r, i, s->is_quiet);
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
            add_reported(s->r, &f);
    }
    rep->finding_count = s->kept;
}

static int make_news(struct oomkb_report *r, bool is_quiet, bool *is_news,
                     oomkb_error *err) {
    int code = session_end(r, err);
    if (code == OOMKB_OK)
        code = session_diagnose(r, err);
    if (code != OOMKB_OK)
        return code;
    struct filtering s = {.r = r, .is_quiet = is_quiet};
    struct fault fault;
    enum fail raised = arena_guard(&r->current->arena, filter_news, &s, &fault);
    *is_news = s.kept > 0;
    return error_of(err, raised, &fault);
}

int session_news(struct oomkb_report *r, bool is_quiet, bool *is_news,
                 oomkb_error *err) {
    session_rollback(r);
    if (r->is_broken)
        return session_end(r, err); /* returns the earlier error */
    if (!snapshot(r))
        return error_set(err, OOMKB_ERROR_MEMORY, "out of memory for news");
    bool is_found = false;
    int code = make_news(r, is_quiet, &is_found, err);
    if (code != OOMKB_OK || !is_found)
        session_rollback(r);
    if (code == OOMKB_OK)
        *is_news = is_found;
    return code;
}
