/* prescan.h: reads only the parts of the input that a log_selector (log.h) has
 * marked. Private to log/. */
#ifndef LOG_PRESCAN_H
#define LOG_PRESCAN_H

#include "log/log.h"

struct prescan;

/* The chosen bytes go to r: whole lines, except at the end of the input and in
 * lines too long to be held. */
struct prescan *prescan_new(struct arena *a,
                            const struct log_selector *selector,
                            struct log_reader *r);
/* All that was fed, as far as it is kept. */
struct history *prescan_history(const struct prescan *s);
void prescan_feed(struct prescan *s, struct str bytes);
void prescan_end(struct prescan *s);

#endif
