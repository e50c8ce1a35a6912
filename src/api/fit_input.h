/* fit_input.h: the facts of a question of `fit`, and remarks on its flags. For
 * api/ and launch/. */
#ifndef API_FIT_INPUT_H
#define API_FIT_INPUT_H

#include "api/handles.h"
#include "memory/fit.h"
#include "base/limits.h"

struct fit_input {
    struct arena *a;
    struct reader *r;
    struct fact at[FIT_FACTS_MAX]; /* one per name: the last one given */
    size_t count;
    struct note remarks[FIT_REMARKS];
    size_t remark_count;
    struct str offload; /* a flag that moves an unknown part to the host */
    bool is_typed; /* flags read now were typed for oomkb, so a typo is an
                      error; flags of a command are not */
};

/* Set a fact, or replace the one of that name. */
void fit_input_set(struct fit_input *s, const struct fact *f);
/* NULL: not given. */
const struct fact *fit_input_fact(const struct fit_input *s,
                                  enum fact_name name);

/* A flag of this engine ("-tp", "2"); value empty: none follows it. Raises
 * FAIL_USAGE if the value is not valid. */
void fit_take_flag(struct fit_input *s, const struct engine *e, struct str name,
                   struct str value);
/* True if the engine has this flag under any of its names, whether or not `fit`
 * considers it. */
bool fit_engine_takes(struct arena *a, const struct engine *e,
                      struct str name);
/* The engine that takes most of these flags ("-tp=2"); NULL: none takes any. */
const struct engine *fit_engine_of_flags(struct reader *r,
                                         const char *const *facts);
/* A command line that starts an engine, or a script with one. Raises FAIL_USAGE
 * if it starts no known engine and none was given before. */
void fit_take_command(struct fit_input *s, const struct oomkb *kb,
                      struct str text);

/* Part of the error of a command that starts no known engine. */
#define FIT_NO_ENGINE "starts no engine that is known"

#endif
