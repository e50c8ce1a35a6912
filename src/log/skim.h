/* skim.h: reading only where it may be worth it. Private to log/; what decides
 * is a log_sieve (log.h). */
#ifndef LOG_SKIM_H
#define LOG_SKIM_H

#include "log/log.h"

struct skim;

/* Where the chosen bytes go: always whole lines, but for the end of the input
 * and lines too long to be held. */
struct skim_out {
    void (*read)(void *ctx, struct str bytes);
    /* Reading goes on `bytes` further, `lines` of them not seen. */
    void (*pass)(void *ctx, uint64_t bytes, uint64_t lines);
    void *ctx;
};

struct frames;
struct skim *skim_new(struct arena *a, const struct log_sieve *sieve,
                      const struct frames *frames, struct skim_out out);
void skim_feed(struct skim *s, struct str bytes);
void skim_end(struct skim *s);

#endif
