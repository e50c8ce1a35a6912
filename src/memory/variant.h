/* variant.h: a model under settings that are all determined. A log that leaves
 * the version, the step size or the pipeline stage open allows several
 * variants; the arithmetic of each is exact, and the answer is their hull.
 *
 *     inputs --variants_of--> variants --variant_request--> bytes --> span
 *
 * What the log prints rules variants out: those that do not give the printed
 * need are dropped. When none is left the model does not explain the log
 * (`agrees` is false) and only printed numbers may speak.
 */
#ifndef MEMORY_VARIANT_H
#define MEMORY_VARIANT_H

#include "memory/memory.h"
#include "memory/rules.h"

/* ---- a recurrent layer, for one sequence, per rank: kv_state.c ---- */

/* What the engine's settings make of a state. */
struct state_setting {
    int64_t conv_bytes, recurrent_bytes; /* of one element; 0: as the group */
    int64_t draft_tokens; /* a convolution looks back on them too */
};

/* Of a model without parts in the catalogue: all in 16 bits, times scale. */
struct span kv_state_bytes(const struct kv_group *g, int64_t tp,
                           const struct state_setting *set, int64_t scale);

/* Of one element of the recurrent state: said by the user or the log, else
 * what the checkpoint asks for, else the model's type. 0: not known. */
struct state_setting kv_state_setting(const struct inputs *c,
                                      const struct kv_group *g);

/* ---- a reading ---- */

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
    bool spares_block; /* the check leaves the null block out of the pool */
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
    bool is_kv_dtype_open; /* nobody said: the model's own type */
};

struct variants {
    struct variant *at;
    size_t count, cap;
    bool agrees; /* with what the log prints */
};

struct variants variants_of(struct arena *a, const struct inputs *c);
/* A copy to change: the same readings with other settings. */
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

/* How often the row of set i is charged per token. */
int64_t variant_rows_charged(const struct variant *w,
                             const struct block_layout *p, size_t i);

/* Bytes that the engine says one request of so many tokens needs. */
struct span variant_request(const struct variant *w, int64_t tokens);
/* Blocks of all groups that it takes in fact. */
struct span variant_request_blocks(const struct variant *w, int64_t tokens);
/* Most tokens of one request that the check lets into so many bytes, up to
 * ceiling, and that their blocks hold as well. */
struct span variant_longest(const struct variant *w, int64_t pool,
                            int64_t ceiling);
struct span variant_block_bytes(const struct variant *w);
/* What the check at start leaves out of the pool: 0, or the null block. */
struct span variant_spare(const struct variant *w);
struct span
variant_slope(const struct variant *w); /* bytes per further token */

/* Spelled out: "2 x 36 layers x 8 kv heads x 128 x 2 bytes" over the kinds that
 * grow; "ceil(40,960 / 16) x 16 x 147,456 bytes", or the sum over groups. */
struct str write_slope(struct arena *a, const struct variant *w);
struct str write_request(struct arena *a, const struct variant *w,
                         int64_t tokens);

/* The same over all variants. */
struct span variants_request(const struct variants *variants, int64_t tokens);
struct span variants_request_blocks(const struct variants *variants,
                                    int64_t tokens);
struct span variants_longest(const struct variants *variants, struct span pool,
                             int64_t ceiling);
struct span variants_block_bytes(const struct variants *variants);
struct span variants_spare(const struct variants *variants);
struct span variants_slope(const struct variants *variants);
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
