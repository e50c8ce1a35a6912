/* inputs.h: what many files of this house ask of a case and of its model. */
#ifndef MEMORY_INPUTS_H
#define MEMORY_INPUTS_H

#include "memory/memory.h"

/* A list of facts: the marker ends it. The same as an argument. */
#define FACTS(...) {__VA_ARGS__, FACT_COUNT_OF}
#define FACT_LIST(...) ((const enum fact_name[])FACTS(__VA_ARGS__))

/* A number above 0 that is known, else this. */
int64_t setting_of(const struct inputs *c, enum fact_name name,
                   int64_t otherwise);
/* Known, and so: a switch that is on, one that is off, a word. */
bool is_on(const struct inputs *c, enum fact_name name);
bool is_off(const struct inputs *c, enum fact_name name);
bool word_is(const struct inputs *c, enum fact_name name, const char *word);
/* Not known any more; FACT_COUNT_OF ends the names. */
void inputs_forget(struct inputs *c, const enum fact_name *names);
/* One of them is known; and said, be it by a log; and printed in a log. */
bool inputs_knows_any(const struct inputs *c, const enum fact_name *names);
bool inputs_says_any(const struct inputs *c, const enum fact_name *names);
bool inputs_prints_any(const struct inputs *c, const enum fact_name *names);
/* So many letters of a word, large or small, that stand in it. */
bool has_part(struct str word, const char *part);
/* Printed or said: then nothing of the card is reckoned. */
bool inputs_says_pool(const struct inputs *c);
bool inputs_is_eager(const struct inputs *c); /* no graphs are captured */
bool model_has(const struct model *m, enum kv_kind kind); /* m may be NULL */
/* The cache of such a layer is as long as the request. */
bool kv_kind_grows(enum kv_kind kind);

#endif
