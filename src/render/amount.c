/* amount.c: bytes in a sentence. Amounts that are compared share the unit of
 * the larger one and have three significant digits; where these would hide a
 * difference, more, and below a thousandth the bytes themselves.
 *
 * An answer writes an amount once: what was written first ("0.48 GiB") is
 * written wherever the same amount comes again, not "492 MiB". The same is what
 * would print so, and differs by a hundredth at most. */
#include "render/parts.h"

#include <inttypes.h>
#include <string.h>

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

static struct str scaled(const struct teller *t, int64_t bytes, int64_t factor,
                         int decimals) {
    int64_t power = 1, n = 0;
    for (int i = 0; i < decimals; i++)
        power *= 10;
    bool is_sane = mul_div_floor(bytes, 2 * power, factor, &n);
    n = is_sane ? (n + 1) / 2 : 0;
    struct str whole = shown_count(t, n / power);
    return decimals == 0 ? whole
                         : arena_printf(t->a, "%.*s.%0*" PRId64,
                                        STR_ARG(whole), decimals, n % power);
}

static struct str with_unit(const struct teller *t, struct str number,
                            const char *unit) {
    if (unit == names[0])
        return SAID(t, "unit.bytes", number);
    return arena_printf(t->a, "%.*s %s", STR_ARG(number), unit);
}

/* ---- written once ---- */

#define SAME 100 /* a hundredth of it apart, at most */

/* As it was written before in this answer; NULL: it was not. slack: how far it
 * may be from what it stands for, as a printed number is. */
static const struct written_amount *written(const struct teller *t,
                                            int64_t bytes, int64_t slack) {
    for (size_t i = 0; t->amounts && i < t->amounts->count; i++) {
        const struct written_amount *w = &t->amounts->at[i];
        int64_t apart = bytes > w->bytes ? bytes - w->bytes : w->bytes - bytes;
        bool prints_so = str_eq(scaled(t, bytes, w->factor, w->decimals),
                                scaled(t, w->bytes, w->factor, w->decimals));
        if (apart <= slack || (prints_so && apart <= w->bytes / SAME))
            return w;
    }
    return NULL;
}

/* Shown so, unless it was written before; from now on it is. */
static struct str once(const struct teller *t, int64_t bytes, int64_t factor,
                       int decimals, struct str shown) {
    const struct written_amount *w = written(t, bytes, 0);
    struct amounts *a = t->amounts;
    if (!w && a && a->count < AMOUNTS_KEPT && bytes > 0)
        a->at[a->count++] =
            (struct written_amount){bytes, factor, decimals, shown};
    return w ? w->shown : shown;
}

/* In three digits of a unit of its own. */
static struct str shown_short_amount(const struct teller *t, int64_t bytes,
                                     int64_t slack) {
    const struct written_amount *w = written(t, bytes, slack);
    const char *unit;
    int64_t factor = factor_of(bytes, &unit);
    struct buf out;
    if (w)
        return w->shown;
    buf_init_in(&out, t->a, 64);
    units_short(&out, bytes);
    return once(t, bytes, factor, decimals_of(bytes, factor),
                settled(t->a, &out));
}

struct str amount_said(const struct teller *t, int64_t bytes) {
    return shown_short_amount(t, bytes, 0);
}

struct str shown_end(const struct teller *t, int64_t bytes, int64_t of) {
    const char *unit;
    int64_t factor = factor_of(of, &unit);
    int decimals = factor >= INT64_C(1) << 30 ? decimals_of(bytes, factor) : 0;
    return scaled(t, bytes, factor, decimals);
}

struct str shown_part(const struct teller *t, int64_t bytes, int64_t of) {
    const char *unit;
    int64_t factor = factor_of(of, &unit);
    int64_t least = factor >= INT64_C(1) << 30 ? factor / 200 : factor / 2;
    const struct written_amount *w = written(t, bytes, 0);
    if (w) { /* the whole's unit need not be said */
        size_t at = str_find_char(w->shown, ' ');
        bool is_same =
            str_eq(str_from(w->shown, at + (at < w->shown.n)), str_of(unit));
        return is_same ? str_slice(w->shown, 0, at) : w->shown;
    }
    return bytes >= least || bytes <= 0 ? shown_end(t, bytes, of)
                                        : shown_short_amount(t, bytes, 0);
}

static size_t front_of(struct str s, const char *chars) {
    size_t n = 0;
    while (n < s.n && str_find_char(str_of(chars), s.p[n]) < strlen(chars))
        n++;
    return n;
}

/* "53.3 MiB" at the front of s: its bytes, how far off they may be, and what it
 * takes of s. */
static bool amount_at(struct str s, int64_t *bytes, int64_t *slack, size_t *n) {
    size_t number = front_of(s, "0123456789.,");
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
    *n = end;
    return true;
}

struct str amounts_said(const struct teller *t, struct str text) {
    struct buf out;
    bool is_inside = false; /* of a word or of another number */
    if (!t->amounts || text.n == 0)
        return text;
    buf_init_in(&out, t->a, SENTENCE_BYTES_MAX);
    for (size_t i = 0; i < text.n;) {
        int64_t bytes, slack;
        size_t n = 1;
        bool is_amount = !is_inside && is_digit(text.p[i]) &&
                         amount_at(str_from(text, i), &bytes, &slack, &n);
        buf_add(&out, is_amount ? shown_short_amount(t, bytes, slack)
                                : str_slice(text, i, 1));
        i += n;
        is_inside = text.p[i - 1] != ' ' && text.p[i - 1] != '(';
    }
    return settled(t->a, &out);
}

/* ---- two of them ---- */

/* Both in the unit of the larger; far less in its own, and so where nothing is
 * missing and there is less to compare. */
static struct str in_common(const struct teller *t, int64_t bytes,
                            int64_t factor, bool is_short, struct str shown) {
    bool is_own = bytes < factor / 10 || (!is_short && bytes < factor);
    return bytes == 0 ? said(t, "unit.none")
           : is_own   ? shown_short_amount(t, bytes, 0)
                      : shown;
}

/* Both in that unit, in three digits, or in as many as tell them apart. */
static struct comparison told_apart(const struct teller *t, int64_t need,
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

static struct comparison bytes_compared(const struct teller *t, int64_t need,
                                        int64_t have, int64_t diff) {
    const char *unit;
    int64_t larger = need > have ? need : have, gap = diff < 0 ? -diff : diff;
    int64_t factor = factor_of(larger, &unit);
    bool is_whole = need % factor == 0 && have % factor == 0;
    bool is_close = gap > 0 && gap < larger / 1000 && !is_whole;
    factor = is_close ? 1 : factor;
    struct comparison c =
        told_apart(t, need, have, factor, is_close ? names[0] : unit);
    bool is_small = diff < factor / 10 || is_close || is_whole;
    int decimals = decimals_of(diff, factor);
    if (diff > 0)
        c.short_by = is_small
                         ? shown_short_amount(t, diff, 0)
                         : once(t, diff, factor, decimals,
                                with_unit(t, scaled(t, diff, factor, decimals),
                                          unit));
    return c;
}

struct comparison amounts_compared(const struct teller *t, enum unit unit,
                                   int64_t need, int64_t have) {
    int64_t diff = 0;
    if (unit == UNIT_BYTES && need >= 0 && have >= 0 &&
        add_i64(need, -have, &diff))
        return bytes_compared(t, need, have, diff);
    struct comparison c = {shown_number(t, unit, need),
                           shown_number(t, unit, have),
                           {NULL, 0}};
    if (have > INT64_MIN && add_i64(need, -have, &diff) && diff > 0)
        c.short_by = shown_number(t, unit, diff);
    return c;
}
