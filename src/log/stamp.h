/* stamp.h: when a line was printed, as its frame says. */
#ifndef LOG_STAMP_H
#define LOG_STAMP_H

#include "base/arena.h"

enum log_clock {
    CLOCK_NONE,  /* no time in the frame */
    CLOCK_BOOT,  /* seconds since the machine started: "[337533.314404]" */
    CLOCK_DAY,   /* "10:47:37" */
    CLOCK_DATE,  /* a day of a year that is not named: "07-01", "Jul 01" */
    CLOCK_YEAR   /* "2026-07-01" */
};

/* Of one clock, two stamps differ by the seconds between them; of two clocks
 * they say nothing of each other. Zones are not read: a log keeps to one. */
struct log_stamp {
    int64_t seconds;
    enum log_clock clock;
};

struct stamps; /* the forms that a time has */
struct stamps *stamps_new(struct arena *a);
/* The first time in the text; clock CLOCK_NONE: there is none. */
struct log_stamp stamp_read(const struct stamps *s, struct str text);

#endif
