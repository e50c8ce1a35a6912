/* success.c: success rates from counts of reports.
 *
 *   mean     = (worked + 2 x prior) / (tried + 2)
 *   prior    = the pooled rate of that fix in that mechanism, else 1/2
 *   interval = Wilson's, 90 %, of the reports themselves
 *
 *              p + z^2/2n  +-  z sqrt(p(1-p)/n + z^2/4n^2)
 *              -------------------------------------------   z = 1.644854
 *                            1 + z^2/n
 *
 * multiplied through by 2n, with z^2 in millionths, so that everything stays an
 * integer: (2w + z^2 +- z sqrt(z^2 + 4w(n-w)/n)) / (2n + 2z^2).
 *
 * A rate without counts (an estimate, an unverified source) is passed on
 * unchanged. It has no interval, and ranking does not use it.
 */
#include "base/limits.h"
#include "diagnose/work.h"

#define Z2_MICRO INT64_C(2705543) /* 1.644854 squared */

uint64_t square_root(__uint128_t n) {
    __uint128_t root = 0, bit = (__uint128_t)1 << 126;
    while (bit > n)
        bit >>= 2;
    while (bit != 0) {
        if (n >= root + bit) {
            n -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
        bit >>= 2;
    }
    return (uint64_t)root;
}

/* x, but from 0 to most. */
static int64_t clamp(int64_t x, int64_t most) {
    return x < 0 ? 0 : x > most ? most : x;
}

void wilson_interval(int64_t worked, int64_t tried, int64_t *low,
                     int64_t *high) {
    int64_t n = clamp(tried, RATE_COUNT_MAX);
    int64_t w = clamp(worked, n);
    if (n == 0) {
        *low = 0;
        *high = UNITS_MICRO;
        return;
    }
    /* z^2 (z^2 + 4w(n-w)/n) in 10^-12: its root is in millionths */
    __uint128_t spread = (__uint128_t)Z2_MICRO * Z2_MICRO +
                         (__uint128_t)4 * (uint64_t)w * (uint64_t)(n - w) *
                             Z2_MICRO * UNITS_MICRO / (uint64_t)n;
    int64_t half = (int64_t)square_root(spread);
    int64_t middle = 2 * w * UNITS_MICRO + Z2_MICRO;
    int64_t divisor = 2 * n * UNITS_MICRO + 2 * Z2_MICRO;
    int64_t from = 0, to = UNITS_MICRO;
    (void)mul_div_floor(middle - half, UNITS_MICRO, divisor, &from);
    (void)mul_div_floor(middle + half, UNITS_MICRO, divisor, &to);
    *low = clamp(from, UNITS_MICRO);
    *high = clamp(to, UNITS_MICRO);
}

int64_t pooled_rate(struct reader *r, enum mechanism m,
                    const struct workaround *fix) {
    int64_t prior = UNITS_MICRO / 2;
    if (fix) {
        struct pooled p = reader_pooled(r, m, fix);
        if (p.tried > 0)
            (void)mul_div_floor(p.worked, UNITS_MICRO, p.tried, &prior);
    }
    return clamp(prior, UNITS_MICRO);
}

static struct success counted(struct reader *r, const struct rate *rate,
                              enum mechanism m, const struct workaround *fix) {
    struct success s = {.known = true, .basis = rate->basis,
                        .tried = clamp(rate->tried, RATE_COUNT_MAX),
                        .maintainers_worked = rate->maintainers_worked,
                        .maintainers_tried = rate->maintainers_tried};
    s.worked = clamp(rate->worked, s.tried);
    int64_t prior = pooled_rate(r, m, fix);
    s.mean = (s.worked * UNITS_MICRO + 2 * prior + (s.tried + 2) / 2) /
             (s.tried + 2);
    wilson_interval(s.worked, s.tried, &s.low, &s.high);
    s.is_few = s.tried < 3;
    return s;
}

struct success success_of(struct reader *r, const struct rate *rate,
                          enum mechanism m, const struct workaround *fix) {
    struct success none = {.basis = rate->basis, .worked = -1, .tried = -1};
    switch (rate->basis) {
    case BASIS_reports:
    case BASIS_measured: return counted(r, rate, m, fix);
    case BASIS_estimate:
    case BASIS_ai_generated:
        none.known = rate->rate_micro >= 0;
        none.mean = none.low = none.high = none.known ? rate->rate_micro : 0;
        return none;
    case BASIS_none:
    case BASIS_COUNT_OF: break;
    }
    return none;
}
