/* fit_value.h: names and values as a question of `fit` says them. For api/
 * and launch/. */
#ifndef API_FIT_VALUE_H
#define API_FIT_VALUE_H

#include "memory/memory.h"

/* "tp", "max-model-len": raises FAIL_USAGE where there is no such fact. */
enum fact_name fit_fact_called(struct arena *a, struct str given);
/* The same for "--tp", "--max-model-len"; false: there is no such fact. */
bool fit_fact_named(struct arena *a, struct str given, enum fact_name *out);
extern const char *const fit_engines[]; /* that can be asked about; NULL */
/* false: it says that nothing is said ("auto"). Raises FAIL_USAGE where the
 * value cannot be meant. */
bool fit_value_read(struct arena *a, enum fact_name name, struct str given,
                    struct fact *out);

/* "A100 80GB 3g.40gb": a slice of MIG has what its name says, less what the
 * card keeps for itself. *whole: the name without the slice. */
bool fit_slice_named(struct str name, struct str *whole, int64_t *gib);
struct fact fit_slice_total(int64_t gib);

#endif
