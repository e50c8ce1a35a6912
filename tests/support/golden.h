/* golden.h: reports of support/reports.h as a format shows them, held against
 * tests/render/golden/; OOMKB_REFRESH=1 writes those anew. */
#ifndef SUPPORT_GOLDEN_H
#define SUPPORT_GOLDEN_H

#include "render/render.h"

/* The report in a format, with the words that ship. */
struct str report_shown_as(struct arena *a, const struct report *r,
                           const char *format, enum lang lang);
/* Fails the test where golden/<file> holds another text. */
void expect_golden_file(struct arena *a, const char *file, struct str text);
/* Every report of support/reports.h in both languages: golden/<name>-en<suffix>. */
void expect_golden_reports(struct arena *a, const char *format,
                           const char *suffix);

#endif
