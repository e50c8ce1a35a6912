/* stamp.c: the first time of a text, with the date before it if there is one.
 *
 *     2026-07-01 10:47:37,123      2026/07/01-10:47:37     year
 *     07/01/2026-10:47:37          01 Jul 2026 10:47:37    year
 *     INFO 07-01 10:47:37          Jul 01 10:47:37         date
 *     W0701 10:47:37.123456                                date
 *     10:47:37                                             day
 *     [337533.314404]                                      boot
 *
 * Asked of frames only, so that what looks like a time in a message is none.
 */
#include "log/stamp.h"

#include "log/cursor.h"

static int64_t two(const char *p) {
    return (p[0] - '0') * 10 + (p[1] - '0');
}

static bool are_digits(struct str s, size_t at, size_t n) {
    for (size_t i = at; i < at + n; i++) {
        if (i >= s.n || !is_digit(s.p[i]))
            return false;
    }
    return true;
}

/* "10:47:37" begins there. */
static bool is_clock(struct str s, size_t at) {
    return at + 8 <= s.n && are_digits(s, at, 2) && s.p[at + 2] == ':' &&
           are_digits(s, at + 3, 2) && s.p[at + 5] == ':' &&
           are_digits(s, at + 6, 2);
}

/* Days since 1970-01-01, proleptic. */
static int64_t days_of(int64_t y, int64_t m, int64_t d) {
    y -= m <= 2;
    m = (m + 9) % 12; /* March is 0 */
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + d - 1 -
           719468;
}

static int64_t month_named(struct str s) {
    static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int64_t i = 0; i < 12; i++) {
        if (str_eq(s, (struct str){names + 3 * i, 3}))
            return i + 1;
    }
    return 0;
}

#define SOME_YEAR 2000 /* a leap year stands for the one that is not named */

static struct log_stamp on(int64_t y, int64_t m, int64_t d,
                           enum log_clock clock) {
    if (m < 1 || m > 12 || d < 1 || d > 31)
        return (struct log_stamp){0};
    return (struct log_stamp){days_of(y, m, d) * 86400, clock};
}

static bool is_dash(char c) {
    return c == '-' || c == '/';
}

/* At s[at]: two digits, a dash, two digits. */
static bool has_pairs(struct str s, size_t at) {
    return are_digits(s, at, 2) && is_dash(s.p[at + 2]) &&
           are_digits(s, at + 3, 2);
}

/* Dates in digits, by what stands right before the time and its separator. */
static struct log_stamp date_in_digits(struct str s) {
    size_t n = s.n;
    if (n >= 10 && are_digits(s, n - 10, 4) && is_dash(s.p[n - 6]) &&
        has_pairs(s, n - 5))
        return on(two(s.p + n - 10) * 100 + two(s.p + n - 8),
                  two(s.p + n - 5), two(s.p + n - 2), CLOCK_YEAR);
    if (n >= 10 && has_pairs(s, n - 10) && is_dash(s.p[n - 5]) &&
        are_digits(s, n - 4, 4))
        return on(two(s.p + n - 4) * 100 + two(s.p + n - 2),
                  two(s.p + n - 10), two(s.p + n - 7), CLOCK_YEAR);
    if (n >= 5 && has_pairs(s, n - 5))
        return on(SOME_YEAR, two(s.p + n - 5), two(s.p + n - 2), CLOCK_DATE);
    if (n >= 5 && is_any(s.p[n - 5], "IWEF") && are_digits(s, n - 4, 4))
        return on(SOME_YEAR, two(s.p + n - 4), two(s.p + n - 2), CLOCK_DATE);
    return (struct log_stamp){0};
}

static struct str last_word(struct str *s) {
    *s = str_trim(*s);
    size_t at = s->n;
    while (at > 0 && s->p[at - 1] != ' ' && s->p[at - 1] != '[' &&
           s->p[at - 1] != ',')
        at--;
    struct str word = str_slice(*s, at, s->n);
    *s = str_slice(*s, 0, at);
    return word;
}

/* "Jul 01", "01 Jul 2026". */
static struct log_stamp date_in_words(struct str s) {
    int64_t number, day;
    struct str last = last_word(&s), before = last_word(&s);
    if (!str_to_int(last, &number))
        return (struct log_stamp){0};
    int64_t month = month_named(before);
    if (month == 0)
        return (struct log_stamp){0};
    if (last.n < 4)
        return on(SOME_YEAR, month, number, CLOCK_DATE);
    return str_to_int(last_word(&s), &day)
               ? on(number, month, day, CLOCK_YEAR)
               : (struct log_stamp){0};
}

/* "[337533.314404] ", "[  12.000001] " */
static struct log_stamp since_boot(struct str s) {
    struct cursor c = {s, 0};
    int64_t seconds;
    if (!cursor_char(&c, '['))
        return (struct log_stamp){0};
    cursor_blanks(&c);
    size_t from = c.at;
    while (is_digit(cursor_peek(&c)))
        c.at++;
    struct str whole = cursor_since(&c, from);
    bool is_boot = whole.n > 0 && whole.n < 10 && cursor_char(&c, '.') &&
                   cursor_digits(&c, 6, 6) && cursor_char(&c, ']') &&
                   str_to_int(whole, &seconds);
    return is_boot ? (struct log_stamp){seconds, CLOCK_BOOT}
                   : (struct log_stamp){0};
}

struct log_stamp stamp_read(struct str text) {
    size_t at = str_find_char(text, ':');
    at = at >= 2 && at < text.n ? at - 2 : text.n;
    while (at < text.n && !is_clock(text, at))
        at++;
    if (at == text.n)
        return since_boot(text);
    int64_t seconds = two(text.p + at) * 3600 + two(text.p + at + 3) * 60 +
                      two(text.p + at + 6);
    struct str before = str_slice(text, 0, at);
    struct log_stamp stamp = {0};
    if (before.n > 0)
        stamp = date_in_digits(str_slice(before, 0, before.n - 1));
    if (stamp.clock == CLOCK_NONE)
        stamp = date_in_words(before);
    if (stamp.clock == CLOCK_NONE)
        stamp.clock = CLOCK_DAY;
    stamp.seconds += seconds;
    return stamp;
}
