/* span.c: interval arithmetic on int64. Overflow makes the result unknown; it
 * never wraps. Refuses negative factors: no formula of this layer needs one. */
#include "memory/amount.h"

struct span span_none(void) {
    return (struct span){0};
}

struct span span_exact(int64_t n) {
    return (struct span){true, n, n};
}

struct span span_of(int64_t low, int64_t high) {
    return (struct span){true, low, high};
}

struct span span_of_fact(const struct fact *f) {
    return !f->known   ? span_none()
           : f->ranged ? span_of(f->low, f->high)
                       : span_exact(f->number);
}

struct span span_in(const struct inputs *c, enum fact_name name) {
    return span_of_fact(&c->in[name]);
}

struct span span_of_setting(const struct fact *f) {
    return f->known && (f->source != SOURCE_DEFAULT || !f->ranged)
               ? span_exact(f->number)
               : span_of_fact(f);
}

struct span span_plus(struct span a, struct span b) {
    struct span r = {0};
    r.known = a.known && b.known && add_i64(a.low, b.low, &r.low) &&
              add_i64(a.high, b.high, &r.high);
    return r.known ? r : span_none();
}

static bool negate(int64_t n, int64_t *out) {
    return mul_i64(n, -1, out);
}

struct span span_minus(struct span a, struct span b) {
    int64_t low, high;
    return b.known && negate(b.high, &low) && negate(b.low, &high)
               ? span_plus(a, span_of(low, high))
               : span_none();
}

struct span span_times(struct span s, int64_t n) {
    struct span r = {0};
    r.known = s.known && n >= 0 && mul_i64(s.low, n, &r.low) &&
              mul_i64(s.high, n, &r.high);
    return r.known ? r : span_none();
}

struct span span_product(struct span a, struct span b) {
    struct span r = {0};
    r.known = a.known && b.known && a.low >= 0 && b.low >= 0 &&
              mul_i64(a.low, b.low, &r.low) && mul_i64(a.high, b.high, &r.high);
    return r.known ? r : span_none();
}

struct span span_share(struct span s, int64_t num, int64_t den) {
    struct span r = {0};
    int64_t minus_high;
    r.known = s.known && num >= 0 && den > 0 &&
              mul_div_floor(s.low, num, den, &r.low) &&
              negate(s.high, &minus_high) &&
              mul_div_floor(minus_high, num, den, &minus_high) &&
              negate(minus_high, &r.high);
    return r.known ? r : span_none();
}

struct span span_shares(struct span s, struct span num, int64_t den) {
    return num.known ? span_between(span_share(s, num.low, den),
                                    span_share(s, num.high, den))
                     : span_none();
}

struct span span_hundredths(struct span there, struct span one) {
    bool is_known = there.known && one.known && one.low > 0;
    struct span low = span_share(span_exact(there.low), 100, one.high);
    struct span high = span_share(span_exact(there.high), 100, one.low);
    return is_known && low.known && high.known ? span_of(low.low, high.low)
                                               : span_none();
}

struct span span_quotient(struct span there, struct span one) {
    return there.known && one.known && one.low > 0
               ? span_of(there.low / one.high, there.high / one.low)
               : span_none();
}

struct span span_between(struct span low, struct span high) {
    return low.known && high.known ? span_of(low.low, high.high) : span_none();
}

struct span span_hull(struct span a, struct span b) {
    return a.known && b.known ? span_of(a.low < b.low ? a.low : b.low,
                                        a.high > b.high ? a.high : b.high)
                              : span_none();
}

struct span span_or(struct span a, struct span b) {
    return a.known ? a : b;
}

struct span span_meet(struct span a, struct span b) {
    int64_t low = a.low > b.low ? a.low : b.low;
    int64_t high = a.high < b.high ? a.high : b.high;
    return a.known && b.known && low <= high ? span_of(low, high)
                                             : span_or(a, b);
}

struct span span_at_least(struct span s, int64_t floor_value) {
    s.low = s.low < floor_value ? floor_value : s.low;
    s.high = s.high < floor_value ? floor_value : s.high;
    return s;
}

struct span span_beyond(struct span asked, struct span there) {
    return span_at_least(span_minus(asked, there), 0);
}

bool span_is_exact(struct span s) {
    return s.known && s.low == s.high;
}

int64_t span_middle(struct span s) {
    return s.low / 2 + s.high / 2 + (s.low % 2 + s.high % 2) / 2;
}

int64_t span_roundest(struct span s) {
    int64_t best = s.high;
    for (int64_t step = 2; step > 0 && step <= s.high; step *= 2) {
        int64_t down = s.high - s.high % step;
        if (down < s.low || step > INT64_MAX / 2)
            break;
        best = down;
    }
    return best;
}

enum verdict span_fits(struct span asked, struct span limit) {
    if (!asked.known || !limit.known)
        return VERDICT_UNKNOWN;
    if (asked.high <= limit.low)
        return VERDICT_ENOUGH;
    return asked.low > limit.high ? VERDICT_NOT_ENOUGH : VERDICT_MAY_BE_ENOUGH;
}
