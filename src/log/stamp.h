/* stamp.h: the time in the frame of a line. */
#ifndef LOG_STAMP_H
#define LOG_STAMP_H

#include "base/arena.h"

enum log_clock {
    CLOCK_NONE,  /* no time in the frame */
    CLOCK_BOOT,  /* seconds since the machine started: "[337533.314404]" */
    CLOCK_DAY,   /* "10:47:37" */
    CLOCK_DATE,  /* a day without a year: "07-01", "Jul 01" */
    CLOCK_YEAR   /* "2026-07-01" */
};

/* Stamps of one clock can be subtracted; those of two clocks cannot be
 * compared. Time zones are not read: all lines of a log are taken to have the
 * same. */
struct log_stamp {
    int64_t seconds;
    enum log_clock clock;
};

struct stamps; /* the compiled patterns of times */
struct stamps *stamps_new(struct arena *a);
/* The first time in the text. CLOCK_NONE: there is none. */
struct log_stamp stamp_read(const struct stamps *s, struct str text);

#endif
