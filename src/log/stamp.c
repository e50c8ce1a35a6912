/* stamp.c: the first time in a text, with the date before it if there is one.
 * The reader searches frames only, so that a time in a message does not count.
 */
#include "log/stamp.h"

#include "base/peg.h"

#define CLOCK "(?<time>%d{2}:%d{2}:%d{2})"
#define MONTH "(?<name>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"

static const struct form {
    enum log_clock clock;
    const char *pattern;
} forms[] = {
    /* 2026-07-01 10:47:37,123; 2026/07/01-10:47:37 */
    {CLOCK_YEAR,
     "(?<year>%d{4})[-/](?<month>%d{2})[-/](?<day>%d{2})[^%d]" CLOCK},
    /* 07/01/2026-10:47:37 */
    {CLOCK_YEAR,
     "(?<month>%d{2})[-/](?<day>%d{2})[-/](?<year>%d{4})[^%d]" CLOCK},
    /* 01 Jul 2026 10:47:37 */
    {CLOCK_YEAR, "(?<day>%d{1,2}) " MONTH " (?<year>%d{4}) " CLOCK},
    /* INFO 07-01 10:47:37 */
    {CLOCK_DATE, "(?<month>%d{2})[-/](?<day>%d{2})[^%d]" CLOCK},
    /* W0701 10:47:37.123456 */
    {CLOCK_DATE, "[IWEF](?<month>%d{2})(?<day>%d{2})[^%d]" CLOCK},
    /* Jul 01 10:47:37 */
    {CLOCK_DATE, MONTH "%s+(?<day>%d{1,2})%s+" CLOCK},
    {CLOCK_DAY, CLOCK},
    /* [337533.314404] */
    {CLOCK_BOOT, "%[%s*(?<boot>%d{1,9}).%d{6}%]"},
};

#define FORM_COUNT (sizeof forms / sizeof forms[0])
#define SOME_YEAR 2000 /* a leap year in place of an unknown one */

struct stamps {
    struct peg_set *pegs;
    uint16_t patterns[FORM_COUNT];
    struct peg_index forms;
};

struct stamps *stamps_new(struct arena *a) {
    struct stamps *s = arena_alloc(a, sizeof *s);
    s->pegs = peg_set_new(a, 128);
    for (size_t i = 0; i < FORM_COUNT; i++) {
        s->patterns[i] = peg_add(s->pegs, forms[i].pattern);
        peg_index_add(&s->forms, s->pegs, s->patterns[i], (unsigned)i);
    }
    return s;
}

/* Days since 1970-01-01 in the proleptic Gregorian calendar. */
static int64_t days_of(int64_t y, int64_t m, int64_t d) {
    y -= m <= 2;
    m = (m + 9) % 12; /* March is 0 */
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + d - 1 -
           719468;
}

static int64_t number_at(struct str s, size_t at, size_t n) {
    int64_t number = 0;
    str_to_int(str_slice(s, at, n), &number);
    return number;
}

static struct log_stamp stamp_of(const struct peg_match *m,
                                 enum log_clock clock) {
    int64_t year = SOME_YEAR, month = 0, day = 0, seconds = 0;
    for (size_t i = 0; i < m->capture_count; i++) {
        struct str name = m->captures[i].name, s = m->captures[i].text;
        int64_t number = number_at(s, 0, s.n);
        if (str_eq(name, STR("year")))
            year = number;
        else if (str_eq(name, STR("month")))
            month = number;
        else if (str_eq(name, STR("day")))
            day = number;
        else if (str_eq(name, STR("boot")))
            seconds = number;
        else if (str_eq(name, STR("time")))
            seconds = number_at(s, 0, 2) * 3600 + number_at(s, 3, 2) * 60 +
                      number_at(s, 6, 2);
        else
            month = 1 + (int64_t)str_find(
                            STR("JanFebMarAprMayJunJulAugSepOctNovDec"), s) / 3;
    }
    bool is_day = month >= 1 && month <= 12 && day >= 1 && day <= 31;
    if (clock != CLOCK_BOOT && !is_day)
        clock = CLOCK_DAY;
    if (clock > CLOCK_DAY)
        seconds += days_of(year, month, day) * 86400;
    return (struct log_stamp){seconds, clock};
}

struct log_stamp stamp_read(const struct stamps *s, struct str text) {
    struct peg_match m;
    for (size_t at = 0; at < text.n; at++) {
        struct str rest = str_slice(text, at, text.n);
        uint64_t due = peg_index_find(&s->forms, rest);
        for (size_t i = 0; due >> i != 0; i++)
            if ((due >> i & 1) != 0 &&
                peg_match(s->pegs, s->patterns[i], rest, &m))
                return stamp_of(&m, forms[i].clock);
    }
    return (struct log_stamp){0};
}
