/* scans.c: one input for several knowledge bases: a scanner for each, and their
 * results joined. */
#include "api/handles.h"

struct scans {
    struct arena *a;
    const struct oomkb *kb;
    struct scanner **each;
};

struct scans *scans_new(struct arena *a, const struct oomkb *kb,
                        uint64_t max_bytes, uint32_t threads) {
    struct scans *s = arena_alloc(a, sizeof *s);
    *s = (struct scans){a, kb, arena_array(a, kb->count, sizeof *s->each)};
    for (size_t i = 0; i < kb->count; i++) {
        struct reader *r = reader_new(kb->each[i], a);
        s->each[i] = scan_new(a, kb->rules[i], r, max_bytes);
        scan_threads(s->each[i], threads);
    }
    return s;
}

void scans_feed(struct scans *s, struct str bytes) {
    for (size_t i = 0; i < s->kb->count; i++)
        scan_feed(s->each[i], bytes);
}

enum log_kind scans_kind(const struct scans *s) {
    return scan_kind(s->each[0]);
}

const struct scan_result *scans_end(struct scans *s) {
    size_t count = s->kb->count;
    const struct scan_result **found =
        arena_array(s->a, count, sizeof *found);
    for (size_t i = 0; i < count; i++)
        found[i] = scan_end(s->each[i]);
    return count == 1 ? found[0]
                      : scan_join(s->a, found, s->kb->each, count);
}

const struct report *text_report_of(struct arena *a, const struct oomkb *kb,
                                    struct reader *r, struct str text) {
    struct answers no_answers = {.at = NULL};
    struct scans *s = scans_new(a, kb, 0, 1);
    scans_feed(s, text);
    return diagnose(a, r, scans_end(s), STR("-"), &no_answers);
}
