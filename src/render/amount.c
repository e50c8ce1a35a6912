/* amount.c: bytes in a sentence. Amounts that are compared share the unit of
 * the larger one and have three significant digits, GiB two decimals as logs
 * print them; where these would hide a difference, more digits, and below a
 * thousandth the bytes themselves. */
#include "render/parts.h"

#include <inttypes.h>

#define STEP 1024
#define DECIMALS_MOST 3

static const char *const names[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};

static int64_t factor_of(int64_t bytes, const char **name) {
    int64_t factor = 1;
    size_t step = 0;
    while (step < 4 && bytes / factor >= STEP) {
        factor *= STEP;
        step++;
    }
    *name = names[step];
    return factor;
}

/* Three significant digits, two decimals at most; GiB always have two. */
static int decimals_of(int64_t bytes, int64_t factor) {
    int64_t whole = bytes / factor;
    bool is_large = factor >= INT64_C(1) << 30;
    return whole < 10 || is_large ? 2 : whole < 100 ? 1 : 0;
}

static struct str scaled(const struct teller *t, int64_t bytes, int64_t factor,
                         int decimals) {
    int64_t power = 1, n = 0;
    for (int i = 0; i < decimals; i++) {
        power *= 10;
    }
    bool is_sane = mul_div_floor(bytes, 2 * power, factor, &n);
    n = is_sane ? (n + 1) / 2 : 0;
    struct str whole = shown_number(t, UNIT_COUNT, n / power);
    return decimals == 0 ? whole
                         : arena_printf(t->a, "%.*s.%0*" PRId64,
                                        STR_ARG(whole), decimals, n % power);
}

static struct str with_unit(const struct teller *t, struct str number,
                            const char *unit) {
    if (unit == names[0]) {
        return said_with(t, "unit.bytes", &number, 1);
    }
    return arena_printf(t->a, "%.*s %s", STR_ARG(number), unit);
}

static struct str shown_short_amount(const struct teller *t, int64_t bytes) {
    struct buf out;
    buf_init_in(&out, t->a, 64);
    units_short(&out, bytes);
    return settled(t->a, &out);
}

struct str shown_part(const struct teller *t, int64_t bytes, int64_t of) {
    const char *unit;
    int64_t factor = factor_of(of, &unit);
    int decimals = factor >= INT64_C(1) << 30 ? 2 : 0;
    bool is_seen = bytes >= (decimals > 0 ? factor / 200 : factor / 2);
    return is_seen || bytes <= 0 ? scaled(t, bytes, factor, decimals)
                                 : shown_short_amount(t, bytes);
}

/* What is there in the unit of what is needed; far less in its own. */
static struct str there(const struct teller *t, int64_t bytes, int64_t factor,
                        struct str shown) {
    return bytes == 0             ? said(t, "unit.none")
           : bytes < factor / 10 ? shown_short_amount(t, bytes)
                                  : shown;
}

static struct comparison bytes_compared(const struct teller *t, int64_t need,
                                        int64_t have, int64_t diff) {
    const char *unit;
    int64_t larger = need > have ? need : have, gap = diff < 0 ? -diff : diff;
    int64_t factor = factor_of(larger, &unit);
    struct comparison c = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    bool is_whole = need % factor == 0 && have % factor == 0;
    int more = is_whole ? 0 : decimals_of(need, factor);
    int most = is_whole ? 0 : decimals_of(have, factor);
    if (gap > 0 && gap < larger / 1000) {
        factor = 1;
        unit = names[0];
        more = most = 0;
    }
    do {
        c.need = scaled(t, need, factor, more++);
        c.have = scaled(t, have, factor, most++);
    } while (gap > 0 && str_eq(c.need, c.have) && more <= DECIMALS_MOST);
    c.need = with_unit(t, c.need, unit);
    c.have = there(t, have, factor, with_unit(t, c.have, unit));
    if (diff > 0) {
        bool is_small = diff < factor / 10 || factor == 1 || is_whole;
        c.short_by = is_small ? shown_short_amount(t, diff)
                              : with_unit(t, scaled(t, diff, factor,
                                                    decimals_of(diff, factor)),
                                          unit);
    }
    return c;
}

struct comparison amounts_compared(const struct teller *t, enum unit unit,
                                   int64_t need, int64_t have) {
    int64_t diff = 0;
    if (unit == UNIT_BYTES && need >= 0 && have >= 0 &&
        add_i64(need, -have, &diff)) {
        return bytes_compared(t, need, have, diff);
    }
    struct comparison c = {shown_number(t, unit, need),
                           shown_number(t, unit, have),
                           {NULL, 0}};
    if (have > INT64_MIN && add_i64(need, -have, &diff) && diff > 0) {
        c.short_by = shown_number(t, unit, diff);
    }
    return c;
}
