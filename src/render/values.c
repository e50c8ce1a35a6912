/* values.c: numbers, facts and rates as people read them. Amounts are binary
 * with at most two decimals. An interval as narrow as the rounding of a printed
 * number is shown as its middle; JSON has both ends. A rate is never a bare
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

struct str number_text(const struct render *t, enum unit unit, int64_t n) {
    struct buf out = buf_in(t->a, SHOWN_VALUE_BYTES_MAX);
    /* GiB is the same in all languages, "bytes" is translated. */
    bool has_word =
        t->lang != LANG_EN && unit == UNIT_BYTES && n > -1024 && n < 1024;
    if (t->amounts && unit == UNIT_BYTES && !has_word)
        return amount_text(t, n, 0);
    put_number(&out, has_word ? UNIT_COUNT : unit, n);
    struct str number = kept_text(t->a, &out);
    return has_word              ? TR(t, "unit.bytes", number)
           : unit == UNIT_TOKENS ? TR(t, "unit.tokens", number)
                                 : number;
}

struct str count_text(const struct render *t, int64_t n) {
    return number_text(t, UNIT_COUNT, n);
}

struct str bytes_text(const struct render *t, int64_t n) {
    return number_text(t, UNIT_BYTES, n);
}

/* True for an interval of a hundredth, as the rounding of a printed number. */
static bool is_narrow(struct span s) {
    int64_t width = 0;
    bool is_sane = s.low >= 0 && add_i64(s.high, -s.low, &width);
    return is_sane && width <= s.low / 100;
}

/* "504.22 MiB", "524.70 MiB" -> "504.22": the unit is written once. */
static struct str without_unit(struct str low, struct str high) {
    size_t at_low = str_find_char(low, ' '), at_high = str_find_char(high, ' ');
    bool is_same = str_eq(str_from(low, at_low), str_from(high, at_high));
    return is_same ? str_slice(low, 0, at_low) : low;
}

struct str span_text(const struct render *t, enum unit unit, struct span s) {
    if (!s.known)
        return STR("?");
    if (is_narrow(s))
        return number_text(t, unit, s.low + (s.high - s.low) / 2);
    struct str low = number_text(t, unit, s.low);
    struct str high = number_text(t, unit, s.high);
    if (str_eq(low, high))
        return low;
    bool is_none = unit == UNIT_BYTES && s.low == 0;
    return TR(t, "unit.between", is_none ? STR("0") : without_unit(low, high),
              high);
}

struct span ratio_of_hundredths(struct span s) {
    struct span micro = {.known = s.known};
    bool is_sane = mul_i64(s.low, HUNDREDTH_MICRO, &micro.low) &&
                   mul_i64(s.high, HUNDREDTH_MICRO, &micro.high);
    return is_sane ? micro : (struct span){0};
}

struct str hundredths_text(const struct render *t, struct span s) {
    struct span micro = ratio_of_hundredths(s);
    return micro.known ? span_text(t, UNIT_RATIO, micro) : STR("");
}

struct str fact_text(const struct render *t, const struct fact *f) {
    enum unit unit = fact_unit(f->name);
    /* A number that counts nothing has no commas. */
    bool is_name = f->name == FACT_pid || f->name == FACT_rank ||
                   f->name == FACT_gpu_index || f->name == FACT_exit_code;
    if (!f->known)
        return f->text.n > 0 ? f->text : STR("?");
    if (unit == UNIT_TEXT || unit == UNIT_VERSION)
        return f->word;
    if (unit == UNIT_BOOL)
        return tr(t, f->number != 0 ? "unit.yes" : "unit.no");
    return is_name ? arena_printf(t->a, "%" PRId64, f->number)
                   : number_text(t, unit, f->number);
}

struct str own_text(const struct render *t, const struct own_success *own) {
    if (own->worked + own->failed == 0)
        return STR("");
    return TR(t, "rate.own", count_text(t, own->worked),
              count_text(t, own->failed));
}

/* One or two reports have texts of their own. */
static const char *reports_key(const struct success *s) {
    if (!s->is_few)
        return "rate.reports";
    if (s->tried == 1)
        return s->worked == 1 ? "rate.one_worked" : "rate.one_failed";
    return s->worked > 0 || s->tried < 1 ? "rate.few" : "rate.none_of";
}

static struct str rate_words(const struct render *t, const struct success *s) {
    struct str counts[] = {count_text(t, s->worked), count_text(t, s->tried)};
    struct str mean =
        arena_printf(t->a, "%d %%", (int)((s->mean + 5000) / 10000));
    switch (s->basis) {
    case BASIS_none:
    case BASIS_COUNT_OF: return STR("");
    case BASIS_reports: return tr_args(t, reports_key(s), counts, 2);
    case BASIS_measured: return tr_args(t, "rate.measured", counts, 2);
    case BASIS_estimate: return TR(t, "rate.estimate", mean);
    case BASIS_ai_generated: return TR(t, "rate.ai_generated", mean);
    }
    return STR("");
}

struct str rate_text(const struct render *t, const struct success *s) {
    if (!s->known || s->maintainers_tried < 1)
        return s->known ? rate_words(t, s) : STR("");
    const char *key = s->maintainers_tried > 1     ? "rate.with_maintainers"
                      : s->maintainers_worked == 1 ? "rate.with_one_maintainer"
                                                   : "rate.without_maintainer";
    return TR(t, key, rate_words(t, s), count_text(t, s->maintainers_worked),
              count_text(t, s->maintainers_tried));
}

/* One line, cleaned; blanks instead of newlines and tabs. */
static struct str cleaned(const struct render *t, struct str s) {
    struct buf out = buf_in(t->a, s.n * 3 + 16);
    utf8_clean(&out, s);
    for (size_t i = 0; i < out.n; i++)
        out.p[i] = out.p[i] == '\n' || out.p[i] == '\t' ? ' ' : out.p[i];
    return kept_text(t->a, &out);
}

/* The number of bytes at the front of s that take at most these columns. */
static size_t front_bytes(struct str s, size_t columns) {
    struct utf8_char c;
    size_t at = 0;
    for (size_t used = 0; at < s.n; at += c.n) {
        c = utf8_char_at(s, at);
        used += c.columns;
        if (used > columns)
            break;
    }
    return at;
}

struct str short_text(const struct render *t, struct str s, size_t columns) {
    enum { READ_AT_MOST = 64 * 1024 };
    struct str all = cleaned(t, str_slice(s, 0, READ_AT_MOST));
    size_t width = utf8_width(all);
    if (width <= columns || columns < 8)
        return all;
    size_t head = front_bytes(all, columns / 2 - 1);
    size_t tail = front_bytes(all, width - (columns - columns / 2 - 2));
    struct buf out = buf_in(t->a, SHOWN_VALUE_BYTES_MAX + READ_AT_MOST);
    buf_add(&out, str_slice(all, 0, head));
    utf8_put(&out, 0x2026);
    buf_add(&out, str_from(all, tail));
    return kept_text(t->a, &out);
}

/* ---- parts of a finding and of an entry, one line each ---- */

#define SEEN_COLUMNS 48 /* of the longest value in seen_text() */

struct str lines_text(const struct render *t, uint32_t first, uint32_t last) {
    struct str ends[] = {count_text(t, first), count_text(t, last)};
    return first == last ? tr_args(t, "report.line", ends, 1)
                         : tr_args(t, "report.lines", ends, 2);
}

struct str times_text(const struct render *t, const struct finding *f) {
    if (f->count < 2)
        return STR("");
    int64_t count = f->count > INT64_MAX ? INT64_MAX : (int64_t)f->count;
    uint32_t last = f->last_line;
    for (size_t i = 0; i < f->instance_count; i++)
        if (f->instances[i].last_line > last)
            last = f->instances[i].last_line;
    struct str args[] = {count_text(t, count),
                         lines_text(t, f->first_line, last)};
    if (f->count == 2 && f->first_line != last) {
        args[1] = TR(t, "report.lines_both", count_text(t, f->first_line),
                     count_text(t, last));
    }
    return tr_args(t, "report.times", args, 2);
}

/* True for a fact that the log or the user gives; yes and no are left out. */
static bool is_to_be_seen(const struct fact *f) {
    static const enum fact_name bounds[] = {
        FACT_ranks_least, FACT_torch_since, FACT_torch_before,
        FACT_settings_listed, FACT_COUNT_OF};
    return f->known && f->source != SOURCE_MACHINE &&
           f->source != SOURCE_DERIVED && fact_unit(f->name) != UNIT_BOOL &&
           !fact_is_one(f->name, bounds);
}

struct str seen_text(const struct render *t, const struct fact_list *facts) {
    struct words list = words_begin(t, tr(t, "report.comma"));
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *f = &facts->at[i];
        if (is_to_be_seen(f))
            words_add(&list,
                      TR(t, "report.seen_fact", label_text(t, f->name),
                         short_text(t, fact_text(t, f), SEEN_COLUMNS)));
    }
    return words_into(&list, "report.seen");
}

struct str range_text(const struct render *t, const struct version_range *r) {
    struct buf out = buf_in(t->a, SHOWN_RANGE_BYTES_MAX);
    buf_add(&out, r->product);
    for (size_t i = 0; i < r->event_count; i++) {
        const struct version_event *e = &r->events[i];
        buf_add(&out, e->is_fixed ? STR(" < ") : STR(" >= "));
        buf_add(&out, e->version);
    }
    return kept_text(t->a, &out);
}

/* `worked` of a dead end counts its failures. */
struct str failure_text(const struct render *t, const struct rate *rate) {
    int64_t tried = rate->tried + rate->maintainers_tried;
    int64_t failed = rate->worked + rate->maintainers_worked;
    if (rate->basis != BASIS_reports)
        return tr_if(t, "explain.fails", stored_rate_text(t, rate));
    if (tried == 1)
        return tr(t, failed == 1 ? "rate.one_failed" : "rate.one_worked");
    return TR(t, "rate.failures", count_text(t, failed), count_text(t, tried));
}

struct str stored_rate_text(const struct render *t, const struct rate *rate) {
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
    return rate_text(t, &shown);
}
