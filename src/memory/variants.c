/* variants.c: every variant that a case leaves open, less those that contradict
 * what the log prints. Only what changes the result is varied: a model
 * without windows does not care how many tokens are in flight. */
#include "base/limits.h"
#include "memory/engines.h"
#include "memory/kv.h"

#define OPTIONS_MAX 8
#define LATENT_BLOCK 128 /* that a kernel for latents can read */

struct options { /* values of one open setting */
    int64_t at[OPTIONS_MAX];
    size_t count;
};

/* Each value once. */
static void offer_if(struct options *o, bool is_open, int64_t value) {
    for (size_t i = 0; i < o->count; i++)
        is_open = is_open && o->at[i] != value;
    if (is_open && o->count < OPTIONS_MAX)
        o->at[o->count++] = value;
}

static void offer(struct options *o, int64_t value) {
    offer_if(o, true, value);
}

/* A log may be any rank's; without one, the fullest stage is what binds. */
static bool is_of_a_log(const struct inputs *c) {
    return inputs_prints_any(c, FACT_LIST(FACT_kv_needed, FACT_kv_available,
                                          FACT_kv_blocks, FACT_kv_tokens,
                                          FACT_cpu_blocks));
}

/* max_num_batched_tokens; unknown: the defaults of servers and of the Python
 * class on small and large cards. */
static struct options flights(const struct inputs *c,
                              const struct kv_rules *rules) {
    static const int64_t usual[] = {2048, 8192, 16384};
    struct options o = {.count = 0};
    struct span batch = span_of_setting(&c->in[FACT_max_num_batched_tokens]);
    if (rules->windows_charged == WINDOWS_WHOLE ||
        !model_has_windows(c->model)) {
        offer(&o, 0);
        return o;
    }
    /* Every pipeline stage has a step of its own. One more is scheduled ahead
     * or not: on one stage it is, unless that was switched off (0.14.0), which
     * only a log can show. */
    int64_t pp = pipeline_ranks(c);
    int64_t first = rules->steps_in_flight > 1 ? pp : 1;
    int64_t last = first + rules->steps_in_flight - 1;
    first = pp <= 1 && !is_of_a_log(c) ? last : first;
    for (int64_t steps = first; steps <= last; steps++) {
        struct span flight = span_times(batch, steps);
        if (flight.known) {
            offer(&o, flight.low);
            offer(&o, flight.high);
        }
        for (size_t i = 0; !flight.known && i < 3; i++)
            offer(&o, usual[i] * steps);
    }
    return o;
}

static bool is_stated(const struct fact *f) {
    return f->known && f->source != SOURCE_DEFAULT;
}

/* ---- recurrent layers ---- */

/* How states are kept. One for the running request; one more where prefixes
 * are cached ("align"); one for every block ("all"), whose blocks are whole
 * chunks of the kernel: 128 or 256 tokens in Mamba 2, 1,024 or 2,048 before. */
static const struct state_mode {
    int64_t pages;
    bool keeps_all;
    int64_t step;
} modes[] = {{1, false, 0},  {2, false, 0},   {1, true, 128},
             {1, true, 256}, {1, true, 1024}, {1, true, 2048}};

enum { MODE_NONE, MODE_ALIGN, MODE_ALL_2, MODE_ALL_1 = 4 };

static const struct kv_group *state_group(const struct model *m) {
    for (size_t i = 0; i < m->group_count; i++)
        if (m->groups[i].kind == KV_state)
            return &m->groups[i];
    return NULL;
}

static struct options state_modes(const struct inputs *c,
                                  const struct kv_rules *rules) {
    struct options o = {.count = 0};
    const struct kv_group *g = state_group(c->model);
    const struct fact *cached = &c->in[FACT_prefix_caching];
    bool is_align = word_is(c, FACT_mamba_cache_mode, "align");
    bool is_all = word_is(c, FACT_mamba_cache_mode, "all");
    /* hybrids did not cache prefixes until they were told to */
    enum answer caching = !is_stated(cached) ? rules_cache_hybrids(c)
                          : cached->number ? ANSWER_YES
                                           : ANSWER_NO;
    if (g == NULL || rules->is_v0) {
        offer(&o, MODE_NONE);
        return o;
    }
    if (!is_align && !is_all) {
        is_align = caching != ANSWER_NO;
        is_all = caching == ANSWER_YES &&
                 rules_align_states(c) != ANSWER_YES &&
                 str_starts(g->mixer, STR("mamba"));
        offer_if(&o, caching != ANSWER_YES, MODE_NONE);
    }
    int all = str_eq(g->mixer, STR("mamba1")) ? MODE_ALL_1 : MODE_ALL_2;
    offer_if(&o, is_align, MODE_ALIGN);
    offer_if(&o, is_all, all);
    offer_if(&o, is_all, all + 1);
    return o;
}

/* What drafts tokens keeps a cache too: MTP heads and EAGLE are layers like
 * the model's own; n-grams keep nothing. */
static struct options draft_layers(const struct inputs *c) {
    const struct fact *method = &c->in[FACT_speculative_method];
    int64_t own = c->model->draft_layers > 0 ? c->model->draft_layers : 1;
    struct options o = {.count = 0};
    bool drafts = setting_of(c, FACT_num_speculative_tokens, 0) > 0;
    bool is_mtp = method->known && STR_HAS_ONE(method->word, "mtp");
    bool is_eagle = method->known && str_starts(method->word, STR("eagle"));
    offer_if(&o, drafts && (is_mtp || !method->known), own);
    offer_if(&o, drafts && is_eagle, 1);
    offer_if(&o, !drafts || (!is_mtp && !is_eagle), 0);
    return o;
}

/* ---- windows ---- */

/* The manager of hybrids can be switched off; releases from 0.10.1 on do so
 * for chunked attention unless an environment variable is set. */
static struct options wholes(const struct inputs *c,
                             const struct kv_rules *rules) {
    const struct fact *off = &c->in[FACT_hybrid_kv_disabled];
    struct options o = {.count = 0};
    enum answer whole =
        model_has(c->model, KV_chunked) ? rules_keep_chunks(c) : ANSWER_NO;
    if (is_stated(off))
        whole = off->number ? ANSWER_YES : ANSWER_NO;
    if (rules->windows_charged == WINDOWS_WHOLE || !model_has_windows(c->model))
        whole = ANSWER_NO; /* nothing to decide */
    offer_if(&o, whole != ANSWER_YES, WHOLE_NOT);
    offer_if(&o, whole != ANSWER_NO, WHOLE_BY_MANAGER);
    return o;
}

static struct options stages(const struct inputs *c,
                             const struct kv_rules *rules) {
    struct options o = {.count = 0};
    int64_t pp = pipeline_ranks(c);
    offer(&o, STAGE_LARGE);
    for (size_t i = 0; i < c->model->group_count; i++) {
        int64_t rest = c->model->groups[i].layers % pp;
        bool is_alone = c->model->group_count == 1;
        offer_if(&o, is_of_a_log(c) && rest != 0, STAGE_SMALL);
        offer_if(&o, rules->is_v0 && rest > 1 && is_alone, STAGE_LAST);
    }
    return o;
}

static struct variant variant_with(const struct inputs *c,
                                   const struct kv_rules *rules) {
    const struct kv_group *state = state_group(c->model);
    struct variant w = {
        .rules = rules,
        .model = c->model,
        .kv_dtype = kv_dtype_of(c),
        .is_kv_dtype_open = !kv_dtype_is_stated(c),
        .block_tokens = setting_of(c, FACT_block_size, DEFAULT_BLOCK),
        .tp = tensor_ranks(c),
        .pp = pipeline_ranks(c),
        .context_ranks = setting_of(c, FACT_decode_context_parallel, 1),
        /* what a refusal calls available is without that block already */
        .null = rules->null == NULL_OUT && c->in[FACT_kv_needed].known
                    ? NULL_NONE
                    : rules->null,
    };
    if (!mul_i64(w.context_ranks,
                 setting_of(c, FACT_prefill_context_parallel, 1),
                 &w.context_ranks))
        w.context_ranks = 1;
    if (state)
        w.state = kv_state_setting(c, state);
    return w;
}

enum dimension {
    FLIGHT, /* first: blocks do not depend on it */
    STATE_MODE,
    STATE_SCALE,
    STAGE,
    DRAFT,
    WHOLE,
    DIMENSIONS
};

static void choose(struct variant *w, const int64_t *chosen) {
    const struct state_mode *mode = &modes[chosen[STATE_MODE]];
    w->tokens_in_flight = chosen[FLIGHT];
    w->state_pages = mode->pages + w->state.draft_tokens;
    w->keeps_all_states = mode->keeps_all;
    w->state_step = mode->step;
    if (mode->step == 0 && model_has(w->model, KV_mla))
        w->state_step = LATENT_BLOCK;
    w->state_scale = chosen[STATE_SCALE];
    w->share = (enum stage_share)chosen[STAGE];
    w->draft_layers = chosen[DRAFT];
    w->whole = (enum whole_rule)chosen[WHOLE];
}

/* as_whole: with windows kept whole, whatever the settings are. */
static void add_variants(struct arena *a, struct variants *variants,
                         const struct inputs *c, const struct kv_rules *rules,
                         bool as_whole) {
    const struct kv_group *g = state_group(c->model);
    struct options whole = {.at = {WHOLE_LAYERS}, .count = 1};
    struct options scales = {.at = {1}, .count = 1};
    /* a state of which only the sum is known is of 16 bits or of 32 */
    offer_if(&scales,
             g && g->conv_channels <= 0 && g->state_elements <= 0 &&
                 !rules->is_v0,
             2);
    struct options dimension[DIMENSIONS] = {
        flights(c, rules),
        state_modes(c, rules),
        scales,
        stages(c, rules),
        draft_layers(c),
        as_whole ? whole : wholes(c, rules)};
    struct variant first = variant_with(c, rules);
    bool has_layout = false;
    size_t total = 1;
    for (size_t d = 0; d < DIMENSIONS; d++)
        total *= dimension[d].count;
    for (size_t i = 0; i < total && variants->count < VARIANTS_MAX; i++) {
        int64_t chosen[DIMENSIONS];
        for (size_t d = 0, rest = i; d < DIMENSIONS; d++) {
            chosen[d] = dimension[d].at[rest % dimension[d].count];
            rest /= dimension[d].count;
        }
        struct variant w = first;
        choose(&w, chosen);
        if (i % dimension[FLIGHT].count == 0)
            has_layout = variant_block_bytes(&w).known;
        if (has_layout) {
            variants->at = arena_grow(a, variants->at, variants->count,
                                      &variants->cap, sizeof *variants->at);
            variants->at[variants->count++] = w;
        }
    }
}

/* ---- what the log prints ---- */

/* True if the variant gives the need, the estimate, and V0's CPU blocks
 * (swap / block, rounded down), as far as they are printed. */
static bool gives_printed(const struct inputs *c, const struct variant *w) {
    struct span printed = span_in(c, FACT_kv_needed);
    struct span pool = span_in(c, FACT_kv_available);
    int64_t estimate = setting_of(c, FACT_est_max_model_len, 0);
    int64_t blocks = setting_of(c, FACT_cpu_blocks, 0);
    const struct fact *swap = &c->in[FACT_swap_space];
    if (printed.known && c->in[FACT_max_model_len].known) {
        struct span need =
            variant_request(w, c->in[FACT_max_model_len].number);
        if (!need.known || printed.low > need.high || need.low > printed.high)
            return false;
    }
    if (estimate > 0 && pool.known) {
        struct span here = variant_request(w, estimate);
        if (!here.known || here.low > pool.high ||
            variant_request(w, estimate + 1).high <= pool.low)
            return false;
    }
    if (!w->rules->is_v0 || blocks <= 0 || !swap->known)
        return true;
    struct span block = variant_block_bytes(w);
    return block.low > 0 && swap->number / block.low == blocks;
}

/* Of all variants, those that explain the log; all where none does. */
static struct variants variants_by(struct arena *a, const struct inputs *c,
                                   bool as_whole) {
    struct variants variants = {.count = 0};
    struct rules_list rules = rules_of(c);
    size_t kept = 0;
    for (size_t i = 0; i < rules.count; i++)
        if (!as_whole || rules.at[i]->windows_charged == WINDOWS_CUT)
            add_variants(a, &variants, c, rules.at[i], as_whole);
    for (size_t i = 0; i < variants.count; i++)
        if (gives_printed(c, &variants.at[i]))
            variants.at[kept++] = variants.at[i];
    variants.agrees = kept > 0;
    variants.count = kept > 0 ? kept : variants.count;
    return variants;
}

struct variants variants_of(struct arena *a, const struct inputs *c) {
    if (c->model == NULL || c->model->group_count == 0 ||
        !engine_keeps_cache(c))
        return (struct variants){.count = 0};
    struct variants variants = variants_by(a, c, false);
    bool may_be_whole = !variants.agrees && variants.count > 0 &&
                        model_has_windows(c->model) &&
                        rules_is_v0(c) != ANSWER_YES;
    struct variants whole = {.agrees = false};
    if (may_be_whole)
        whole = variants_by(a, c, true);
    return whole.agrees ? whole : variants;
}

struct variants variants_copy(struct arena *a,
                              const struct variants *variants) {
    struct variants copy = *variants;
    copy.at = arena_array(a, variants->count, sizeof *copy.at);
    for (size_t i = 0; i < variants->count; i++)
        copy.at[i] = variants->at[i];
    return copy;
}
