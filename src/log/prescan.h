/* prescan.h: reading only where it may be worth it. Private to log/; what
 * decides is a log_selector (log.h). */
#ifndef LOG_PRESCAN_H
#define LOG_PRESCAN_H

#include "log/log.h"

struct prescan;

/* The chosen bytes go to r: always whole lines, but for the end of the input and
 * lines too long to be held. */
struct prescan *prescan_new(struct arena *a, const struct log_selector *selector,
                            struct log_reader *r);
void prescan_feed(struct prescan *s, struct str bytes);
void prescan_end(struct prescan *s);

#endif
