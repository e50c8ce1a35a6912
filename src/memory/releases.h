/* releases.h: the releases at which the answer of an engine to the same
 * question changes, and the change of its rules that does it. */
#ifndef MEMORY_RELEASES_H
#define MEMORY_RELEASES_H

#include "memory/fit.h"

struct rule_change {
    const char *engine;
    const char *release; /* the first that has it */
    const char *key;     /* what it is: i18n */
    const char *link;
    enum rule_moves {
        MOVES_NEED, /* bytes of a request */
        MOVES_POOL, /* bytes that there are for them */
        MOVES_CHECK /* neither; what is held against what */
    } moves;
    enum concern {
        EVERY_CASE, LATENTS, SPARSE_LATENTS, CHUNKS, WINDOWS, STATES, GROUPS,
        STAGES, CACHE_SCHEME, GRAPHS, SAID_FREE, OLD_CARDS,
        DEFAULT_FRACTION, SMALL_CARDS, /* of 20 to 35 GiB */
        DEFAULT_VISION
    } concerns;
};

/* A setting that was not given, and whose default differs by release. */
struct default_change {
    struct fact before, from; /* known false: that release has none */
    struct str link;
};

struct release_answer {
    enum truth_fit fits;
    struct span need, pool; /* of a request of full length; for KV */
};

#define STEP_RULES 4
#define STEP_DEFAULTS 4

struct release_step {
    struct str release; /* the first that answers as `from` has it */
    struct release_answer before, from;
    const struct rule_change *rules[STEP_RULES];
    size_t rule_count;
    struct default_change defaults[STEP_DEFAULTS];
    size_t default_count;
};

struct release_steps {
    struct release_step *at;
    size_t count;
};

/* Every step above `low` up to `high`, the oldest first. None where the rules
 * of the engine are not known by release. */
struct release_steps memory_release_steps(struct arena *a,
                                          const struct fit_question *q,
                                          struct str low, struct str high);

/* The release nearest to the one of the log, older ones first, at which a pool
 * that the log printed would do for the request, or no longer do. Only where
 * the rules give what the log printed, and the pool itself is computed alike.
 * False: there is none. */
bool memory_release_turn(struct arena *a, const struct inputs *c,
                         struct release_step *out);

/* "0", and the releases of the engine at which a rule begins, the oldest first:
 * releases between two of them have the same rules. None where no rule is known
 * by release. */
struct str_list memory_releases(struct arena *a, struct str engine);

#endif
