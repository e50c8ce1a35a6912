/* witness.h: who says what a setting was. Shared by context.c, which hears
 * them, and force.c, which holds them against each other. */
#ifndef DIAGNOSE_WITNESS_H
#define DIAGNOSE_WITNESS_H

#include "diagnose/work.h"

struct witness {
    struct fact fact;
    bool is_there, is_before, is_dump;
    bool is_prose; /* what people write of it */
    bool is_printed; /* what the program alone prints: the last is in force */
    int64_t layer; /* of the program that it shows */
    bool is_statement; /* of a row's `set`: the program says so in its words */
    uint64_t order;
};

struct witnesses {
    struct witness best[FACT_COUNT_OF];
    struct witness named[FACT_COUNT_OF]; /* last by a command, or in the
                                            environment */
    struct failure_end failure;
};

/* Set by a variable of the environment, not by a flag? */
bool fact_is_environment(const struct diagnosis *d, enum fact_name name);

/* What the command gives that flag; known false: nothing that reads. */
struct fact command_fact(const struct diagnosis *d, const struct flag *flag);

/* ---- force.c: once the context is there, the command found, defaults not yet
 * added. What was named in vain is kept in d->overruled, and taken out of the
 * context where nothing was in force instead. ---- */
void force_find(struct diagnosis *d, const struct witnesses *w);
/* Where the program lists all its settings, or all that are not the default;
 * known false: nowhere. */
struct fact settings_list(const struct diagnosis *d, const struct witnesses *w);
/* Would such a list have it? */
bool is_listed_setting(const struct diagnosis *d, enum fact_name name);

#endif
