/* rules.h: what vLLM reckons, release by release. A log that names its
 * version leaves one row; one that does not leaves several, and the answer is
 * everything they allow. */
#ifndef MEMORY_RULES_H
#define MEMORY_RULES_H

#include "memory/memory.h"

enum window_rule {
    WINDOWS_WHOLE, /* a layer with a window takes the whole context */
    WINDOWS_CUT    /* it takes its window and the tokens in flight */
};

enum need_rule {
    NEED_LAYERS,      /* sum over layers */
    NEED_FIRST_GROUP, /* blocks of the first group alone (until #36030) */
    NEED_GROUPS       /* blocks of all groups */
};

enum latent_rule {
    LATENT_SPREAD_PADDED, /* MLA models are cached as full heads of 256 */
    LATENT_SPREAD,        /* as full heads of what they have, 192 */
    LATENT_PADDED, /* a row is padded to 256 bytes of the model's own type */
    LATENT_PLAIN
};

struct kv_rules {
    /* Releases, or the build of the commit where it is known (0.9.1.dev201: 201
     * commits behind 0.9.0); until "" has no end. */
    const char *from, *until;
    bool is_v0;
    enum window_rule windows_charged; /* by the check at start */
    enum window_rule windows_kept;    /* in the pool */
    enum window_rule chunks;          /* in both, where windows are cut */
    enum need_rule need;
    enum latent_rule latent;
    bool charges_all_stages; /* every layer to one pipeline rank (#33698) */
    int64_t spread_percent;  /* groups as large as the largest kind of layer
                                where that is below this much of the least */
    bool tokens_by_requests; /* "GPU KV cache size" = concurrency x length */
    int64_t
        steps_in_flight; /* scheduler steps a window must outlive, at most */
    bool spares_block; /* the check leaves one block out: the null block */
};

#define RULES_MAX 20

struct rules_list {
    const struct kv_rules *at[RULES_MAX];
    size_t count;
};

enum answer { ANSWER_NO, ANSWER_YES, ANSWER_MAYBE };

/* The rows that may hold for this log; none when the engine is not vLLM. */
struct rules_list rules_of(const struct inputs *c);

/* Memory of other processes counts as this instance's own. */
enum answer rules_charge_others(const struct inputs *c);
/* Start is refused where less is free than total x utilization. */
enum answer rules_check_free(const struct inputs *c);
/* The first engine: until 0.7, then where asked for; until 0.10.1 also on cards
 * below compute capability 8.0. A card that is not named counts as a newer. */
enum answer rules_is_v0(const struct inputs *c);

/* What holds of some releases of vLLM: X(rule, from, until). */
#define RULES_BY_RELEASE(X)                                                    \
    /* CUDA graphs are taken out of the share before the KV pool */            \
    X(count_graphs, "0.20.0", "")                                              \
    /* prefixes of hybrids with recurrent layers are cached by default */      \
    X(cache_hybrids, "0.28.0", "")                                             \
    /* where they are, a request keeps two states ("align") unless told */     \
    X(align_states, "0.28.0", "")                                              \
    /* layers with chunks are kept whole unless asked otherwise (#21761) */    \
    X(keep_chunks, "0.10.1", "")                                               \
    /* sparse latents are packed in fp8 even where the type is auto */         \
    X(pack_by_default, "0.11.0", "0.11.1")                                     \
    /* num_gpu_blocks_override counts in the checks at start */                \
    X(check_forced, "0.20.1", "")                                              \
    /* the printed concurrency divides tokens, not whole blocks (#19029) */    \
    X(count_partial_blocks, "0", "0.9.1.dev152")
#define X(name, from, until) enum answer rules_##name(const struct inputs *c);
RULES_BY_RELEASE(X)
#undef X
/* A cache scheme in the checkpoint counts where kv_cache_dtype is auto. */
enum answer rules_take_cache_scheme(const struct inputs *c);

/* The pool has the size that was asked for: neither the share of the card nor
 * what the rest of the engine leaves changes it. */
bool rules_pool_is_asked(const struct inputs *c);

#endif
