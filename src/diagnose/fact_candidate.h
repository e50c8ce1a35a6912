/* fact_candidate.h: candidates for the value of each fact of the context.
 * context.c collects them from the lines of the log; effective_settings.c
 * compares them to find settings that were named but are not in force. */
#ifndef DIAGNOSE_FACT_CANDIDATE_H
#define DIAGNOSE_FACT_CANDIDATE_H

#include "diagnose/work.h"

struct fact_candidate {
    struct fact fact;
    bool is_there, is_before, is_dump;
    bool is_prose; /* written by a person, not printed by a program */
    bool is_printed; /* printed by the program only: the last value is in
                        force */
    int64_t layer; /* layer of the program that the line shows */
    bool is_statement; /* from the `set` of a row: implied by the line, not
                          captured from it */
    uint64_t order;
};

struct fact_candidates {
    const struct fact_candidate *best[FACT_COUNT_OF]; /* NULL: none */
    const struct fact_candidate *named[FACT_COUNT_OF]; /* last value given by a
                                            command or in the environment */
    struct failure_end failure;
};

/* A blank one for none. */
const struct fact_candidate *candidate_best(const struct fact_candidates *w,
                                            enum fact_name name);
const struct fact_candidate *candidate_named(const struct fact_candidates *w,
                                             enum fact_name name);

/* True if the setting is an environment variable and no flag. */
bool fact_is_environment(const struct diagnosis *d, enum fact_name name);

/* The value that the command gives to the flag; known false: no value can be
 * read. */
struct fact command_fact(const struct diagnosis *d, const struct flag *flag);

/* ---- effective_settings.c ---- */

/* Called once the context and the command are known and before defaults are
 * added. Settings that were named in vain are kept in d->overruled. They are
 * removed from the context if no other value is in force. */
void overruled_find(struct diagnosis *d, const struct fact_candidates *w);
/* The line behind position `order` (0: anywhere) where the program lists all
 * settings, or all that differ from the default; known false: no such line. */
struct fact settings_list(const struct diagnosis *d,
                          const struct fact_candidates *w, uint64_t order);
/* True if such a list would contain the setting. */
bool is_listed_setting(const struct diagnosis *d, enum fact_name name);

#endif
