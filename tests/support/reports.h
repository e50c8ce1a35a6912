/* reports.h: reports made by hand, as diagnose/ would make them, for tests of
 * what is shown. Numbers agree with each other; texts are ours. */
#ifndef SUPPORT_REPORTS_H
#define SUPPORT_REPORTS_H

#include "diagnose/report.h"

/* A KV pool that is too small: two fixes that suffice, one that does not, one
 * in force already, dead ends, a question, a wrapper behind it. */
struct report *report_of_kv_pool(struct arena *a);
/* Too little free at start: others hold the card; few reports. */
struct report *report_of_free_at_start(struct arena *a);
/* A warning about host memory, without numbers that could be drawn. */
struct report *report_of_warning(struct arena *a);
/* Nothing was found; some context was seen. */
struct report *report_of_nothing(struct arena *a);
/* Escape sequences, bad UTF-8 and endless names wherever a log's bytes go. */
struct report *report_of_hostile_log(struct arena *a);

#endif
