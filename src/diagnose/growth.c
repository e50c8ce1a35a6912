/* growth.c: finds growth of memory in the lines that a program prints as it
 * runs.
 *
 *     step 100  GPU mem: 31.20 GB  \
 *     step 200  GPU mem: 33.71 GB   \  growth: the last less the first
 *     step 300  GPU mem: 36.18 GB   /
 *     step 400  GPU mem: 38.66 GB  /
 *
 * A series is the lines of one pattern, one stream and one process or pod. It
 * has at least four lines, rises as a whole, and still rises in the second half
 * of the run: the first steps of a training take memory that the next ones use
 * again. If a person describes the failure, lines below the description count
 * as well. Of a long log the scan keeps the first and the last of these lines.
 * A failure of host memory takes lines about the host, any other failure lines
 * about the device.
 */
#include "diagnose/work.h"

#include "base/limits.h"

#include <inttypes.h>

#define LINES_LEAST 4

struct level {
    const struct hit *hit;
    int64_t bytes;
};

struct series {
    struct level at[GROWTH_LEVELS_MAX];
    size_t count;
};

static bool is_of_host(const struct diagnosis *d, const struct sighting *s) {
    const struct entry *e = reader_entry_head(d->r, s->hit->owner);
    return facts_say(&s->facts, FACT_device_kind, "host") ||
           (e && e->mechanism == MECHANISM_host_ram);
}

static bool is_same_text(const struct hit *x, const struct hit *y,
                         enum fact_name name) {
    const struct capture *a = hit_capture(x, name), *b = hit_capture(y, name);
    return a && b ? str_eq(a->text, b->text) : a == b;
}

static bool is_same_series(const struct hit *x, const struct hit *y) {
    return x->pattern == y->pattern && x->stream == y->stream &&
           is_same_text(x, y, FACT_pid) && is_same_text(x, y, FACT_pod);
}

static bool has_line(const struct series *list, const struct hit *h) {
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].hit->first_line == h->first_line)
            return true;
    return false;
}

static void add_level(struct series *list, const struct hit *h,
                      enum fact_name name) {
    const struct capture *c = hit_capture(h, name);
    struct fact f = fact_blank(name, SOURCE_LOG);
    if (!c || list->count == GROWTH_LEVELS_MAX || has_line(list, h))
        return;
    fact_read(name, c->text, c->scale, &f);
    if (f.known && f.number > 0)
        list->at[list->count++] = (struct level){h, f.number};
}

/* The last level before the middle of the lines. */
static int64_t middle_of(const struct series *list) {
    uint32_t first = list->at[0].hit->first_line;
    uint32_t last = list->at[list->count - 1].hit->first_line;
    uint32_t middle = first + (last - first) / 2;
    int64_t bytes = list->at[0].bytes;
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].hit->first_line <= middle)
            bytes = list->at[i].bytes;
    return bytes;
}

/* The growth of a series; 0: it does not grow. */
static int64_t growth_of(const struct series *list) {
    if (list->count < LINES_LEAST)
        return 0;
    int64_t last = list->at[list->count - 1].bytes;
    int64_t growth = last - list->at[0].bytes, falls = 0;
    for (size_t i = 1; i < list->count; i++) {
        int64_t fall = list->at[i - 1].bytes - list->at[i].bytes;
        falls += fall > 0 ? fall : 0;
    }
    bool is_much = growth > 0 && growth >= last / 20;
    bool is_steady = falls <= growth / 4 &&
                     last - middle_of(list) >= growth / 4;
    return is_much && is_steady ? growth : 0;
}

static void series_of(const struct diagnosis *d, const struct sighting *s,
                      const struct hit *h, enum fact_name name,
                      struct series *out) {
    uint64_t begin = run_begin(d, s), end = s->places[0].order;
    if (facts_say(&s->facts, FACT_oom_words, "told"))
        end = UINT64_MAX; /* a description may stand above its log */
    out->count = 0;
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *x = &d->scan->hits.at[i];
        if (x->order >= begin && x->order <= end &&
            x->kind == PATTERN_CONTEXT && is_same_series(x, h))
            add_level(out, x, name);
    }
}

static bool is_first_alike(const struct diagnosis *d, const struct hit *h) {
    const struct hit *x = d->scan->hits.at;
    while (x < h && !is_same_series(x, h))
        x++;
    return x == h;
}

static struct fact growth_new(struct arena *a, const struct series *list) {
    const struct hit *first = list->at[0].hit;
    const struct hit *last = list->at[list->count - 1].hit;
    struct fact f = fact_number(FACT_growth, SOURCE_DERIVED, growth_of(list));
    f.line = last->first_line;
    f.formula = arena_printf(a, "%zu like lines, from line %" PRIu32
                             " to line %" PRIu32, list->count,
                             first->first_line, last->first_line);
    return f;
}

void growth_derive(struct diagnosis *d, struct sighting *s) {
    enum fact_name name = is_of_host(d, s) ? FACT_host_level : FACT_gpu_level;
    struct fact best = {0};
    const struct hit_run *levels = &d->with_fact[name];
    for (size_t i = 0; i < levels->count; i++) {
        const struct hit *h = levels->at[i];
        struct series list;
        if (h->kind != PATTERN_CONTEXT || !is_first_alike(d, h))
            continue;
        series_of(d, s, h, name, &list);
        int64_t growth = growth_of(&list);
        if (growth > 0 && (!best.known || growth > best.number))
            best = growth_new(d->a, &list);
    }
    sighting_add_fact(d, s, best);
}
