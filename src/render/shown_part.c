/* shown_part.c: parts of a finding and of an entry as one line of words, for
 * every format that is read by people. */
#include "base/limits.h"
#include "render/parts.h"

#define SEEN_COLUMNS 48 /* longest value of "what was seen" */

struct str shown_lines(const struct teller *t, uint32_t first,
                       uint32_t last) {
    struct str ends[] = {shown_number(t, UNIT_COUNT, first),
                         shown_number(t, UNIT_COUNT, last)};
    return first == last ? said_with(t, "report.line", ends, 1)
                         : said_with(t, "report.lines", ends, 2);
}

struct str shown_times(const struct teller *t, const struct finding *f) {
    if (f->count < 2) {
        return STR("");
    }
    int64_t count = f->count > INT64_MAX ? INT64_MAX : (int64_t)f->count;
    uint32_t last = f->last_line;
    for (size_t i = 0; i < f->instance_count; i++) {
        if (f->instances[i].last_line > last) {
            last = f->instances[i].last_line;
        }
    }
    struct str args[] = {shown_number(t, UNIT_COUNT, count),
                         shown_lines(t, f->first_line, last)};
    return said_with(t, "report.times", args, 2);
}

struct str shown_seen(const struct teller *t, const struct fact_list *facts) {
    struct words list = words_begin(t, said(t, "report.comma"));
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *f = &facts->at[i];
        struct str pair[] = {said_fact(t, f->name),
                             shown_short(t, shown_fact(t, f), SEEN_COLUMNS)};
        if (f->known && f->source != SOURCE_MACHINE) {
            words_add(&list, said_with(t, "report.seen_fact", pair, 2));
        }
    }
    return words_said(&list, "report.seen");
}

struct str shown_kind(const struct teller *t, const struct entry *e) {
    struct str words[] = {e->component,
                          said_word(t, WORDS_MECHANISM, (int)e->mechanism),
                          said_word(t, WORDS_SEVERITY, (int)e->severity),
                          said_word(t, WORDS_ROLE, (int)e->role)};
    return said_with(t, "explain.kind", words, 4);
}

struct str shown_range(const struct teller *t, const struct version_range *r) {
    struct buf out;
    buf_init_in(&out, t->a, SHOWN_RANGE_BYTES_MAX);
    buf_add(&out, r->product);
    for (size_t i = 0; i < r->event_count; i++) {
        const struct version_event *e = &r->events[i];
        buf_add(&out, e->is_fixed ? STR(" < ") : STR(" >= "));
        buf_add(&out, e->version);
    }
    return settled(t->a, &out);
}

/* worked counts those it failed for; links are given by whoever writes it. */
static struct str reported_failure(const struct teller *t,
                                   const struct rate *rate) {
    int64_t tried = rate->tried + rate->maintainers_tried;
    int64_t failed = rate->worked + rate->maintainers_worked;
    struct str counts[] = {shown_number(t, UNIT_COUNT, failed),
                           shown_number(t, UNIT_COUNT, tried)};
    if (tried == 1) {
        return said(t, failed == 1 ? "rate.one_failed" : "rate.one_worked");
    }
    return said_with(t, "rate.failures", counts, 2);
}

struct str shown_failure(const struct teller *t, const struct rate *rate) {
    if (rate->basis == BASIS_reports) {
        return reported_failure(t, rate);
    }
    struct str words = shown_stored_rate(t, rate);
    return words.n > 0 ? said_with(t, "explain.fails", &words, 1) : words;
}

struct str shown_stored_rate(const struct teller *t, const struct rate *rate) {
    bool has_counts =
        rate->basis == BASIS_reports || rate->basis == BASIS_measured;
    struct success shown = {
        .known = has_counts || rate->rate_micro >= 0,
        .basis = rate->basis,
        .mean = rate->rate_micro < 0 ? 0 : rate->rate_micro,
        .worked = rate->worked,
        .tried = rate->tried,
        .maintainers_worked = rate->maintainers_worked,
        .maintainers_tried = rate->maintainers_tried,
        .is_few = rate->basis == BASIS_reports && rate->tried < 3,
    };
    return shown_rate(t, &shown);
}
