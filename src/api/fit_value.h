/* fit_value.h: names and values of a question of `fit`. For api/ and
 * launch/. */
#ifndef API_FIT_VALUE_H
#define API_FIT_VALUE_H

#include "memory/memory.h"

/* The fact of a name: "tp", "--tp", "max-model-len", "--max-model-len". Raises
 * FAIL_USAGE if there is no such fact. */
enum fact_name fit_fact_called(struct arena *a, struct str given);
/* The same; false: there is no such fact. */
bool fit_fact_named(struct arena *a, struct str given, enum fact_name *out);
extern const char *const fit_engines[]; /* accepted engines; NULL ends them */
/* False: the value leaves the choice to the engine ("auto"). Raises FAIL_USAGE
 * if it is not valid. */
bool fit_value_read(struct arena *a, enum fact_name name, struct str given,
                    struct fact *out);

/* "A100 80GB 3g.40gb": a MIG slice. *whole: the name without the slice; *gib:
 * the size in its name. */
bool fit_slice_named(struct str name, struct str *whole, int64_t *gib);
/* The total of such a slice: its size less what the card reserves. */
struct fact fit_slice_total(int64_t gib);

#endif
