/* case.h: what many files of this house ask of a case and of its model. */
#ifndef MEMORY_CASE_H
#define MEMORY_CASE_H

#include "memory/memory.h"

/* A number above 0 that is known, else this. */
int64_t setting_of(const struct memory_case *c, enum fact_name name,
                   int64_t otherwise);
/* Known, and so: a switch that is on, one that is off, a word. */
bool is_on(const struct memory_case *c, enum fact_name name);
bool is_off(const struct memory_case *c, enum fact_name name);
bool word_is(const struct memory_case *c, enum fact_name name,
             const char *word);
/* Not known any more; FACT_COUNT_OF ends the names. */
void case_forget(struct memory_case *c, const enum fact_name *names);
bool case_knows_any(const struct memory_case *c, const enum fact_name *names);
/* Printed or said: then nothing of the card is reckoned. */
bool case_says_pool(const struct memory_case *c);
bool case_is_eager(const struct memory_case *c); /* no graphs are captured */
bool model_has(const struct model *m, enum kv_kind kind); /* m may be NULL */
/* The cache of such a layer is as long as the request. */
bool kv_kind_grows(enum kv_kind kind);

#endif
