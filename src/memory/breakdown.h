/* breakdown.h: where the memory of each card went, by what a log measured.
 *
 *     | before | weights | KV cache | activations | ... | free | not told |
 *     |<------------------------ whole -------------------------------->|
 *
 * Nothing is estimated: a part is what a line prints, or the difference of two
 * lines. What no line names is `not_told`, so that the sum closes. */
#ifndef MEMORY_BREAKDOWN_H
#define MEMORY_BREAKDOWN_H

#include "memory/memory.h"

enum closing {
    CLOSING_UNKNOWN, /* the total is not known */
    CLOSING_YES,
    CLOSING_NO       /* the parts are more than the whole */
};

struct card_memory {
    int64_t rank, gpu;    /* of this card; FACT_NONE: not printed */
    struct budget budget; /* total: the whole; the parts, `not_told` last */
    bool is_part_of_card; /* the whole is what was free before loading */
    int64_t named_bytes;  /* the parts without the last one of these: */
    int64_t not_told_bytes; /* `not_told`, or `free_or_not_told` where no line
                               says what is free; 0: it adds up */
    enum closing closing;
};

struct breakdown {
    struct card_memory *cards;
    size_t count;
    struct span kv_tokens;   /* of one card's pool */
    int64_t max_model_len;   /* 0: not known */
    struct span concurrency; /* hundredths: requests of that length at once */
};

/* c: what holds for the log; measured: each printing of an amount, in order. */
struct breakdown memory_breakdown(struct arena *a, const struct inputs *c,
                                  const struct fact_list *measured);
/* The parts of a failed allocation's message, closed in the same way. */
struct card_memory memory_card_of(struct arena *a, const struct budget *b);

#endif
