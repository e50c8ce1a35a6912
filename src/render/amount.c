/* amount.c: bytes in a sentence. Two amounts that are compared have the unit of
 * the larger one and three significant digits; more if these hide a difference,
 * and plain bytes if they differ by less than a thousandth.
 *
 * An answer has one form for an amount: after "0.48 GiB" the same amount is not
 * written "492 MiB". Two amounts are the same if they print alike and differ by
 * a hundredth at most. */
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

/* Three significant digits, two decimals at most: "9.99", "10.0", "100". */
static int decimals_of(int64_t bytes, int64_t factor) {
    int64_t hundredths = 0, tenths = 0;
    bool is_sane = mul_div_floor(bytes, 200, factor, &hundredths) &&
                   mul_div_floor(bytes, 20, factor, &tenths);
    return is_sane && (hundredths + 1) / 2 < 1000   ? 2
           : is_sane && (tenths + 1) / 2 < 1000 ? 1
                                                : 0;
}

static int64_t power_of(int decimals) {
    int64_t power = 1;
    for (int i = 0; i < decimals; i++)
        power *= 10;
    return power;
}

/* Of the last decimal. */
static int64_t rounded(int64_t bytes, int64_t factor, int decimals) {
    int64_t n;
    bool is_sane = mul_div_floor(bytes, 2 * power_of(decimals), factor, &n);
    return is_sane ? (n + 1) / 2 : 0;
}

static struct str scaled(const struct render *t, int64_t bytes, int64_t factor,
                         int decimals) {
    int64_t power = power_of(decimals);
    int64_t n = rounded(bytes, factor, decimals);
    struct str whole = count_text(t, n / power);
    return decimals == 0 ? whole
                         : arena_printf(t->a, "%.*s.%0*" PRId64,
                                        STR_ARG(whole), decimals, n % power);
}

static struct str with_unit(const struct render *t, struct str number,
                            const char *unit) {
    if (unit == names[0])
        return TR(t, "unit.bytes", number);
    return arena_printf(t->a, "%.*s %s", STR_ARG(number), unit);
}

/* ---- written once ---- */

#define SAME 100 /* amounts differ by a hundredth at most */

/* The amount as this answer has written it before; NULL: it was not. slack: the
 * rounding of a printed number. */
static const struct written_amount *written(const struct render *t,
                                            int64_t bytes, int64_t slack) {
    for (size_t i = 0; t->amounts && i < t->amounts->count; i++) {
        const struct written_amount *w = &t->amounts->at[i];
        int64_t apart = bytes > w->bytes ? bytes - w->bytes : w->bytes - bytes;
        bool prints_so = rounded(bytes, w->factor, w->decimals) ==
                         rounded(w->bytes, w->factor, w->decimals);
        if (apart <= slack || (prints_so && apart <= w->bytes / SAME))
            return w;
    }
    return NULL;
}

/* The form in which it was written before, else `shown`, which is kept. */
static struct str once(const struct render *t, int64_t bytes, int64_t factor,
                       int decimals, struct str shown) {
    const struct written_amount *w = written(t, bytes, 0);
    struct amounts *a = t->amounts;
    if (!w && a && a->count < AMOUNTS_KEPT && bytes > 0)
        a->at[a->count++] =
            (struct written_amount){bytes, factor, decimals, shown};
    return w ? w->shown : shown;
}

struct str amount_text(const struct render *t, int64_t bytes, int64_t slack) {
    const struct written_amount *w = written(t, bytes, slack);
    const char *unit;
    int64_t factor = factor_of(bytes, &unit);
    if (w)
        return w->shown;
    struct buf out = buf_in(t->a, 64);
    units_short(&out, bytes);
    return once(t, bytes, factor, decimals_of(bytes, factor),
                kept_text(t->a, &out));
}

struct str end_text(const struct render *t, int64_t bytes, int64_t of) {
    const char *unit;
    int64_t factor = factor_of(of, &unit);
    int decimals = factor >= INT64_C(1) << 30 ? decimals_of(bytes, factor) : 0;
    return scaled(t, bytes, factor, decimals);
}

struct str part_text(const struct render *t, int64_t bytes, int64_t of) {
    const char *unit;
    int64_t factor = factor_of(of, &unit);
    int64_t least = factor >= INT64_C(1) << 30 ? factor / 200 : factor / 2;
    const struct written_amount *w = written(t, bytes, 0);
    if (w) { /* without the unit of the whole */
        size_t at = str_find_char(w->shown, ' ');
        bool is_same =
            str_eq(str_from(w->shown, at + (at < w->shown.n)), str_of(unit));
        return is_same ? str_slice(w->shown, 0, at) : w->shown;
    }
    return bytes >= least || bytes <= 0 ? end_text(t, bytes, of)
                                        : amount_text(t, bytes, 0);
}

/* Reads "53.3 MiB" at the front of s: its bytes, its rounding, its length. */
static bool amount_at(struct str s, int64_t *bytes, int64_t *slack, size_t *n) {
    size_t number = 0;
    while (number < s.n && (is_digit(s.p[number]) || is_any(s.p[number], ".,")))
        number++;
    struct str unit = str_slice(s, number + 1, 3);
    size_t end = number + 1 + unit.n;
    struct amount amount;
    bool is_one = number > 0 && number < s.n && s.p[number] == ' ' &&
                  is_digit(s.p[number - 1]) &&
                  STR_IS_ONE(unit, "KiB", "MiB", "GiB", "TiB");
    if (!is_one || !units_read(str_slice(s, 0, end), 1, &amount))
        return false;
    *bytes = amount.value;
    *slack = amount.high - amount.value;
    /* "4 GiB" may stand for half a GiB less, and is no 3.65 GiB */
    *slack = *slack < *bytes / SAME ? *slack : *bytes / SAME;
    *n = end;
    return true;
}

struct str amounts_text(const struct render *t, struct str text) {
    bool is_inside = false; /* of a word or of another number */
    if (!t->amounts || text.n == 0)
        return text;
    struct buf out = buf_in(t->a, SENTENCE_BYTES_MAX);
    for (size_t i = 0; i < text.n;) {
        int64_t bytes, slack;
        size_t n = 1;
        bool is_amount = !is_inside && is_digit(text.p[i]) &&
                         amount_at(str_from(text, i), &bytes, &slack, &n);
        buf_add(&out, is_amount ? amount_text(t, bytes, slack)
                                : str_slice(text, i, 1));
        i += n;
        is_inside = text.p[i - 1] != ' ' && text.p[i - 1] != '(';
    }
    return kept_text(t->a, &out);
}

/* ---- two of them ---- */

/* `shown`, in the unit of the larger amount; in its own unit if it is far
 * smaller, or smaller and nothing is missing. */
static struct str in_common(const struct render *t, int64_t bytes,
                            int64_t factor, bool is_short, struct str shown) {
    bool is_own = bytes < factor / 10 || (!is_short && bytes < factor);
    return bytes == 0 ? tr(t, "unit.none")
           : is_own   ? amount_text(t, bytes, 0)
                      : shown;
}

/* Both in that unit, with three digits, or as many as make them differ. */
static struct comparison in_one_unit(const struct render *t, int64_t need,
                                     int64_t have, int64_t factor,
                                     const char *unit) {
    struct comparison c = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    bool is_whole = need % factor == 0 && have % factor == 0;
    int more = is_whole ? 0 : decimals_of(need, factor);
    int most = is_whole ? 0 : decimals_of(have, factor);
    c.need = scaled(t, need, factor, more);
    c.have = scaled(t, have, factor, most);
    while (need != have && str_eq(c.need, c.have) && more < DECIMALS_MOST) {
        c.need = scaled(t, need, factor, ++more);
        c.have = scaled(t, have, factor, ++most);
    }
    c.need = in_common(t, need, factor, need > have,
                       with_unit(t, c.need, unit));
    c.have = in_common(t, have, factor, need > have,
                       with_unit(t, c.have, unit));
    c.need = once(t, need, factor, more, c.need);
    c.have = once(t, have, factor, most, c.have);
    return c;
}

static struct comparison bytes_compared(const struct render *t, int64_t need,
                                        int64_t have, int64_t diff) {
    const char *unit;
    int64_t larger = need > have ? need : have, gap = diff < 0 ? -diff : diff;
    int64_t factor = factor_of(larger, &unit);
    bool is_whole = need % factor == 0 && have % factor == 0;
    bool is_close = gap > 0 && gap < larger / 1000 && !is_whole;
    factor = is_close ? 1 : factor;
    struct comparison c =
        in_one_unit(t, need, have, factor, is_close ? names[0] : unit);
    bool is_small = diff < factor / 10 || is_close || is_whole;
    int decimals = decimals_of(diff, factor);
    if (diff > 0)
        c.short_by = is_small
                         ? amount_text(t, diff, 0)
                         : once(t, diff, factor, decimals,
                                with_unit(t, scaled(t, diff, factor, decimals),
                                          unit));
    return c;
}

struct comparison amounts_compared(const struct render *t, enum unit unit,
                                   int64_t need, int64_t have) {
    int64_t diff = 0;
    if (unit == UNIT_BYTES && need >= 0 && have >= 0 &&
        add_i64(need, -have, &diff))
        return bytes_compared(t, need, have, diff);
    struct comparison c = {number_text(t, unit, need),
                           number_text(t, unit, have),
                           {NULL, 0}};
    if (have > INT64_MIN && add_i64(need, -have, &diff) && diff > 0)
        c.short_by = number_text(t, unit, diff);
    return c;
}
