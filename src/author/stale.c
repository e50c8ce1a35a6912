/* stale.c: what of a corpus is due to be looked at again.
 *
 *   last_verified   an entry that nobody has been through for so many days
 *   docs, evidence  a link that nobody has opened for so many days
 *   release         an engine's file knows a release (newest, newest_seen) that
 *                   came after the entry was verified
 *
 * Nothing here is wrong, so nothing is complained of; the check knows no
 * clock, and what day it is, is the caller's to say. Oldest first.
 */
#include <stdlib.h>

#include "author/build.h"

struct listing {
    struct build *d;
    const struct stale_question *q;
    int64_t today;
    struct stale_list due;
    size_t cap;
};

/* Days since 0000-03-01 of YYYY-MM-DD, by the civil calendar. */
static int64_t day_number(struct str date) {
    struct str rest, day;
    int64_t y = 0, m = 0, d = 0;
    struct str year = str_cut(date, '-', &rest);
    struct str month = str_cut(rest, '-', &day);
    if (!str_to_int(year, &y) || !str_to_int(month, &m)
        || !str_to_int(day, &d))
        return -1;
    y -= m <= 2;
    m = (m + 9) % 12; /* March is 0 */
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + d - 1;
}

static void add(struct listing *l, struct stale_item item) {
    l->due.at = arena_grow(l->d->a, l->due.at, l->due.count, &l->cap,
                           sizeof *l->due.at);
    l->due.at[l->due.count++] = item;
}

static void ask_date(struct listing *l, struct stale_item item) {
    int64_t then = day_number(item.date);
    item.days = l->today - then;
    if (then >= 0 && item.days > l->q->days)
        add(l, item);
}

static void ask_links(struct listing *l, const struct made *m,
                      const char *key) {
    const struct node *list = node_get(m->node, key);
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const struct node *row = node_item(list, i);
        const struct node *seen = node_get(row, "seen");
        const struct node *url = node_get(row, "url");
        if (seen != NULL && url != NULL)
            ask_date(l, (struct stale_item){
                            .entry = m->id, .path = m->src->path,
                            .line = seen->place.line, .what = key,
                            .date = seen->text, .about = url->text});
    }
}

/* Has the engine's file learnt of a release since? */
static void ask_release(struct listing *l, const struct made *m) {
    const struct entry *e = made_entry(m);
    const struct made *engine = build_find(l->d, MADE_ENGINE, e->component);
    const struct node *seen = engine == NULL
        ? NULL : node_get(engine->node, "newest_seen");
    const struct node *verified = node_get(m->node, "last_verified");
    if (seen == NULL || verified == NULL
        || str_cmp(e->last_verified, seen->text) >= 0)
        return;
    const struct engine *of = engine->what;
    add(l, (struct stale_item){
               .entry = m->id, .path = m->src->path,
               .line = verified->place.line, .what = "release",
               .date = e->last_verified,
               .days = l->today - day_number(e->last_verified),
               .about = arena_printf(l->d->a, "%.*s %.*s",
                                     STR_ARG(engine->id),
                                     STR_ARG(of->newest))});
}

static int by_age(const void *x, const void *y) {
    const struct stale_item *a = x;
    const struct stale_item *b = y;
    if (a->days != b->days)
        return a->days > b->days ? -1 : 1;
    int order = str_cmp(a->path, b->path);
    if (order != 0)
        return order;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return str_cmp(str_of(a->what), str_of(b->what));
}

struct stale_list author_stale(struct arena *a, const struct author_options *o,
                               const struct stale_question *q,
                               struct author_result *result) {
    struct build *d = build_read(a, o);
    struct listing l = {.d = d, .q = q, .today = day_number(q->today)};
    for (size_t i = 0; i < d->made[MADE_ENTRY].count; i++) {
        const struct made *m = &d->made[MADE_ENTRY].at[i];
        const struct node *verified = node_get(m->node, "last_verified");
        if (made_entry(m)->withdrawn.in[LANG_EN].n > 0 || verified == NULL)
            continue;
        ask_date(&l, (struct stale_item){
                         .entry = m->id, .path = m->src->path,
                         .line = verified->place.line,
                         .what = "last_verified", .date = verified->text});
        ask_links(&l, m, "docs");
        ask_links(&l, m, "evidence");
        ask_release(&l, m);
    }
    if (l.due.count > 1)
        qsort(l.due.at, l.due.count, sizeof *l.due.at, by_age);
    complaints_tell(&d->c, o->on_diag, o->diag_ctx);
    *result = (struct author_result){d->corpus.entry_count, d->c.errors,
                                     d->c.warnings, 0};
    return l.due;
}
