/* fit_said.h: what a question of `fit` says, fact by fact, and what is to be
 * remarked on how it says it. For api/ and launch/. */
#ifndef API_FIT_SAID_H
#define API_FIT_SAID_H

#include "api/handles.h"
#include "memory/fit.h"
#include "base/limits.h"

struct fit_said {
    struct arena *a;
    struct reader *r;
    struct fact at[FIT_FACTS_MAX]; /* one of a name: the last that was said */
    size_t count;
    struct note remarks[FIT_REMARKS];
    size_t remark_count;
    struct str offload; /* a flag that moves an unknown part to the host */
    bool is_typed; /* what is read now was typed for oomkb, not copied */
};

void fit_keep(struct fit_said *s, const struct fact *f);
/* NULL: nothing is said of it. */
const struct fact *fit_said_of(const struct fit_said *s, enum fact_name name);

/* A flag of this engine ("-tp", "2"); value empty: none stands behind it.
 * Raises FAIL_USAGE where the value cannot be meant. */
void fit_take_flag(struct fit_said *s, const struct engine *e, struct str name,
                   struct str value);
/* Has the engine this flag, by any name, to reckon with or not? */
bool fit_engine_takes(struct arena *a, const struct engine *e,
                      struct str name);
/* The engine that takes most of these "-tp=2"; NULL: none takes any. */
const struct engine *fit_engine_of_flags(struct reader *r,
                                         const char *const *facts);
/* A command line that starts an engine, or a script that holds one. Raises
 * FAIL_USAGE where it starts none that is known and none was said. */
void fit_take_command(struct fit_said *s, const struct oomkb *kb,
                      struct str text);

/* In the words of what is raised for a command that is none of an engine. */
#define FIT_NO_ENGINE "starts no engine that is known"

#endif
