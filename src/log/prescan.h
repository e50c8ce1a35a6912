/* prescan.h: reading only where it may be worth it. Private to log/; what
 * decides is a log_selector (log.h). */
#ifndef LOG_PRESCAN_H
#define LOG_PRESCAN_H

#include "log/log.h"

struct prescan;

/* Where the chosen bytes go: always whole lines, but for the end of the input
 * and lines too long to be held. */
struct prescan_out {
    void (*read)(void *ctx, struct str bytes);
    /* Reading goes on `bytes` further, `lines` of them not seen. */
    void (*pass)(void *ctx, uint64_t bytes, uint64_t lines);
    void *ctx;
};

struct frames;
struct prescan *prescan_new(struct arena *a, const struct log_selector *selector,
                      const struct frames *frames, struct prescan_out out);
void prescan_feed(struct prescan *s, struct str bytes);
void prescan_end(struct prescan *s);

#endif
