/* sameness.c: results compared hit by hit. */
#include "support/sameness.h"

#include "log/stream.h"

const struct scan_result *scan_so(struct arena *a, struct str image,
                                  struct str log, struct scanning how) {
    const struct index *ix =
        how.is_own ? index_open_builtin(a, image) : index_open(a, image);
    const struct scan_rules *rules = scan_rules_open(a, ix);
    struct scanner *s = scan_new(a, rules, reader_new(ix, a), 0);
    scan_by(s, how.way);
    scan_threads(s, how.threads);
    for (size_t i = 0; i < log.n; i += how.piece) {
        scan_feed(s, str_slice(log, i, how.piece));
    }
    return scan_end(s);
}

bool scan_has_prose(struct arena *a, struct str image,
                    const struct scan_result *found) {
    struct reader *r = reader_new(index_open(a, image), a);
    for (size_t i = 0; i < found->hits.count; i++) {
        if (reader_pattern(r, found->hits.at[i].pattern)->is_prose) {
            return true;
        }
    }
    return false;
}

static bool is_same_capture(const struct capture *x, const struct capture *y) {
    return x->name == y->name && x->scale == y->scale && x->line == y->line &&
           str_eq(x->text, y->text);
}

static const char *unlike(struct arena *a, const char *what,
                          const struct hit *x, const struct hit *y) {
    return arena_printf(a,
                        "%s: pattern %u, lines %u-%u of %u-%u, and pattern %u, "
                        "lines %u-%u of %u-%u: \"%.*s\"",
                        what, x->pattern, x->first_line, x->last_line,
                        x->trace_first, x->trace_last, y->pattern,
                        y->first_line, y->last_line, y->trace_first,
                        y->trace_last, (int)(x->text.n < 90 ? x->text.n : 90),
                        x->text.p)
        .p;
}

static const char *hit_difference(struct arena *a, const struct scan_result *r,
                                  const struct scan_result *q,
                                  const struct hit *x, const struct hit *y) {
    if (x->pattern != y->pattern || x->kind != y->kind ||
        x->owner != y->owner || x->ordinal != y->ordinal) {
        return unlike(a, "another pattern", x, y);
    }
    if (!stream_is_same(&r->streams[x->stream], &q->streams[y->stream])) {
        return unlike(a, "another stream", x, y);
    }
    if (x->first_line != y->first_line || x->last_line != y->last_line ||
        x->trace_first != y->trace_first || x->trace_last != y->trace_last) {
        return unlike(a, "other lines", x, y);
    }
    if (!str_eq(x->text, y->text) || !str_eq(x->command, y->command)) {
        return unlike(a, "another text", x, y);
    }
    bool is_same = x->capture_count == y->capture_count;
    for (size_t i = 0; is_same && i < x->capture_count; i++) {
        is_same = is_same_capture(&x->captures[i], &y->captures[i]);
    }
    return is_same ? NULL : unlike(a, "other captures", x, y);
}

const char *scan_difference(struct arena *a, const struct scan_result *x,
                            const struct scan_result *y) {
    size_t both = x->hits.count < y->hits.count ? x->hits.count
                                                : y->hits.count;
    for (size_t i = 0; i < both; i++) {
        const char *why =
            hit_difference(a, x, y, &x->hits.at[i], &y->hits.at[i]);
        if (why != NULL) {
            return why;
        }
    }
    if (x->hits.count != y->hits.count) {
        return arena_printf(a, "%zu hits, and %zu", x->hits.count,
                            y->hits.count).p;
    }
    if (x->uncounted != y->uncounted || x->uncounted_to != y->uncounted_to) {
        return "another number of uncounted hits";
    }
    if (x->stats.lines != y->stats.lines || x->stats.bytes != y->stats.bytes ||
        x->stats.truncated != y->stats.truncated) {
        return "other lines or bytes";
    }
    bool is_same_end = str_eq(x->last_line, y->last_line) &&
                       x->last_line_number == y->last_line_number;
    return is_same_end ? NULL : "another last line";
}
