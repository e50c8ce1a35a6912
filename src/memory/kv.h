/* kv.h: the KV cache of vLLM, release by release.
 *
 *     rules     how a release counts. A log that names its version leaves one
 *               row; one that does not leaves several, and the answer is
 *               everything they allow
 *     rows      bytes that one token, or one state, takes in a layer of a rank
 *     variants  a model under settings that are all determined. A log that
 *               leaves the version, the step size or the pipeline stage open
 *               allows several; the arithmetic of each is exact, and the answer
 *               is their hull
 *
 *     inputs --variants_of--> variants --variant_request--> bytes --> span
 *
 * What the log prints rules variants out: those that do not give the printed
 * need are dropped. When none is left the model does not explain the log
 * (`agrees` is false) and only printed numbers count.
 */
#ifndef MEMORY_KV_H
#define MEMORY_KV_H

#include "memory/amount.h"

/* ---- rules: rules.c ---- */

enum window_rule {
    WINDOWS_WHOLE, /* a layer with a window takes the whole context */
    WINDOWS_CUT    /* it takes its window and the tokens in flight */
};

#define DEFAULT_BLOCK 16 /* tokens */

/* The block that the pool never hands out, in the check at start. */
enum null_rule { NULL_NONE, NULL_IN, NULL_OUT };

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
    enum null_rule null;
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
/* The check at start counts a block that no request gets. */
enum answer rules_count_null_block(const struct inputs *c);
/* The first engine: until 0.7, then where it was chosen; until 0.10.1 also on
 * cards below compute capability 8.0. A card that is not named counts as a
 * newer. */
enum answer rules_is_v0(const struct inputs *c);

/* What holds of some releases of vLLM: X(rule, from, until). */
#define RULES_BY_RELEASE(X)                                                    \
    /* CUDA graphs are taken out of the share before the KV pool */            \
    X(count_graphs, "0.20.0", "")                                              \
    /* prefixes of hybrids with recurrent layers are cached by default */      \
    X(cache_hybrids, "0.28.0", "")                                             \
    /* where they are, a request keeps two states ("align") unless told */     \
    X(align_states, "0.28.0", "")                                              \
    /* layers with chunks are kept whole unless set otherwise (#21761) */    \
    X(keep_chunks, "0.10.1", "")                                               \
    /* sparse latents are packed in fp8 even where the type is auto */         \
    X(pack_by_default, "0.11.0", "0.11.1")                                     \
    /* decoders that embed have a cache, as the second engine runs them; the  \
     * first makes none (arg_utils.py, llm_engine.py: runner_type pooling) */  \
    X(cache_pooling, "0.9.2", "")                                              \
    /* num_gpu_blocks_override counts in the checks at start */                \
    X(check_forced, "0.20.1", "")                                              \
    /* the printed concurrency divides tokens, not whole blocks (#19029) */    \
    X(count_partial_blocks, "0", "0.9.1.dev152")
#define X(name, from, until) enum answer rules_##name(const struct inputs *c);
RULES_BY_RELEASE(X)
#undef X
/* A cache scheme in the checkpoint counts where kv_cache_dtype is auto. */
enum answer rules_take_cache_scheme(const struct inputs *c);

/* True if the size of the pool was set: neither the share of the card nor
 * what the rest of the engine leaves changes it. */
bool rules_pool_is_asked(const struct inputs *c);

/* ---- rows: kv_row.c ---- */

/* The data type of the cache: kv_cache_dtype, else the engine's dtype, else
 * the model's. Empty if unknown. */
struct str kv_dtype_of(const struct inputs *c);
bool kv_dtype_is_stated(const struct inputs *c); /* and not auto */
bool kv_dtype_is_fp8(struct str dtype);

/* KV heads that one rank keeps: heads / tp, one at least (replicated). */
int64_t kv_heads_of_rank(int64_t heads, int64_t tp);

/* has_indexer: the model is one of sparse attention, whose fp8 rows are
 * packed. State groups have no row. Unknown for types it does not know. */
struct span kv_row_bytes(const struct kv_group *g, int64_t tp, struct str dtype,
                         bool has_indexer, enum latent_rule latent);

/* The row of a latent layer in releases that knew no latents (until 0.7.1):
 * heads as wide as they are, or padded to 256 elements (until 0.7.0). */
struct span kv_row_spread(const struct kv_group *g, int64_t heads, int64_t tp,
                          struct str dtype, enum latent_rule latent);

/* ---- a recurrent layer, for one sequence, per rank: kv_state.c ---- */

/* What the engine's settings make of a state. */
struct state_setting {
    int64_t conv_bytes, recurrent_bytes; /* of one element; 0: as the group */
    int64_t draft_tokens; /* a convolution looks back on them too */
};

/* Of a model without parts in the catalogue: all in 16 bits, times scale. */
struct span kv_state_bytes(const struct kv_group *g, int64_t tp,
                           const struct state_setting *set, int64_t scale);

/* Of one element of the recurrent state: given by the user or the log, else
 * what the checkpoint names, else the model's type. 0: not known. */
struct state_setting kv_state_setting(const struct inputs *c,
                                      const struct kv_group *g);

/* ---- a variant ---- */

/* PP does not divide the layers: some stages have one more; until 0.8 the last
 * may have the whole rest. */
enum stage_share { STAGE_SMALL, STAGE_LARGE, STAGE_LAST };

/* Where windows and chunks are kept as long as the context. The manager of
 * hybrids made them so after the check at start (until 0.13) or before it. */
enum whole_rule { WHOLE_NOT, WHOLE_BY_MANAGER, WHOLE_LAYERS };

struct variant {
    const struct kv_rules *rules;
    const struct model *model;
    struct str kv_dtype;
    int64_t block_tokens;
    int64_t tp, pp;
    enum stage_share share; /* of the layers, of this pipeline stage */
    enum whole_rule whole;
    enum null_rule null;
    int64_t tokens_in_flight;
    int64_t context_ranks; /* that share the tokens of a request: DCP x PCP */
    int64_t state_pages;   /* 1; 2 with prefix caching; and one for each
                              drafted token */
    bool keeps_all_states; /* one for every block: mamba_cache_mode all */
    int64_t state_step;    /* tokens that block sizes are multiples of */
    int64_t state_scale;   /* 2: a state of unknown parts, in 32 bits */
    struct state_setting
        state;             /* per state group: its own, see block_layout.c */
    int64_t draft_layers;  /* that keep a cache beside the model's */
    bool is_kv_dtype_open; /* not given: the model's own type */
};

struct variants {
    struct variant *at;
    size_t count, cap;
    bool agrees; /* with what the log prints */
};

struct variants variants_of(struct arena *a, const struct inputs *c);
/* A copy to change: the same variants with other settings. */
struct variants variants_copy(struct arena *a, const struct variants *variants);

/* Layers of one rank that keep the same cache, in blocks. */
struct layer_set {
    enum kv_kind kind;
    int64_t count;
    int64_t row_bytes;
    int64_t window;
    int64_t block_tokens; /* after pages were made equal */
    int64_t page_bytes;   /* of one layer; equal over all sets in a plan of
                             groups */
    int64_t groups;
};

#define SETS_MAX 12

/* What a plan is for. Most releases charge a request as they keep it; 0.8.3 to
 * 0.9.0.1 charge windows cut and keep them whole. */
enum layout_use {
    LAYOUT_CHECK, /* what the check at start charges for a request */
    LAYOUT_POOL   /* what the pool is divided into */
};

struct block_layout {
    bool known;
    struct layer_set set[SETS_MAX];
    size_t count;
    bool is_grouped; /* hybrid: one page, several groups */
    int64_t layers_per_group;
    int64_t block_bytes; /* what one block takes over all layers of a rank */
    bool is_packed;      /* groups of unlike pages overlap in one block */
    int64_t need_block_bytes; /* what the check at start charges for a block */
    int64_t tuple_bytes;      /* packed: of one layer of each page that grows */
    int64_t base_block_tokens;
};

/* Layers of this stage, of so many: PP deals them out. A check that charges
 * all stages counts every layer, as if there were one pipeline rank. */
int64_t variant_layers_of_stage(const struct variant *w, int64_t layers,
                                enum layout_use use);

struct block_layout block_layout_of(const struct variant *w,
                                    enum layout_use use);

/* Blocks that one layer of a set needs for a request. */
struct span variant_blocks(const struct variant *w, const struct layer_set *set,
                           int64_t block_tokens, int64_t tokens);

/* Bytes that the engine charges for one request of so many tokens. */
struct span variant_request(const struct variant *w, int64_t tokens);
/* Blocks of all groups that it takes. */
struct span variant_request_blocks(const struct variant *w, int64_t tokens);
/* Bytes of the pool that it takes, whole blocks of every group: more than the
 * check charges where that counts windows cut that the pool keeps whole (0.8.3
 * to 0.9.0.1), no padded layers (until 0.13), or one group alone (0.14 to
 * 0.18). Never less than the check charges. */
struct span variant_kept(const struct variant *w, int64_t tokens);
/* Most tokens of one request, up to ceiling, that the check lets into so many
 * bytes (a refusal names them), and that the blocks hold as well. */
struct span variant_estimate(const struct variant *w, int64_t pool,
                             int64_t ceiling);
struct span variant_longest(const struct variant *w, int64_t pool,
                            int64_t ceiling);
struct span variant_block_bytes(const struct variant *w);
/* What the check at start leaves out of the pool, and what no request gets: 0,
 * or the null block. */
struct span variant_spare(const struct variant *w);
struct span variant_aside(const struct variant *w);
/* Bytes of a further token. */
struct span variant_slope(const struct variant *w);

/* Spelled out: "2 x 36 layers x 8 kv heads x 128 x 2 bytes" over the kinds that
 * grow; "ceil(40,960 / 16) x 16 x 147,456 bytes", or the sum over groups. */
struct str write_slope(struct arena *a, const struct variant *w);
struct str write_request(struct arena *a, const struct variant *w,
                         int64_t tokens);
struct str write_kept(struct arena *a, const struct variant *w,
                      int64_t tokens);

/* The same over all variants; tokens: of a request, else 0. */
enum variant_amount {
    OF_REQUEST, OF_KEPT, OF_REQUEST_BLOCKS, OF_BLOCK, OF_SPARE, OF_HELD,
    OF_SLOPE
};
struct span variants_span(const struct variants *variants,
                          enum variant_amount what, int64_t tokens);
struct span variants_estimate(const struct variants *variants,
                              struct span pool, int64_t ceiling);
struct span variants_longest(const struct variants *variants, struct span pool,
                             int64_t ceiling);
/* Tokens that the pool holds, as the engine prints it for this length. */
struct span variants_tokens(const struct variants *variants, struct span blocks,
                            int64_t length);

/* ---- the caches of DeepSeek-V4: kv_packed.c ---- */

/* A model whose latents are kept one row for several tokens. */
bool kv_packed_is(const struct model *m);

/* Fills the plan; leaves it unknown where the release has no such layout. */
void kv_packed_layout(const struct variant *w, enum layout_use use,
                      struct block_layout *p);

#endif
