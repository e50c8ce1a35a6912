/* shown.c: numbers, facts and rates as people read them. Amounts are binary
 * with at most two decimals; an interval that is only the rounding of a printed
 * number is shown as its middle (JSON has both ends); a rate is never a bare
 * percentage. */
#include "base/limits.h"
#include "render/parts.h"

#include "base/utf8.h"

#include <inttypes.h>

#define HUNDREDTH_MICRO INT64_C(10000)

static void put_number(struct buf *out, enum unit unit, int64_t n) {
    switch (unit) {
    case UNIT_BYTES: units_bytes(out, n); return;
    case UNIT_TOKENS:
    case UNIT_BLOCKS:
    case UNIT_COUNT: units_count(out, n); return;
    case UNIT_RATIO: units_ratio(out, n); return;
    case UNIT_SECONDS:
        units_ratio(out, n);
        buf_add(out, STR(" s"));
        return;
    case UNIT_BOOL:
    case UNIT_TEXT:
    case UNIT_VERSION: return;
    }
}

struct str shown_number(const struct teller *t, enum unit unit, int64_t n) {
    struct buf out;
    buf_init_in(&out, t->a, SHOWN_VALUE_BYTES_MAX);
    /* GiB and the like are signs; below them stands a word */
    bool has_word =
        t->lang != LANG_EN && unit == UNIT_BYTES && n > -1024 && n < 1024;
    if (t->amounts && unit == UNIT_BYTES && !has_word)
        return amount_said(t, n);
    put_number(&out, has_word ? UNIT_COUNT : unit, n);
    struct str number = settled(t->a, &out);
    return has_word              ? SAID(t, "unit.bytes", number)
           : unit == UNIT_TOKENS ? SAID(t, "unit.tokens", number)
                                 : number;
}

struct str shown_count(const struct teller *t, int64_t n) {
    return shown_number(t, UNIT_COUNT, n);
}

struct str shown_bytes(const struct teller *t, int64_t n) {
    return shown_number(t, UNIT_BYTES, n);
}

/* Within a hundredth: no wider than what rounding a printed number leaves. */
static bool is_narrow(struct span s) {
    int64_t width = 0;
    bool is_sane = s.low >= 0 && add_i64(s.high, -s.low, &width);
    return is_sane && width <= s.low / 100;
}

/* "504.22 MiB", "524.70 MiB" -> "504.22": the unit is said once. */
static struct str without_unit(struct str low, struct str high) {
    size_t at_low = str_find_char(low, ' '), at_high = str_find_char(high, ' ');
    bool is_same = str_eq(str_from(low, at_low), str_from(high, at_high));
    return is_same ? str_slice(low, 0, at_low) : low;
}

struct str shown_span(const struct teller *t, enum unit unit, struct span s) {
    if (!s.known)
        return STR("?");
    if (is_narrow(s))
        return shown_number(t, unit, s.low + (s.high - s.low) / 2);
    struct str low = shown_number(t, unit, s.low);
    struct str high = shown_number(t, unit, s.high);
    if (str_eq(low, high))
        return low;
    bool is_none = unit == UNIT_BYTES && s.low == 0;
    return SAID(t, "unit.between", is_none ? STR("0") : without_unit(low, high),
                high);
}

struct span ratio_of_hundredths(struct span s) {
    struct span micro = {.known = s.known};
    bool is_sane = mul_i64(s.low, HUNDREDTH_MICRO, &micro.low) &&
                   mul_i64(s.high, HUNDREDTH_MICRO, &micro.high);
    return is_sane ? micro : (struct span){0};
}

struct str shown_hundredths(const struct teller *t, struct span s) {
    struct span micro = ratio_of_hundredths(s);
    return micro.known ? shown_span(t, UNIT_RATIO, micro) : STR("");
}

struct str shown_fact(const struct teller *t, const struct fact *f) {
    enum unit unit = fact_unit(f->name);
    /* names something and counts nothing: no commas in it */
    bool is_name = f->name == FACT_pid || f->name == FACT_rank ||
                   f->name == FACT_gpu_index || f->name == FACT_exit_code;
    if (!f->known)
        return f->text.n > 0 ? f->text : STR("?");
    if (unit == UNIT_TEXT || unit == UNIT_VERSION)
        return f->word;
    if (unit == UNIT_BOOL)
        return said(t, f->number != 0 ? "unit.yes" : "unit.no");
    return is_name ? arena_printf(t->a, "%" PRId64, f->number)
                   : shown_number(t, unit, f->number);
}

struct str shown_own(const struct teller *t, const struct own_success *own) {
    if (own->worked + own->failed == 0)
        return STR("");
    return SAID(t, "rate.own", shown_count(t, own->worked),
                shown_count(t, own->failed));
}

/* One or two reports: one is what it says; of two none may be good. */
static const char *reports_key(const struct success *s) {
    if (!s->is_few)
        return "rate.reports";
    if (s->tried == 1)
        return s->worked == 1 ? "rate.one_worked" : "rate.one_failed";
    return s->worked > 0 || s->tried < 1 ? "rate.few" : "rate.none_of";
}

static struct str rate_words(const struct teller *t,
                             const struct success *s) {
    struct str counts[] = {shown_count(t, s->worked), shown_count(t, s->tried)};
    struct str mean =
        arena_printf(t->a, "%d %%", (int)((s->mean + 5000) / 10000));
    switch (s->basis) {
    case BASIS_none:
    case BASIS_COUNT_OF: return STR("");
    case BASIS_reports: return said_with(t, reports_key(s), counts, 2);
    case BASIS_measured: return said_with(t, "rate.measured", counts, 2);
    case BASIS_estimate: return SAID(t, "rate.estimate", mean);
    case BASIS_ai_generated: return SAID(t, "rate.ai_generated", mean);
    }
    return STR("");
}

struct str shown_rate(const struct teller *t, const struct success *s) {
    if (!s->known || s->maintainers_tried < 1)
        return s->known ? rate_words(t, s) : STR("");
    const char *key = s->maintainers_tried > 1     ? "rate.with_maintainers"
                      : s->maintainers_worked == 1 ? "rate.with_one_maintainer"
                                                   : "rate.without_maintainer";
    return SAID(t, key, rate_words(t, s), shown_count(t, s->maintainers_worked),
                shown_count(t, s->maintainers_tried));
}

/* One line, cleaned; blanks instead of newlines and tabs. */
static struct str cleaned(const struct teller *t, struct str s) {
    struct buf out;
    buf_init_in(&out, t->a, s.n * 3 + 16);
    utf8_clean(&out, s);
    struct str made = settled(t->a, &out);
    char *p = arena_alloc(t->a, made.n + 1);
    for (size_t i = 0; i < made.n; i++)
        p[i] = made.p[i] == '\n' || made.p[i] == '\t' ? ' ' : made.p[i];
    return (struct str){p, made.n};
}

/* Bytes at the front of s that take at most columns. */
static size_t front_bytes(struct str s, size_t columns) {
    size_t at = 0, used = 0;
    while (at < s.n) {
        uint32_t cp = 0;
        size_t n = utf8_next(str_from(s, at), &cp);
        used += utf8_width(str_slice(s, at, n));
        if (used > columns)
            break;
        at += n;
    }
    return at;
}

struct str shown_short(const struct teller *t, struct str s, size_t columns) {
    enum { READ_AT_MOST = 64 * 1024 };
    struct str all = cleaned(t, str_slice(s, 0, READ_AT_MOST));
    size_t width = utf8_width(all);
    if (width <= columns || columns < 8)
        return all;
    size_t head = front_bytes(all, columns / 2 - 1);
    /* the tail begins where what stands before it leaves room enough */
    size_t tail = front_bytes(all, width - (columns - columns / 2 - 2));
    struct buf out;
    buf_init_in(&out, t->a, SHOWN_VALUE_BYTES_MAX + READ_AT_MOST);
    buf_add(&out, str_slice(all, 0, head));
    utf8_put(&out, 0x2026);
    buf_add(&out, str_from(all, tail));
    return settled(t->a, &out);
}

/* ---- parts of a finding and of an entry, one line each ---- */

#define SEEN_COLUMNS 48 /* longest value of "what was seen" */

struct str shown_lines(const struct teller *t, uint32_t first,
                       uint32_t last) {
    struct str ends[] = {shown_count(t, first), shown_count(t, last)};
    return first == last ? said_with(t, "report.line", ends, 1)
                         : said_with(t, "report.lines", ends, 2);
}

struct str shown_times(const struct teller *t, const struct finding *f) {
    if (f->count < 2)
        return STR("");
    int64_t count = f->count > INT64_MAX ? INT64_MAX : (int64_t)f->count;
    uint32_t last = f->last_line;
    for (size_t i = 0; i < f->instance_count; i++)
        if (f->instances[i].last_line > last)
            last = f->instances[i].last_line;
    struct str args[] = {shown_count(t, count),
                         shown_lines(t, f->first_line, last)};
    if (f->count == 2 && f->first_line != last) {
        args[1] = SAID(t, "report.lines_both", shown_count(t, f->first_line),
                       shown_count(t, last));
    }
    return said_with(t, "report.times", args, 2);
}

/* What was concluded, and what is either so or not, is nothing to look up. */
static bool is_to_be_seen(const struct fact *f) {
    static const enum fact_name bounds[] = {
        FACT_ranks_least, FACT_torch_since, FACT_torch_before,
        FACT_settings_listed, FACT_COUNT_OF};
    return f->known && f->source != SOURCE_MACHINE &&
           f->source != SOURCE_DERIVED && fact_unit(f->name) != UNIT_BOOL &&
           !fact_is_one(f->name, bounds);
}

struct str shown_seen(const struct teller *t, const struct fact_list *facts) {
    struct words list = words_begin(t, said(t, "report.comma"));
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *f = &facts->at[i];
        if (is_to_be_seen(f))
            words_add(&list,
                      SAID(t, "report.seen_fact", said_fact(t, f->name),
                           shown_short(t, shown_fact(t, f), SEEN_COLUMNS)));
    }
    return words_said(&list, "report.seen");
}

struct str shown_kind(const struct teller *t, const struct entry *e) {
    return SAID(t, "explain.kind", e->component,
                said_word(t, WORDS_MECHANISM, (int)e->mechanism),
                said_word(t, WORDS_SEVERITY, (int)e->severity),
                said_word(t, WORDS_ROLE, (int)e->role));
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
struct str shown_failure(const struct teller *t, const struct rate *rate) {
    int64_t tried = rate->tried + rate->maintainers_tried;
    int64_t failed = rate->worked + rate->maintainers_worked;
    if (rate->basis != BASIS_reports)
        return said_of(t, "explain.fails", shown_stored_rate(t, rate));
    if (tried == 1)
        return said(t, failed == 1 ? "rate.one_failed" : "rate.one_worked");
    return SAID(t, "rate.failures", shown_count(t, failed),
                shown_count(t, tried));
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
