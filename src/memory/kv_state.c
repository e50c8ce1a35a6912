/* kv_state.c: the state of a recurrent layer in vLLM.
 *
 *     convolution   channels / TP x (steps + draft tokens) x bytes
 *     recurrence    elements / TP x bytes of its own
 *
 * A convolution of Mamba 2 looks at inner channels and at groups of B and C;
 * a rank has at least one group, so where TP does not divide the groups there
 * are as many as ranks. The recurrence has a type of its own: many checkpoints
 * ask for 32 bits, Kimi's delta attention always has them.
 *
 * Sources: vllm/model_executor/layers/mamba/mamba_utils.py (shapes and types),
 * models/config.py (mamba_ssm_dtype, mamba_ssm_cache_dtype of config.json).
 * Held against the block sizes that vLLM prints: see tests/memory.
 */
#include "memory/variant.h"

#include "memory/span.h"

#define ELEMENT_BYTES 2

static int64_t bytes_of_dtype(struct str dtype) {
    static const struct {
        const char *name;
        int64_t bytes;
    } types[] = {{"float32", 4}, {"float", 4},   {"fp32", 4}, {"bfloat16", 2},
                 {"bf16", 2},    {"float16", 2}, {"half", 2}, {"fp16", 2}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (str_eq_nocase(dtype, str_of(types[i].name))) {
            return types[i].bytes;
        }
    }
    return 0;
}

/* "auto" says nothing. */
static int64_t said(const struct inputs *c, enum fact_name name) {
    const struct fact *f = &c->in[name];
    return f->known ? bytes_of_dtype(f->word) : 0;
}

/* float32 checkpoints run in 16 bits unless told otherwise. */
static int64_t of_model(const struct inputs *c) {
    const struct fact *f = &c->in[FACT_dtype];
    bool is_said = f->known && f->source != SOURCE_CATALOGUE &&
                   f->source != SOURCE_DEFAULT;
    int64_t bytes = is_said ? bytes_of_dtype(f->word) : 0;
    return bytes > 0 ? bytes : ELEMENT_BYTES;
}

struct state_setting kv_state_setting(const struct inputs *c,
                                      const struct kv_group *g) {
    const struct fact *draft = &c->in[FACT_num_speculative_tokens];
    struct state_setting s = {0};
    s.conv_bytes = said(c, FACT_mamba_cache_dtype);
    s.conv_bytes = s.conv_bytes > 0 ? s.conv_bytes : of_model(c);
    s.recurrent_bytes = said(c, FACT_mamba_ssm_cache_dtype);
    if (str_eq(g->mixer, STR("kda"))) {
        s.recurrent_bytes = 4;
    } else if (str_eq(g->mixer, STR("linear"))) {
        s.recurrent_bytes = s.conv_bytes;
    }
    if (s.recurrent_bytes == 0) {
        s.recurrent_bytes = bytes_of_dtype(g->state_dtype);
    }
    if (s.recurrent_bytes == 0) {
        s.recurrent_bytes = s.conv_bytes;
    }
    s.draft_tokens = draft->known && draft->number > 0 ? draft->number : 0;
    return s;
}

static struct span conv_bytes(const struct kv_group *g, int64_t tp,
                              const struct state_setting *set) {
    struct span channels = span_exact(g->conv_channels);
    struct span steps =
        span_plus(span_exact(g->conv_steps), span_exact(set->draft_tokens));
    bool is_alone =
        str_eq(g->mixer, STR("mamba1")) || str_eq(g->mixer, STR("conv"));
    if (g->conv_channels == 0) {
        return span_exact(0);
    }
    if (is_alone) { /* these draft no tokens */
        steps = span_exact(g->conv_steps);
    }
    if (g->conv_groups > 0 && tp > g->conv_groups && g->conv_groups % tp != 0) {
        struct span more =
            span_times(span_exact(g->group_channels), tp - g->conv_groups);
        channels = span_plus(channels, more);
    }
    struct span mine = span_share(channels, 1, tp);
    return span_times(span_product(span_of(mine.high, mine.high), steps),
                      set->conv_bytes);
}

struct span kv_state_bytes(const struct kv_group *g, int64_t tp,
                           const struct state_setting *set, int64_t scale) {
    if (g->conv_channels == 0 && g->state_elements == 0) {
        struct span all =
            g->state_bytes > 0 ? span_exact(g->state_bytes) : span_none();
        struct span mine = span_share(all, scale, tp);
        return mine.known ? span_exact(mine.high) : mine;
    }
    struct span mine = span_share(span_exact(g->state_elements), 1, tp);
    struct span recurrent =
        span_times(span_exact(mine.high), set->recurrent_bytes);
    return span_plus(recurrent, conv_bytes(g, tp, set));
}
